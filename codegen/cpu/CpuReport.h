//===- CpuReport.h - What a report says of a processor ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of kernels, and the rates to compare them with: multiply-adds by code generated for
// the processor, and copying.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_CPUREPORT_H
#define TENON_CODEGEN_CPU_CPUREPORT_H

#include "codegen/Report.h"
#include "codegen/cpu/CompileKernel.h"

namespace tenon::cpu {

/// Describes planned functions whose kernels, in order, `compiled` has; it took `seconds`.
/// `extents` as for reportProgram. Measures the rates of this machine if it runs the target's
/// code. Fails with an error.
mlir::FailureOr<Report> reportFunctions(llvm::ArrayRef<mlir::func::FuncOp> functions,
                                        const CompiledKernels &compiled, const CpuTarget &target,
                                        double seconds, llvm::ArrayRef<int64_t> extents = {});

/// Measures, for some 50 ms, this machine, which runs the target's code: multiply-adds of full
/// vectors in registers on one thread, times `threads`, and copies of 64 MiB by `threads`.
llvm::Expected<MachineRates> measureRates(const CpuTarget &target, unsigned threads);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_CPUREPORT_H
