//===- Elementwise.cpp - Folders of elementwise ops -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds keep every bit, NaN and signed zero included: x + 0 stays (it turns -0
// into 0), x * 0 stays.
//
//===----------------------------------------------------------------------===//
#include "ir/TenonOps.h"
#include "ir/ops/Folds.h"

using namespace mlir;

namespace tenon {

/// Folds two splats by `onFloat` or `onInteger`.
template <typename Float, typename Integer>
static OpFoldResult foldSplats(RankedTensorType type, Attribute a, Attribute b, Float onFloat,
                               Integer onInteger) {
  if (auto x = floatSplat(a), y = floatSplat(b); x && y)
    return splatOf(type, onFloat(*x, *y));
  if (auto x = integerSplat(a), y = integerSplat(b); x && y)
    return splatOf(type, onInteger(*x, *y));
  return {};
}

static bool isFloatSplat(Attribute value, double wanted) {
  std::optional<APFloat> splat = floatSplat(value);
  return splat && splat->bitwiseIsEqual([&] {
    APFloat other(wanted);
    bool lost;
    other.convert(splat->getSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return other;
  }());
}
static bool isIntegerSplat(Attribute value, int64_t wanted) {
  std::optional<APInt> splat = integerSplat(value);
  return splat && splat->getBitWidth() > 1 && splat->getSExtValue() == wanted;
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getX().getDefiningOp<NegOp>())
    return inner.getX();
  if (auto x = floatSplat(adaptor.getX()))
    return splatOf(getType(), neg(*x));
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getB(), -0.0) || isIntegerSplat(adaptor.getB(), 0))
    return getA().getType() == getType() ? getA() : OpFoldResult();
  return foldSplats(
      getType(), adaptor.getA(), adaptor.getB(),
      [](const APFloat &x, const APFloat &y) { return x + y; },
      [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getB(), 0.0) || isIntegerSplat(adaptor.getB(), 0))
    return getA().getType() == getType() ? getA() : OpFoldResult();
  return foldSplats(
      getType(), adaptor.getA(), adaptor.getB(),
      [](const APFloat &x, const APFloat &y) { return x - y; },
      [](const APInt &x, const APInt &y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getB(), 1.0) || isIntegerSplat(adaptor.getB(), 1))
    return getA().getType() == getType() ? getA() : OpFoldResult();
  return foldSplats(
      getType(), adaptor.getA(), adaptor.getB(),
      [](const APFloat &x, const APFloat &y) { return x * y; },
      [](const APInt &x, const APInt &y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getB(), 1.0) || isIntegerSplat(adaptor.getB(), 1))
    return getA().getType() == getType() ? getA() : OpFoldResult();
  if (auto x = floatSplat(adaptor.getA()), y = floatSplat(adaptor.getB()); x && y)
    return splatOf(getType(), *x / *y);
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  auto target = dyn_cast<FloatType>(getDtype());
  if (auto x = floatSplat(adaptor.getX()); x && target) {
    bool lost;
    x->convert(target.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return splatOf(getType(), *x);
  }
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB() && getA().getType() == getType())
    return getA();
  if (auto condition = integerSplat(adaptor.getCondition())) {
    Value chosen = condition->isZero() ? getB() : getA();
    return chosen.getType() == getType() ? chosen : OpFoldResult();
  }
  return {};
}

} // namespace tenon
