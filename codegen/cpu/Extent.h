//===- Extent.h - Extents as products of other extents -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents and strides that may be dynamic: products of the extents of other tensors,
// which can be divided and compared without code, and emitted.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_EXTENT_H
#define TENON_CODEGEN_CPU_EXTENT_H

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

/// As KernelFrame::divisorOf.
int64_t divisorOf(KernelFrame &frame, const Extent &extent);

/// Axes [p, pEnd) of one shape hold the same elements as axes [q, qEnd) of another.
struct AxisGroup {
  unsigned p, pEnd, q, qEnd;
};
/// The finest such groups, left to right.
llvm::SmallVector<AxisGroup> groupAxes(llvm::ArrayRef<Extent> p, llvm::ArrayRef<Extent> q);
/// Strides over shape `q` of elements that lie at `strides` over shape `p`; nothing where
/// they have none.
std::optional<llvm::SmallVector<Extent>>
reshapeStrides(llvm::ArrayRef<Extent> p, llvm::ArrayRef<Extent> strides, llvm::ArrayRef<Extent> q);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_EXTENT_H
