//===- Random.h - Inference of random ops -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers are a function of seed, step and stream, so the seed is an operand
// and there is no hidden state.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_RANDOM_H
#define TENON_IR_INFER_RANDOM_H

#include "ir/infer/Shape.h"

namespace tenon::infer {

inline bool expectScalar(Call &call, int i, tenon_dtype dtype, const char *name) {
  char a[120], b[120];
  const Type expected = Type::make(dtype, {}), &type = call.operand(i);
  return (type.dtype == dtype && type.rank == 0) ||
         call.fail(faultBetween(type, expected), "%s: expected %s, got %s", name,
                   print(expected, a, sizeof a), print(type, b, sizeof b));
}

/// seed, step, like? -> shape.
inline bool inferRandom(Call &call) {
  Type type;
  type.dtype = tenon_dtype(call.attrs.integer(2));
  if (!type.isFloat())
    return call.fail(Fault::Dtype, "dtype: expected a float type");
  return expectScalar(call, 0, TENON_I64, "seed") && expectScalar(call, 1, TENON_I64, "step") &&
         inferExtentsLike(call, call.attrs.list(0), 2, type) && call.give(type);
}

/// x, seed, step -> the type of x.
inline bool inferDropout(Call &call) {
  double rate = call.attrs.real(0);
  if (!(rate >= 0 && rate < 1))
    return call.fail(Fault::Argument, "rate: expected 0 <= rate < 1, got %g", rate);
  return expectFloat(call, 0) && expectScalar(call, 1, TENON_I64, "seed") &&
         expectScalar(call, 2, TENON_I64, "step") && call.give(call.operand(0));
}

constexpr OpSpec randomOps[] = {
    {"random_uniform", "shape:I stream:i dtype:t", 2, 3, inferRandom},
    {"random_normal", "shape:I stream:i dtype:t", 2, 3, inferRandom},
    {"dropout", "rate:f stream:i", 3, 3, inferDropout},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_RANDOM_H
