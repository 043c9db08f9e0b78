//===- Simplify.cpp - Fewer and smaller ops with the same meaning ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "passes/Patterns.h"
#include "passes/Splat.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

//===----------------------------------------------------------------------===//
// Broadcast and reduction
//===----------------------------------------------------------------------===//

/// A reduction over axes along which its operand was repeated is the reduction of the
/// small tensor, times the number of repeats for a sum.
template <typename Op> struct ReduceOfBroadcast : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getX().template getDefiningOp<BroadcastOp>();
    if (!broadcast || !broadcast.getType().hasStaticShape() ||
        !tensorType(broadcast.getX()).hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not of a static broadcast");
    RankedTensorType from = tensorType(broadcast.getX()), wide = broadcast.getType();
    ArrayRef<int64_t> dims = broadcast.getDims();
    double repeats = 1;
    SmallVector<int64_t> inner, resultDims;
    int64_t dropped = 0; // reduced axes before the one at hand
    bool anyRepeated = false;
    for (int64_t axis : allAxes(wide.getRank())) {
      bool reduced = llvm::is_contained(op.getAxes(), axis);
      const int64_t *at = llvm::find(dims, axis);
      if (at != dims.end()) {
        int64_t i = at - dims.begin();
        bool stretched = from.getDimSize(i) != wide.getDimSize(axis);
        if (reduced && stretched) {
          repeats *= double(wide.getDimSize(axis));
          anyRepeated = true;
        }
        if (reduced)
          inner.push_back(i);
        if (!reduced || op.getKeep())
          resultDims.push_back(op.getKeep() ? axis : axis - dropped);
      } else if (reduced) {
        repeats *= double(wide.getDimSize(axis));
        anyRepeated = true;
      }
      dropped += reduced;
    }
    if (!anyRepeated || repeats == 0)
      return rewriter.notifyMatchFailure(op, "reduces no repeated axis");

    if (std::is_same_v<Op, ReduceSumOp> && isFloatTensor(op.getY()) &&
        !isNormal(op.getType().getElementType(), repeats))
      return rewriter.notifyMatchFailure(op, "the number of repeats leaves the type");

    Emit emit(rewriter, op.getLoc());
    Value x = broadcast.getX();
    if (!inner.empty())
      x = emit.make<Op>(x, inner, op.getKeep());
    if (std::is_same_v<Op, ReduceSumOp>)
      x = emit.scale(x, repeats);
    if (x.getType() != op.getType())
      x = emit.make<BroadcastOp>(x, Value(), op.getType().getShape(), resultDims);
    rewriter.replaceOp(op, x);
    return success();
  }
};

/// A reduction over axes of extent 1 moves no element.
template <typename Op> struct ReduceOfOne : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getX());
    if (!type.hasStaticShape() || op.getAxes().empty() ||
        !llvm::all_of(op.getAxes(), [&](int64_t axis) { return type.getDimSize(axis) == 1; }))
      return rewriter.notifyMatchFailure(op, "an axis has more than one element");
    Emit emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, emit.reshape(op.getX(), op.getType().getShape()));
    return success();
  }
};

/// Sum of sum, where the outer one takes more axes.
struct SumOfSum : OpRewritePattern<ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceSumOp op, PatternRewriter &rewriter) const override {
    auto first = op.getX().getDefiningOp<ReduceSumOp>();
    if (!first || !first->hasOneUse() || first.getKeep() || op.getKeep())
      return rewriter.notifyMatchFailure(op, "not a plain sum of a sum");
    SmallVector<int64_t> left, axes(first.getAxes());
    for (int64_t axis : allAxes(tensorType(first.getX()).getRank()))
      if (!llvm::is_contained(first.getAxes(), axis))
        left.push_back(axis);
    for (int64_t axis : op.getAxes())
      axes.push_back(left[axis]);
    llvm::sort(axes);
    rewriter.replaceOpWithNewOp<ReduceSumOp>(op, op.getType(), first.getX(), axes, false);
    return success();
  }
};

