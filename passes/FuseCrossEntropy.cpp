//===- FuseCrossEntropy.cpp - Softmax, logarithm and targets into losses --===//
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
#define GEN_PASS_DEF_FUSECROSSENTROPYPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// May a gradient op ask for the derivative by something that \p value is made from?
bool mayNeedGradient(Value value, llvm::DenseSet<Value> &seen) {
  if (!isFloatTensor(value) || !seen.insert(value).second)
    return false;
  for (OpOperand &use : value.getUses())
    if (auto gradient = dyn_cast<GradientOp>(use.getOwner()); gradient && gradient.getX() == value)
      return true;
  Operation *op = value.getDefiningOp();
  if (!op) // what enters a loop is not looked into
    return !isa<FunctionOpInterface>(value.getParentBlock()->getParentOp());
  return !op->hasTrait<trait::NotDifferentiable>() &&
         llvm::any_of(op->getOperands(), [&](Value v) { return mayNeedGradient(v, seen); });
}

bool alongLastAxis(int64_t axis, Value x) { return axis == tensorType(x).getRank() - 1; }

struct FuseCrossEntropyPass : tenon::impl::FuseCrossEntropyPassBase<FuseCrossEntropyPass> {
  using FuseCrossEntropyPassBase::FuseCrossEntropyPassBase;

  void remark(Operation *op, const char *why) {
    if (report)
      op->emitRemark("not fused into a cross entropy: ") << why;
  }
  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    numFused++;
  }

  /// log(softmax(x))
  void fuseLog(LogOp op) {
    auto softmax = op.getX().getDefiningOp<SoftmaxOp>();
    if (!softmax)
      return;
    if (!softmax->hasOneUse())
      return remark(op, "the probabilities have another use");
    OpBuilder builder(op);
    replace(op, builder.create<LogSoftmaxOp>(op.getLoc(), softmax.getX(), softmax.getAxis()));
  }

  /// cross_entropy(softmax(x), target)
  void fuseLoss(CrossEntropyOp op) {
    auto softmax = op.getProbabilities().getDefiningOp<SoftmaxOp>();
    if (!softmax)
      return;
    if (!softmax->hasOneUse())
      return remark(op, "the probabilities have another use");
    if (!alongLastAxis(softmax.getAxis(), softmax.getX()))
      return remark(op, "the softmax is not along the classes");
    OpBuilder builder(op);
    replace(op, builder.create<SoftmaxCrossEntropyOp>(op.getLoc(), softmax.getX(), op.getTarget(),
                                                      op.getFloor()));
  }

  /// sum over classes (and more) of log_softmax(x) * target
  void fuseProduct(ReduceSumOp op) {
    auto product = op.getX().getDefiningOp<MulOp>();
    if (!product)
      return;
    bool second = product.getB().getDefiningOp<LogSoftmaxOp>() != nullptr;
    auto log = (second ? product.getB() : product.getA()).getDefiningOp<LogSoftmaxOp>();
    Value target = second ? product.getA() : product.getB();
    int64_t last = tensorType(op.getX()).getRank() - 1;
    if (!log)
      return;
    if (!alongLastAxis(log.getAxis(), log.getX()) || !llvm::is_contained(op.getAxes(), last))
      return remark(op, "the softmax and the sum are not both along the last axis");
    if (!log->hasOneUse() || !product->hasOneUse())
      return remark(op, "the logarithms have another use");
    llvm::DenseSet<Value> seen;
    if (mayNeedGradient(target, seen))
      return remark(op, "the target may need a gradient");
    // One-hot targets are read as class ids.
    if (auto oneHot = target.getDefiningOp<OneHotOp>();
        oneHot && int64_t(oneHot.getDepth()) == tensorType(target).getShape().back() &&
        isa<IntegerType>(tensorType(oneHot.getIds()).getElementType()))
      target = oneHot.getIds();

    OpBuilder builder(op);
    Emit emit(builder, op.getLoc());
    Value rows = emit.neg(emit.make<SoftmaxCrossEntropyOp>(log.getX(), target, APFloat(0.0)));
    SmallVector<int64_t> axes(
        llvm::make_filter_range(op.getAxes(), [&](int64_t axis) { return axis != last; }));
    Value result = emit.sum(rows, axes);
    if (op.getKeep())
      result = emit.make<ReshapeOp>(op.getType(), result, op.getType().getShape());
    replace(op, result);
  }

  void runOnOperation() override {
    auto forEach = [&](auto fuse, auto typed) {
      using Op = decltype(typed);
      SmallVector<Op> todo;
      getOperation()->walk([&](Op op) { todo.push_back(op); });
      for (Op op : todo)
        (this->*fuse)(op);
    };
    forEach(&FuseCrossEntropyPass::fuseLog, LogOp());
    forEach(&FuseCrossEntropyPass::fuseLoss, CrossEntropyOp());
    forEach(&FuseCrossEntropyPass::fuseProduct, ReduceSumOp());
    if (numFused)
      for (Block &block : getOperation().getBody())
        eraseDeadOps(block);
  }
};

} // namespace
