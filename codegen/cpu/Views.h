//===- Views.h - Tensor values as strides over a buffer ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows transposes, reshapes, slices and broadcasts without code: from a value up
// to the tensor whose buffer it reads, and from a value down to the result it is
// stored in. Extents and strides may be dynamic: they are products of the extents
// of other tensors.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_VIEWS_H
#define TENON_CODEGEN_CPU_VIEWS_H

#include "codegen/cpu/ElementEmitter.h"

#include <optional>

namespace tenon::cpu {

/// A non-negative integer: factor times the extents of some axes.
struct Extent {
  using Symbol = std::pair<mlir::Value, unsigned>; ///< a tensor and its axis
  int64_t factor = 1;
  llvm::SmallVector<Symbol, 2> symbols; ///< sorted, may repeat

  Extent() = default;
  Extent(int64_t value) : factor(value) {}
  std::optional<int64_t> constant() const;
  bool is(int64_t value) const { return symbols.empty() && factor == value; }
  bool operator==(const Extent &other) const;
  bool operator!=(const Extent &other) const { return !(*this == other); }
  Extent operator*(const Extent &other) const;
  /// The quotient, where it is a product again.
  std::optional<Extent> dividedBy(const Extent &other) const;
};

/// The extent of an axis, in terms of the tensors that `value` is computed from.
Extent extentOf(mlir::Value value, unsigned axis);
llvm::SmallVector<Extent> shapeOf(mlir::Value value);
/// Elements between neighbours along each axis of a row-major tensor.
llvm::SmallVector<Extent> rowMajorStrides(llvm::ArrayRef<Extent> shape);

/// The value at the frame's insertion point. The tensors that the extent speaks of
/// are values of the kernel's body.
mlir::Value emitExtent(KernelFrame &frame, const Extent &extent);
mlir::Value emitExtent(KernelFrame &frame, mlir::Value value, unsigned axis);

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

/// How `result` is computed from `value`: by ops that keep the place of an element
/// (elementwise ones), by transposes and by reshapes. Element [i...] of `value`
/// then has a place in the row-major elements of `result`, and an index there.
struct Placement {
  llvm::SmallVector<mlir::Operation *> path; ///< from `value` down to `result`
  llvm::SmallVector<Extent> strides;         ///< over the axes of `value`
};

/// Nothing where `result` depends on `value` in another way, or where two ways
/// disagree about the place. Slow paths (a place without constant strides) give an
/// empty `strides`; `path` holds all the same.
std::optional<Placement> resolvePlacement(mlir::Value value, mlir::Value result);

/// The indices in the last value of `placement.path` of an element of its first
/// value. `lanes` as for ElementEmitter; lane steps along `indices` start at
/// multiples of `lanes`.
llvm::SmallVector<LaneIndex> placeIndices(KernelFrame &frame, int lanes, const Placement &placement,
                                          llvm::ArrayRef<LaneIndex> indices);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_VIEWS_H
