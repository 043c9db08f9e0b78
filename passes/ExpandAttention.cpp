//===- ExpandAttention.cpp - Attention that no kernel computes ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/AttentionParts.h"
#include "passes/KernelStrategy.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "passes/Passes.h.inc"

namespace {
struct ExpandAttentionPass : impl::ExpandAttentionPassBase<ExpandAttentionPass> {
  using ExpandAttentionPassBase::ExpandAttentionPassBase;

  void runOnOperation() override {
    const KernelStrategies *strategies = kernelStrategiesOf(target, getOperation());
    if (!strategies)
      return signalPassFailure();
    auto isComputed = [&](Operation *op) {
      return llvm::any_of(strategies->all(),
                          [&](const auto &strategy) { return strategy->canRoot(op); });
    };
    getOperation()->walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op); attention && !isComputed(op))
        expand(attention);
      else if (auto gradient = dyn_cast<AttentionGradOp>(op); gradient && !isComputed(op))
        expand(gradient);
    });
  }

private:
  template <typename Op> void expand(Op op) {
    if (report)
      op.emitRemark("no kernel of the target computes it: it is expanded, its scores take memory");
    OpBuilder builder(op);
    Emit in(builder, op.getLoc());
    SmallVector<Value> results = AttentionParts(op, in).results(op);
    for (auto [result, value] : llvm::zip(op->getResults(), results)) {
      value.setType(result.getType()); // products may know extents better, or less well
      result.replaceAllUsesWith(value);
    }
    op->erase();
    numExpanded++;
  }
};
} // namespace
} // namespace tenon
