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

/// The lines along an axis, in tasks of up to `width` lines that lie side by side: one
/// where the axis is the last, and the elements of the line do.
class Lines {
public:
  /// `like` has the extents of the lines' other axes.
  Lines(KernelFrame &frame, mlir::Value like, int64_t axis, int64_t width);

  /// Emits `body(indices, begin, end)` for every task, tasks in parallel: the indices of its
  /// lines, that of `axis` null; where the axis is not the last, the last index is null
  /// too, and goes over [begin, end). `elements` is what a line has to do, null: unknown.
  void forEachTask(std::optional<int64_t> elements,
                   llvm::function_ref<void(llvm::SmallVector<LaneIndex> indices, mlir::Value begin,
                                           mlir::Value end)>
                       body);

  /// Emits `body(indices, member)` for every line, each shared by a team of `size`; the index of
  /// `axis` is null.
  void forEachLine(
      int64_t size,
      llvm::function_ref<void(llvm::SmallVector<LaneIndex> indices, mlir::Value member)> body);

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

void emitSort(KernelFrame &frame, SortOp op);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_LINES_H
