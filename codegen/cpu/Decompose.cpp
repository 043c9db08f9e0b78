//===- Decompose.cpp - Composite ops as simpler ones ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Decompose.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

using Axes = SmallVector<int64_t>;

/// Builds formulas over tensors of one shape.
struct Formula {
  OpBuilder b;
  Location loc;
  Value shapeOf; ///< a value of the full shape

  Formula(Operation *op) : b(op), loc(op->getLoc()), shapeOf(op->getOperand(0)) {}

  static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

  Value widen(Value x) {
    Type element = typeOf(x).getElementType();
    if (!element.isF16() && !element.isBF16())
      return x;
    return b.create<CastOp>(loc, x, TypeAttr::get(b.getF32Type()));
  }
  Value narrow(Value x, Type like) {
    Type element = getElementTypeOrSelf(like);
    return typeOf(x).getElementType() == element
               ? x
               : b.create<CastOp>(loc, x, TypeAttr::get(element)).getResult();
  }
  Value fill(Value like, double value, Type element = nullptr) {
    auto type = typeOf(like);
    if (!element)
      element = type.getElementType();
    return b.create<FillOp>(loc, type.clone(element), type.hasStaticShape() ? Value() : like,
                            b.getDenseI64ArrayAttr(type.getShape()), b.getF64FloatAttr(value),
                            TypeAttr::get(element));
  }
  /// A value with reduced axes of extent 1 (or without a leading part) over the full shape.
  Value spread(Value x, ArrayRef<int64_t> dims) {
    auto full = typeOf(shapeOf);
    return b.create<BroadcastOp>(
        loc, full.clone(typeOf(x).getElementType()), x, full.hasStaticShape() ? Value() : shapeOf,
        b.getDenseI64ArrayAttr(full.getShape()), b.getDenseI64ArrayAttr(dims));
  }
  Value spread(Value x) {
    return spread(x, llvm::to_vector(llvm::seq<int64_t>(0, typeOf(x).getRank())));
  }
  template <typename Op> Value make(Value x) { return b.create<Op>(loc, x); }
  template <typename Op> Value make(Value x, Value y) { return b.create<Op>(loc, x, y); }
  template <typename Op> Value reduce(Value x, ArrayRef<int64_t> axes, bool keep = true) {
    return b.create<Op>(loc, x, axes, keep);
  }
  Value add(Value x, Value y) { return make<AddOp>(x, y); }
  Value sub(Value x, Value y) { return make<SubOp>(x, y); }
  Value mul(Value x, Value y) { return make<MulOp>(x, y); }
  Value select(Value c, Value x, Value y) { return b.create<SelectOp>(loc, c, x, y); }
  Value compare(Value x, Predicate predicate, Value y) {
    return b.create<CompareOp>(loc, x, y, PredicateAttr::get(b.getContext(), predicate));
  }
  Value equals(Value x, Value y) { return compare(x, Predicate::eq, y); }
};

Axes givenAxis(Operation *op) { return {op->getAttrOfType<IntegerAttr>("axis").getInt()}; }
int64_t rankOf(Operation *op) {
  return cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
}
Axes lastAxis(Operation *op) { return {rankOf(op) - 1}; }
Axes allAxes(Operation *op) { return llvm::to_vector(llvm::seq<int64_t>(0, rankOf(op))); }

/// The parts of softmax(x): x - maximum, e to that, and its sum.
struct SoftmaxParts {
  Value maximum, shifted, power, sum;
};

} // namespace

/// Without `keep` maximum and sum have no axis; then it has to be the last one.
static SoftmaxParts softmaxParts(Formula &f, Value x, int64_t axis, bool keep = true) {
  Value maximum = f.reduce<ReduceMaxOp>(x, axis, keep);
  maximum.getDefiningOp<ReduceMaxOp>()->setAttr(kOfNumbersAttr, f.b.getUnitAttr());
  // Where everything is masked: -inf - 0, not -inf + inf.
  Value masked = f.equals(maximum, f.fill(maximum, -INFINITY));
  maximum = f.select(masked, f.fill(maximum, 0), maximum);
  Value shifted = f.sub(x, f.spread(maximum));
  Value power = f.make<ExpOp>(shifted);
  power.getDefiningOp()->setAttr(kNonPositiveAttr, f.b.getUnitAttr());
  return {maximum, shifted, power, f.reduce<ReduceSumOp>(power, axis, keep)};
}

