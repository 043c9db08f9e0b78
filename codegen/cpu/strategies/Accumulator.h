//===- Accumulator.h - The running value of a reduction ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of rows and of parts of rows alike: start, step, merge, finish. The
// order of additions depends on extents and lanes alone, never on threads.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_ACCUMULATOR_H
#define TENON_CODEGEN_CPU_STRATEGIES_ACCUMULATOR_H

#include "codegen/cpu/VectorLoop.h"

namespace tenon::cpu {

/// How one reduction op accumulates: one value, or for argmax and argmin the value
/// and its index (-1 before there is one). Vectors accumulate lane by lane.
class Accumulator {
public:
  Accumulator(KernelFrame &frame, mlir::Operation *op) : frame(&frame), op(op) {}

  mlir::Operation *reduction() const { return op; }
  bool isArg() const { return llvm::isa<ArgmaxOp, ArgminOp>(op); }
  unsigned width() const { return isArg() ? 2 : 1; }
  /// Types of the scalars.
  llvm::SmallVector<mlir::Type, 2> types() const;

  /// Before the first element.
  Values start(int lanes) const;
  /// Takes `x`; `index` is its place along the axis of argmax (i64, as wide as x). Lanes
  /// that the mask leaves out stay.
  Values step(mlir::ValueRange carried, mlir::Value x, mlir::Value index, mlir::Value mask) const;
  /// Of two accumulators; `a` is of the earlier elements.
  Values merge(mlir::ValueRange a, mlir::ValueRange b) const;
  /// All lanes in one, in a fixed order.
  Values horizontal(mlir::ValueRange carried) const;
  /// The element of the op's result, over `count` elements (an index).
  mlir::Value finish(mlir::ValueRange carried, mlir::Value count) const;

private:
  mlir::Value combine(mlir::Value a, mlir::Value b) const;
  KernelFrame *frame;
  mlir::Operation *op;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_ACCUMULATOR_H
