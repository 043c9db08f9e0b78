//===- PlanLayouts.cpp - Transposes to where they cost nothing ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANLAYOUTSPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// Longer chains are rare, and a depth bounds the work.
constexpr int depthLimit = 16;

bool isElementwise(Operation *op) { return op && op->hasTrait<trait::Elementwise>(); }

/// Values with their axes permuted: whether that is free, and the permuted values.
class Relayout {
public:
  Relayout(ArrayRef<int64_t> permutation) : permutation(permutation) {}

  /// A transpose of `value` by the permutation would move no element.
  bool isFree(Value value, int depth = depthLimit) const;
  /// `value` transposed. `isFree` held.
  Value permuted(Emit &emit, Value value);
  /// `op`, elementwise, on permuted operands.
  Value elementwise(Emit &emit, Operation *op);

private:
  ArrayRef<int64_t> permutation;
  DenseMap<Value, Value> done;

  SmallVector<int64_t> composed(TransposeOp op) const {
    SmallVector<int64_t> result(op.getPermutation());
    applyPermutationToVector(result, permutation);
    return result;
  }
  Value broadcast(Emit &emit, BroadcastOp op) const;
};

bool Relayout::isFree(Value value, int depth) const {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto repeated = dyn_cast<BroadcastOp>(op))
    return repeated.getType().hasStaticShape() && tensorType(repeated.getX()).hasStaticShape() &&
           tensorType(repeated.getX()).getNumElements() < repeated.getType().getNumElements();
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return isIdentityPermutation(composed(transpose));
  // Everything else is computed in the new layout only, so nothing else may read it.
  if (llvm::any_of(op->getUsers(), [&](Operation *user) { return user != *op->user_begin(); }))
    return false;
  if (isa<MatmulOp>(op))
    return swapsLastTwo(permutation);
  return isElementwise(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isFree(operand, depth - 1); });
}

Value Relayout::broadcast(Emit &emit, BroadcastOp op) const {
  // Where each axis of the operand goes; sorted, as the op wants its dims.
  SmallVector<int64_t> inverse = invertPermutationVector(permutation),
                       order = allAxes(op.getDims().size());
  auto target = [&](int64_t axis) { return inverse[op.getDims()[axis]]; };
  llvm::sort(order, [&](int64_t a, int64_t b) { return target(a) < target(b); });
  SmallVector<int64_t> dims = llvm::map_to_vector(order, target);
  SmallVector<int64_t> shape(op.getType().getShape());
  applyPermutationToVector(shape, permutation);
  return emit.make<BroadcastOp>(op.getType().clone(shape), emit.transpose(op.getX(), order),
                                Value(), shape, dims);
}

Value Relayout::elementwise(Emit &emit, Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(permuted(emit, operand));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape());
  applyPermutationToVector(shape, permutation);
  state.addTypes(type.clone(shape));
  state.addAttributes(op->getAttrs());
  return emit.builder.create(state)->getResult(0);
}

Value Relayout::permuted(Emit &emit, Value value) {
  Value &result = done[value];
  if (result)
    return result;
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto type = tensorType(value);
    SmallVector<int64_t> shape(type.getShape());
    applyPermutationToVector(shape, permutation);
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    type = type.clone(shape);
    return result = emit.make<ConstantOp>(type, DenseElementsAttr(splat.resizeSplat(type)));
  }
  if (auto repeated = dyn_cast<BroadcastOp>(op))
    return result = broadcast(emit, repeated);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return result = transpose.getX();
  if (auto product = dyn_cast<MatmulOp>(op))
    return result = emit.matmul(product.getB(), product.getA(), !product.getTransposeB(),
                                !product.getTransposeA());
  Value computed = elementwise(emit, op); // may move `done`
  return done[value] = computed;
}

/// A transpose of elementwise work on what can be had in the other layout as well.
struct IntoElementwise : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Relayout relayout(op.getPermutation());
    if (!isElementwise(op.getX().getDefiningOp()) || !relayout.isFree(op.getX()))
      return rewriter.notifyMatchFailure(op, "the operand has no other layout for free");
    Emit emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, relayout.permuted(emit, op.getX()));
    return success();
  }
};

