//===- Elementwise.cpp - Backward rules of elementwise ops ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Splat.h"
#include "passes/autodiff/Rule.h"

#include <cmath>

using namespace mlir;

namespace tenon::autodiff {

//===----------------------------------------------------------------------===//
// Unary: dy * f'(x), from y where that is cheaper
//===----------------------------------------------------------------------===//

static Value backwardNeg(NegOp, Incoming &in) { return in.neg(in.dy()); }
static Value backwardWatch(WatchOp, Incoming &in) { return in.dy(); }
static Value backwardAbs(AbsOp op, Incoming &in) {
  return in.mul(in.dy(), in.make<SignOp>(op.getX()));
}
static Value backwardExp(ExpOp op, Incoming &in) { return in.mul(in.dy(), op.getY()); }
static Value backwardExpm1(Expm1Op op, Incoming &in) {
  return in.mul(in.dy(), in.shift(op.getY(), 1));
}
static Value backwardLog(LogOp op, Incoming &in) { return in.div(in.dy(), op.getX()); }
static Value backwardLog1p(Log1pOp op, Incoming &in) {
  return in.div(in.dy(), in.shift(op.getX(), 1));
}
static Value backwardSqrt(SqrtOp op, Incoming &in) {
  return in.div(in.scale(in.dy(), 0.5), op.getY());
}
static Value backwardRsqrt(RsqrtOp op, Incoming &in) {
  Value y = op.getY();
  return in.mul(in.scale(in.dy(), -0.5), in.mul(y, in.mul(y, y)));
}
static Value backwardSin(SinOp op, Incoming &in) {
  return in.mul(in.dy(), in.make<CosOp>(op.getX()));
}
static Value backwardCos(CosOp op, Incoming &in) {
  return in.neg(in.mul(in.dy(), in.make<SinOp>(op.getX())));
}
static Value backwardTanh(TanhOp op, Incoming &in) {
  Value y = op.getY();
  return in.mul(in.dy(), in.sub(in.splat(y, 1), in.mul(y, y)));
}
static Value backwardErf(ErfOp op, Incoming &in) {
  Value x = op.getX();
  return in.mul(in.dy(), in.scale(in.exp(in.neg(in.mul(x, x))), M_2_SQRTPI));
}
static Value backwardSigmoid(SigmoidOp op, Incoming &in) {
  Value y = op.getY();
  return in.mul(in.dy(), in.mul(y, in.sub(in.splat(y, 1), y)));
}
static Value backwardRelu(ReluOp op, Incoming &in) {
  return in.keepWhere(in.compare(op.getX(), Predicate::gt, 0), in.dy());
}
static Value backwardSilu(SiluOp op, Incoming &in) {
  Value x = op.getX(), s = in.make<SigmoidOp>(x);
  Value slope = in.mul(s, in.shift(in.mul(x, in.sub(in.splat(s, 1), s)), 1));
  return in.mul(in.dy(), slope);
}
static Value backwardSoftplus(SoftplusOp op, Incoming &in) {
  return in.mul(in.dy(), in.make<SigmoidOp>(op.getX()));
}

static Value normalDensity(Value x, Incoming &in) {
  return in.scale(in.exp(in.scale(in.mul(x, x), -0.5)), M_2_SQRTPI * M_SQRT1_2 / 2);
}
static Value backwardNormalCdf(NormalCdfOp op, Incoming &in) {
  return in.mul(in.dy(), normalDensity(op.getX(), in));
}
static Value backwardGelu(GeluOp op, Incoming &in) {
  Value x = op.getX();
  if (!op.getApproximate()) { // Phi(x) + x phi(x)
    Value cdf = in.make<NormalCdfOp>(x);
    return in.mul(in.dy(), in.add(cdf, in.mul(x, normalDensity(x, in))));
  }
  // With u = c (x + a x^3) and t = tanh u: (1 + t)/2 + x/2 (1 - t^2) u'.
  const double a = 0.044715, c = M_2_SQRTPI * M_SQRT1_2;
  Value square = in.mul(x, x);
  Value t = in.make<TanhOp>(in.mul(x, in.shift(in.scale(square, c * a), c)));
  Value slope = in.shift(in.scale(square, 3 * c * a), c);
  Value bend = in.mul(in.sub(in.splat(t, 1), in.mul(t, t)), in.mul(x, slope));
  return in.mul(in.dy(), in.scale(in.shift(in.add(t, bend), 1), 0.5));
}

static Value backwardClamp(ClampOp op, Incoming &in) {
  Value x = op.getX();
  Value above = in.compare(x, Predicate::gt, op.getLo().convertToDouble());
  Value below = in.compare(x, Predicate::lt, op.getHi().convertToDouble());
  return in.keepWhere(in.make<AndOp>(above, below), in.dy());
}

static Value backwardCast(CastOp op, Incoming &in) {
  return in.cast(in.dy(), tensorType(op.getX()).getElementType());
}

//===----------------------------------------------------------------------===//
// Binary and select
//===----------------------------------------------------------------------===//

static Gradients backwardAdd(AddOp, Incoming &in) { return give({in.dy(), in.dy()}); }

static Gradients backwardSub(SubOp, Incoming &in) {
  return give({in.dy(), in.needed[1] ? in.neg(in.dy()) : Value()});
}

static Gradients backwardMul(MulOp op, Incoming &in) {
  return give({in.needed[0] ? in.mul(in.dy(), op.getB()) : Value(),
               in.needed[1] ? in.mul(in.dy(), op.getA()) : Value()});
}

static Gradients backwardDiv(DivOp op, Incoming &in) {
  Value quotient = in.div(in.dy(), op.getB());
  return give({quotient, in.needed[1] ? in.neg(in.mul(quotient, op.getY())) : Value()});
}

static Gradients backwardPow(PowOp op, Incoming &in) {
  Value a = op.getA(), b = op.getB(), da, db;
  // What is not finite at a = 0 never comes to be: to drop it from a product later would leave
  // 0 times infinity in the second derivative.
  Value nonzero = in.compare(a, Predicate::ne, 0), one = in.splat(a, 1);
  if (in.needed[0]) { // b a^(b-1), and 0 for b = 0 even where a = 0
    Value base = a;
    if (std::optional<double> power = splatNumber(b); !power || *power == 0)
      base = in.select(in.make<OrOp>(nonzero, in.compare(b, Predicate::ne, 0)), a, one);
    da = in.mul(in.dy(), in.mul(b, in.make<PowOp>(base, in.shift(b, -1))));
  }
  if (in.needed[1]) // y log a, and 0 for a = 0
    db = in.mul(in.dy(), in.mul(op.getY(), in.make<LogOp>(in.select(nonzero, a, one))));
  return give({da, db});
}

static Gradients backwardRem(RemOp op, Incoming &in) {
  Value db;
  if (in.needed[1]) {
    Value q = in.div(op.getA(), op.getB());
    Value whole = in.mul(in.make<SignOp>(q), in.make<FloorOp>(in.make<AbsOp>(q)));
    db = in.neg(in.mul(in.dy(), whole));
  }
  return give({in.dy(), db});
}

/// All of dy to the winner, half to each at a tie.
template <typename Op, Predicate wins> static Gradients backwardExtremum(Op op, Incoming &in) {
  Value a = op.getA(), b = op.getB(), dy = in.dy();
  Value tied = in.keepWhere(in.compare(a, Predicate::eq, b), in.scale(dy, 0.5));
  auto share = [&](Value x, Value other) {
    return in.select(in.compare(x, wins, other), dy, tied);
  };
  return give({in.needed[0] ? share(a, b) : Value(), in.needed[1] ? share(b, a) : Value()});
}

static Gradients backwardSelect(SelectOp op, Incoming &in) {
  Value zero = in.splat(in.dy(), 0), c = op.getCondition();
  return give({Value(), in.needed[1] ? in.select(c, in.dy(), zero) : Value(),
               in.needed[2] ? in.select(c, zero, in.dy()) : Value()});
}

void attachElementwiseRules(MLIRContext *context) {
  attachRule<NegOp, backwardNeg>(context);
  attachRule<WatchOp, backwardWatch>(context);
  attachRule<AbsOp, backwardAbs>(context);
  attachRule<ExpOp, backwardExp>(context);
  attachRule<Expm1Op, backwardExpm1>(context);
  attachRule<LogOp, backwardLog>(context);
  attachRule<Log1pOp, backwardLog1p>(context);
  attachRule<SqrtOp, backwardSqrt>(context);
  attachRule<RsqrtOp, backwardRsqrt>(context);
  attachRule<SinOp, backwardSin>(context);
  attachRule<CosOp, backwardCos>(context);
  attachRule<TanhOp, backwardTanh>(context);
  attachRule<ErfOp, backwardErf>(context);
  attachRule<SigmoidOp, backwardSigmoid>(context);
  attachRule<ReluOp, backwardRelu>(context);
  attachRule<SiluOp, backwardSilu>(context);
  attachRule<SoftplusOp, backwardSoftplus>(context);
  attachRule<GeluOp, backwardGelu>(context);
  attachRule<NormalCdfOp, backwardNormalCdf>(context);
  attachRule<ClampOp, backwardClamp>(context);
  attachRule<CastOp, backwardCast>(context);
  attachRule<AddOp, backwardAdd>(context);
  attachRule<SubOp, backwardSub>(context);
  attachRule<MulOp, backwardMul>(context);
  attachRule<DivOp, backwardDiv>(context);
  attachRule<PowOp, backwardPow>(context);
  attachRule<RemOp, backwardRem>(context);
  attachRule<MaxOp, backwardExtremum<MaxOp, Predicate::gt>>(context);
  attachRule<MinOp, backwardExtremum<MinOp, Predicate::lt>>(context);
  attachRule<SelectOp, backwardSelect>(context);
}

} // namespace tenon::autodiff
