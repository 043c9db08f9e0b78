//===- Control.h - Inference of the gradient op -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the ops that hold or stand for other ops only the gradient is here: the types
// of loops and kernels are those of their bodies.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_CONTROL_H
#define TENON_IR_INFER_CONTROL_H

#include "ir/infer/Elementwise.h"

namespace tenon::infer {

/// y, x, seed? -> the type of x. Without a seed y must be a scalar.
inline bool inferGradient(Call &call) {
  const Type &y = call.operand(0);
  char a[120], b[120];
  if (!expectFloat(call, 0) || !expectFloat(call, 1))
    return false;
  if (!call.has(2) && y.rank != 0)
    return call.fail("expected a scalar to differentiate, got %s; give a seed of its shape "
                     "for a vector-Jacobian product",
                     print(y, a, sizeof a));
  if (call.has(2) && (call.operand(2).dtype != y.dtype || !sameShape(call.operand(2), y)))
    return call.fail(faultBetween(call.operand(2), y), "seed: expected %s, got %s",
                     print(y, a, sizeof a), print(call.operand(2), b, sizeof b));
  return call.give(call.operand(1));
}

constexpr OpSpec controlOps[] = {
    {"gradient", "", 2, 3, inferGradient},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_CONTROL_H
