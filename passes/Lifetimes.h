//===- Lifetimes.h - When values are needed ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a planned function and the last one that needs a value: what memory
// planning goes by and reports show.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_LIFETIMES_H
#define TENON_PASSES_LIFETIMES_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

namespace tenon {

/// Numbers the ops of a block in order; a loop or an if takes one number for its start,
/// those of its bodies, and one for its end.
class Lifetimes {
public:
  struct Steps {
    int64_t first, last;
  };

  explicit Lifetimes(mlir::Block &block) { number(block); }

  Steps of(mlir::Operation *op) const { return steps.lookup(op); }
  int64_t numSteps() const { return next; }
  /// The last step that reads the storage of `value`, at least the one that makes it (-1 for an
  /// argument). A use in a body of a value from outside lasts until the loop or the if ends.
  int64_t lastUse(mlir::Value value) const;

private:
  void number(mlir::Block &block);

  llvm::DenseMap<mlir::Operation *, Steps> steps;
  int64_t next = 0;
};

} // namespace tenon

#endif // TENON_PASSES_LIFETIMES_H
