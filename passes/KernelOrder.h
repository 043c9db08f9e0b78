//===- KernelOrder.h - Who may overwrite what, and in which order -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An update in place needs all other readers of the old value first. This finds out
// whether there is such an order, and makes it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_KERNELORDER_H
#define TENON_PASSES_KERNELORDER_H

#include "passes/InPlace.h"

namespace tenon {

/// The order of a block's ops under what values need and what overwriting asks for.
class KernelOrder {
public:
  KernelOrder(mlir::Block &block, const KernelStrategies &strategies);

  /// Lets `value`, a result of an op of the block, take the storage of `argument`, an
  /// argument of the block: all other readers of it must then come first. False, and
  /// nothing has changed, if that cannot be.
  bool overwrite(mlir::OpResult value, mlir::Value argument);

  /// Makes known an op that was added to the end of the block.
  void add(mlir::Operation *op);

  /// Moves the ops; they keep their order where nothing speaks against it.
  void apply();

private:
  using Successors = llvm::SmallVector<mlir::Operation *, 4>;
  mlir::Operation *inBlock(mlir::Operation *op) { return block.findAncestorOpInBlock(*op); }
  bool reaches(mlir::Operation *from, mlir::Operation *to);

  mlir::Block &block;
  const KernelStrategies &strategies;
  llvm::DenseMap<mlir::Operation *, Successors> after;
  llvm::DenseMap<mlir::Operation *, int64_t> place;
};

} // namespace tenon

#endif // TENON_PASSES_KERNELORDER_H