/// A reduction of transposed elements reduces the axes that they come from.
struct IntoReduction : OpTraitRewritePattern<trait::Reduction> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto transpose = op->getOperand(0).getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "the operand is not transposed");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<int64_t> axes, rest(permutation);
    for (int64_t axis : op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef())
      axes.push_back(permutation[axis]);
    auto keep = op->getAttrOfType<BoolAttr>("keep");
    SmallVector<NamedAttribute> attributes{
        rewriter.getNamedAttr("axes", rewriter.getDenseI64ArrayAttr(axes))};
    if (keep)
      attributes.push_back(rewriter.getNamedAttr("keep", keep));
    SmallVector<mlir::Type> types;
    if (failed(inferReturnTypes(op->getName().getStringRef(), op->getContext(), op->getLoc(),
                                transpose.getX(), rewriter.getDictionaryAttr(attributes), types)))
      return failure();
    Value y = rewriter
                  .create(op->getLoc(), op->getName().getIdentifier(), transpose.getX(), types,
                          attributes)
                  ->getResult(0);
    if (!keep || !keep.getValue()) { // the axes that are left, counted anew
      llvm::erase_if(rest, [&](int64_t axis) { return llvm::is_contained(axes, axis); });
      for (int64_t &axis : rest)
        axis -= llvm::count_if(axes, [&](int64_t reduced) { return reduced < axis; });
    }
    rewriter.replaceOp(op, Emit(rewriter, op->getLoc()).transpose(y, rest));
    return success();
  }
};

/// Elementwise work on transposed operands is done before the transpose, where that
/// leaves fewer: several become one, or whoever reads the result takes it transposed.
struct BelowElementwise : OpTraitRewritePattern<trait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  /// Every reader of `op` takes its result in the layout before `permutation`.
  static bool isTaken(Operation *op, ArrayRef<int64_t> permutation, const Relayout &before,
                      int depth = depthLimit) {
    return depth > 0 && !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
             if (auto transpose = dyn_cast<TransposeOp>(user))
               return transpose.getPermutation() ==
                      ArrayRef<int64_t>(invertPermutationVector(permutation));
             if (isa<MatmulOp>(user))
               return swapsLastTwo(permutation);
             if (user->hasTrait<trait::Reduction>())
               return true;
             return isElementwise(user) &&
                    llvm::all_of(user->getOperands(),
                                 [&](Value operand) {
                                   return operand.getDefiningOp() == op || before.isFree(operand);
                                 }) &&
                    isTaken(user, permutation, before, depth - 1);
           });
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    SetVector<Operation *> transposes;
    for (Value operand : op->getOperands())
      if (auto transpose = operand.getDefiningOp<TransposeOp>())
        transposes.insert(transpose);
    if (transposes.empty())
      return rewriter.notifyMatchFailure(op, "no operand is transposed");
    SmallVector<int64_t> permutation(cast<TransposeOp>(transposes[0]).getPermutation());
    SmallVector<int64_t> inverse = invertPermutationVector(permutation);
    Relayout before(inverse);
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return before.isFree(operand); }))
      return rewriter.notifyMatchFailure(op, "an operand would have to be transposed");
    int64_t gone = llvm::count_if(transposes, [](Operation *t) { return t->hasOneUse(); });
    if (gone < 2 && !isTaken(op, permutation, before))
      return rewriter.notifyMatchFailure(op, "as many transposes would be left");
    Emit emit(rewriter, op->getLoc());
    rewriter.replaceOp(op, emit.transpose(before.elementwise(emit, op), permutation));
    return success();
  }
};

struct PlanLayoutsPass : tenon::impl::PlanLayoutsPassBase<PlanLayoutsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<IntoElementwise, BelowElementwise, IntoReduction>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("planning of layouts does not come to an end");
      signalPassFailure();
    }
  }
};

} // namespace