static Value decomposeSoftmax(SoftmaxOp op) {
  Formula f(op);
  SoftmaxParts p = softmaxParts(f, f.widen(op.getX()), op.getAxis());
  Value zero = f.fill(p.sum, 0), one = f.fill(p.sum, 1);
  Value inverse = f.select(f.equals(p.sum, zero), zero, f.make<DivOp>(one, p.sum));
  return f.narrow(f.mul(p.power, f.spread(inverse)), op.getType());
}

/// Of a sum of powers: 0 where all are masked.
static Value logOfSum(Formula &f, Value sum) {
  Value zero = f.fill(sum, 0);
  return f.select(f.equals(sum, zero), zero, f.make<LogOp>(sum));
}

static Value logOfSoftmax(Formula &f, Value x, int64_t axis) {
  SoftmaxParts p = softmaxParts(f, x, axis);
  return f.sub(p.shifted, f.spread(logOfSum(f, p.sum)));
}

static Value decomposeLogSoftmax(LogSoftmaxOp op) {
  Formula f(op);
  return f.narrow(logOfSoftmax(f, f.widen(op.getX()), op.getAxis()), op.getType());
}

static Value inverseDeviation(Formula &f, Value meanOfSquares, double eps) {
  return f.make<RsqrtOp>(f.add(meanOfSquares, f.fill(meanOfSquares, eps)));
}

static Value decomposeLayerNorm(LayerNormOp op) {
  Formula f(op);
  Value x = f.widen(op.getX());
  int64_t last = Formula::typeOf(x).getRank() - 1;
  Value centered = f.sub(x, f.spread(f.reduce<ReduceMeanOp>(x, last)));
  Value variance = f.reduce<ReduceMeanOp>(f.mul(centered, centered), last);
  Value y = f.mul(centered, f.spread(inverseDeviation(f, variance, op.getEps().convertToDouble())));
  if (op.getGamma())
    y = f.mul(y, f.spread(f.widen(op.getGamma()), last));
  if (op.getBeta())
    y = f.add(y, f.spread(f.widen(op.getBeta()), last));
  return f.narrow(y, op.getType());
}

static Value decomposeRmsNorm(RmsNormOp op) {
  Formula f(op);
  Value x = f.widen(op.getX());
  int64_t last = Formula::typeOf(x).getRank() - 1;
  Value square = f.reduce<ReduceMeanOp>(f.mul(x, x), last);
  Value y = f.mul(x, f.spread(inverseDeviation(f, square, op.getEps().convertToDouble())));
  if (op.getGamma())
    y = f.mul(y, f.spread(f.widen(op.getGamma()), last));
  return f.narrow(y, op.getType());
}

static Value decomposeMse(MseLossOp op) {
  Formula f(op);
  Value difference = f.sub(f.widen(op.getPrediction()), f.widen(op.getTarget()));
  Value mean = f.reduce<ReduceMeanOp>(f.mul(difference, difference), allAxes(op), false);
  return f.narrow(mean, op.getType());
}

/// -sum of terms along the last axis.
static Value negatedSum(Formula &f, Value terms, Type like) {
  int64_t last = Formula::typeOf(terms).getRank() - 1;
  return f.narrow(f.make<NegOp>(f.reduce<ReduceSumOp>(terms, last, false)), like);
}

static Value decomposeCrossEntropy(CrossEntropyOp op) {
  Formula f(op);
  double floor = op.getFloor().convertToDouble();
  Value p = f.b.create<ClampOp>(f.loc, f.widen(op.getProbabilities()), APFloat(floor),
                                APFloat(1 - floor));
  return negatedSum(f, f.mul(f.widen(op.getTarget()), f.make<LogOp>(p)), op.getType());
}

