//===- Attention.cpp - Backward rules of attention ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/ReverseMode.h"
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

namespace {
/// Attention spelled out in matrix products and elementwise ops, for derivatives
/// that no fused op has: of lse, and of the gradient itself.
struct Decomposed {
  Emit &in;
  Value q, k, v, mask, lse;
  double scale;
  bool causal;
  int64_t repeats; ///< query heads per key head

  template <typename Op> Decomposed(Op op, Emit &in);

  /// [b,g,m,c] to [b,h,m,c], and its adjoint.
  Value expandHeads(Value x);
  Value sumHeads(Value x);
  /// e^(scale q k^T + mask - lse)
  Value probabilities();
  /// dq, dk for a gradient ds of the scores.
  Value queryGradient(Value ds) { return in.scale(in.matmul(ds, k, false, false), scale); }
  Value keyGradient(Value ds) { return sumHeads(in.scale(in.matmul(ds, q, true, false), scale)); }
  Value maskGradient(Value ds);
};
} // namespace

template <typename Op>
Decomposed::Decomposed(Op op, Emit &in)
    : in(in), mask(op.getMask()), lse(op.getLse()), scale(op.getScale().convertToDouble()),
      causal(op.getCausal()) {
  int64_t heads = op.getQ().getType().getDimSize(1), keyHeads = op.getK().getType().getDimSize(1);
  repeats = heads == keyHeads || keyHeads <= 0 ? 1 : heads / keyHeads;
  q = in.widen(op.getQ());
  k = expandHeads(in.widen(op.getK()));
  v = expandHeads(in.widen(op.getV()));
}

Value Decomposed::expandHeads(Value x) {
  if (repeats == 1)
    return x;
  SmallVector<int64_t> shape(tensorType(x).getShape());
  SmallVector<int64_t> split{shape[0], shape[1], repeats, shape[2], shape[3]};
  Value repeated = in.make<BroadcastOp>(x, Value(), split, ArrayRef<int64_t>{0, 1, 3, 4});
  shape[1] *= repeats;
  return in.reshape(repeated, shape);
}

Value Decomposed::sumHeads(Value x) {
  if (repeats == 1)
    return x;
  ArrayRef<int64_t> shape = tensorType(x).getShape();
  return in.sum(in.reshape(x, {shape[0], shape[1] / repeats, repeats, shape[2], shape[3]}), {2});
}

Value Decomposed::probabilities() {
  Value s = in.scale(in.matmul(q, k, false, true), scale);
  RankedTensorType type = tensorType(s);
  Value minusInfinity = in.splat(s, -std::numeric_limits<double>::infinity());
  if (mask && isFloatTensor(mask))
    s = in.add(s, in.spread(in.cast(mask, type.getElementType()), s));
  else if (mask)
    s = in.select(in.spread(mask, s), s, minusInfinity);
  if (causal) {
    Value like = type.hasStaticShape() ? Value() : s;
    mlir::Type i64 = in.builder.getI64Type();
    auto index = [&](int64_t axis) {
      return in.make<IotaOp>(type.clone(i64), like, type.getShape(), uint64_t(axis), i64);
    };
    s = in.select(in.compare(index(3), Predicate::le, index(2)), s, minusInfinity);
  }
  return in.exp(in.sub(s, in.withAxes(lse, s, {3})));
}

Value Decomposed::maskGradient(Value ds) {
  RankedTensorType type = tensorType(mask);
  SmallVector<int64_t> repeated;
  for (int64_t axis : {0, 1})
    if (type.getDimSize(axis) == 1 && tensorType(ds).getDimSize(axis) != 1)
      repeated.push_back(axis);
  return in.cast(in.sum(ds, repeated, true), type.getElementType());
}

/// dynamic extents: expandHeads reshapes and needs to know them.
static LogicalResult checkDecomposable(Operation *op, Value q, Value k) {
  if (tensorType(q).getDimSize(1) == tensorType(k).getDimSize(1) ||
      (tensorType(q).hasStaticShape() && tensorType(k).hasStaticShape()))
    return success();
  return op->emitOpError("has no derivative beyond attention_grad for grouped heads with "
                         "dynamic extents, got ")
         << q.getType() << " and " << k.getType();
}

/// The derivative of lse, which is the softmax: ds = p * dlse.
static LogicalResult addLseGradient(AttentionOp op, Incoming &in,
                                    MutableArrayRef<Value> gradients) {
  if (failed(checkDecomposable(op, op.getQ(), op.getK())))
    return failure();
  Decomposed parts(op, in);
  Value p = parts.probabilities();
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
  return success();
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
  if (in.gradients[1] && failed(addLseGradient(op, in, gradients)))
    return failure();
  return gradients;
}

/// The same formulas as the op's description, spelled out.
static SmallVector<Value> decomposeGrad(AttentionGradOp op, Emit &in) {
  Decomposed parts(op, in);
  Value dout = in.widen(op.getGrad()), p = parts.probabilities();
  Value delta = in.rowSum(in.mul(dout, in.widen(op.getO())));
  Value dp = in.matmul(dout, parts.v, false, true);
  Value ds = in.mul(p, in.sub(dp, in.spread(delta, dp)));
  mlir::Type element = tensorType(op.getQ()).getElementType();
  SmallVector<Value> results{in.cast(parts.queryGradient(ds), element),
                             in.cast(parts.keyGradient(ds), element),
                             in.cast(parts.sumHeads(in.matmul(p, dout, true, false)), element)};
  if (op.getDmask())
    results.push_back(parts.maskGradient(ds));
  return results;
}

static Gradients backwardAttentionGrad(AttentionGradOp op, Incoming &in) {
  if (failed(checkDecomposable(op, op.getQ(), op.getK())))
    return failure();
  Operation *before = opBefore(in.builder);
  SmallVector<Value> results = decomposeGrad(op, in);
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
