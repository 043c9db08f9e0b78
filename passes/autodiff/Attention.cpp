//===- Attention.cpp - Backward rules of attention ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/AttentionParts.h"
#include "passes/autodiff/ReverseMode.h"
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

/// The derivative of lse, which is the softmax: ds = p * dlse.
static void addLseGradient(AttentionOp op, Incoming &in, MutableArrayRef<Value> gradients) {
  AttentionParts parts(op, in);
  Value p = parts.probabilities(op.getLse());
  Value ds = in.mul(p, in.withAxes(in.gradients[1], p, {3}));
  auto add = [&](unsigned i, Value extra) {
    extra = in.cast(extra, tensorType(op->getOperand(i)).getElementType());
    gradients[i] = gradients[i] ? in.add(gradients[i], extra) : extra;
  };
  if (in.needed[0])
    add(0, parts.queryGradient(ds));
  if (in.needed[1])
    add(1, parts.keyGradient(ds));
  if (op.getMask() && in.needed[3])
    add(3, parts.maskGradient(ds));
}

static Gradients backwardAttention(AttentionOp op, Incoming &in) {
  SmallVector<Value> gradients(op->getNumOperands());
  if (in.dy()) {
    bool maskGrad = op.getMask() && in.needed[3];
    auto grad = in.builder.create<AttentionGradOp>(op.getLoc(), op.getQ(), op.getK(), op.getV(),
                                                   op.getMask(), op.getO(), op.getLse(), in.dy(),
                                                   op.getScale(), op.getCausal(), maskGrad);
    for (unsigned i = 0; i < grad.getNumResults(); i++)
      gradients[i] = in.needed[i] ? grad.getResult(i) : Value();
  }
  if (in.gradients[1])
    addLseGradient(op, in, gradients);
  return gradients;
}

static Gradients backwardAttentionGrad(AttentionGradOp op, Incoming &in) {
  Operation *before = opBefore(in.builder);
  SmallVector<Value> results = AttentionParts(op, in).results(op);
  SmallVector<Value> ys, seeds, xs;
  for (auto [y, seed] : llvm::zip(results, in.gradients))
    if (seed)
      ys.push_back(y), seeds.push_back(seed);
  // A value may be several operands; its gradient is given once.
  SmallVector<unsigned> places;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (in.needed[i] && !llvm::is_contained(xs, operand))
      xs.push_back(operand), places.push_back(i);
  FailureOr<SmallVector<Value>> found =
      reverseMode(in.builder, opsUpTo(in.builder, before), ys, seeds, xs);
  if (failed(found))
    return failure();
  SmallVector<Value> gradients(op->getNumOperands());
  for (auto [place, gradient] : llvm::zip(places, *found))
    gradients[place] = gradient;
  return gradients;
}

void attachAttentionRules(MLIRContext *context) {
  attachRule<AttentionOp, backwardAttention>(context);
  attachRule<AttentionGradOp, backwardAttentionGrad>(context);
}

} // namespace tenon::autodiff
