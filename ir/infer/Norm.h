//===- Norm.h - Inference of softmax and normalizations ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and normalizations keep the type of their first operand.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_NORM_H
#define TENON_IR_INFER_NORM_H

#include "ir/infer/Shape.h"

namespace tenon::infer {

inline bool inferSoftmax(Call &call) {
  return expectFloat(call, 0) && checkAxis(call, call.attrs.integer(0), call.operand(0).rank) &&
         call.give(call.operand(0));
}

/// x, then optional gamma and beta of the extent of x's last axis.
inline bool inferNorm(Call &call) {
  const Type &x = call.operand(0);
  if (!expectFloat(call, 0))
    return false;
  if (x.rank < 1)
    return call.fail("expected at least one axis, got a scalar");
  if (!(call.attrs.real(0) >= 0))
    return call.fail(Fault::Argument, "eps: expected at least 0, got %g", call.attrs.real(0));
  for (int i = 1; i < call.numOperands; i++) {
    char text[120];
    if (!call.has(i))
      continue;
    const Type &p = call.operand(i);
    if (p.dtype != x.dtype || p.rank != 1 || !requireEqual(p.dims[0], x.dim(-1)))
      return call.fail(faultBetween(p, x), "%s: expected the dtype of x and shape [%lld], got %s",
                       i == 1 ? "gamma" : "beta", (long long)x.dim(-1),
                       print(p, text, sizeof text));
  }
  return call.give(x);
}

constexpr OpSpec normOps[] = {
    {"softmax", "axis:i", 1, 1, inferSoftmax},
    {"log_softmax", "axis:i", 1, 1, inferSoftmax},
    {"layer_norm", "eps:f", 1, 3, inferNorm},
    {"rms_norm", "eps:f", 1, 2, inferNorm},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_NORM_H
