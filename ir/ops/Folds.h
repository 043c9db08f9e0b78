//===- Folds.h - Constants as folders see them ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders compute splats alone: elements that differ are never computed at compile
// time.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_OPS_FOLDS_H
#define TENON_IR_OPS_FOLDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

namespace tenon {

/// The one value of a constant float or integer tensor, if it has one.
inline std::optional<llvm::APFloat> floatSplat(mlir::Attribute value) {
  auto splat = llvm::dyn_cast_or_null<mlir::SplatElementsAttr>(value);
  if (!splat || !llvm::isa<mlir::FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<llvm::APFloat>();
}
inline std::optional<llvm::APInt> integerSplat(mlir::Attribute value) {
  auto splat = llvm::dyn_cast_or_null<mlir::SplatElementsAttr>(value);
  if (!splat || !llvm::isa<mlir::IntegerType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<llvm::APInt>();
}

/// A constant of every element of `type`, which must be static.
inline mlir::OpFoldResult splatOf(mlir::RankedTensorType type, const llvm::APFloat &value) {
  if (!type.hasStaticShape())
    return {};
  return mlir::SplatElementsAttr::get(type, value);
}
inline mlir::OpFoldResult splatOf(mlir::RankedTensorType type, const llvm::APInt &value) {
  if (!type.hasStaticShape())
    return {};
  return mlir::SplatElementsAttr::get(type, value);
}

} // namespace tenon

#endif // TENON_IR_OPS_FOLDS_H
