//===- Lines.h - Kernels that walk along one axis ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums, sorting and scattering have an order along their axis, so lines run
// in parallel and a line does not.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_LINES_H
#define TENON_CODEGEN_CPU_STRATEGIES_LINES_H

#include "codegen/cpu/VectorLoop.h"

namespace tenon::cpu {

/// A part of a line, where lines are cut.
struct LinePiece {
  mlir::Value line, number; ///< of all lines, of the pieces of one
  mlir::Value member;       ///< of the team, null where there is none
};

/// The lines along an axis, in tasks of up to `width` lines that lie side by side: one
/// where the axis is the last, and the elements of the line do.
class Lines {
public:
  /// `like` has the extents of the lines' other axes.
  Lines(KernelFrame &frame, mlir::Value like, int64_t axis, int64_t width);
  /// One line by itself.
  explicit Lines(KernelFrame &frame) : frame(frame), plain(frame), axis(0), rank(1), width(1) {}

  /// Emits `body(indices, begin, end)` for every task, tasks in parallel: the indices of its
  /// lines, that of `axis` null; where the axis is not the last, the last index is null
  /// too, and goes over [begin, end). `elements` is what a line has to do, null: unknown.
  void forEachTask(std::optional<int64_t> elements,
                   llvm::function_ref<void(llvm::SmallVector<LaneIndex> indices, mlir::Value begin,
                                           mlir::Value end)>
                       body);

  mlir::AffineExpr count();
  /// Emits `body(indices, piece)` for every piece of every line, each by a team of `size`, or by
  /// itself where that is 1; the index of `axis` is null. Where there are no workers.
  void forEachPiece(
      mlir::AffineExpr pieces, int64_t size,
      llvm::function_ref<void(llvm::SmallVector<LaneIndex> indices, LinePiece piece)> body);

  bool areSideBySide() const { return axis != rank - 1; }
  BodyBuffers &buffers() { return plain; }

private:
  KernelFrame &frame;
  BodyBuffers plain;
  mlir::Value like;
  int64_t axis, rank, width;
};

/// The kernel's result that is `value`; null if nothing outside reads it.
mlir::Value bufferOf(KernelFrame &frame, mlir::Value value);

/// The extent of a value along an axis, where it is known.
std::optional<int64_t> extentAlong(mlir::Value value, int64_t axis);

void emitCumsum(KernelFrame &frame, CumsumOp op);
void emitScatterAlong(KernelFrame &frame, ScatterAlongOp op);
void emitSort(KernelFrame &frame, SortOp op);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_LINES_H
