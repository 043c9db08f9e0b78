//===- KernelCache.h - Kernels compiled before ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that this process has compiled is not compiled again, in whichever context
// it comes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_KERNELCACHE_H
#define TENON_CODEGEN_CPU_KERNELCACHE_H

#include "codegen/cpu/KernelWorker.h"

#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tenon::cpu {

/// An expression of constants and symbols, rebuilt in a context: expressions belong to
/// one and may not be used with another's.
mlir::AffineExpr inContext(mlir::AffineExpr expr, mlir::MLIRContext *context);

/// Kernels that this process has compiled. Their expressions belong to the cache's
/// own context. May be used from any thread.
class KernelCache {
public:
  static KernelCache &get();

  /// The part of a key that says for what kernels are compiled.
  static std::string purpose(const CpuTarget &target, const CompileOptions &options);

  /// Makes `outcome` what is known of the kernel, with expressions in `context`; false
  /// if nothing is.
  bool find(const std::string &key, mlir::MLIRContext *context, KernelOutcome &outcome);
  void add(const std::string &key, const KernelOutcome &outcome);
  void clear();

private:
  static constexpr size_t maxEntries = 4096; ///< about 30 MB
  std::mutex mutex;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  llvm::StringMap<KernelOutcome> entries;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_KERNELCACHE_H
