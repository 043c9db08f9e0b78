//===- Elementwise.cpp - Reference of elementwise ops ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

template <typename Op, auto formula>
static LogicalResult floatUnary(Op op, Operands operands, Results results) {
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].reals[i] = formula(operands[0]->reals[i]);
  return success();
}

/// For dtypes of any kind: `onFloat(double)`, `onInteger(int64_t)`.
template <typename Op, auto onFloat, auto onInteger>
static LogicalResult numberUnary(Op op, Operands operands, Results results) {
  const Array &x = *operands[0];
  for (int64_t i = 0; i < x.size(); i++)
    if (x.type.isFloat())
      results[0].set(i, double(onFloat(x.reals[i])));
    else
      results[0].set(i, int64_t(onInteger(x.integers[i])));
  return success();
}

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
static int64_t signOf(int64_t x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static double relu(double x) { return x < 0 ? 0 : x; }
static int64_t reluOf(int64_t x) { return x < 0 ? 0 : x; }
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double silu(double x) { return x == -INFINITY ? 0 : x * sigmoid(x); }
static double softplus(double x) {
  return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))) + (x != x ? x : 0);
}
static double rsqrt(double x) { return 1 / std::sqrt(x); }
static double negate(double x) { return -x; }
static int64_t negateOf(int64_t x) { return int64_t(0 - uint64_t(x)); }
static double absolute(double x) { return std::fabs(x); }
static int64_t absoluteOf(int64_t x) { return x < 0 ? negateOf(x) : x; }
static double same(double x) { return x; }
static int64_t sameOf(int64_t x) { return x; }
static double exponential(double x) { return std::exp(x); }
static double expm1(double x) { return std::expm1(x); }
static double logarithm(double x) { return std::log(x); }
static double log1p(double x) { return std::log1p(x); }
static double squareRoot(double x) { return std::sqrt(x); }
static double sine(double x) { return std::sin(x); }
static double cosine(double x) { return std::cos(x); }
static double tangent(double x) { return std::tanh(x); }
static double errorFunction(double x) { return std::erf(x); }
static double normalCdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
static double lower(double x) { return std::floor(x); }
static double upper(double x) { return std::ceil(x); }
static double nearest(double x) { return std::nearbyint(x); }

static LogicalResult gelu(GeluOp op, Operands operands, Results results) {
  for (int64_t i = 0; i < results[0].size(); i++) {
    double x = operands[0]->reals[i];
    double gate = op.getApproximate() ? std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))
                                      : std::erf(x / std::sqrt(2.0));
    results[0].reals[i] = x == -INFINITY ? 0 : x / 2 * (1 + gate);
  }
  return success();
}

static LogicalResult logicalNot(NotOp op, Operands operands, Results results) {
  bool boolean = operands[0]->type.isBool();
  for (int64_t i = 0; i < results[0].size(); i++) {
    int64_t x = operands[0]->integers[i];
    results[0].set(i, boolean ? int64_t(!x) : ~x);
  }
  return success();
}

static LogicalResult clamp(ClampOp op, Operands operands, Results results) {
  double lo = op.getLo().convertToDouble(), hi = op.getHi().convertToDouble();
  for (int64_t i = 0; i < results[0].size(); i++) {
    double x = operands[0]->at(i);
    results[0].set(i, x < lo ? lo : x > hi ? hi : x);
  }
  return success();
}

