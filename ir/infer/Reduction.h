//===- Reduction.h - Inference of reductions --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes that are reduced disappear, or stay with extent 1 where `keep` says so.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_REDUCTION_H
#define TENON_IR_INFER_REDUCTION_H

#include "ir/infer/Shape.h"

namespace tenon::infer {

inline bool inferReduce(Call &call) {
  const Type &x = call.operand(0);
  List axes = call.attrs.list(0);
  bool keep = call.attrs.integer(1);
  unsigned reduced = 0;
  for (int64_t axis : axes) {
    if (!checkAxis(call, axis, x.rank))
      return false;
    if (reduced >> axis & 1)
      return call.fail("axes: axis %lld is named twice", (long long)axis);
    reduced |= 1u << axis;
  }
  Type type;
  type.dtype = x.dtype;
  for (int i = 0; i < x.rank; i++)
    if (!(reduced >> i & 1))
      type.dims[type.rank++] = x.dims[i];
    else if (keep)
      type.dims[type.rank++] = 1;
  return expectNumber(call, 0) && call.give(type);
}
inline bool inferMean(Call &call) { return expectFloat(call, 0) && inferReduce(call); }

inline bool inferArg(Call &call) {
  Type type = call.operand(0);
  int64_t axis = call.attrs.integer(0);
  if (!expectNumber(call, 0) || !checkAxis(call, axis, type.rank))
    return false;
  if (!requireAtLeast(type.dims[axis], 1))
    return call.fail("axis %lld has no elements", (long long)axis);
  for (int i = int(axis); i + 1 < type.rank; i++)
    type.dims[i] = type.dims[i + 1];
  type.rank--;
  type.dtype = TENON_I64;
  return call.give(type);
}

constexpr OpSpec reductionOps[] = {
    {"reduce_sum", "axes:I keep:b", 1, 1, inferReduce},
    {"reduce_mean", "axes:I keep:b", 1, 1, inferMean},
    {"reduce_max", "axes:I keep:b", 1, 1, inferReduce},
    {"reduce_min", "axes:I keep:b", 1, 1, inferReduce},
    {"reduce_prod", "axes:I keep:b", 1, 1, inferReduce},
    {"argmax", "axis:i", 1, 1, inferArg},
    {"argmin", "axis:i", 1, 1, inferArg},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_REDUCTION_H
