//===- Reduction.cpp - Folders of reductions ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/TenonOps.h"

using namespace mlir;

namespace tenon {

/// Over no axes every reduction is the identity.
template <typename Op> static OpFoldResult foldNoAxes(Op op) {
  if (op.getAxes().empty() && op.getX().getType() == op.getType())
    return op.getX();
  return {};
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReduceMeanOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReduceMinOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReduceProdOp::fold(FoldAdaptor) { return foldNoAxes(*this); }

} // namespace tenon
