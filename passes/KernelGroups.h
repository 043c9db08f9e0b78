//===- KernelGroups.h - Which ops go into one kernel ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ops are grouped, apart from how a kernel op is built (FormKernels.cpp).
// Legality and worth are the strategies' to say; that groups stay free of cycles is
// ensured here.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_KERNELGROUPS_H
#define TENON_PASSES_KERNELGROUPS_H

#include "passes/KernelStrategy.h"

#include "llvm/ADT/DenseMap.h"

namespace tenon {

/// A view or a value made of nothing: computed again in every kernel that uses it.
bool isCopiedIntoKernels(mlir::Operation *op);

/// A kernel to be.
struct PlannedKernel {
  const KernelStrategy *strategy = nullptr;
  KernelGroup group;              ///< its ops, copied ones included; `root` is the first
  unsigned first = ~0u, last = 0; ///< positions that its ops have been between
};

/// Told why `op` was not fused into the kernel of `root`.
using FusionReport =
    llvm::function_ref<void(mlir::Operation *op, mlir::Operation *root, llvm::StringRef reason)>;

/// Plans the kernels of one block. Every tenon op that computes is in one kernel, but
/// copied ops in any number of them. No kernel waits, through ops outside, for itself.
class KernelGroups {
public:
  KernelGroups(mlir::Block &block, const KernelStrategies &strategies, FusionReport report);

  /// Fails, with a located error, at an op that no strategy can root.
  llvm::LogicalResult plan();

  /// In an order in which they can be computed, other ops of the block between them.
  struct Step {
    mlir::Operation *op = nullptr; ///< or
    PlannedKernel *kernel = nullptr;
  };
  llvm::SmallVector<Step> schedule();

  /// The kernel that computes an op for the others; null for copies.
  const PlannedKernel *ownerOf(mlir::Operation *op) const { return owner.lookup(op); }

  /// Is this an op that kernels are made of?
  bool computes(mlir::Operation *op) const;

private:
  const KernelStrategy *rootStrategy(mlir::Operation *op) const;
  void grow(PlannedKernel &kernel);
  bool tryProducer(PlannedKernel &kernel, mlir::Operation *op);
  bool tryConsumer(PlannedKernel &kernel, mlir::Operation *op);
  void prune(PlannedKernel &kernel);
  void insert(PlannedKernel &kernel, mlir::Operation *op);
  PlannedKernel &add(mlir::Operation *root, const KernelStrategy *strategy);
  bool isReadOutside(const PlannedKernel &kernel, mlir::Operation *op);
  bool isMaterialized(mlir::Operation *op);
  unsigned lastOnTheWayBack(const PlannedKernel &kernel, llvm::ArrayRef<mlir::Operation *> more);
  bool wouldCycle(const PlannedKernel &kernel, llvm::ArrayRef<mlir::Operation *> more);
  void mergeSmall();
  llvm::SmallVector<mlir::Operation *> usersInBlock(mlir::Operation *op);

  mlir::Block &block;
  const KernelStrategies &strategies;
  FusionReport report; ///< the caller's, who keeps it
  std::vector<std::unique_ptr<PlannedKernel>> kernels;
  llvm::DenseMap<mlir::Operation *, unsigned> position;     ///< in the block
  llvm::DenseMap<mlir::Operation *, PlannedKernel *> owner; ///< of ops that are not copies
};

} // namespace tenon

#endif // TENON_PASSES_KERNELGROUPS_H
