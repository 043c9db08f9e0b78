//===- ReverseMode.h - Gradients over a stretch of a block ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one implementation of reverse mode, for gradient ops and for the bodies of
// loops alike. It knows no op: rules come by DifferentiableOpInterface.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_AUTODIFF_REVERSEMODE_H
#define TENON_PASSES_AUTODIFF_REVERSEMODE_H

#include "ir/TenonOps.h"

#include "llvm/ADT/DenseSet.h"

namespace tenon {

/// The float values that `ops`, in program order, compute from any of `xs`.
llvm::DenseSet<mlir::Value> activeValues(llvm::ArrayRef<mlir::Operation *> ops,
                                         llvm::ArrayRef<mlir::Value> xs);

/// The ops of the builder's block after `before` (all if null) up to the insertion
/// point.
llvm::SmallVector<mlir::Operation *> opsUpTo(mlir::OpBuilder &builder,
                                             mlir::Operation *before = nullptr);

/// The op just before the insertion point, null at the start of the block.
mlir::Operation *opBefore(mlir::OpBuilder &builder);

/// Emits `sum over i of seeds[i]^T dys[i]/dx` for each x, in reverse mode through
/// `ops` (in program order): a partial derivative where xs depend on each other
/// outside of `ops`. A null stands for zero. Fails after an error at an op that has
/// no rule.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> reverseMode(mlir::OpBuilder &builder,
                                                            llvm::ArrayRef<mlir::Operation *> ops,
                                                            llvm::ArrayRef<mlir::Value> ys,
                                                            llvm::ArrayRef<mlir::Value> seeds,
                                                            llvm::ArrayRef<mlir::Value> xs);

/// Erases the ops of a block, and of blocks within, whose results nobody reads.
void eraseDeadOps(mlir::Block &block);

} // namespace tenon

#endif // TENON_PASSES_AUTODIFF_REVERSEMODE_H
