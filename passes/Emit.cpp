//===- Emit.cpp - Building tenon ops with few words -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"

using namespace mlir;

namespace tenon {

SmallVector<int64_t> allAxes(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

bool swapsLastTwo(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> swapped = allAxes(permutation.size());
  if (swapped.size() < 2)
    return false;
  std::swap(swapped.end()[-1], swapped.end()[-2]);
  return permutation == ArrayRef<int64_t>(swapped);
}

bool isNormal(mlir::Type element, double value) {
  APFloat number(value);
  bool lost;
  number.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return number.isNormal();
}

static DenseElementsAttr splatAttr(RankedTensorType type, double value) {
  if (auto floating = dyn_cast<FloatType>(type.getElementType())) {
    APFloat number(value);
    bool lost;
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return SplatElementsAttr::get(type, number);
  }
  unsigned width = type.getElementTypeBitWidth();
  return SplatElementsAttr::get(type, APInt(width, uint64_t(int64_t(value)), true));
}

Value Emit::splat(Value like, double value, mlir::Type element) {
  RankedTensorType type = tensorType(like);
  if (element)
    type = type.clone(element);
  if (type.hasStaticShape())
    return builder.create<ConstantOp>(loc, type, splatAttr(type, value));
  return make<FillOp>(type, like, type.getShape(), APFloat(value), type.getElementType());
}

Value Emit::scalar(mlir::Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  return builder.create<ConstantOp>(loc, type, splatAttr(type, value));
}

Value Emit::cast(Value a, mlir::Type element) {
  return tensorType(a).getElementType() == element ? a : make<CastOp>(a, element);
}

Value Emit::widen(Value a) {
  mlir::Type element = tensorType(a).getElementType();
  return element.isF16() || element.isBF16() ? cast(a, builder.getF32Type()) : a;
}

Value Emit::rowMean(Value x) {
  return make<ReduceMeanOp>(x, ArrayRef<int64_t>{tensorType(x).getRank() - 1}, true);
}

Value Emit::broadcast(Value x, Value like, ArrayRef<int64_t> dims) {
  RankedTensorType type = tensorType(like);
  Value extents = type.hasStaticShape() ? Value() : like;
  return make<BroadcastOp>(type.clone(tensorType(x).getElementType()), x, extents, type.getShape(),
                           dims);
}

Value Emit::spread(Value x, Value like) {
  if (x.getType() == like.getType() && tensorType(x).hasStaticShape())
    return x;
  return broadcast(x, like, allAxes(tensorType(like).getRank()));
}

Value Emit::alongRows(Value x, Value like) {
  return broadcast(x, like, {tensorType(like).getRank() - 1});
}

Value Emit::withAxes(Value x, Value like, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> dims;
  for (int64_t axis : allAxes(tensorType(like).getRank()))
    if (!llvm::is_contained(axes, axis))
      dims.push_back(axis);
  return broadcast(x, like, dims);
}

Value Emit::numbersAlong(Value x, int64_t axis) {
  RankedTensorType type = tensorType(x);
  auto lineType = RankedTensorType::get({type.getDimSize(axis)}, builder.getI64Type());
  Value like;
  if (!lineType.hasStaticShape()) { // a sum has the extent that is left, also of nothing
    SmallVector<int64_t> others = allAxes(type.getRank());
    others.erase(others.begin() + axis);
    like = sum(x, others);
  }
  return make<IotaOp>(lineType, like, lineType.getShape(), uint64_t(0), lineType.getElementType());
}

Value Emit::extentOf(Value x, int64_t axis) {
  if (int64_t extent = tensorType(x).getDimSize(axis); !ShapedType::isDynamic(extent))
    return scalar(builder.getI64Type(), double(extent));
  return sum(splat(numbersAlong(x, axis), 1), {0});
}

Value Emit::reshape(Value x, ArrayRef<int64_t> shape) {
  if (tensorType(x).getShape() == shape && tensorType(x).hasStaticShape())
    return x;
  return make<ReshapeOp>(x, shape);
}

Value Emit::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  return make<TransposeOp>(x, permutation);
}

} // namespace tenon
