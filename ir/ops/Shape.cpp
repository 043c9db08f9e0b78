//===- Shape.cpp - Folders of shape ops -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/TenonOps.h"
#include "ir/ops/Folds.h"

using namespace mlir;

namespace tenon {

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult FillOp::fold(FoldAdaptor) {
  if (!getType().hasStaticShape())
    return {};
  mlir::Type element = getType().getElementType();
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value = getValue();
    bool lost;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return splatOf(getType(), value);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  int64_t value = int64_t(getValue().convertToDouble());
  return splatOf(getType(), width == 1 ? APInt(1, value != 0) : APInt(width, value, true));
}

/// A splat stays one in another shape.
static OpFoldResult foldSplatTo(RankedTensorType type, Attribute value) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!splat || !type.hasStaticShape())
    return {};
  return splat.resizeSplat(type);
}

/// Whether two static types are the same, so that an op between them is an identity.
static bool sameStaticType(mlir::Type a, mlir::Type b) {
  return a == b && cast<RankedTensorType>(a).hasStaticShape();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (sameStaticType(getX().getType(), getType()))
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getX());
    return getResult();
  }
  return foldSplatTo(getType(), adaptor.getX());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())) &&
      getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> both;
    for (int64_t axis : permutation)
      both.push_back(inner.getPermutation()[axis]);
    setPermutation(both);
    setOperand(inner.getX());
    return getResult();
  }
  return foldSplatTo(getType(), adaptor.getX());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (sameStaticType(getX().getType(), getType()))
    return getX();
  return foldSplatTo(getType(), adaptor.getX());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (sameStaticType(getX().getType(), getType()))
    return getX();
  return foldSplatTo(getType(), adaptor.getX());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getParts().size() == 1 && getParts()[0].getType() == getType())
    return getParts()[0];
  return {};
}

} // namespace tenon
