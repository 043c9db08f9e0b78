//===- Splat.cpp - Tensors of one value, as patterns see them -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Splat.h"

#include "ir/TenonOps.h"

using namespace mlir;

namespace tenon {

std::optional<double> splatNumber(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return std::nullopt;
    if (isa<FloatType>(splat.getElementType()))
      return splat.getSplatValue<APFloat>().convertToDouble();
    return double(splat.getSplatValue<APInt>().getSExtValue());
  }
  if (auto fill = dyn_cast_or_null<FillOp>(op))
    return fill.getValue().convertToDouble();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return splatNumber(broadcast.getX());
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
    return splatNumber(reshape.getX());
  return std::nullopt;
}

Value repeatedScalar(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  while (broadcast) {
    Value inner = broadcast.getX();
    if (auto reshape = inner.getDefiningOp<ReshapeOp>())
      if (cast<RankedTensorType>(reshape.getX().getType()).getRank() == 0)
        return reshape.getX();
    if (cast<RankedTensorType>(inner.getType()).getRank() == 0)
      return inner;
    broadcast = inner.getDefiningOp<BroadcastOp>();
  }
  return {};
}

bool sameComputation(Value a, Value b, int depth) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth == 0 || x->getName() != y->getName() || x->getNumRegions() != 0 ||
      x->getAttrDictionary() != y->getAttrDictionary() ||
      x->getResultTypes() != y->getResultTypes() || !isMemoryEffectFree(x) ||
      cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber() ||
      x->getNumOperands() != y->getNumOperands())
    return false;
  for (auto [p, q] : llvm::zip(x->getOperands(), y->getOperands()))
    if (!sameComputation(p, q, depth - 1))
      return false;
  return true;
}

} // namespace tenon
