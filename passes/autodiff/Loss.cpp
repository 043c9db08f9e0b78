//===- Loss.cpp - Backward rules of losses --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

static Gradients backwardMse(MseLossOp op, Incoming &in) {
  Value x = op.getPrediction(), dy = in.dy();
  RankedTensorType type = tensorType(x);
  Value perElement;
  if (type.hasStaticShape()) {
    perElement = in.scale(dy, 2.0 / double(std::max<int64_t>(type.getNumElements(), 1)));
  } else {
    Value count = in.sum(in.splat(x, 1), allAxes(type.getRank()));
    perElement = in.div(in.scale(dy, 2), count);
  }
  Value d = in.mul(in.sub(x, op.getTarget()), in.broadcast(perElement, x, {}));
  return give({d, in.needed[1] ? in.neg(d) : Value()});
}

static Gradients backwardCrossEntropy(CrossEntropyOp op, Incoming &in) {
  Value p = in.widen(op.getProbabilities()), target = in.widen(op.getTarget());
  double floor = op.getFloor().convertToDouble();
  Value dl = in.withAxes(in.neg(in.widen(in.dy())), p, {tensorType(p).getRank() - 1});
  Value inside =
      in.make<AndOp>(in.compare(p, Predicate::gt, floor), in.compare(p, Predicate::lt, 1 - floor));
  Value d = in.keepWhere(inside, in.mul(dl, in.div(target, p)));
  Value dt;
  if (in.needed[1]) {
    Value clamped = in.make<MinOp>(in.make<MaxOp>(p, in.splat(p, floor)), in.splat(p, 1 - floor));
    dt = in.cast(in.mul(dl, in.make<LogOp>(clamped)), tensorType(op.getTarget()).getElementType());
  }
  return give({in.cast(d, tensorType(op.getProbabilities()).getElementType()), dt});
}

/// t and the sum of t over the classes, both of the shape of the logits.
static std::pair<Value, Value> softTarget(SoftmaxCrossEntropyOp op, Incoming &in, Value logits) {
  Value target = op.getTarget();
  int64_t last = tensorType(logits).getRank() - 1;
  if (isFloatTensor(target)) {
    Value t = in.widen(target);
    return {t, in.spread(in.rowSum(t), t)};
  }
  mlir::Type element = tensorType(logits).getElementType();
  RankedTensorType type = tensorType(logits);
  if (tensorType(target).getElementType().isInteger(8)) // there may be more classes than it counts
    target = in.cast(target, in.builder.getI32Type());
  Value ids = in.withAxes(target, logits, {last});
  Value like = type.hasStaticShape() ? Value() : logits;
  Value classes =
      in.make<IotaOp>(type.clone(tensorType(target).getElementType()), like, type.getShape(),
                      uint64_t(last), tensorType(target).getElementType());
  Value t = in.cast(in.compare(ids, Predicate::eq, classes), element);
  return {t, in.spread(in.rowSum(t), t)};
}

static Gradients backwardSoftmaxCrossEntropy(SoftmaxCrossEntropyOp op, Incoming &in) {
  Value x = in.widen(op.getLogits());
  int64_t last = tensorType(x).getRank() - 1;
  auto [t, total] = softTarget(op, in, x);
  Value p = in.make<SoftmaxOp>(x, uint64_t(last));
  Value dl = in.withAxes(in.widen(in.dy()), x, {last});
  Value d = in.mul(in.sub(in.mul(p, total), t), dl);
  Value dt;
  if (in.needed[1]) {
    dt = in.make<LogSoftmaxOp>(x, uint64_t(last));
    if (double floor = op.getFloor().convertToDouble(); floor > 0)
      dt = in.make<MaxOp>(dt, in.splat(dt, std::log(floor)));
    dt = in.cast(in.neg(in.mul(dt, dl)), tensorType(op.getTarget()).getElementType());
  }
  return give({in.cast(d, tensorType(op.getLogits()).getElementType()), dt});
}

void attachLossRules(MLIRContext *context) {
  attachRule<MseLossOp, backwardMse>(context);
  attachRule<CrossEntropyOp, backwardCrossEntropy>(context);
  attachRule<SoftmaxCrossEntropyOp, backwardSoftmaxCrossEntropy>(context);
}

} // namespace tenon::autodiff
