//===- Elementwise.cpp - Elements of elementwise ops ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/ElementRules.h"
#include "codegen/cpu/VectorMath.h"

using namespace mlir;

namespace tenon::cpu {

using Operands = ArrayRef<Num>;

/// A rule for f(builder, location, x).
template <typename Op, auto f> static void addFunction(ElementRules &rules) {
  rules.elementwise<Op>([](Op, Operands x) { return x[0].of(f(*x[0].b, x[0].loc, x[0])); });
}
template <typename Op, typename Mathop> static void addInstruction(ElementRules &rules) {
  rules.elementwise<Op>(
      [](Op, Operands x) { return x[0].of(x[0].b->template create<Mathop>(x[0].loc, x[0].v)); });
}

static Num larger(Num a, Num b) { // NaN if either is
  return a.isFloat() ? select((a > b) | isNan(a), a, b) : select(a > b, a, b);
}
static Num smaller(Num a, Num b) {
  return a.isFloat() ? select((a < b) | isNan(a), a, b) : select(a < b, a, b);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Quotient toward zero; x / 0 = 0, and the overflow of least / -1 wraps.
static Num divideIntegers(Num a, Num b) {
  Num special = (b == b.likeInteger(0)) | (b == b.likeInteger(-1));
  Num quotient = a / select(special, b.likeInteger(1), b);
  Num other = select(b == b.likeInteger(0), a.likeInteger(0), a.likeInteger(0) - a);
  return select(special, other, quotient);
}
static Num remainderOfIntegers(Num a, Num b) {
  Num special = (b == b.likeInteger(0)) | (b == b.likeInteger(-1));
  Num divisor = select(special, b.likeInteger(1), b);
  return a.of(a.b->create<arith::RemSIOp>(a.loc, a.v, divisor.v));
}
/// Squares and products for each bit of the exponent. Wraps; negative exponents give
/// what is left of 1 / a^|b|.
static Num powerOfIntegers(Num a, Num b) {
  Num result = a.likeInteger(1), square = a;
  unsigned width = a.element().getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit + 1 < width; bit++) {
    Num set = (shiftRightLogical(b, bit) & b.likeInteger(1)) != b.likeInteger(0);
    result = select(set, result * square, result);
    square = square * square;
  }
  Num odd = (b & b.likeInteger(1)) != b.likeInteger(0), one = a.likeInteger(1);
  Num signOfOne = select(odd, a.likeInteger(-1), one);
  Num inverse = select(a == one, one, select(a == a.likeInteger(-1), signOfOne, a.likeInteger(0)));
  return select(b < b.likeInteger(0), inverse, result);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// a - b trunc(a / b). An f32 quotient is taken in f64; a quotient that rounded up is
/// corrected.
static Num remainderOfFloats(Num a, Num b) {
  Type narrow = a.type(), wide = withElement(narrow, a.b->getF64Type());
  bool extend = !a.isDouble();
  if (extend) {
    a = a.of(a.b->create<arith::ExtFOp>(a.loc, wide, a.v));
    b = a.of(a.b->create<arith::ExtFOp>(a.loc, wide, b.v));
  }
  Num r = fma(-trunc(a / b), b, a);
  Num crossed = ((r < 0.0) & (a > 0.0)) | ((r > 0.0) & (a < 0.0));
  Num toward = a.of(a.b->create<math::CopySignOp>(a.loc, b.v, a.v));
  r = select(crossed, r + toward, r);
  // a rem infinity = a; the sign of a zero is that of a.
  Num infinite = (abs(b) == INFINITY) & (abs(a) < INFINITY);
  r = select(infinite, a, r);
  return extend ? a.of(a.b->create<arith::TruncFOp>(a.loc, narrow, r.v)) : r;
}

static Num clampTo(ClampOp op, Num x) {
  double lo = op.getLo().convertToDouble(), hi = op.getHi().convertToDouble();
  if (x.isFloat())
    return atMost(atLeast(x, lo), hi);
  // In integers the bounds are cut toward zero and to the type's range.
  unsigned width = x.element().getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, width - 1);
  int64_t most = int64_t((uint64_t(1) << (width - 1)) - 1);
  auto cut = [&](double bound) {
    return x.likeInteger(bound >= limit ? most : bound < -limit ? -most - 1 : int64_t(bound));
  };
  Num low = cut(lo), high = cut(hi);
  x = select(x < low, low, x);
  return select(x > high, high, x);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Toward zero and saturating, NaN to 0.
static Num floatToInteger(Num x, Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, width - 1);
  int64_t most = int64_t((uint64_t(1) << (width - 1)) - 1);
  Num high = x >= limit, low = x < -limit;
  Num inside = select(high | low | isNan(x), x.like(0), x);
  Num n = x.of(x.b->create<arith::FPToSIOp>(x.loc, type, inside.v));
  return select(high, n.likeInteger(most), select(low, n.likeInteger(-most - 1), n));
}

/// To the computation type of `storage`, rounded to it.
static Num castTo(Num x, Type storage) {
  OpBuilder &b = *x.b;
  Type element = ElementEmitter::computeType(storage), type = withElement(x.type(), element);
  bool toBool = element.isInteger(1), fromBool = x.element().isInteger(1);
  if (toBool)
    return fromBool ? x : x.isFloat() ? x != 0.0 : x != x.likeInteger(0);
  if (!isa<FloatType>(element)) {
    if (x.isFloat())
      return floatToInteger(x, type);
    unsigned from = x.element().getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
    if (from == to)
      return x;
    if (from > to)
      return x.of(b.create<arith::TruncIOp>(x.loc, type, x.v));
    return x.of(fromBool ? b.create<arith::ExtUIOp>(x.loc, type, x.v)->getResult(0)
                         : b.create<arith::ExtSIOp>(x.loc, type, x.v)->getResult(0));
  }
  // What is shorter is rounded to once, from f64 where that holds more than f32 does.
  unsigned width = x.element().getIntOrFloatBitWidth();
  bool isWide = x.isDouble() || (!x.isFloat() && storage != element && width >= 32);
  Type wide = isWide ? withElement(type, b.getF64Type()) : type;
  Value y = x.v;
  if (!x.isFloat())
    y = fromBool ? b.create<arith::UIToFPOp>(x.loc, wide, y)->getResult(0)
                 : b.create<arith::SIToFPOp>(x.loc, wide, y)->getResult(0);
  else if (!x.isDouble() && element.isF64())
    y = b.create<arith::ExtFOp>(x.loc, type, y);
  if (y.getType() != withElement(type, storage))
    y = b.create<arith::TruncFOp>(x.loc, withElement(type, storage), y);
  if (storage != element)
    y = b.create<arith::ExtFOp>(x.loc, type, y);
  return x.of(y);
}

//===----------------------------------------------------------------------===//
// Compare
//===----------------------------------------------------------------------===//

static Num compared(Predicate predicate, Num a, Num b) {
  if (a.element().isInteger(1)) { // as unsigned
    Type type = withElement(a.type(), a.b->getI8Type());
    a = a.of(a.b->create<arith::ExtUIOp>(a.loc, type, a.v));
    b = a.of(a.b->create<arith::ExtUIOp>(a.loc, type, b.v));
  }
  switch (predicate) {
  case Predicate::eq:
    return a == b;
  case Predicate::ne:
    return a != b;
  case Predicate::lt:
    return a < b;
  case Predicate::le:
    return a <= b;
  case Predicate::gt:
    return a > b;
  case Predicate::ge:
    return a >= b;
  }
  llvm_unreachable("a predicate beyond the enum");
}

static void addUnaryRules(ElementRules &rules) {
  rules.elementwise<NegOp>([](NegOp, Operands x) { return -x[0]; });
  rules.elementwise<AbsOp>([](AbsOp, Operands x) {
    return x[0].isFloat() ? abs(x[0]) : select(x[0] < 0.0, -x[0], x[0]);
  });
  rules.elementwise<SignOp>([](SignOp, Operands x) {
    Num below = select(x[0] < 0.0, x[0].like(-1), x[0]);
    return select(x[0] > 0.0, x[0].like(1), below);
  });
  rules.add<ExpOp>([](ElementEmitter &e, ExpOp op, unsigned, ArrayRef<LaneIndex> indices) {
    Value x = e.emit(op.getX(), indices);
    if (!op->hasAttr(kNonPositiveAttr))
      return emitExp(e.builder(), e.loc(), x);
    return canEmitExpTable(e.target(), x.getType()) ? emitExpTable(e.builder(), e.loc(), x)
                                                    : emitExpNonPositive(e.builder(), e.loc(), x);
  });
  addFunction<Expm1Op, emitExpm1>(rules);
  addFunction<LogOp, emitLog>(rules);
  addFunction<Log1pOp, emitLog1p>(rules);
  addInstruction<SqrtOp, math::SqrtOp>(rules);
  rules.elementwise<RsqrtOp>([](RsqrtOp, Operands x) { return 1 / sqrt(x[0]); });
  addFunction<SinOp, emitSin>(rules);
  addFunction<CosOp, emitCos>(rules);
  addFunction<TanhOp, emitTanh>(rules);
  addFunction<ErfOp, emitErf>(rules);
  addFunction<NormalCdfOp, emitNormalCdf>(rules);
  addFunction<SigmoidOp, emitSigmoid>(rules);
  rules.elementwise<ReluOp>([](ReluOp, Operands x) { return atLeast(x[0], 0); });
  addFunction<SiluOp, emitSilu>(rules);
  addFunction<SoftplusOp, emitSoftplus>(rules);
  rules.elementwise<GeluOp>([](GeluOp op, Operands x) {
    return x[0].of(emitGelu(*x[0].b, x[0].loc, x[0], op.getApproximate()));
  });
  addInstruction<FloorOp, math::FloorOp>(rules);
  addInstruction<CeilOp, math::CeilOp>(rules);
  addInstruction<RoundOp, math::RoundEvenOp>(rules);
  rules.elementwise<NotOp>([](NotOp, Operands x) { return !x[0]; });
  rules.elementwise<StopGradientOp>([](StopGradientOp, Operands x) { return x[0]; });
  rules.elementwise<WatchOp>([](WatchOp, Operands x) { return x[0]; });
  rules.elementwise<ClampOp>([](ClampOp op, Operands x) { return clampTo(op, x[0]); });
  rules.elementwise<CastOp>([](CastOp op, Operands x) { return castTo(x[0], op.getDtype()); });
}

void addElementwiseRules(ElementRules &rules) {
  addUnaryRules(rules);
  rules.elementwise<AddOp>([](AddOp, Operands x) { return x[0] + x[1]; });
  rules.elementwise<SubOp>([](SubOp, Operands x) { return x[0] - x[1]; });
  rules.elementwise<MulOp>([](MulOp, Operands x) { return x[0] * x[1]; });
  rules.elementwise<DivOp>(
      [](DivOp, Operands x) { return x[0].isFloat() ? x[0] / x[1] : divideIntegers(x[0], x[1]); });
  rules.elementwise<PowOp>([](PowOp, Operands x) {
    return x[0].isFloat() ? x[0].of(emitPow(*x[0].b, x[0].loc, x[0], x[1]))
                          : powerOfIntegers(x[0], x[1]);
  });
  rules.elementwise<RemOp>([](RemOp, Operands x) {
    return x[0].isFloat() ? remainderOfFloats(x[0], x[1]) : remainderOfIntegers(x[0], x[1]);
  });
  rules.elementwise<MaxOp>([](MaxOp, Operands x) { return larger(x[0], x[1]); });
  rules.elementwise<MinOp>([](MinOp, Operands x) { return smaller(x[0], x[1]); });
  rules.elementwise<AndOp>([](AndOp, Operands x) { return x[0] & x[1]; });
  rules.elementwise<OrOp>([](OrOp, Operands x) { return x[0] | x[1]; });
  rules.elementwise<XorOp>([](XorOp, Operands x) { return x[0] ^ x[1]; });
  rules.elementwise<CompareOp>(
      [](CompareOp op, Operands x) { return compared(op.getPredicate(), x[0], x[1]); });
  rules.elementwise<SelectOp>([](SelectOp, Operands x) { return select(x[0], x[1], x[2]); });
}

} // namespace tenon::cpu
