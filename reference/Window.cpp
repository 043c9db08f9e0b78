//===- Window.cpp - Reference of sliding windows --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

using namespace mlir;

namespace tenon::reference {

/// Calls visit(i, offset) for each element i of `windows`, whose last axes are the places
/// within a window and of the windows, with the offset of what it lies over in `whole`.
template <typename Visit>
static void forEachWindowed(const infer::Type &windows, const infer::Type &whole,
                            ArrayRef<int64_t> steps, ArrayRef<int64_t> dilations, Visit visit) {
  int windowed = steps.size(), leading = whole.rank - windowed;
  Strides strides(whole);
  int64_t i = 0;
  forEachIndex(windows, [&](const int64_t *index) {
    int64_t offset = 0;
    for (int axis = 0; axis < leading; axis++)
      offset += index[axis] * strides.of[axis];
    for (int w = 0; w < windowed; w++) {
      int64_t within = index[leading + w], place = index[leading + windowed + w];
      offset += (place * steps[w] + within * dilations[w]) * strides.of[leading + w];
    }
    visit(i++, offset);
  });
}

static LogicalResult windows(WindowsOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  forEachWindowed(y.type, x.type, op.getStrides(), op.getDilations(),
                  [&](int64_t i, int64_t offset) {
                    if (x.type.isFloat())
                      y.reals[i] = x.reals[offset];
                    else
                      y.integers[i] = x.integers[offset];
                  });
  return success();
}

static LogicalResult foldWindows(FoldWindowsOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  forEachWindowed(
      x.type, y.type, op.getStrides(), op.getDilations(), [&](int64_t i, int64_t offset) {
        if (x.type.isFloat())
          y.reals[offset] += x.reals[i];
        else
          y.set(offset, int64_t(uint64_t(y.integers[offset]) + uint64_t(x.integers[i])));
      });
  return success();
}

void attachWindow(MLIRContext *context) {
  attachReference<WindowsOp, windows>(context);
  attachReference<FoldWindowsOp, foldWindows>(context);
}

} // namespace tenon::reference
