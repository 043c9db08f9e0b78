//===- Window.h - Inference of sliding windows ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows add an axis for each one they slide along; folding adds
// overlapping windows up again and is the transpose.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_WINDOW_H
#define TENON_IR_INFER_WINDOW_H

#include "ir/infer/Shape.h"

namespace tenon::infer {

/// Checks that there is one number of at least 1 for each of `count` axes.
inline bool expectSteps(Call &call, const char *what, List list, int count) {
  if (list.size != count)
    return call.fail("%s: expected %d, one for each size, got %d", what, count, list.size);
  for (int64_t step : list)
    if (step < 1)
      return call.fail("%s: expected at least 1, got %lld", what, (long long)step);
  return true;
}

/// How many windows fit into `extent` along axis `axis`.
inline bool numWindows(Call &call, int axis, int64_t extent, int64_t size, int64_t stride,
                       int64_t dilation, int64_t &count) {
  int64_t reach; // from the first element of a window to its last
  if (!multiply(size - 1, dilation, reach) || reach == INT64_MAX)
    return call.fail("axis %d: the extent of the window exceeds 2^63 - 1", axis);
  int64_t span = reach + 1;
  if (!requireAtLeast(extent, span))
    return call.fail("axis %d: a window of %lld elements does not fit into extent %lld", axis,
                     (long long)span, (long long)extent);
  add(extent, -reach, count);
  count = ceilDivide(count, stride);
  return true;
}

inline bool inferWindows(Call &call) {
  const Type &x = call.operand(0);
  List sizes = call.attrs.list(0), strides = call.attrs.list(1), dilations = call.attrs.list(2);
  int windowed = sizes.size, leading = x.rank - windowed;
  if (leading < 0)
    return call.fail("sizes: expected at most %d, the axes of x, got %d", x.rank, windowed);
  if (x.rank + windowed > kMaxRank)
    return call.fail("result would have %d axes; at most %d", x.rank + windowed, kMaxRank);
  if (!expectSteps(call, "sizes", sizes, windowed) ||
      !expectSteps(call, "strides", strides, windowed) ||
      !expectSteps(call, "dilations", dilations, windowed))
    return false;
  Type type = x;
  type.rank = leading;
  for (int64_t size : sizes)
    type.dims[type.rank++] = size;
  for (int i = 0; i < windowed; i++)
    if (!numWindows(call, leading + i, x.dims[leading + i], sizes[i], strides[i], dilations[i],
                    type.dims[type.rank++]))
      return false;
  return call.give(type);
}

inline bool inferFoldWindows(Call &call) {
  const Type &x = call.operand(0);
  List extents = call.attrs.list(0), strides = call.attrs.list(1), dilations = call.attrs.list(2);
  int windowed = extents.size, leading = x.rank - 2 * windowed;
  if (!expectNumber(call, 0))
    return false;
  if (leading < 0)
    return call.fail("x: expected at least %d axes, two for each extent, got %d", 2 * windowed,
                     x.rank);
  if (!expectSteps(call, "strides", strides, windowed) ||
      !expectSteps(call, "dilations", dilations, windowed))
    return false;
  Type type = x;
  type.rank = leading;
  if (call.has(1) && call.operand(1).rank != leading + windowed)
    return call.fail("like: expected %d axes, got %d", leading + windowed, call.operand(1).rank);
  for (int i = 0; i < windowed; i++) {
    int64_t extent = extents[i], size = x.dims[leading + i], count = 0;
    if (extent == kDynamic && !call.has(1))
      return call.fail("a dynamic extent needs the operand 'like'");
    if (call.has(1))
      extent = refine(extent, call.operand(1).dims[leading + i]);
    if (size == kDynamic)
      return call.fail("axis %d: the size of a window may not be dynamic", leading + i);
    if (!numWindows(call, leading + i, extent, size, strides[i], dilations[i], count))
      return false;
    if (!requireEqual(count, x.dims[leading + windowed + i]))
      return call.fail("axis %d: %lld windows fit into extent %lld, got %lld",
                       leading + windowed + i, (long long)count, (long long)extent,
                       (long long)x.dims[leading + windowed + i]);
    type.dims[type.rank++] = extent;
  }
  return call.give(type);
}

constexpr OpSpec windowOps[] = {
    {"windows", "sizes:I strides:I dilations:I", 1, 1, inferWindows},
    {"fold_windows", "extents:I strides:I dilations:I", 1, 2, inferFoldWindows},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_WINDOW_H
