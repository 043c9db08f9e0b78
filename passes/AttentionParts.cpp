//===- AttentionParts.cpp - Attention spelled out -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/AttentionParts.h"

using namespace mlir;

namespace tenon {

/// Batch and heads change places: heads lead.
static constexpr int64_t headsFirst[] = {1, 0, 2, 3};

template <typename Op>
AttentionParts::AttentionParts(Op op, Emit &in)
    : in(in), q(in.widen(op.getQ())), k(in.widen(op.getK())), v(in.widen(op.getV())),
      mask(op.getMask()), scale(op.getScale().convertToDouble()), causal(op.getCausal()) {
  heads = keyHeads(q, k);
  keys = expandHeads(k);
  values = expandHeads(v);
}

template AttentionParts::AttentionParts(AttentionOp op, Emit &in);
template AttentionParts::AttentionParts(AttentionGradOp op, Emit &in);

Value AttentionParts::keyHeads(Value queries, Value keys) {
  int64_t h = tensorType(queries).getDimSize(1), g = tensorType(keys).getDimSize(1);
  bool known = !ShapedType::isDynamic(h) && !ShapedType::isDynamic(g);
  if (known && h == g)
    return {};
  if (known) {
    SmallVector<int64_t> numbers;
    for (int64_t head = 0; head < h; head++)
      numbers.push_back(head / (h / g));
    auto type = RankedTensorType::get({h}, in.builder.getI64Type());
    return in.make<ConstantOp>(DenseElementsAttr::get(type, ArrayRef(numbers)));
  }
  Value numbers = in.numbersAlong(queries, 1);
  Value group = in.div(in.extentOf(queries, 1), in.extentOf(keys, 1));
  return in.div(numbers, in.withAxes(group, numbers, {0}));
}

Value AttentionParts::expandHeads(Value x) {
  if (!heads)
    return x;
  Value rows = in.make<GatherOp>(in.transpose(x, headsFirst), heads);
  return in.transpose(rows, headsFirst);
}

Value AttentionParts::sumHeads(Value x, Value like) {
  if (!heads)
    return x;
  Value table = in.transpose(like, headsFirst);
  int64_t rows = tensorType(table).getDimSize(0);
  Value sums = in.make<ScatterAddOp>(heads, in.transpose(x, headsFirst),
                                     ShapedType::isDynamic(rows) ? table : Value(), uint64_t(rows));
  return in.transpose(sums, headsFirst);
}

Value AttentionParts::scores() {
  Value s = in.scale(in.matmul(q, keys, false, true), scale);
  RankedTensorType type = tensorType(s);
  Value minusInfinity = in.splat(s, -std::numeric_limits<double>::infinity());
  if (mask && isFloatTensor(mask)) {
    Value added = in.spread(in.cast(mask, type.getElementType()), s);
    // What is hidden may be infinite.
    Value hides = in.compare(added, Predicate::eq, -std::numeric_limits<double>::infinity());
    s = in.select(hides, minusInfinity, in.add(s, added));
  }
  if (mask && !isFloatTensor(mask))
    s = in.select(in.spread(mask, s), s, minusInfinity);
  if (causal) {
    Value like = type.hasStaticShape() ? Value() : s;
    mlir::Type i64 = in.builder.getI64Type();
    auto index = [&](int64_t axis) {
      return in.make<IotaOp>(type.clone(i64), like, type.getShape(), uint64_t(axis), i64);
    };
    s = in.select(in.compare(index(3), Predicate::le, index(2)), s, minusInfinity);
  }
  return s;
}

Value AttentionParts::probabilities(Value lse) {
  Value s = scores();
  return in.exp(in.sub(s, in.withAxes(lse, s, {3})));
}

Value AttentionParts::queryGradient(Value ds) {
  return in.scale(in.matmul(ds, keys, false, false), scale);
}

Value AttentionParts::keyGradient(Value ds) {
  return sumHeads(in.scale(in.matmul(ds, q, true, false), scale), k);
}

Value AttentionParts::maskGradient(Value ds) {
  RankedTensorType type = tensorType(mask);
  SmallVector<int64_t> repeated;
  for (int64_t axis : {0, 1})
    if (type.getDimSize(axis) == 1 && tensorType(ds).getDimSize(axis) != 1)
      repeated.push_back(axis);
  return in.cast(in.sum(ds, repeated, true), type.getElementType());
}

SmallVector<Value> AttentionParts::results(AttentionOp op) {
  const double infinity = std::numeric_limits<double>::infinity();
  const int64_t last[] = {3};
  Value s = scores();
  // A query that sees no key: its terms are e^(-inf - 0).
  Value largest = in.make<ReduceMaxOp>(s, ArrayRef(last), true);
  largest = in.select(in.compare(largest, Predicate::eq, -infinity), in.splat(largest, 0), largest);
  Value p = in.exp(in.sub(s, in.spread(largest, s))), sum = in.sum(p, last, true);
  Value none = in.compare(sum, Predicate::eq, 0);
  Value lse = in.select(none, in.splat(sum, infinity), in.add(largest, in.make<LogOp>(sum)));
  Value divisor = in.select(none, in.splat(sum, 1), sum);
  Value o = in.matmul(in.div(p, in.spread(divisor, p)), values, false, false);
  o = in.select(in.spread(none, o), in.splat(o, 0), o); // values may be infinite
  return {in.cast(o, op.getO().getType().getElementType()), in.sum(lse, last)};
}

SmallVector<Value> AttentionParts::results(AttentionGradOp op) {
  Value dout = in.widen(op.getGrad()), p = probabilities(op.getLse());
  Value delta = in.rowSum(in.mul(dout, in.widen(op.getO())));
  Value dp = in.matmul(dout, values, false, true);
  Value ds = in.mul(p, in.sub(dp, in.spread(delta, dp)));
  ds = in.select(in.compare(p, Predicate::eq, 0), in.splat(ds, 0), ds); // dp may be infinite
  mlir::Type element = op.getQ().getType().getElementType();
  SmallVector<Value> results{in.cast(queryGradient(ds), element), in.cast(keyGradient(ds), element),
                             in.cast(sumHeads(in.matmul(p, dout, true, false), v), element)};
  if (op.getDmask())
    results.push_back(maskGradient(ds));
  return results;
}

} // namespace tenon
