//===- Random.cpp - Backward rules of random ops --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

/// The same numbers again: no mask is kept.
static Gradients backwardDropout(DropoutOp op, Incoming &in) {
  return give(
      {in.make<DropoutOp>(in.dy(), op.getSeed(), op.getStep(), op.getRate(), op.getStream()),
       Value(), Value()});
}

void attachRandomRules(MLIRContext *context) { attachRule<DropoutOp, backwardDropout>(context); }

} // namespace tenon::autodiff
