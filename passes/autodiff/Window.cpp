//===- Window.cpp - Backward rules of sliding windows ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

static Gradients backwardWindows(WindowsOp op, Incoming &in) {
  Value x = op.getX();
  ArrayRef<int64_t> extents = tensorType(x).getShape().take_back(op.getSizes().size());
  Value like = llvm::any_of(extents, ShapedType::isDynamic) ? x : Value();
  return give({in.make<FoldWindowsOp>(in.dy(), like, extents, op.getStrides(), op.getDilations())});
}

static Gradients backwardFoldWindows(FoldWindowsOp op, Incoming &in) {
  size_t windowed = op.getExtents().size();
  ArrayRef<int64_t> sizes =
      tensorType(op.getX()).getShape().take_back(2 * windowed).take_front(windowed);
  SmallVector<Value> gradients(op->getNumOperands());
  gradients[0] = in.make<WindowsOp>(in.dy(), sizes, op.getStrides(), op.getDilations());
  return gradients;
}

void attachWindowRules(MLIRContext *context) {
  attachRule<WindowsOp, backwardWindows>(context);
  attachRule<FoldWindowsOp, backwardFoldWindows>(context);
}

} // namespace tenon::autodiff
