//===- Norm.cpp - Backward rules of softmax and norms ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

// The compositions recompute the statistics of a row from x, so that one pass over
// rows gives dx and nothing but x is kept from the forward pass.

static Value softmaxSum(Incoming &in, Value x, int64_t axis) {
  return in.spread(in.sum(x, axis, true), x);
}

/// dx = y * (dy - sum(dy * y))
static Value backwardSoftmax(SoftmaxOp op, Incoming &in) {
  Value y = in.widen(op.getY()), dy = in.widen(in.dy());
  Value dot = softmaxSum(in, in.mul(dy, y), op.getAxis());
  return in.cast(in.mul(y, in.sub(dy, dot)), op.getType().getElementType());
}

/// dx = dy - e^y * sum(dy)
static Value backwardLogSoftmax(LogSoftmaxOp op, Incoming &in) {
  Value y = in.widen(op.getY()), dy = in.widen(in.dy());
  Value total = softmaxSum(in, dy, op.getAxis());
  return in.cast(in.sub(dy, in.mul(in.exp(y), total)), op.getType().getElementType());
}

/// The operands' gradients from the normalised rows xhat = rstd * (x - mean).
template <typename Op>
static Gradients backwardNorm(Op op, Incoming &in, Value rstd, Value xhat, bool centred,
                              Value beta) {
  Value dy = in.widen(in.dy()), gamma = op.getGamma();
  mlir::Type element = op.getType().getElementType();
  SmallVector<int64_t> leading = allAxes(op.getType().getRank() - 1);
  SmallVector<Value> gradients;

  Value dx;
  if (in.needed[0]) {
    Value g = gamma ? in.mul(dy, in.alongRows(in.widen(gamma), dy)) : dy;
    Value inner = in.mul(xhat, in.spread(in.rowMean(in.mul(g, xhat)), g));
    Value rest = centred ? in.sub(g, in.spread(in.rowMean(g), g)) : g;
    dx = in.cast(in.mul(in.spread(rstd, g), in.sub(rest, inner)), element);
  }
  gradients.push_back(dx);
  if (gamma)
    gradients.push_back(in.needed[1] ? in.cast(in.sum(in.mul(dy, xhat), leading), element)
                                     : Value());
  if (beta)
    gradients.push_back(in.needed.back() ? in.cast(in.sum(dy, leading), element) : Value());
  return gradients;
}

static Value inverseRoot(Incoming &in, Value square, const APFloat &eps) {
  return in.make<RsqrtOp>(in.shift(in.rowMean(square), eps.convertToDouble()));
}

static Gradients backwardLayerNorm(LayerNormOp op, Incoming &in) {
  Value x = in.widen(op.getX());
  Value centred = in.sub(x, in.spread(in.rowMean(x), x));
  Value rstd = inverseRoot(in, in.mul(centred, centred), op.getEps());
  return backwardNorm(op, in, rstd, in.mul(centred, in.spread(rstd, x)), true, op.getBeta());
}

static Gradients backwardRmsNorm(RmsNormOp op, Incoming &in) {
  Value x = in.widen(op.getX());
  Value rstd = inverseRoot(in, in.mul(x, x), op.getEps());
  return backwardNorm(op, in, rstd, in.mul(x, in.spread(rstd, x)), false, Value());
}

void attachNormRules(MLIRContext *context) {
  attachRule<SoftmaxOp, backwardSoftmax>(context);
  attachRule<LogSoftmaxOp, backwardLogSoftmax>(context);
  attachRule<LayerNormOp, backwardLayerNorm>(context);
  attachRule<RmsNormOp, backwardRmsNorm>(context);
}

} // namespace tenon::autodiff
