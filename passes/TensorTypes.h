//===- TensorTypes.h - Tensor types of values, bytes of their elements -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One home for the questions that passes and strategies ask everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_TENSORTYPES_H
#define TENON_PASSES_TENSORTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/MathExtras.h"

namespace tenon {

/// The type of a value that is a tensor.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return tensorOf(value).getShape(); }
inline int64_t rankOf(mlir::Value value) { return tensorOf(value).getRank(); }

/// Bytes of an element in the layout of kernels: i1 takes one.
inline int64_t elementBytes(mlir::Type elementType) {
  return int64_t(llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
}

} // namespace tenon

#endif // TENON_PASSES_TENSORTYPES_H
