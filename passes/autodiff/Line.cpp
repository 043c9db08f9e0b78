//===- Line.cpp - Backward rules of ops along one axis --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

/// What reaches y[i] comes from x[i] and those before it: the sum from the other end.
static Gradients backwardCumsum(CumsumOp op, Incoming &in) {
  return give({in.make<CumsumOp>(in.dy(), op.getAxis(), op.getExclusive(), !op.getReverse())});
}

/// `updates` at the places `ids` of lines like those of x.
static Value scatterLike(Incoming &in, Value x, Value ids, Value updates, int64_t axis) {
  int64_t extent = tensorType(x).getDimSize(axis);
  return in.make<ScatterAlongOp>(ids, updates, ShapedType::isDynamic(extent) ? x : Value(),
                                 uint64_t(axis), uint64_t(extent));
}

static Gradients backwardSort(SortOp op, Incoming &in) {
  if (!in.dy())
    return give({Value()});
  return give({scatterLike(in, op.getX(), op.getIndices(), in.dy(), op.getAxis())});
}

static Gradients backwardGatherAlong(GatherAlongOp op, Incoming &in) {
  return give({scatterLike(in, op.getX(), op.getIds(), in.dy(), op.getAxis()), Value()});
}

/// Gathers; an id out of range was left out and gets 0.
static Gradients backwardScatterAlong(ScatterAlongOp op, Incoming &in) {
  Value ids = op.getIds(), x = in.make<GatherAlongOp>(in.dy(), ids, op.getAxis()), valid;
  if (int64_t extent = op.getExtent(); !ShapedType::isDynamic(extent))
    valid = in.make<AndOp>(in.compare(ids, Predicate::ge, 0),
                           in.compare(ids, Predicate::lt, double(extent)));
  else // out of range a gather gives NaN
    valid = in.compare(in.make<GatherAlongOp>(in.splat(in.dy(), 1), ids, op.getAxis()),
                       Predicate::eq, 1);
  SmallVector<Value> gradients(op->getNumOperands());
  gradients[1] = in.keepWhere(valid, x);
  return gradients;
}

void attachLineRules(MLIRContext *context) {
  attachRule<CumsumOp, backwardCumsum>(context);
  attachRule<SortOp, backwardSort>(context);
  attachRule<GatherAlongOp, backwardGatherAlong>(context);
  attachRule<ScatterAlongOp, backwardScatterAlong>(context);
}

} // namespace tenon::autodiff
