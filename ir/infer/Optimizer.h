//===- Optimizer.h - Inference of optimizer steps ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of an optimizer is a function: it takes parameter, gradient and state,
// and gives the new parameter and state, of the same types.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_OPTIMIZER_H
#define TENON_IR_INFER_OPTIMIZER_H

#include "ir/infer/Random.h"

namespace tenon::infer {

/// Operands 0..count-1 (parameter, gradient, moments) have one type.
inline bool checkState(Call &call, int count) {
  char a[120], b[120];
  for (int i = 1; i < count; i++)
    if (call.operand(i).dtype != call.operand(0).dtype ||
        !sameShape(call.operand(i), call.operand(0)))
      return call.fail(faultBetween(call.operand(i), call.operand(0)),
                       "operand %d: expected the type of the parameter %s, got %s", i,
                       print(call.operand(0), a, sizeof a), print(call.operand(i), b, sizeof b));
  return expectFloat(call, 0);
}

/// p g lr -> p'
inline bool inferSgd(Call &call) {
  return checkState(call, 2) && expectScalar(call, 2, call.operand(0).dtype, "lr") &&
         call.give(call.operand(0));
}
/// p g v lr -> p' v'
inline bool inferMomentum(Call &call) {
  return checkState(call, 3) && expectScalar(call, 3, call.operand(0).dtype, "lr") &&
         call.give(call.operand(0)) && call.give(call.operand(0));
}
/// p g m v lr step -> p' m' v'
inline bool inferAdam(Call &call) {
  if (!checkState(call, 4) || !expectScalar(call, 4, call.operand(0).dtype, "lr") ||
      !expectScalar(call, 5, TENON_I64, "step"))
    return false;
  for (int i = 0; i < 3; i++)
    call.give(call.operand(0));
  return true;
}

inline bool inferLossScale(Call &call) {
  const Type state = Type::make(TENON_F32, {2});
  char text[120];
  if (call.operand(0).dtype != TENON_F32 || !sameShape(call.operand(0), state))
    return call.fail(faultBetween(call.operand(0), state),
                     "expected a state of f32[2], the scale and the number of good steps, got %s",
                     print(call.operand(0), text, sizeof text));
  if (call.attrs.integer(0) < 1)
    return call.fail(Fault::Argument, "interval: expected at least 1, got %lld",
                     (long long)call.attrs.integer(0));
  return call.give(call.operand(0));
}

constexpr OpSpec optimizerOps[] = {
    {"sgd", "", 3, 3, inferSgd},
    {"momentum", "mu:f", 4, 4, inferMomentum},
    {"adam", "beta1:f beta2:f eps:f weight_decay:f", 6, 6, inferAdam},
    {"loss_scale", "interval:i", 1, 1, inferLossScale},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_OPTIMIZER_H
