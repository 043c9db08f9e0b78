//===- Shape.h - Inference of shape and index ops ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move elements, and the checks of axes and shape attributes that other
// families share. A dynamic extent in an attribute is answered by an operand
// `like`.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_SHAPE_H
#define TENON_IR_INFER_SHAPE_H

#include "ir/infer/Elementwise.h"

#include <cmath>

namespace tenon::infer {

/// Fills `type` from a shape attribute: extents are >= 0 or kDynamic.
inline bool inferExtents(Call &call, List shape, Type &type) {
  if (shape.size > kMaxRank)
    return call.fail("expected at most %d axes, got %d", kMaxRank, shape.size);
  type.rank = shape.size;
  for (int i = 0; i < shape.size; i++) {
    if (shape[i] < 0 && shape[i] != kDynamic)
      return call.fail("shape: expected extents of at least 0, got %lld on axis %d",
                       (long long)shape[i], i);
    type.dims[i] = shape[i];
  }
  return true;
}

/// A dynamic extent of a shape attribute comes from the operand `like`, which
/// must then be there; the result is as precise as that operand.
inline bool inferExtentsLike(Call &call, List shape, int like, Type &type) {
  if (!inferExtents(call, shape, type))
    return false;
  bool dynamic = false;
  for (int64_t dim : shape)
    dynamic |= dim == kDynamic;
  if (dynamic && !call.has(like))
    return call.fail("a dynamic extent needs the operand 'like'");
  char a[120], b[120];
  if (call.has(like) && !sameShape(call.operand(like), type))
    return call.fail("operand 'like': expected the shape of %s, got %s", print(type, a, sizeof a),
                     print(call.operand(like), b, sizeof b));
  for (int i = 0; call.has(like) && i < type.rank; i++)
    type.dims[i] = refine(type.dims[i], call.operand(like).dims[i]);
  return true;
}

/// Number of elements, kDynamic if unknown. False, with a message, from 2^60 on: then
/// their bytes may not be counted in 63 bits.
inline bool numElements(Call &call, const Type &type, int64_t &count) {
  count = 1;
  for (int i = 0; i < type.rank; i++)
    if (type.dims[i] == 0) {
      count = 0;
      return true;
    }
  char text[120];
  for (int i = 0; i < type.rank; i++)
    if (!multiply(count, type.dims[i], count) || (isNumber(count) && count >= int64_t(1) << 60))
      return call.fail("%s has 2^60 elements or more", print(type, text, sizeof text));
  return true;
}

inline bool inferReshape(Call &call) {
  Type type;
  char a[120], b[120];
  const Type &x = call.operand(0);
  if (!inferExtents(call, call.attrs.list(0), type))
    return false;
  type.dtype = x.dtype;
  int unknown = 0;
  for (int i = 0; i < type.rank; i++)
    unknown += type.dims[i] == kDynamic;
  if (unknown > 1)
    return call.fail("at most one extent may be dynamic, got %d", unknown);
  int64_t from, to;
  if (!numElements(call, x, from) || !numElements(call, type, to))
    return false;
  if (!requireEqual(from, to))
    return call.fail("expected a shape of %lld elements for %s, got %s", (long long)from,
                     print(x, a, sizeof a), print(type, b, sizeof b));
  if (unknown && from != kDynamic) { // the missing extent is known after all
    int at = 0;
    while (type.dims[at] != kDynamic)
      at++;
    int64_t known;
    Type rest = type;
    rest.dims[at] = 1;
    if (!numElements(call, rest, known))
      return false;
    if (known == 0 || !requireMultiple(from, known))
      return call.fail("%s does not divide into %s", print(x, a, sizeof a),
                       print(type, b, sizeof b));
    type.dims[at] = ceilDivide(from, known);
  }
  return call.give(type);
}

inline bool inferTranspose(Call &call) {
  const Type &x = call.operand(0);
  List permutation = call.attrs.list(0);
  if (permutation.size != x.rank)
    return call.fail("permutation: expected %d axes, got %d", x.rank, permutation.size);
  Type type = x;
  unsigned seen = 0;
  for (int i = 0; i < x.rank; i++) {
    int64_t axis = permutation[i];
    if (axis < 0 || axis >= x.rank || (seen >> axis & 1))
      return call.fail("permutation: expected each of 0..%d once, got %lld at %d", x.rank - 1,
                       (long long)axis, i);
    seen |= 1u << axis;
    type.dims[i] = x.dims[axis];
  }
  return call.give(type);
}

inline bool inferBroadcast(Call &call) {
  const Type &x = call.operand(0);
  List shape = call.attrs.list(0), dims = call.attrs.list(1);
  Type type;
  if (!inferExtentsLike(call, shape, 1, type))
    return false;
  type.dtype = x.dtype;
  if (dims.size != x.rank)
    return call.fail("dims: expected one axis of the result for each of %d axes, got %d", x.rank,
                     dims.size);
  for (int i = 0; i < x.rank; i++) {
    if (dims[i] < 0 || dims[i] >= type.rank || (i && dims[i] <= dims[i - 1]))
      return call.fail("dims: expected increasing axes below %d, got %lld at %d", type.rank,
                       (long long)dims[i], i);
    if (x.dims[i] != 1 && !requireEqual(x.dims[i], type.dims[dims[i]]))
      return call.fail("axis %d: expected extent 1 or %lld, got %lld", i,
                       (long long)type.dims[dims[i]], (long long)x.dims[i]);
  }
  return call.give(type);
}

inline bool inferSlice(Call &call) {
  const Type &x = call.operand(0);
  List offsets = call.attrs.list(0), sizes = call.attrs.list(1), strides = call.attrs.list(2);
  if (offsets.size != x.rank || sizes.size != x.rank || strides.size != x.rank)
    return call.fail("expected %d offsets, sizes and strides, got %d, %d and %d", x.rank,
                     offsets.size, sizes.size, strides.size);
  Type type = x;
  for (int i = 0; i < x.rank; i++) {
    if (strides[i] < 1 || offsets[i] < 0)
      return call.fail("axis %d: expected offset >= 0 and stride >= 1, got %lld and %lld", i,
                       (long long)offsets[i], (long long)strides[i]);
    if (sizes[i] == kDynamic) { // to the end
      if (!requireAtLeast(x.dims[i], offsets[i]))
        return call.fail("axis %d: offset %lld is beyond extent %lld", i, (long long)offsets[i],
                         (long long)x.dims[i]);
      add(x.dims[i], -offsets[i], type.dims[i]);
      type.dims[i] = ceilDivide(type.dims[i], strides[i]);
      continue;
    }
    type.dims[i] = sizes[i];
    if (sizes[i] < 0)
      return call.fail("axis %d: expected a size of at least 0, got %lld", i, (long long)sizes[i]);
    int64_t last; // one before the first if there is none
    if (!multiply(sizes[i] == 0 ? 0 : sizes[i] - 1, strides[i], last) ||
        !add(last, offsets[i], last))
      return call.fail("axis %d: the place of the last element exceeds 2^63 - 1", i);
    last -= sizes[i] == 0;
    if (last == INT64_MAX || !requireAtLeast(x.dims[i], last + 1))
      return call.fail("axis %d: elements %lld to %lld are not within extent %lld", i,
                       (long long)offsets[i], (long long)last, (long long)x.dims[i]);
  }
  return call.give(type);
}

inline bool checkAxis(Call &call, int64_t axis, int rank) {
  return (axis >= 0 && axis < rank) ||
         call.fail("axis: expected 0 to %d, got %lld", rank - 1, (long long)axis);
}

inline bool inferConcat(Call &call) {
  Type type = call.operand(0);
  int64_t axis = call.attrs.integer(0);
  if (!checkAxis(call, axis, type.rank))
    return false;
  for (int i = 1; i < call.numOperands; i++) {
    Type other = call.operand(i);
    int64_t more = other.dims[axis];
    other.dims[axis] = type.dims[axis];
    char a[120], b[120];
    if (other.dtype != type.dtype || !sameShape(type, other))
      return call.fail("operand %d: expected %s but for axis %lld, got %s", i,
                       print(type, a, sizeof a), (long long)axis,
                       print(call.operand(i), b, sizeof b));
    for (int d = 0; d < type.rank; d++)
      type.dims[d] = refine(type.dims[d], other.dims[d]);
    if (!add(type.dims[axis], more, type.dims[axis]))
      return call.fail("the extent of axis %lld exceeds 2^63 - 1", (long long)axis);
  }
  return call.give(type);
}

inline bool inferPad(Call &call) {
  Type type = call.operand(0);
  List low = call.attrs.list(0), high = call.attrs.list(1);
  if (low.size != type.rank || high.size != type.rank)
    return call.fail("expected %d low and high paddings, got %d and %d", type.rank, low.size,
                     high.size);
  for (int i = 0; i < type.rank; i++) {
    if (low[i] < 0 || high[i] < 0)
      return call.fail("axis %d: expected paddings of at least 0, got %lld and %lld", i,
                       (long long)low[i], (long long)high[i]);
    if (!add(type.dims[i], low[i], type.dims[i]) || !add(type.dims[i], high[i], type.dims[i]))
      return call.fail("axis %d: the padded extent exceeds 2^63 - 1", i);
  }
  return call.give(type);
}

inline bool inferGather(Call &call) {
  const Type &table = call.operand(0), &ids = call.operand(1);
  if (!expectInteger(call, 1))
    return false;
  if (table.rank < 1)
    return call.fail("table: expected at least one axis, got a scalar");
  if (ids.rank + table.rank - 1 > kMaxRank)
    return call.fail("result would have %d axes; at most %d", ids.rank + table.rank - 1, kMaxRank);
  Type type = ids;
  type.dtype = table.dtype;
  for (int i = 1; i < table.rank; i++)
    type.dims[type.rank++] = table.dims[i];
  return call.give(type);
}

inline bool inferScatterAdd(Call &call) {
  const Type &ids = call.operand(0), &updates = call.operand(1);
  int64_t rows = call.attrs.integer(0);
  if (!expectInteger(call, 0) || !expectNumber(call, 1))
    return false;
  bool fits = updates.rank >= ids.rank;
  for (int i = 0; fits && i < ids.rank; i++)
    fits = requireEqual(updates.dims[i], ids.dims[i]);
  char a[120], b[120];
  if (!fits)
    return call.fail("updates: expected the axes of the ids %s first, got %s",
                     print(ids, a, sizeof a), print(updates, b, sizeof b));
  Type type;
  type.dtype = updates.dtype;
  if (rows == kDynamic && !call.has(2))
    return call.fail("a dynamic number of rows needs the operand 'like'");
  if (rows < 0 && rows != kDynamic)
    return call.fail(Fault::Argument, "rows: expected at least 0, got %lld", (long long)rows);
  if (call.has(2) && call.operand(2).rank < 1)
    return call.fail("operand 'like': expected at least one axis, got a scalar");
  type.dims[type.rank++] = call.has(2) ? refine(rows, call.operand(2).dims[0]) : rows;
  for (int i = ids.rank; i < updates.rank; i++)
    type.dims[type.rank++] = updates.dims[i];
  return call.give(type);
}

inline bool inferOneHot(Call &call) {
  Type type = call.operand(0);
  if (!expectInteger(call, 0))
    return false;
  if (type.rank == kMaxRank)
    return call.fail("expected at most %d axes, got %d", kMaxRank - 1, type.rank);
  if (call.attrs.integer(0) < 0)
    return call.fail(Fault::Argument, "depth: expected at least 0, got %lld",
                     (long long)call.attrs.integer(0));
  type.dims[type.rank++] = call.attrs.integer(0);
  type.dtype = tenon_dtype(call.attrs.integer(1));
  return call.give(type);
}

inline bool inferIota(Call &call) {
  Type type;
  type.dtype = tenon_dtype(call.attrs.integer(2));
  return inferExtentsLike(call, call.attrs.list(0), 0, type) &&
         checkAxis(call, call.attrs.integer(1), type.rank) && call.give(type);
}

inline bool inferFill(Call &call) {
  Type type;
  type.dtype = tenon_dtype(call.attrs.integer(2));
  double value = call.attrs.real(1);
  if (!type.isFloat()) {
    // One bit is the sign's, which i1 has none of.
    int bits = type.isBool() ? 2 : type.dtype == TENON_I64 ? 64 : type.dtype == TENON_I32 ? 32 : 8;
    double high = std::ldexp(1.0, bits - 1), low = type.isBool() ? 0 : -high;
    if (!(value >= low && value < high && value == std::floor(value)))
      return call.fail(Fault::Argument,
                       "value: expected a whole number of at least %.0f and below %.0f, got %g",
                       low, high, value);
  }
  return inferExtentsLike(call, call.attrs.list(0), 0, type) && call.give(type);
}

constexpr OpSpec shapeOps[] = {
    {"reshape", "shape:I", 1, 1, inferReshape},
    {"transpose", "permutation:I", 1, 1, inferTranspose},
    {"broadcast", "shape:I dims:I", 1, 2, inferBroadcast},
    {"slice", "offsets:I sizes:I strides:I", 1, 1, inferSlice},
    {"concat", "axis:i", 1, -1, inferConcat},
    {"pad", "low:I high:I value:f", 1, 1, inferPad},
    {"gather", "", 2, 2, inferGather},
    {"scatter_add", "rows:i", 2, 3, inferScatterAdd},
    {"one_hot", "depth:i dtype:t", 1, 1, inferOneHot},
    {"iota", "shape:I axis:i dtype:t", 0, 1, inferIota},
    {"fill", "shape:I value:f dtype:t", 0, 1, inferFill},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_SHAPE_H
