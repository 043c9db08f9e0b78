//===- Placement.h - Where results put the elements of a value ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows elementwise ops, transposes and reshapes without code, from a value down to
// the result it is stored in.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_PLACEMENT_H
#define TENON_CODEGEN_CPU_PLACEMENT_H

#include "codegen/cpu/Extent.h"

namespace tenon::cpu {

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

#endif // TENON_CODEGEN_CPU_PLACEMENT_H
