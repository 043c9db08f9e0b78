//===- CpuProgram.h - A planned function as native code ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of compiling just in time; ahead of time, codegen/aot takes its
// place.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_CPUPROGRAM_H
#define TENON_CODEGEN_CPU_CPUPROGRAM_H

#include "codegen/PlannedProgram.h"
#include "codegen/cpu/CompileKernel.h"

namespace tenon::cpu {

/// Compiles the kernels of a planned function, links them in memory and builds the
/// program, which owns the code. A failure has emitted an error.
llvm::FailureOr<std::unique_ptr<Program>> buildCpuProgram(mlir::func::FuncOp function,
                                                          const CpuTarget &target,
                                                          const CompileOptions &options);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_CPUPROGRAM_H
