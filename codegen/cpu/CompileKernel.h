//===- CompileKernel.h - From kernels to objects ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles `tenon.kernel` ops for the CPU: in parallel, each thread in a context
// of its own, equal kernels once.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_COMPILEKERNEL_H
#define TENON_CODEGEN_CPU_COMPILEKERNEL_H

#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/ObjectCode.h"
#include "ir/TenonOps.h"
#include "passes/Checkpoint.h"

#include "mlir/IR/AffineExpr.h"

namespace tenon::cpu {

struct CompileOptions {
  unsigned optLevel = defaultOptLevel;
  bool verify = false;       ///< run the verifier between the stages
  bool texts = false;        ///< fill KernelObject::texts
  unsigned threads = 1;      ///< that compile, the calling one included
  bool boundsChecks = false; ///< see BoundsChecks.h
  bool cached = true;        ///< take what this process has compiled before
  /// If given, compilation fails once it is set, before long. A kernel that it catches
  /// half-optimized is dropped.
  const CancelFlag *cancelled = nullptr;
  std::string suffix; ///< of the symbols: tells code for one target from another's
};

/// What people may look at: the code that a strategy emitted, then after LLVM.
struct KernelTexts : CodeTexts {
  std::string emitted;
};

/// A kernel that has become machine code: a relocatable object that defines the
/// function `symbol` of the kernel ABI.
struct KernelObject {
  std::string symbol;
  llvm::SmallVector<char, 0> bytes;
  double seconds = 0; ///< that it took to compile; 0 if it was found in the cache
  KernelTexts texts;
};

/// Of one kernel op. Scratch sizes are expressions in the context of the op over
/// its dynamic extents (operands, then results, in order).
struct CompiledKernel {
  unsigned object; ///< index of its object: equal kernels have the same
  mlir::AffineExpr scratchShared, scratchPerWorker;
};

struct CompiledKernels {
  std::vector<KernelObject> objects;
  std::vector<CompiledKernel> kernels; ///< in the order of the ops
};

/// Compiles the kernels. Symbols are made of the kernels' contents: the same
/// kernel has the same symbol and the same bytes in every process. On failure an
/// error has been emitted at the kernel's location. Kernels that this process has
/// compiled before are found in a cache, unless texts are wanted.
llvm::FailureOr<CompiledKernels> compileKernels(llvm::ArrayRef<KernelOp> kernels,
                                                const CpuTarget &target,
                                                const CompileOptions &options = {});

/// Forgets the kernels that were compiled before.
void clearKernelCache();

/// The same with given strategies instead of cpuStrategies(), without the cache.
llvm::FailureOr<CompiledKernels> compileKernels(llvm::ArrayRef<KernelOp> kernels,
                                                const KernelStrategies &strategies,
                                                const CpuTarget &target,
                                                const CompileOptions &options);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_COMPILEKERNEL_H