/// Broadcast of broadcast, and of a reshape that only adds axes of extent 1.
struct BroadcastOfView : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    SmallVector<int64_t> dims;
    Value x;
    if (auto inner = op.getX().getDefiningOp<BroadcastOp>()) {
      x = inner.getX();
      for (int64_t axis : inner.getDims())
        dims.push_back(op.getDims()[axis]);
    } else if (auto reshape = op.getX().getDefiningOp<ReshapeOp>()) {
      x = reshape.getX();
      RankedTensorType from = tensorType(x), to = reshape.getType();
      int64_t axis = 0;
      for (int64_t extent : from.getShape()) {
        while (axis < to.getRank() && to.getDimSize(axis) != extent) {
          if (to.getDimSize(axis) != 1)
            return rewriter.notifyMatchFailure(op, "the reshape moves elements");
          axis++;
        }
        if (axis == to.getRank())
          return rewriter.notifyMatchFailure(op, "the reshape moves elements");
        dims.push_back(op.getDims()[axis++]);
      }
      if (!from.hasStaticShape() || !to.hasStaticShape() ||
          from.getNumElements() != to.getNumElements())
        return rewriter.notifyMatchFailure(op, "the reshape moves elements");
    } else {
      return rewriter.notifyMatchFailure(op, "not of a view");
    }
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), x, op.getLike(), op.getShape(),
                                             dims);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// a + (-b) = a - b, (-a) + b = b - a, a - (-b) = a + b.
struct AddOfNeg : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (int side : {1, 0})
      if (auto neg = op->getOperand(side).getDefiningOp<NegOp>()) {
        rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), op->getOperand(1 - side), neg.getX());
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand is negated");
  }
};
struct SubOfNeg : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    auto neg = op.getB().getDefiningOp<NegOp>();
    if (!neg)
      return rewriter.notifyMatchFailure(op, "the second operand is not negated");
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), op.getA(), neg.getX());
    return success();
  }
};

/// (x * c) * d = x * (c d) for numbers; -(x * c) = x * (-c).
struct ProductOfFactors : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getA().getDefiningOp<MulOp>();
    std::optional<double> outer = splatNumber(op.getB());
    std::optional<double> factor = inner ? splatNumber(inner.getB()) : std::nullopt;
    if (!outer || !factor || !inner->hasOneUse() || !isFloatTensor(op.getY()))
      return rewriter.notifyMatchFailure(op, "not a float product of two numbers");
    if (!isNormal(op.getType().getElementType(), *outer * *factor))
      return rewriter.notifyMatchFailure(op, "the product of the numbers leaves the type");
    Emit emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, emit.scale(inner.getA(), *outer * *factor));
    return success();
  }
};
struct NegOfFactor : OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NegOp op, PatternRewriter &rewriter) const override {
    auto mul = op.getX().getDefiningOp<MulOp>();
    std::optional<double> factor = mul ? splatNumber(mul.getB()) : std::nullopt;
    if (!factor || !mul->hasOneUse() || !isFloatTensor(op.getY()))
      return rewriter.notifyMatchFailure(op, "not a product with a number");
    Emit emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, emit.scale(mul.getA(), -*factor));
    return success();
  }
};

/// Powers 1, 2, 3, -1 by products.
struct SmallPower : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    std::optional<double> power = splatNumber(op.getB());
    Value a = op.getA();
    if (!power || !isFloatTensor(a) || a.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "the power is not a number");
    Emit emit(rewriter, op.getLoc());
    Value result;
    if (*power == 1)
      result = a;
    else if (*power == 2)
      result = emit.mul(a, a);
    else if (*power == 3)
      result = emit.mul(emit.mul(a, a), a);
    else if (*power == -1)
      result = emit.div(emit.splat(a, 1), a);
    else
      return rewriter.notifyMatchFailure(op, "not a small power");
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// A slice of a concatenation that is one of its parts, or lies within one.
struct SliceOfConcat : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<ConcatOp>();
    if (!concat || !op.getType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not of a concatenation");
    int64_t axis = concat.getAxis(), begin = op.getOffsets()[axis];
    int64_t size = op.getType().getDimSize(axis);
    int64_t end = begin + std::max<int64_t>(size - 1, 0) * op.getStrides()[axis] + 1, at = 0;
    for (Value part : concat.getParts()) {
      int64_t extent = tensorType(part).getDimSize(axis);
      if (ShapedType::isDynamic(extent))
        break;
      if (begin >= at && end <= at + extent) {
        SmallVector<int64_t> offsets(op.getOffsets());
        offsets[axis] -= at;
        rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), part, offsets,
                                             op.getType().getShape(), op.getStrides());
        return success();
      }
      at += extent;
    }
    return rewriter.notifyMatchFailure(op, "it spans parts");
  }
};

