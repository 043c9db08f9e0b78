//===- SymbolicShapes.cpp - Extents as expressions ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/SymbolicShapes.h"

#include "ir/TenonOps.h"

using namespace mlir;

namespace tenon {

int64_t elementBytes(mlir::Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

FailureOr<SymbolicShapes> SymbolicShapes::compute(func::FuncOp function) {
  SymbolicShapes result(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return function.emitOpError("argument ")
             << argument.getArgNumber() << ": expected a ranked tensor, got "
             << argument.getType();
    SmallVector<AffineExpr> extents;
    for (int64_t extent : type.getShape())
      extents.push_back(ShapedType::isDynamic(extent)
                            ? getAffineSymbolExpr(result.symbols++, result.context)
                            : getAffineConstantExpr(extent, result.context));
    result.set(argument, extents);
  }
  if (failed(result.visit(function.getBody().front())))
    return failure();
  return result;
}

LogicalResult SymbolicShapes::visit(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult SymbolicShapes::visit(Operation *op) {
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return op->emitOpError("result ") << result.getResultNumber()
                                        << ": expected a ranked tensor, got " << result.getType();
    if (!type.hasStaticShape())
      return op->emitOpError("result ")
             << result.getResultNumber() << ": extents known at run time only are not supported "
             << "yet, got " << type;
    SmallVector<AffineExpr> extents;
    for (int64_t extent : type.getShape())
      extents.push_back(getAffineConstantExpr(extent, context));
    set(result, extents);
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        SmallVector<AffineExpr> extents;
        for (int64_t extent : cast<RankedTensorType>(argument.getType()).getShape())
          extents.push_back(getAffineConstantExpr(extent, context));
        set(argument, extents);
      }
      if (failed(visit(block)))
        return failure();
    }
  return success();
}

ArrayRef<AffineExpr> SymbolicShapes::extents(Value value) const {
  auto it = shapes.find(value);
  assert(it != shapes.end() && "a value of another function");
  return it->second;
}

AffineExpr SymbolicShapes::elements(Value value) const {
  AffineExpr count = getAffineConstantExpr(1, context);
  for (AffineExpr extent : extents(value))
    count = count * extent;
  return count;
}

AffineExpr SymbolicShapes::bytes(Value value) const {
  return elements(value) *
         elementBytes(cast<RankedTensorType>(value.getType()).getElementType());
}

SmallVector<AffineExpr> SymbolicShapes::dynamicExtents(ValueRange values) const {
  SmallVector<AffineExpr> result;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [extent, known] : llvm::zip(extents(value), type.getShape()))
      if (ShapedType::isDynamic(known))
        result.push_back(extent);
  }
  return result;
}

} // namespace tenon
