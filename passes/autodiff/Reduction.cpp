//===- Reduction.cpp - Backward rules of reductions -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

/// A value of the result's shape, repeated along the reduced axes.
template <typename Op> static Value repeat(Op op, Incoming &in, Value value) {
  Value x = op.getX();
  return op.getKeep() ? in.spread(value, x) : in.withAxes(value, x, op.getAxes());
}

static Gradients backwardSum(ReduceSumOp op, Incoming &in) {
  return give({repeat(op, in, in.dy())});
}

static Gradients backwardMean(ReduceMeanOp op, Incoming &in) {
  Value x = op.getX();
  int64_t count = 1;
  for (int64_t axis : op.getAxes()) {
    int64_t extent = tensorType(x).getDimSize(axis);
    count = ShapedType::isDynamic(extent) || ShapedType::isDynamic(count) ? ShapedType::kDynamic
                                                                          : count * extent;
  }
  if (!ShapedType::isDynamic(count))
    return give({repeat(op, in, in.scale(in.dy(), 1.0 / double(count)))});
  Value counts = in.make<ReduceSumOp>(in.splat(x, 1), op.getAxes(), op.getKeep());
  return give({repeat(op, in, in.div(in.dy(), counts))});
}

/// The elements that equal the extremum share its gradient equally.
template <typename Op> static Gradients backwardExtremum(Op op, Incoming &in) {
  Value x = op.getX();
  Value chosen = in.compare(x, Predicate::eq, repeat(op, in, op.getY()));
  Value ones = in.cast(chosen, tensorType(x).getElementType());
  Value count = in.make<ReduceSumOp>(ones, op.getAxes(), op.getKeep());
  return give({in.keepWhere(chosen, repeat(op, in, in.div(in.dy(), count)))});
}

/// The product of the other elements: y / x without zeros; with one zero it is the
/// product of the rest at the zero, and else 0.
static Gradients backwardProd(ReduceProdOp op, Incoming &in) {
  Value x = op.getX();
  Value isZero = in.compare(x, Predicate::eq, 0);
  Value rest = in.select(isZero, in.splat(x, 1), x);
  Value product = in.make<ReduceProdOp>(rest, op.getAxes(), op.getKeep());
  Value ones = in.cast(isZero, tensorType(x).getElementType());
  Value zeros = repeat(op, in, in.make<ReduceSumOp>(ones, op.getAxes(), op.getKeep()));
  Value others = in.div(repeat(op, in, product), rest);
  Value alone = in.keepWhere(in.make<AndOp>(isZero, in.compare(zeros, Predicate::eq, 1)), others);
  Value slope = in.select(in.compare(zeros, Predicate::eq, 0), others, alone);
  return give({in.mul(repeat(op, in, in.dy()), slope)});
}

void attachReductionRules(MLIRContext *context) {
  attachRule<ReduceSumOp, backwardSum>(context);
  attachRule<ReduceMeanOp, backwardMean>(context);
  attachRule<ReduceMaxOp, backwardExtremum<ReduceMaxOp>>(context);
  attachRule<ReduceMinOp, backwardExtremum<ReduceMinOp>>(context);
  attachRule<ReduceProdOp, backwardProd>(context);
}

} // namespace tenon::autodiff
