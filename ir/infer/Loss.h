//===- Loss.h - Inference of losses -----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loss of all elements gives one value, a loss of rows one for each row.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_LOSS_H
#define TENON_IR_INFER_LOSS_H

#include "ir/infer/Elementwise.h"

namespace tenon::infer {

inline bool inferMse(Call &call) {
  Type type;
  return expectFloat(call, 0) && inferSame(call, 0, type) && call.give(Type::make(type.dtype, {}));
}

/// Losses of rows: the last axis holds the classes.
inline bool inferRowLoss(Call &call, bool idsAllowed) {
  const Type &x = call.operand(0), &target = call.operand(1);
  char a[120], b[120];
  if (!expectFloat(call, 0))
    return false;
  if (x.rank < 1)
    return call.fail("expected at least one axis, got a scalar");
  Type rows = x;
  rows.rank--;
  bool ids = idsAllowed && target.isInteger() && sameShape(target, rows);
  bool soft = target.dtype == x.dtype && sameShape(target, x);
  bool oneDtype = target.dtype == x.dtype || (idsAllowed && target.isInteger());
  Fault faultOfTarget = oneDtype ? Fault::Shape : Fault::Dtype;
  if (!ids && !soft)
    return call.fail(faultOfTarget, "target: expected %s%s, got %s", print(x, a, sizeof a),
                     idsAllowed ? " or integer class ids without its last axis" : "",
                     print(target, b, sizeof b));
  return call.give(rows);
}
inline bool inferCrossEntropy(Call &call) { return inferRowLoss(call, false); }
inline bool inferSoftmaxCrossEntropy(Call &call) { return inferRowLoss(call, true); }

constexpr OpSpec lossOps[] = {
    {"mse_loss", "", 2, 2, inferMse},
    {"cross_entropy", "floor:f", 2, 2, inferCrossEntropy},
    {"softmax_cross_entropy", "floor:f", 2, 2, inferSoftmaxCrossEntropy},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_LOSS_H
