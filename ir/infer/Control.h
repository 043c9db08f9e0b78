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

/// Of a trace, condition, a, b -> a or b: what one of them alone needs is computed only where it
/// is chosen. Neighbours of one condition become one `tenon.if`, whose operands are other ones.
inline bool inferIf(Call &call) {
  const Type &condition = call.operand(0), &a = call.operand(1), &b = call.operand(2);
  char s[120], t[120];
  if (!condition.isBool() || !condition.isScalar())
    return call.fail(condition.isBool() ? Fault::Shape : Fault::Dtype,
                     "expected a logical scalar as condition, got %s",
                     print(condition, s, sizeof s));
  if (a.dtype != b.dtype || !sameShape(a, b))
    return call.fail(faultBetween(a, b), "expected two values of one type, got %s and %s",
                     print(a, s, sizeof s), print(b, t, sizeof t));
  return call.give(a);
}

constexpr OpSpec controlOps[] = {
    {"if", "", 3, 3, inferIf},
    {"gradient", "", 2, 3, inferGradient},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_CONTROL_H
