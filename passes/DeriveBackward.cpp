//===- DeriveBackward.cpp - Replace gradient ops by reverse mode ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "passes/autodiff/ReverseMode.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_DERIVEBACKWARDPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

LogicalResult verifySameBlock(GradientOp op) {
  for (Value value : {Value(op.getY()), Value(op.getX())})
    if (value.getParentBlock() != op->getBlock())
      return op.emitOpError("expected y and x in the block of the op, got one from outside");
  return success();
}

/// Gradients of one y with one seed, which can share a pass that stands before the
/// first of them.
SmallVector<GradientOp> sharedWith(GradientOp first, ArrayRef<GradientOp> later) {
  SmallVector<GradientOp> group{first};
  for (GradientOp op : later) {
    Operation *x = op.getX().getDefiningOp();
    if (op->getBlock() == first->getBlock() && op.getY() == first.getY() &&
        op.getSeed() == first.getSeed() &&
        (!x || (x->getBlock() == first->getBlock() && x->isBeforeInBlock(first))))
      group.push_back(op);
  }
  return group;
}

LogicalResult derive(ArrayRef<GradientOp> group) {
  GradientOp first = group.front();
  OpBuilder builder(first);
  Emit emit(builder, first.getLoc());
  SmallVector<Value> xs;
  for (GradientOp op : group) {
    if (failed(verifySameBlock(op)))
      return failure();
    xs.push_back(op.getX());
  }
  Value y = first.getY();
  // Nothing after y matters.
  SmallVector<Operation *> ops;
  if (Operation *last = y.getDefiningOp())
    for (Operation &op :
         llvm::make_range(first->getBlock()->begin(), std::next(Block::iterator(last))))
      ops.push_back(&op);
  Value seed = first.getSeed() ? Value(first.getSeed()) : emit.splat(y, 1);
  FailureOr<SmallVector<Value>> gradients = reverseMode(builder, ops, y, seed, xs);
  if (failed(gradients))
    return failure();
  for (auto [old, gradient, x] : llvm::zip(group, *gradients, xs)) {
    GradientOp op = old;
    if (!gradient)
      gradient = emit.splat(x, 0);
    if (gradient.getType() != op.getType()) // the same extents, less precisely known
      gradient = emit.spread(gradient, x);
    op.getResult().replaceAllUsesWith(gradient);
  }
  for (GradientOp op : group)
    op.erase();
  return success();
}

struct DeriveBackwardPass : tenon::impl::DeriveBackwardPassBase<DeriveBackwardPass> {
  void runOnOperation() override {
    // Program order, bodies of loops before the loop: a gradient may be differentiated
    // when its own ops are there.
    SmallVector<GradientOp> todo;
    SmallVector<Operation *> identities;
    getOperation()->walk([&](GradientOp op) { todo.push_back(op); });
    getOperation()->walk([&](Operation *op) {
      if (isa<WatchOp, LossScaleOp>(op))
        identities.push_back(op);
    });
    if (todo.empty() && identities.empty())
      return markAllAnalysesPreserved();
    while (!todo.empty()) {
      SmallVector<GradientOp> group = sharedWith(todo.front(), ArrayRef(todo).drop_front());
      llvm::erase_if(todo, [&](GradientOp op) { return llvm::is_contained(group, op); });
      numGradients += group.size();
      numPasses++;
      if (failed(derive(group)))
        return signalPassFailure();
    }
    for (Operation *op : identities) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
    for (Region &region : getOperation()->getRegions())
      for (Block &block : region)
        eraseDeadOps(block);
  }
};

} // namespace