static Value decomposeSoftmaxCrossEntropy(SoftmaxCrossEntropyOp op) {
  Formula f(op);
  Value x = f.widen(op.getLogits()), target = op.getTarget(), zero = f.fill(x, 0);
  auto type = Formula::typeOf(x);
  int64_t last = type.getRank() - 1;
  auto atLeastFloor = [&](Value logP) {
    double floor = op.getFloor().convertToDouble();
    return floor ? f.make<MaxOp>(logP, f.fill(logP, std::log(floor))) : logP;
  };
  if (isa<FloatType>(Formula::typeOf(target).getElementType())) {
    Value logP = atLeastFloor(logOfSoftmax(f, x, last));
    target = f.widen(target);
    Value terms = f.select(f.equals(target, zero), zero, f.mul(target, logP));
    return negatedSum(f, terms, op.getType());
  }
  Type whole = Formula::typeOf(target).getElementType();
  if (whole.isInteger(8)) { // there may be more classes than it counts
    whole = f.b.getI32Type();
    target = f.b.create<CastOp>(f.loc, target, whole);
  }
  Value classes = f.b.create<IotaOp>(f.loc, type.clone(whole), type.hasStaticShape() ? Value() : x,
                                     f.b.getDenseI64ArrayAttr(type.getShape()),
                                     f.b.getI64IntegerAttr(last), TypeAttr::get(whole));
  Value isTarget = f.equals(classes, f.spread(target));
  if (type.isDynamicDim(last))
    return negatedSum(f, f.select(isTarget, atLeastFloor(logOfSoftmax(f, x, last)), zero),
                      op.getType());
  // The target's logit does not wait for the others: it is found where the maximum is.
  SoftmaxParts p = softmaxParts(f, x, last, /*keep=*/false);
  Value logit = f.reduce<ReduceSumOp>(f.select(isTarget, x, zero), last, /*keep=*/false);
  Value logP = atLeastFloor(f.sub(f.sub(logit, p.maximum), logOfSum(f, p.sum)));
  Value exists = f.make<AndOp>(
      f.compare(target, Predicate::ge, f.fill(target, 0)),
      f.compare(target, Predicate::lt, f.fill(target, double(type.getDimSize(last)))));
  return f.narrow(f.make<NegOp>(f.select(exists, logP, f.fill(logP, 0))), op.getType());
}

//===----------------------------------------------------------------------===//
// Which ops are composite
//===----------------------------------------------------------------------===//

namespace {

/// What is known of a composite op: the axes that its formula reduces, and the formula.
struct Composite {
  TypeID op;
  Axes (*axes)(Operation *);
  Value (*build)(Operation *);
};

template <typename Op, Value (*formula)(Op)> Composite composite(Axes (*axes)(Operation *)) {
  return {TypeID::get<Op>(), axes, [](Operation *op) { return formula(cast<Op>(op)); }};
}

} // namespace

/// Null if `op` is no composite op.
static const Composite *compositeOf(Operation *op) {
  static const Composite all[] = {
      composite<SoftmaxOp, decomposeSoftmax>(givenAxis),
      composite<LogSoftmaxOp, decomposeLogSoftmax>(givenAxis),
      composite<LayerNormOp, decomposeLayerNorm>(lastAxis),
      composite<RmsNormOp, decomposeRmsNorm>(lastAxis),
      composite<MseLossOp, decomposeMse>(allAxes),
      composite<CrossEntropyOp, decomposeCrossEntropy>(lastAxis),
      composite<SoftmaxCrossEntropyOp, decomposeSoftmaxCrossEntropy>(lastAxis),
  };
  TypeID id = op->getName().getTypeID();
  const Composite *found = llvm::find_if(all, [&](const Composite &c) { return c.op == id; });
  return found == std::end(all) ? nullptr : found;
}

bool isComposite(Operation *op) { return compositeOf(op); }

std::optional<Axes> reducedAxes(Operation *op) {
  if (op->hasTrait<trait::Reduction>())
    return Axes(op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef());
  if (isa<ArgmaxOp, ArgminOp>(op))
    return givenAxis(op);
  if (const Composite *composite = compositeOf(op))
    return composite->axes(op);
  return std::nullopt;
}

void decompose(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    const Composite *composite = compositeOf(&op);
    if (!composite)
      continue;
    op.getResult(0).replaceAllUsesWith(composite->build(&op));
    op.erase();
  }
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace tenon::cpu
