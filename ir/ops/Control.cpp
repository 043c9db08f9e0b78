//===- Control.cpp - Loop, if and kernel ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/TenonOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tenon {

/// Checks a list of values against expected types, naming what they are.
static LogicalResult expectTypes(Operation *op, const Twine &what, TypeRange expected,
                                 TypeRange got) {
  if (expected.size() != got.size())
    return op->emitOpError() << "expected " << expected.size() << " " << what << ", got "
                             << got.size();
  for (size_t i = 0; i < expected.size(); i++)
    if (!isCompatibleReturnTypes(expected[i], got[i]))
      return op->emitOpError() << what << " " << i << ": expected " << expected[i] << ", got "
                               << got[i];
  return success();
}

LogicalResult GradientOp::verify() {
  Operation *x = getX().getDefiningOp();
  if (x && !isa<WatchOp>(x))
    return emitOpError("expected x to be an argument or the result of tenon.watch, got one of ")
           << x->getName();
  return success();
}

LogicalResult LoopOp::verify() {
  int64_t trips = getTrips();
  if (trips < 0)
    return emitOpError("expected at least 0 trips, got ") << trips;
  Builder builder(getContext());
  SmallVector<mlir::Type> arguments{RankedTensorType::get({}, builder.getI64Type())};
  llvm::append_range(arguments, getCarried().getTypes());
  for (mlir::Type type : getScanned().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() < 1 || !infer::requireEqual(tensor.getDimSize(0), trips))
      return emitOpError("scanned values need a leading axis of ")
             << trips << " slices, got " << type;
    arguments.push_back(tensor.clone(tensor.getShape().drop_front()));
  }
  llvm::append_range(arguments, getInvariant().getTypes());
  if (failed(expectTypes(*this, "block arguments", arguments, getBody().getArgumentTypes())))
    return failure();

  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected a body that ends in tenon.yield");
  TypeRange yielded = yield.getValues().getTypes();
  size_t carried = getCarried().size();
  if (yielded.size() < carried)
    return emitOpError("expected a body that yields at least ")
           << carried << " values, got " << yielded.size();
  if (failed(expectTypes(*this, "yielded carried values", getCarried().getTypes(),
                         yielded.take_front(carried))))
    return failure();
  SmallVector<mlir::Type> results(getCarried().getTypes());
  for (mlir::Type type : yielded.drop_front(carried)) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape{trips};
    llvm::append_range(shape, tensor.getShape());
    results.push_back(tensor.clone(shape));
  }
  return expectTypes(*this, "results", results, getResultTypes());
}

LogicalResult IfOp::verify() {
  if (auto type = cast<RankedTensorType>(getCondition().getType()); type.getRank() != 0)
    return emitOpError("expected a condition that is a scalar, got ") << type;
  for (bool isThen : {true, false}) {
    std::string of = isThen ? " of the first body" : " of the second body";
    Block &body = getBranch(isThen);
    auto yield = dyn_cast<YieldOp>(body.getTerminator());
    if (!yield)
      return emitOpError("expected bodies that end in tenon.yield");
    if (failed(expectTypes(*this, "block arguments" + of, getUsed().getTypes(),
                           body.getArgumentTypes())) ||
        failed(expectTypes(*this, "yielded values" + of, getResultTypes(),
                           yield.getValues().getTypes())))
      return failure();
  }
  return success();
}

