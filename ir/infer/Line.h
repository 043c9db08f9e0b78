//===- Line.h - Inference of ops along one axis -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums, sorting and elements by number keep all extents but that of one
// axis.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_LINE_H
#define TENON_IR_INFER_LINE_H

#include "ir/infer/Shape.h"

namespace tenon::infer {

inline bool inferCumsum(Call &call) {
  const Type &x = call.operand(0);
  return expectNumber(call, 0) && checkAxis(call, call.attrs.integer(0), x.rank) && call.give(x);
}

inline bool inferSort(Call &call) {
  Type type = call.operand(0);
  int64_t axis = call.attrs.integer(0), count = call.attrs.integer(1);
  if (!expectNumber(call, 0) || !checkAxis(call, axis, type.rank))
    return false;
  int64_t &extent = type.dims[axis];
  if (isNumber(extent) && extent > INT32_MAX)
    return call.fail("axis %lld: expected at most 2^31 - 1 elements, got %lld", (long long)axis,
                     (long long)extent);
  if (count < -1 || count > INT32_MAX)
    return call.fail(Fault::Argument, "count: expected -1 or 0 to 2^31 - 1, got %lld",
                     (long long)count);
  if (count >= 0 && !requireAtLeast(extent, count))
    return call.fail("count: expected at most %lld, the extent of axis %lld, got %lld",
                     (long long)extent, (long long)axis, (long long)count);
  if (count >= 0)
    extent = count;
  call.give(type);
  type.dtype = TENON_I32;
  return call.give(type);
}

/// Two shapes that may differ along one axis alone.
inline bool expectSameLines(Call &call, const char *what, const Type &a, const Type &b,
                            int64_t axis) {
  bool fits = a.rank == b.rank;
  for (int i = 0; fits && i < a.rank; i++)
    fits = i == axis || requireEqual(a.dims[i], b.dims[i]);
  char s[120], t[120];
  return fits || call.fail("%s: expected the extents of %s but for axis %lld, got %s", what,
                           print(a, s, sizeof s), (long long)axis, print(b, t, sizeof t));
}

inline bool inferGatherAlong(Call &call) {
  const Type &x = call.operand(0), &ids = call.operand(1);
  int64_t axis = call.attrs.integer(0);
  if (!expectInteger(call, 1) || !checkAxis(call, axis, x.rank) ||
      !expectSameLines(call, "ids", x, ids, axis))
    return false;
  Type type = x;
  type.dims[axis] = ids.dims[axis];
  return call.give(type);
}

inline bool inferScatterAlong(Call &call) {
  const Type &ids = call.operand(0), &updates = call.operand(1);
  int64_t axis = call.attrs.integer(0), extent = call.attrs.integer(1);
  char a[120], b[120];
  if (!expectInteger(call, 0) || !expectNumber(call, 1) || !checkAxis(call, axis, updates.rank))
    return false;
  if (!sameShape(ids, updates))
    return call.fail("updates: expected the shape of the ids %s, got %s", print(ids, a, sizeof a),
                     print(updates, b, sizeof b));
  if (extent == kDynamic && !call.has(2))
    return call.fail("a dynamic extent needs the operand 'like'");
  if (extent < 0 && extent != kDynamic)
    return call.fail(Fault::Argument, "extent: expected at least 0, got %lld", (long long)extent);
  if (call.has(2) && !expectSameLines(call, "like", updates, call.operand(2), axis))
    return false;
  Type type = updates;
  type.dims[axis] = call.has(2) ? refine(extent, call.operand(2).dims[axis]) : extent;
  return call.give(type);
}

constexpr OpSpec lineOps[] = {
    {"cumsum", "axis:i exclusive:b reverse:b", 1, 1, inferCumsum},
    {"sort", "axis:i count:i descending:b", 1, 1, inferSort},
    {"gather_along", "axis:i", 2, 2, inferGatherAlong},
    {"scatter_along", "axis:i extent:i", 2, 3, inferScatterAlong},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_LINE_H