static LogicalResult castTo(CastOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  for (int64_t i = 0; i < y.size(); i++)
    if (y.type.isFloat())
      y.reals[i] = roundTo(y.type.dtype, x.at(i));
    else if (x.type.isFloat())
      y.set(i, x.reals[i]);
    else
      y.set(i, x.integers[i]);
  return success();
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

template <typename Op, auto onFloat, auto onInteger>
static LogicalResult binary(Op op, Operands operands, Results results) {
  const Array &a = *operands[0], &b = *operands[1];
  for (int64_t i = 0; i < a.size(); i++)
    if (a.type.isFloat())
      results[0].set(i, double(onFloat(a.reals[i], b.reals[i])));
    else
      results[0].set(i, int64_t(onInteger(a.integers[i], b.integers[i])));
  return success();
}

using D = double;
using I = int64_t;
static D add(D a, D b) { return a + b; }
static I addOf(I a, I b) { return I(uint64_t(a) + uint64_t(b)); }
static D subtract(D a, D b) { return a - b; }
static I subtractOf(I a, I b) { return I(uint64_t(a) - uint64_t(b)); }
static D multiply(D a, D b) { return a * b; }
static I multiplyOf(I a, I b) { return I(uint64_t(a) * uint64_t(b)); }
static D divide(D a, D b) { return a / b; }
static I divideOf(I a, I b) { return b == 0 ? 0 : b == -1 ? negateOf(a) : a / b; }
static D remainderOf(D a, D b) { return std::fmod(a, b); }
static I remainderOf(I a, I b) { return b == 0 || b == -1 ? 0 : a % b; }
static D power(D a, D b) { return std::pow(a, b); }
static I powerOf(I a, I b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  I result = 1;
  for (; b > 0; b >>= 1, a = multiplyOf(a, a))
    if (b & 1)
      result = multiplyOf(result, a);
  return result;
}
static D larger(D a, D b) { return a != a || b != b ? NAN : a > b ? a : b; }
static I largerOf(I a, I b) { return a > b ? a : b; }
static D smaller(D a, D b) { return a != a || b != b ? NAN : a < b ? a : b; }
static I smallerOf(I a, I b) { return a < b ? a : b; }
static D never(D, D) { return 0; }
static I bitAnd(I a, I b) { return a & b; }
static I bitOr(I a, I b) { return a | b; }
static I bitXor(I a, I b) { return a ^ b; }

template <typename T> static bool compares(Predicate predicate, T a, T b) {
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

static LogicalResult compare(CompareOp op, Operands operands, Results results) {
  const Array &a = *operands[0], &b = *operands[1];
  for (int64_t i = 0; i < a.size(); i++)
    results[0].integers[i] = a.type.isFloat()
                                 ? compares(op.getPredicate(), a.reals[i], b.reals[i])
                                 : compares(op.getPredicate(), a.integers[i], b.integers[i]);
  return success();
}

static LogicalResult select(SelectOp op, Operands operands, Results results) {
  for (int64_t i = 0; i < results[0].size(); i++) {
    const Array &chosen = *operands[operands[0]->integers[i] ? 1 : 2];
    if (chosen.type.isFloat())
      results[0].reals[i] = chosen.reals[i];
    else
      results[0].integers[i] = chosen.integers[i];
  }
  return success();
}

void attachElementwise(MLIRContext *context) {
  attachReference<NegOp, numberUnary<NegOp, negate, negateOf>>(context);
  attachReference<AbsOp, numberUnary<AbsOp, absolute, absoluteOf>>(context);
  attachReference<SignOp, numberUnary<SignOp, sign, signOf>>(context);
  attachReference<ReluOp, numberUnary<ReluOp, relu, reluOf>>(context);
  attachReference<StopGradientOp, numberUnary<StopGradientOp, same, sameOf>>(context);
  attachReference<WatchOp, numberUnary<WatchOp, same, sameOf>>(context);
  attachReference<ExpOp, floatUnary<ExpOp, exponential>>(context);
  attachReference<Expm1Op, floatUnary<Expm1Op, expm1>>(context);
  attachReference<LogOp, floatUnary<LogOp, logarithm>>(context);
  attachReference<Log1pOp, floatUnary<Log1pOp, log1p>>(context);
  attachReference<SqrtOp, floatUnary<SqrtOp, squareRoot>>(context);
  attachReference<RsqrtOp, floatUnary<RsqrtOp, rsqrt>>(context);
  attachReference<SinOp, floatUnary<SinOp, sine>>(context);
  attachReference<CosOp, floatUnary<CosOp, cosine>>(context);
  attachReference<TanhOp, floatUnary<TanhOp, tangent>>(context);
  attachReference<ErfOp, floatUnary<ErfOp, errorFunction>>(context);
  attachReference<SigmoidOp, floatUnary<SigmoidOp, sigmoid>>(context);
  attachReference<SiluOp, floatUnary<SiluOp, silu>>(context);
  attachReference<SoftplusOp, floatUnary<SoftplusOp, softplus>>(context);
  attachReference<FloorOp, floatUnary<FloorOp, lower>>(context);
  attachReference<CeilOp, floatUnary<CeilOp, upper>>(context);
  attachReference<RoundOp, floatUnary<RoundOp, nearest>>(context);
  attachReference<GeluOp, gelu>(context);
  attachReference<NormalCdfOp, floatUnary<NormalCdfOp, normalCdf>>(context);
  attachReference<NotOp, logicalNot>(context);
  attachReference<ClampOp, clamp>(context);
  attachReference<CastOp, castTo>(context);
  attachReference<AddOp, binary<AddOp, add, addOf>>(context);
  attachReference<SubOp, binary<SubOp, subtract, subtractOf>>(context);
  attachReference<MulOp, binary<MulOp, multiply, multiplyOf>>(context);
  attachReference<DivOp, binary<DivOp, divide, divideOf>>(context);
  attachReference<RemOp, binary<RemOp, static_cast<D (*)(D, D)>(remainderOf),
                                static_cast<I (*)(I, I)>(remainderOf)>>(context);
  attachReference<PowOp, binary<PowOp, power, powerOf>>(context);
  attachReference<MaxOp, binary<MaxOp, larger, largerOf>>(context);
  attachReference<MinOp, binary<MinOp, smaller, smallerOf>>(context);
  attachReference<AndOp, binary<AndOp, never, bitAnd>>(context);
  attachReference<OrOp, binary<OrOp, never, bitOr>>(context);
  attachReference<XorOp, binary<XorOp, never, bitXor>>(context);
  attachReference<CompareOp, compare>(context);
  attachReference<SelectOp, select>(context);
}

} // namespace tenon::reference