/// x of pad(x) cut out again.
struct SliceOfPad : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getX().getDefiningOp<PadOp>();
    if (!pad || !llvm::equal(op.getOffsets(), pad.getLow()) ||
        pad.getX().getType() != op.getType() || !op.getType().hasStaticShape() ||
        !llvm::all_of(op.getStrides(), [](int64_t stride) { return stride == 1; }))
      return rewriter.notifyMatchFailure(op, "not the inside of a padded tensor");
    rewriter.replaceOp(op, pad.getX());
    return success();
  }
};

/// Zero-padded pieces that lie side by side: their sum is their concatenation. The
/// gradient of slices.
struct SumOfPieces : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  struct Piece {
    Value value;
    int64_t begin, end; ///< along the axis
  };

  /// All summands of a tree of additions used once; false if one is no padded piece.
  static bool collect(Value value, SmallVectorImpl<PadOp> &pads) {
    if (auto add = value.getDefiningOp<AddOp>(); add && add->hasOneUse())
      return collect(add.getA(), pads) && collect(add.getB(), pads);
    auto pad = value.getDefiningOp<PadOp>();
    if (!pad || !pad.getValue().isPosZero() || !pad.getType().hasStaticShape())
      return false;
    pads.push_back(pad);
    return true;
  }

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    SmallVector<PadOp> pads;
    if (!collect(op.getA(), pads) || !collect(op.getB(), pads))
      return rewriter.notifyMatchFailure(op, "a summand is no zero-padded piece");
    if (op->hasOneUse() && isa<AddOp>(*op->user_begin()))
      return rewriter.notifyMatchFailure(op, "part of a larger sum");
    int64_t rank = op.getType().getRank(), axis = -1;
    for (PadOp pad : pads)
      for (int64_t i : allAxes(rank))
        if (pad.getLow()[i] || pad.getHigh()[i]) {
          if (axis >= 0 && axis != i)
            return rewriter.notifyMatchFailure(op, "pieces along several axes");
          axis = i;
        }
    if (axis < 0)
      return rewriter.notifyMatchFailure(op, "nothing is padded");
    llvm::stable_sort(pads, [&](PadOp a, PadOp b) { return a.getLow()[axis] < b.getLow()[axis]; });
    SmallVector<Value> parts;
    int64_t at = 0;
    for (PadOp pad : pads) {
      if (pad.getLow()[axis] != at)
        return rewriter.notifyMatchFailure(op, "pieces overlap or leave a gap");
      at += tensorType(pad.getX()).getDimSize(axis);
      parts.push_back(pad.getX());
    }
    if (at != op.getType().getDimSize(axis))
      return rewriter.notifyMatchFailure(op, "pieces leave a gap");
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), parts, uint64_t(axis));
    return success();
  }
};

struct SimplifyPass : tenon::impl::SimplifyPassBase<SimplifyPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifyPatterns(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("simplification does not come to an end");
      signalPassFailure();
    }
  }
};

} // namespace

void tenon::populateSimplifyPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ReduceOfBroadcast<ReduceSumOp>, ReduceOfBroadcast<ReduceMeanOp>,
           ReduceOfBroadcast<ReduceMaxOp>, ReduceOfBroadcast<ReduceMinOp>, ReduceOfOne<ReduceSumOp>,
           ReduceOfOne<ReduceMeanOp>, ReduceOfOne<ReduceMaxOp>, ReduceOfOne<ReduceMinOp>,
           ReduceOfOne<ReduceProdOp>, SumOfSum, BroadcastOfView, AddOfNeg, SubOfNeg,
           ProductOfFactors, NegOfFactor, SmallPower, SliceOfConcat, SliceOfPad, SumOfPieces>(
          patterns.getContext());
}
