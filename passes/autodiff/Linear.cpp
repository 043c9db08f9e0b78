//===- Linear.cpp - Backward rules of matrix products ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

/// For y = A B with A = a or a^T and B = b or b^T: dA = dy B^T, dB = A^T dy, written
/// so that the gradient comes in the layout of its operand.
static Gradients backwardMatmul(MatmulOp op, Incoming &in) {
  Value a = op.getA(), b = op.getB(), dy = in.dy(), da, db;
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  if (in.needed[0])
    da = ta ? in.matmul(b, dy, tb, true) : in.matmul(dy, b, false, !tb);
  if (in.needed[1])
    db = tb ? in.matmul(dy, a, true, ta) : in.matmul(a, dy, !ta, false);
  return give({da, db});
}

void attachLinearRules(MLIRContext *context) { attachRule<MatmulOp, backwardMatmul>(context); }

} // namespace tenon::autodiff
