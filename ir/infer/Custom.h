//===- Custom.h - Inference of shaders of the user's ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_CUSTOM_H
#define TENON_IR_INFER_CUSTOM_H

#include "ir/infer/Infer.h"

namespace tenon::infer {

/// Of a trace: `inputs` values that the shader reads, then what other ops of the trace compute from
/// them, one value for each result: what the shader is to compute. Those ops become the body of
/// the `tenon.custom`, whose operands are other ones. `groups`, an affine map "()[n] -> (n)", and
/// the other texts but `glsl` may be empty.
inline bool inferCustom(Call &call) {
  int64_t inputs = call.attrs.integer(0), results = call.numOperands - inputs;
  if (inputs < 0 || results < 1 || results > kMaxResults)
    return call.fail(Fault::Argument,
                     "expected 1 to %d results, got %d operands of which %lld "
                     "are inputs",
                     kMaxResults, call.numOperands, (long long)inputs);
  for (int i = int(inputs); i < call.numOperands; i++)
    call.give(call.operand(i));
  return true;
}

constexpr OpSpec customOps[] = {
    {"custom", "inputs:i glsl:s groups:s backward:s backward_groups:s", 1, -1, inferCustom},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_CUSTOM_H
