//===- KernelBenchmarks.h - Each kernel as a program ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --emit-kernel-benchmarks of tenon-compile writes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_COMPILE_KERNELBENCHMARKS_H
#define TENON_TOOLS_COMPILE_KERNELBENCHMARKS_H

#include "codegen/cpu/CompileKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Writes, for each distinct kernel of planned functions, `<folder>/<symbol>.mlir`, a module of
/// that kernel alone, and `<folder>/<symbol>`, a program that prints its rate when started with
/// --benchmark. `compiled` has the kernels of the functions in order, `runtimeFolder` the static
/// runtime.
llvm::Error writeKernelBenchmarks(llvm::ArrayRef<mlir::func::FuncOp> functions,
                                  const cpu::CompiledKernels &compiled,
                                  const cpu::CpuTarget &target, const cpu::CompileOptions &options,
                                  llvm::StringRef folder, llvm::StringRef runtimeFolder);

} // namespace tenon

#endif // TENON_TOOLS_COMPILE_KERNELBENCHMARKS_H
