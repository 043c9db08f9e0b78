//===- Elementwise.cpp - Random elementwise ops ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static bool floatUnary(Generator &g, StringRef name) { return g.emit(name, {g.anyFloat()}); }
static bool numberUnary(Generator &g, StringRef name) { return g.emit(name, {g.anyNumber()}); }

/// Defined above 0 only.
static bool positiveUnary(Generator &g, StringRef name) {
  Value x = g.positive(g.anyFloat());
  return x && g.emit(name, {x});
}

static bool gelu(Generator &g, StringRef name) {
  return g.emit(name, {g.anyFloat()}, AttrWords().boolean(g.chance(0.5)));
}

static Value anyLogical(Generator &g) {
  return g.findOr(
      [&](Value v) { return !g.type(v).isFloat(); },
      [&] { return g.randomType(g.typeOf({TENON_I1, TENON_I32, TENON_I64, TENON_I8})); });
}

static bool logicalUnary(Generator &g, StringRef name) { return g.emit(name, {anyLogical(g)}); }

static bool logicalBinary(Generator &g, StringRef name) {
  Value x = anyLogical(g);
  return g.emit(name, {x, g.like(x)});
}

static bool numberBinary(Generator &g, StringRef name) {
  Value x = g.anyNumber(), y = g.like(x);
  return g.chance(0.5) ? g.emit(name, {x, y}) : g.emit(name, {y, x});
}

static bool power(Generator &g, StringRef name) {
  Value x = g.anyNumber();
  if (g.type(x).isFloat() && (g.isForGradients() || g.chance(0.7)))
    x = g.positive(x);
  return x && g.emit(name, {x, g.like(x)});
}

static bool compare(Generator &g, StringRef name) {
  Value x = g.anyNumber();
  return g.emit(name, {x, g.like(x)}, AttrWords().integer(g.between(0, 5)));
}

static bool select(Generator &g, StringRef name) {
  Value x = g.anyNumber();
  return g.emit(name, {g.like(x, TENON_I1), x, g.like(x)});
}

static bool cast(Generator &g, StringRef name) {
  tenon_dtype to =
      g.chance(0.6) ? g.floatType() : g.oneOf({TENON_I64, TENON_I32, TENON_I8, TENON_I1});
  bool isLogical = g.anyType() == TENON_I1 || g.chance(0.3);
  return g.emit(name, {isLogical ? anyLogical(g) : g.anyNumber()}, AttrWords().dtype(to));
}

static bool clamp(Generator &g, StringRef name) {
  double low = g.between(-4, 2) / 2.0;
  return g.emit(name, {g.anyNumber()}, AttrWords().real(low).real(low + g.between(0, 3)));
}

static bool anyUnary(Generator &g, StringRef name) {
  Value x = g.findOr([](Value) { return true; }, [&] { return g.randomType(g.anyType()); });
  return g.emit(name, {x});
}

void attachElementwise(MLIRContext *context) {
  attach<floatUnary, ExpOp, Expm1Op, SinOp, CosOp, TanhOp, ErfOp, NormalCdfOp, SigmoidOp, SiluOp,
         SoftplusOp, FloorOp, CeilOp, RoundOp, WatchOp>(context);
  attach<positiveUnary, LogOp, Log1pOp, SqrtOp, RsqrtOp>(context);
  attach<numberUnary, NegOp, AbsOp, SignOp, ReluOp>(context);
  attach<anyUnary, StopGradientOp>(context);
  attach<gelu, GeluOp>(context);
  attach<logicalUnary, NotOp>(context);
  attach<logicalBinary, AndOp, OrOp, XorOp>(context);
  attach<numberBinary, AddOp, SubOp, MulOp, DivOp, RemOp, MaxOp, MinOp>(context);
  attach<power, PowOp>(context);
  attach<compare, CompareOp>(context);
  attach<select, SelectOp>(context);
  attach<cast, CastOp>(context);
  attach<clamp, ClampOp>(context);
}

} // namespace tenon::fuzz