namespace {

/// The body of a known condition takes the place of the op.
struct InlineBranch : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr condition;
    if (!matchPattern(op.getCondition(), m_Constant(&condition)))
      return rewriter.notifyMatchFailure(op, "the condition is not known");
    Block &body = op.getBranch(condition.getValues<bool>()[0]);
    auto yield = cast<YieldOp>(body.getTerminator());
    if (yield.getValues().getTypes() != op.getResultTypes())
      return rewriter.notifyMatchFailure(op, "extents are known less precisely");
    SmallVector<Value> results(yield.getValues());
    for (Value &result : results)
      if (auto argument = dyn_cast<BlockArgument>(result); argument && argument.getOwner() == &body)
        result = op.getUsed()[argument.getArgNumber()];
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&body, op, op.getUsed());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A result that is one used value in both bodies is that value; results that are the same
/// in both bodies are one.
struct ForwardResults : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    auto yields = [&](bool isThen, unsigned i) {
      return op.getBranch(isThen).getTerminator()->getOperand(i);
    };
    auto used = [&](bool isThen, unsigned i) -> Value {
      auto argument = dyn_cast<BlockArgument>(yields(isThen, i));
      return argument ? op.getUsed()[argument.getArgNumber()] : Value();
    };
    bool changed = false;
    auto forward = [&](OpResult result, Value by) {
      if (!by || by.getType() != result.getType() || result.use_empty())
        return;
      rewriter.replaceAllUsesWith(result, by);
      changed = true;
    };
    for (OpResult result : op->getResults()) {
      unsigned i = result.getResultNumber();
      if (Value value = used(true, i); value == used(false, i))
        forward(result, value);
      for (unsigned k = 0; k < i; k++)
        if (yields(true, k) == yields(true, i) && yields(false, k) == yields(false, i))
          forward(result, op->getResult(k));
    }
    return success(changed);
  }
};

/// Drops results that nobody reads and used values that no body reads; a value that is
/// used twice enters once, the condition as what it is known to be.
struct PruneIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    ValueRange used = op.getUsed();
    for (unsigned i = 0; i < used.size(); i++) {
      unsigned first = llvm::find(used, used[i]) - used.begin();
      for (bool isThen : {true, false}) {
        Block &body = op.getBranch(isThen);
        BlockArgument argument = body.getArgument(i);
        if (argument.use_empty())
          continue;
        if (used[i] == op.getCondition()) {
          OpBuilder::InsertionGuard guard(rewriter);
          rewriter.setInsertionPointToStart(&body);
          auto type = cast<RankedTensorType>(argument.getType());
          rewriter.replaceAllUsesWith(
              argument,
              rewriter.create<ConstantOp>(op.getLoc(), DenseElementsAttr::get(type, isThen)));
          changed = true;
        } else if (first != i) {
          rewriter.replaceAllUsesWith(argument, body.getArgument(first));
          changed = true;
        }
      }
    }
    llvm::BitVector unread(used.size());
    for (unsigned i = 0; i < used.size(); i++)
      if (op.getBranch(true).getArgument(i).use_empty() &&
          op.getBranch(false).getArgument(i).use_empty())
        unread.set(i);
    llvm::BitVector dropped(op->getNumResults());
    for (OpResult result : op->getResults())
      if (result.use_empty())
        dropped.set(result.getResultNumber());
    if (unread.none() && dropped.none())
      return success(changed);
    rewriteWithout(op, unread, dropped, rewriter);
    return success();
  }

private:
  static void rewriteWithout(IfOp op, const llvm::BitVector &unread, const llvm::BitVector &dropped,
                             PatternRewriter &rewriter) {
    SmallVector<Value> used;
    for (auto [i, value] : llvm::enumerate(op.getUsed()))
      if (!unread[i])
        used.push_back(value);
    SmallVector<mlir::Type> types;
    for (auto [i, type] : llvm::enumerate(op.getResultTypes()))
      if (!dropped[i])
        types.push_back(type);
    auto result = rewriter.create<IfOp>(op.getLoc(), types, op.getCondition(), used);
    for (bool isThen : {true, false}) {
      Block &body = op.getBranch(isThen);
      rewriter.modifyOpInPlace(body.getTerminator(),
                               [&] { body.getTerminator()->eraseOperands(dropped); });
      body.eraseArguments(unread);
      rewriter.inlineRegionBefore(isThen ? op.getThenBody() : op.getElseBody(),
                                  isThen ? result.getThenBody() : result.getElseBody(),
                                  isThen ? result.getThenBody().end() : result.getElseBody().end());
    }
    unsigned next = 0;
    for (OpResult old : op->getResults())
      if (!dropped[old.getResultNumber()])
        rewriter.replaceAllUsesWith(old, result->getResult(next++));
    rewriter.eraseOp(op);
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<InlineBranch, ForwardResults, PruneIf>(context);
}

LogicalResult KernelOp::verify() {
  if (failed(expectTypes(*this, "block arguments", getInputs().getTypes(),
                         getBody().getArgumentTypes())))
    return failure();
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected a body that ends in tenon.yield");
  return expectTypes(*this, "results", yield.getValues().getTypes(), getResultTypes());
}

} // namespace tenon
