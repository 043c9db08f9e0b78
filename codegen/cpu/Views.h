//===- Views.h - Tensor values as strides over a buffer ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows transposes, reshapes, slices and broadcasts without code, from a value up to
// the tensor whose buffer it reads.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_VIEWS_H
#define TENON_CODEGEN_CPU_VIEWS_H

#include "codegen/cpu/Extent.h"

namespace tenon::cpu {

/// Element [i...] of a value is element offset + sum of i * stride of `base`, a
/// tensor that is no view of another (a block argument, in a kernel that reads it
/// from a buffer).
struct StridedView {
  mlir::Value base;
  llvm::SmallVector<Extent> offset;  ///< summands
  llvm::SmallVector<Extent> strides; ///< 0 = repeated
};

/// Nothing where the elements do not lie at constant strides.
std::optional<StridedView> resolveView(mlir::Value value);

/// Is this op a view of its first operand, wherever strides allow it?
bool isViewOp(mlir::Operation *op);

/// The buffer of `view.base`, a block argument of the kernel's body, as a memref of
/// one axis that reaches all its elements, and the index of the view's first element.
mlir::Value flatBuffer(KernelFrame &frame, const StridedView &view);
mlir::Value flatBuffer(KernelFrame &frame, unsigned index);
mlir::Value emitOffset(KernelFrame &frame, const StridedView &view);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_VIEWS_H
