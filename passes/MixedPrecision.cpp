//===- MixedPrecision.cpp - Products of f32 programs in f16 or bf16 -------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Micikevicius et al. 2018. Which class an op is of, its traits say (ir/TenonBase.td).
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "passes/Splat.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_MIXEDPRECISIONPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// A finite number that the type holds as one, and 0 only where it is 0.
bool holds(mlir::Type element, double value) {
  return value == 0 || !std::isfinite(value) || isNormal(element, value);
}

bool isF32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

/// A view of one operand that has no fewer elements: narrowing the operand is no more work.
bool isWideningView(Operation *op) {
  if (!op || !op->hasTrait<trait::Rematerializable>() || !op->hasTrait<trait::FollowsPrecision>() ||
      !isF32(op->getOperand(0)))
    return false;
  RankedTensorType from = tensorType(op->getOperand(0)), to = tensorType(op->getResult(0));
  return !from.hasStaticShape() || !to.hasStaticShape() ||
         to.getNumElements() >= from.getNumElements();
}

/// An argument that is repeated, as biases and factors of rows are.
bool isRepeatedArgument(Value value) {
  bool repeated = false;
  for (Operation *op = value.getDefiningOp(); op && !isa<WatchOp>(op); op = value.getDefiningOp()) {
    if (!isWideningView(op))
      return false;
    repeated |= isa<BroadcastOp>(op);
    value = op->getOperand(0);
  }
  return repeated;
}

/// What is done to the ops of one block, in order.
class Narrowing {
public:
  Narrowing(mlir::Type low) : low(low) {}

  unsigned numLow = 0, numFollowing = 0, numCasts = 0;
  void run(Block &block);

private:
  /// The value in the low type, made where the op stands that reads it. A product takes a view of
  /// what is rounded; else what is repeated is rounded after that, so that its gradient adds up in
  /// f32.
  Value narrow(Value value, Operation *reader, bool isProduct);
  bool needsNoCast(Value value) const { return exact.contains(value); }
  bool mayFollow(Value value) const {
    std::optional<double> number = splatNumber(value);
    return number ? holds(low, *number) : isRepeatedArgument(value);
  }
  /// Which operands are to be narrowed so that the op gives low results; none if it cannot.
  std::optional<SmallVector<bool>> choose(Operation *op, bool isProduct, infer::Call &call);
  bool infers(Operation *op, ArrayRef<bool> narrowed, infer::Call &call);
  void rewrite(Operation *op, ArrayRef<bool> narrowed, const infer::Call &call);
  void visitCast(CastOp op);

  mlir::Type low;
  llvm::DenseMap<Value, Value> exact; ///< of f32 values that are casts of a low one: that
  llvm::DenseMap<Value, Value> casts; ///< of other f32 values: rounded
  SmallVector<Operation *> widened;
};

} // namespace

Value Narrowing::narrow(Value value, Operation *reader, bool isProduct) {
  if (Value known = exact.lookup(value))
    return known;
  if (Value known = casts.lookup(value))
    return known;
  OpBuilder builder(reader);
  Operation *op = value.getDefiningOp();
  if (isProduct && isWideningView(op)) {
    Value inner = narrow(op->getOperand(0), reader, true);
    Operation *view = builder.clone(*op);
    view->setOperand(0, inner);
    view->getResult(0).setType(tensorType(value).clone(low));
    return casts[value] = view->getResult(0);
  }
  numCasts++;
  return casts[value] = builder.create<CastOp>(value.getLoc(), value, low);
}

bool Narrowing::infers(Operation *op, ArrayRef<bool> narrowed, infer::Call &call) {
  SmallVector<infer::Type> types;
  for (auto [operand, isNarrowed] : llvm::zip(op->getOperands(), narrowed)) {
    mlir::Type type = operand.getType();
    types.push_back(*inferTypeOf(isNarrowed ? tensorType(operand).clone(low) : type));
  }
  call.numResults = 0;
  return inferCall(op->getName().getStringRef(), op->getAttrDictionary(), types, call);
}

