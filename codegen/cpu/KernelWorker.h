//===- KernelWorker.h - Compiles kernels on one thread ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one program compile side by side, and MLIR contexts are for one
// thread: each worker has its own, and kernels travel there as bytecode.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_KERNELWORKER_H
#define TENON_CODEGEN_CPU_KERNELWORKER_H

#include "codegen/cpu/CompileKernel.h"
#include "codegen/cpu/LowerToLLVM.h"

#include "mlir/IR/MLIRContext.h"

namespace tenon::cpu {

/// What a worker makes of one kernel. Expressions belong to the worker's context.
struct KernelOutcome {
  KernelObject object;
  mlir::AffineExpr scratchShared, scratchPerWorker;
  std::string error; ///< why not
};

/// A context with all that compiling takes. Making one costs more than compiling
/// a small kernel, so they are kept.
class KernelWorker {
public:
  /// One for this target and level, idle or new; null and `error` if there is no
  /// such target.
  static std::unique_ptr<KernelWorker> acquire(const CpuTarget &target,
                                               const CompileOptions &options, std::string &error);
  static void release(std::unique_ptr<KernelWorker> worker);

  /// Compiles the kernel that is alone in a module. On failure `outcome.error` says
  /// why.
  void compile(llvm::StringRef bytecode, llvm::StringRef symbol, const KernelStrategies &strategies,
               KernelOutcome &outcome);

private:
  KernelWorker(const CpuTarget &target, const CompileOptions &options);
  llvm::LogicalResult emit(mlir::ModuleOp module, llvm::StringRef symbol,
                           const KernelStrategies &strategies, KernelOutcome &outcome);
  bool fits(const CpuTarget &wanted, const CompileOptions &asked) const {
    return target.triple == wanted.triple && target.cpu == wanted.cpu &&
           target.features == wanted.features && options.optLevel == asked.optLevel;
  }

  CpuTarget target;
  CompileOptions options;
  mlir::MLIRContext context;
  std::unique_ptr<LowerToLLVM> lowering;
  std::unique_ptr<ObjectCode> code;
  unsigned compiled = 0;

  /// Types and attributes of a context are never freed, so it is not kept for ever.
  static constexpr unsigned maxCompiled = 1000;
  static constexpr size_t maxIdle = 8;
  struct Idle;
  static Idle &idle();
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_KERNELWORKER_H
