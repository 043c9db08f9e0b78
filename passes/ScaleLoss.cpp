//===- ScaleLoss.cpp - Gradients of f16 programs, scaled ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic loss scaling (Micikevicius et al. 2018), all of it inside the step.
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_SCALELOSSPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

// Powers of two: scaling changes no digit. The bounds keep the scale and its inverse normal.
constexpr double kGrowth = 2, kLeast = 0x1p-24, kMost = 0x1p24;

bool isUpdate(Operation &op) { return op.hasTrait<trait::ElementwiseUpdate>(); }
Value gradientOf(Operation &update) { return update.getOperand(1); }

bool isF32(Value value) { return tensorType(value).getElementType().isF32(); }

/// What of a block is scaled, for the state that `op` carries on.
class Scaling {
public:
  explicit Scaling(LossScaleOp op) : op(op), block(*op->getBlock()) {}

  /// False: no gradient of f32 values reaches an update.
  bool find();
  LogicalResult rewrite();
  unsigned numGradients() const { return unsigned(gradients.size()); }

private:
  Value element(Emit &emit, int64_t at);
  void scale(GradientOp gradient);
  void guard(Operation &update);
  Value nextState(Emit &emit);

  LossScaleOp op;
  Block &block;
  llvm::DenseSet<Operation *> gradients, updates;
  Value factor, inverse; ///< the scale and 1 / scale, f32 scalars
  Value finite;          ///< i1: the gradients so far are
  Operation *last = nullptr;
};

} // namespace

bool Scaling::find() {
  llvm::DenseMap<Value, SmallVector<Operation *>> sources; // gradients that a value depends on
  for (Operation &each : block) {
    llvm::SmallSetVector<Operation *, 4> from;
    for (Value operand : each.getOperands())
      if (auto it = sources.find(operand); it != sources.end())
        from.insert(it->second.begin(), it->second.end());
    if (auto gradient = dyn_cast<GradientOp>(each))
      if (isF32(gradient.getY()) && isF32(gradient.getG()))
        from.insert(gradient);
    if (isUpdate(each)) {
      auto it = sources.find(gradientOf(each));
      if (it == sources.end() || it->second.empty())
        continue;
      updates.insert(&each);
      gradients.insert(it->second.begin(), it->second.end());
    }
    if (!from.empty())
      for (Value result : each.getResults())
        sources[result] = SmallVector<Operation *>(from.begin(), from.end());
  }
  return !updates.empty();
}

/// Number `at` of the state, a scalar.
Value Scaling::element(Emit &emit, int64_t at) {
  Value slice = emit.make<SliceOp>(op.getX(), ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1},
                                   ArrayRef<int64_t>{1});
  return emit.reshape(slice, {});
}

void Scaling::scale(GradientOp gradient) {
  OpBuilder builder(gradient);
  Emit emit(builder, gradient.getLoc());
  if (!factor) {
    factor = element(emit, 0);
    inverse = emit.div(emit.scalar(builder.getF32Type(), 1), factor);
  }
  Value seed = gradient.getSeed();
  seed = seed ? emit.mul(seed, emit.broadcast(factor, seed, {})) : factor;
  gradient.getSeedMutable().assign(seed);

  builder.setInsertionPointAfter(gradient);
  Value raw = gradient.getG();
  Value size = emit.make<AbsOp>(raw);
  Value largest = emit.make<ReduceMaxOp>( // NaN wins
      size, ArrayRef<int64_t>(allAxes(tensorType(raw).getRank())), false);
  Value isFinite = emit.compare(largest, Predicate::lt, std::numeric_limits<double>::infinity());
  finite = finite ? emit.make<AndOp>(finite, isFinite) : isFinite;
  Value unscaled = emit.mul(raw, emit.broadcast(inverse, raw, {}));
  raw.replaceUsesWithIf(unscaled, [&](OpOperand &use) {
    return use.getOwner() != unscaled.getDefiningOp() && use.getOwner() != size.getDefiningOp();
  });
  last = unscaled.getDefiningOp();
}

/// Results of an update are the parameter, then moments; operands the same with the gradient
/// between.
void Scaling::guard(Operation &update) {
  OpBuilder builder(update.getContext());
  builder.setInsertionPointAfter(&update);
  Emit emit(builder, update.getLoc());
  for (OpResult result : update.getResults()) {
    unsigned number = result.getResultNumber();
    Value old = update.getOperand(number == 0 ? 0 : number + 1);
    Value kept = emit.select(emit.broadcast(finite, result, {}), result, old);
    result.replaceAllUsesExcept(kept, kept.getDefiningOp());
  }
}

Value Scaling::nextState(Emit &emit) {
  auto clamp = [&](Value x) { return emit.make<ClampOp>(x, APFloat(kLeast), APFloat(kMost)); };
  Value zero = emit.scalar(emit.builder.getF32Type(), 0);
  Value steps = emit.shift(element(emit, 1), 1);
  Value isLongAgo = emit.compare(steps, Predicate::ge, double(op.getInterval()));
  Value more = emit.select(isLongAgo, clamp(emit.scale(factor, kGrowth)), factor);
  Value less = clamp(emit.scale(factor, 1 / kGrowth));
  Value next[] = {emit.select(finite, more, less),
                  emit.select(finite, emit.select(isLongAgo, zero, steps), zero)};
  SmallVector<Value> parts;
  for (Value each : next)
    parts.push_back(emit.reshape(each, {1}));
  return emit.make<ConcatOp>(parts, uint64_t(0));
}

LogicalResult Scaling::rewrite() {
  Operation *state = op.getX().getDefiningOp();
  for (Operation &each : llvm::make_early_inc_range(block)) {
    if (auto gradient = dyn_cast<GradientOp>(each); gradient && gradients.contains(&each)) {
      if (state && state->getBlock() == &block && !state->isBeforeInBlock(gradient))
        return op.emitOpError("expected its state before the gradients that are scaled by it");
      scale(gradient);
    } else if (updates.contains(&each)) {
      guard(each);
    }
  }
  if (last->isBeforeInBlock(op))
    last = op;
  for (Operation *user : op->getUsers())
    if (user->getBlock() == &block && user->isBeforeInBlock(last))
      return op.emitOpError("expected the next state to be read behind all gradients");
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(last);
  Emit emit(builder, op.getLoc());
  Value next = nextState(emit);
  if (next.getType() != op.getType()) // the same extent, less precisely known
    next = emit.spread(next, op.getX());
  op.replaceAllUsesWith(next);
  op.erase();
  return success();
}

namespace {
struct ScaleLossPass : tenon::impl::ScaleLossPassBase<ScaleLossPass> {
  void runOnOperation() override {
    SmallVector<LossScaleOp> ops;
    llvm::DenseMap<Block *, int> perBlock;
    bool hasHalf = false; // else gradients have the range of f32
    getOperation()->walk([&](Operation *op) {
      for (mlir::Type type : op->getResultTypes())
        hasHalf |= getElementTypeOrSelf(type).isF16();
      if (auto scale = dyn_cast<LossScaleOp>(op)) {
        ops.push_back(scale);
        perBlock[op->getBlock()]++;
      }
    });
    for (LossScaleOp op : ops) {
      Scaling scaling(op);
      if (!hasHalf || !scaling.find())
        continue;
      if (perBlock[op->getBlock()] > 1) {
        op.emitOpError("expected one in a block, got ")
            << perBlock[op->getBlock()] << ": what is stepped together is scaled together";
        return signalPassFailure();
      }
      numScaled += scaling.numGradients();
      if (failed(scaling.rewrite()))
        return signalPassFailure();
    }
  }
};
} // namespace
