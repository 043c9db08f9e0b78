//===- FuseNorms.cpp - Means and roots into norms -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "passes/Splat.h"
#include "passes/autodiff/ReverseMode.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FUSENORMSPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// The row statistic behind its repetition over a row: x is [.., 1] or lacks the last
/// axis. The value itself if it is not repeated.
Value rowValue(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || broadcast.getType().getRank() == 0)
    return value;
  RankedTensorType from = tensorType(broadcast.getX());
  int64_t rank = broadcast.getType().getRank();
  ArrayRef<int64_t> dims = broadcast.getDims();
  if (!llvm::equal(dims, llvm::seq<int64_t>(0, dims.size())))
    return value;
  int64_t given = dims.size();
  bool row = given == rank ? from.getDimSize(rank - 1) == 1 : given == rank - 1;
  return row && from.getShape().take_front(rank - 1) ==
                     broadcast.getType().getShape().take_front(rank - 1)
             ? broadcast.getX()
             : value;
}

/// The x whose mean over the last axis this is, null if it is none.
Value meanOf(Value value) {
  auto overRows = [](ArrayRef<int64_t> axes, Value x) {
    return axes.size() == 1 && axes[0] == tensorType(x).getRank() - 1;
  };
  value = rowValue(value);
  if (auto mean = value.getDefiningOp<ReduceMeanOp>())
    return overRows(mean.getAxes(), mean.getX()) ? mean.getX() : Value();
  // sum * (1 / n) or sum / n
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<MulOp, DivOp>(op))
    return {};
  auto sum = rowValue(op->getOperand(0)).getDefiningOp<ReduceSumOp>();
  std::optional<double> factor = splatNumber(op->getOperand(1));
  if (!sum || !factor || !overRows(sum.getAxes(), sum.getX()))
    return {};
  double extent = double(tensorType(sum.getX()).getShape().back());
  double expected = isa<MulOp>(op) ? 1 / extent : extent;
  return std::abs(*factor - expected) <= 1e-6 * expected ? sum.getX() : Value();
}

/// The x of x * x or x ^ 2.
Value squareOf(Value value) {
  if (auto mul = value.getDefiningOp<MulOp>())
    return mul.getA() == mul.getB() ? mul.getA() : Value();
  if (auto pow = value.getDefiningOp<PowOp>(); pow && splatNumber(pow.getB()) == 2.0)
    return pow.getA();
  return {};
}

/// x * rsqrt(mean(x^2) + eps) or x / sqrt(...): the scaled rows.
struct Normalised {
  Value rows, square; ///< what is scaled, and its square
  double eps = 0;
  SmallVector<Operation *> statistics; ///< from the mean of squares to the result
};

std::optional<Normalised> matchNormalised(Operation *op) {
  bool divides = isa<DivOp>(op);
  if (!divides && !isa<MulOp>(op))
    return std::nullopt;
  for (int side : {1, 0}) {
    if (divides && side == 0)
      break;
    Normalised found;
    found.rows = op->getOperand(1 - side);
    Value scale = op->getOperand(side);
    auto step = [&](Value value) {
      Value inner = rowValue(value);
      if (inner != value)
        found.statistics.push_back(value.getDefiningOp());
      if (Operation *def = inner.getDefiningOp())
        found.statistics.push_back(def);
      return inner;
    };
    Operation *root = step(scale).getDefiningOp();
    if (!root || !(divides ? isa<SqrtOp>(root) : isa<RsqrtOp>(root)))
      continue;
    auto shifted = step(root->getOperand(0)).getDefiningOp<AddOp>();
    if (!shifted)
      continue;
    std::optional<double> eps = splatNumber(shifted.getB());
    Value variance = eps ? shifted.getA() : shifted.getB();
    if (!eps && !(eps = splatNumber(shifted.getA())))
      continue;
    Value square = meanOf(step(variance));
    if (!square || squareOf(square) != found.rows || !(*eps >= 0))
      continue;
    found.square = square;
    found.eps = *eps;
    return found;
  }
  return std::nullopt;
}

struct FuseNormsPass : tenon::impl::FuseNormsPassBase<FuseNormsPass> {
  using FuseNormsPassBase::FuseNormsPassBase;

  void remark(Operation *op, const char *why) {
    if (report)
      op->emitRemark("not fused into a norm: ") << why;
  }

  void fuseRows(Operation *op) {
    std::optional<Normalised> found = matchNormalised(op);
    if (!found)
      return;
    for (Operation *statistic : found->statistics)
      if (!statistic->hasOneUse())
        return remark(op, "a statistic of the rows has another use");
    if (!found->square.hasOneUse())
      return remark(op, "the square has another use");
    OpBuilder builder(op);
    Value x = found->rows, result;
    auto centred = x.getDefiningOp<SubOp>();
    if (centred && meanOf(centred.getB()) == centred.getA()) {
      unsigned inside = isa<MulOp>(found->square.getDefiningOp()) ? 3 : 2;
      if (std::distance(x.use_begin(), x.use_end()) != inside)
        return remark(op, "the centred rows have another use");
      result = builder.create<LayerNormOp>(op->getLoc(), centred.getA(), Value(), Value(),
                                           APFloat(found->eps));
    } else {
      result = builder.create<RmsNormOp>(op->getLoc(), x, Value(), APFloat(found->eps));
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    numFused++;
  }

  /// A factor and a term per column join the norm they follow.
  void fuseColumns(Operation *op) {
    for (int side : {0, 1}) {
      Value norm = op->getOperand(side);
      auto broadcast = op->getOperand(1 - side).getDefiningOp<BroadcastOp>();
      if (!broadcast || tensorType(broadcast.getX()).getRank() != 1 || !norm.hasOneUse() ||
          broadcast.getDims()[0] != broadcast.getType().getRank() - 1 ||
          tensorType(broadcast.getX()).getDimSize(0) != broadcast.getType().getShape().back())
        continue;
      Value column = broadcast.getX(), result;
      OpBuilder builder(op);
      auto layer = norm.getDefiningOp<LayerNormOp>();
      auto rms = norm.getDefiningOp<RmsNormOp>();
      if (isa<MulOp>(op) && layer && !layer.getGamma() && !layer.getBeta())
        result = builder.create<LayerNormOp>(layer.getLoc(), layer.getX(), column, Value(),
                                             layer.getEps());
      else if (isa<AddOp>(op) && layer && !layer.getBeta())
        result = builder.create<LayerNormOp>(layer.getLoc(), layer.getX(), layer.getGamma(), column,
                                             layer.getEps());
      else if (isa<MulOp>(op) && rms && !rms.getGamma())
        result = builder.create<RmsNormOp>(rms.getLoc(), rms.getX(), column, rms.getEps());
      else
        continue;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
      return;
    }
  }

  void runOnOperation() override {
    for (auto fuse : {&FuseNormsPass::fuseRows, &FuseNormsPass::fuseColumns}) {
      SmallVector<Operation *> todo; // in program order: gamma before beta
      getOperation()->walk([&](Operation *op) {
        if (isa<MulOp, DivOp, AddOp>(op))
          todo.push_back(op);
      });
      for (Operation *op : todo)
        (this->*fuse)(op);
    }
    if (numFused)
      for (Block &block : getOperation().getBody())
        eraseDeadOps(block);
  }
};

} // namespace