std::optional<SmallVector<bool>> Narrowing::choose(Operation *op, bool isProduct,
                                                   infer::Call &call) {
  SmallVector<bool> narrowed;
  for (Value operand : op->getOperands())
    narrowed.push_back(isF32(operand) && (needsNoCast(operand) || isProduct || mayFollow(operand)));
  if (!llvm::is_contained(narrowed, true) || !infers(op, narrowed, call))
    return std::nullopt;
  // What may be of any type, as a mask, stays.
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!narrowed[i] || needsNoCast(operand))
      continue;
    narrowed[i] = false;
    narrowed[i] = !infers(op, narrowed, call);
  }
  bool fits = infers(op, narrowed, call);
  assert(fits && "it did before");
  (void)fits;
  if (elementTypeOf(op->getContext(), call.results[0].dtype) != low)
    return std::nullopt;
  return narrowed;
}

void Narrowing::rewrite(Operation *op, ArrayRef<bool> narrowed, const infer::Call &call) {
  for (auto [i, isNarrowed] : llvm::enumerate(narrowed))
    if (isNarrowed)
      op->setOperand(i, narrow(op->getOperand(i), op, op->hasTrait<trait::LowPrecision>()));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    mlir::Type element =
        elementTypeOf(op->getContext(), call.results[result.getResultNumber()].dtype);
    if (element != low || !isF32(result))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.clone(low));
    auto wide = builder.create<CastOp>(op->getLoc(), type, result, type.getElementType());
    result.replaceAllUsesExcept(wide, wide);
    exact[wide] = result;
    widened.push_back(wide);
  }
}

void Narrowing::visitCast(CastOp op) {
  if (isF32(op.getY()) && tensorType(op.getX()).getElementType() == low)
    exact[op.getY()] = op.getX();
  if (!isF32(op.getX()) || tensorType(op.getY()).getElementType() != low)
    return;
  Value known = exact.lookup(op.getX());
  if (!known)
    known = casts.lookup(op.getX());
  if (!known)
    casts[op.getX()] = op.getY();
  else if (known.getType() == op.getType())
    op.replaceAllUsesWith(known);
}

void Narrowing::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isProduct = op.hasTrait<trait::LowPrecision>();
    if (auto cast = dyn_cast<CastOp>(op)) {
      visitCast(cast);
      continue;
    }
    if (!isProduct && !(op.hasTrait<trait::FollowsPrecision>() &&
                        llvm::any_of(op.getOperands(), [&](Value v) { return needsNoCast(v); })))
      continue;
    auto tooLarge = [&](NamedAttribute attribute) {
      auto number = dyn_cast<FloatAttr>(attribute.getValue());
      return number && !holds(low, number.getValueAsDouble());
    };
    if (!isProduct && llvm::any_of(op.getAttrs(), tooLarge))
      continue;
    infer::Call call;
    if (auto narrowed = choose(&op, isProduct, call)) {
      ++(isProduct ? numLow : numFollowing);
      rewrite(&op, *narrowed, call);
    }
  }
  for (Operation *op : llvm::reverse(widened))
    if (op->use_empty())
      op->erase();
}

namespace {
struct MixedPrecisionPass : tenon::impl::MixedPrecisionPassBase<MixedPrecisionPass> {
  using MixedPrecisionPassBase::MixedPrecisionPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    mlir::Type low = type == "f16" ? mlir::Type(builder.getF16Type()) : builder.getBF16Type();
    if (type != "f16" && type != "bf16") {
      getOperation()->emitError("tenon-mixed-precision: type: expected f16 or bf16, got '")
          << type << "'";
      return signalPassFailure();
    }
    // Regions see nothing of what is around them.
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<CustomOp>(op)) // its shader has types of its own
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    for (Block *block : blocks) {
      Narrowing narrowing(low);
      narrowing.run(*block);
      numLow += narrowing.numLow;
      numFollowing += narrowing.numFollowing;
      numCasts += narrowing.numCasts;
    }
  }
};
} // namespace
