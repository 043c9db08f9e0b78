//===- FoldTransposes.cpp - Transposes and batches into products ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "passes/Patterns.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// A product of a transposed operand reads it as it is.
struct IntoProduct : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto a = op.getA().getDefiningOp<TransposeOp>(), b = op.getB().getDefiningOp<TransposeOp>();
    a = a && swapsLastTwo(a.getPermutation()) ? a : TransposeOp();
    b = b && swapsLastTwo(b.getPermutation()) ? b : TransposeOp();
    if (!a && !b)
      return rewriter.notifyMatchFailure(op, "no operand is a transposed matrix");
    rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), a ? a.getX() : op.getA(),
                                          b ? b.getX() : op.getB(), op.getTransposeA() != bool(a),
                                          op.getTransposeB() != bool(b));
    return success();
  }
};

/// (A B)^T = B^T A^T
struct OfProduct : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto product = op.getX().getDefiningOp<MatmulOp>();
    if (!product || !product->hasOneUse() || !swapsLastTwo(op.getPermutation()))
      return rewriter.notifyMatchFailure(op, "not the transpose of a product used once");
    rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), product.getB(), product.getA(),
                                          !product.getTransposeB(), !product.getTransposeA());
    return success();
  }
};

/// A transpose that only moves axes of extent 1 moves no element.
struct IntoReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = tensorType(op.getX());
    int64_t before = -1;
    for (int64_t axis : op.getPermutation()) {
      if (from.getDimSize(axis) == 1)
        continue;
      if (axis < before)
        return rewriter.notifyMatchFailure(op, "elements move");
      before = axis;
    }
    if (!from.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "dynamic extents");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getX(), op.getType().getShape());
    return success();
  }
};

/// [.., n, k] as one matrix of all rows.
Value asRows(Emit &emit, Value x) {
  ArrayRef<int64_t> shape = tensorType(x).getShape();
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back())
    rows *= extent;
  return emit.reshape(x, {rows, shape.back()});
}

/// The matrix that a broadcast repeats over all batch axes.
Value repeatedMatrix(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  int64_t rank = tensorType(value).getRank();
  if (!broadcast || rank < 3 || !tensorType(value).hasStaticShape() ||
      broadcast.getDims() != ArrayRef<int64_t>({rank - 2, rank - 1}) ||
      tensorType(broadcast.getX()).getShape() != tensorType(value).getShape().take_back(2))
    return {};
  return broadcast.getX();
}

/// [b, n, k] times one [k, m] for all b is one product of b * n rows.
struct OneProductOfAllRows : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    Value matrix = repeatedMatrix(op.getB());
    if (!matrix || op.getTransposeA() || !tensorType(op.getA()).hasStaticShape())
      return rewriter.notifyMatchFailure(op, "no matrix shared by all batches");
    Emit emit(rewriter, op.getLoc());
    Value y = emit.matmul(asRows(emit, op.getA()), matrix, false, op.getTransposeB());
    rewriter.replaceOp(op, emit.reshape(y, op.getType().getShape()));
    return success();
  }
};

/// The sum over batches of a^T b is one product that sums over all rows: the gradient
/// of a shared matrix.
struct OneProductOfAllBatches : OpRewritePattern<ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceSumOp op, PatternRewriter &rewriter) const override {
    auto product = op.getX().getDefiningOp<MatmulOp>();
    if (!product || !product->hasOneUse() || !product.getTransposeA() || product.getTransposeB())
      return rewriter.notifyMatchFailure(op, "not a sum of products a^T b used once");
    int64_t rank = product.getType().getRank();
    SmallVector<int64_t> axes(op.getAxes());
    llvm::sort(axes);
    if (axes != allAxes(rank - 2) || !tensorType(product.getA()).hasStaticShape() ||
        !tensorType(product.getB()).hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not a sum over all batch axes");
    Emit emit(rewriter, op.getLoc());
    Value y = emit.matmul(asRows(emit, product.getA()), asRows(emit, product.getB()), true, false);
    rewriter.replaceOp(op, emit.reshape(y, op.getType().getShape()));
    return success();
  }
};

struct FoldTransposesPass : tenon::impl::FoldTransposesPassBase<FoldTransposesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFoldTransposesPatterns(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("folding of transposes does not come to an end");
      signalPassFailure();
    }
  }
};

} // namespace

void tenon::populateFoldTransposesPatterns(RewritePatternSet &patterns) {
  patterns.add<IntoProduct, OfProduct, IntoReshape, OneProductOfAllRows, OneProductOfAllBatches>(
      patterns.getContext());
}
