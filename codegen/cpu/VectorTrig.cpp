//===- VectorTrig.cpp - Sine and cosine -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction by Cody and Waite as in fdlibm's e_rem_pio2 (three parts of pi/2, 33 bits
// each) for |x| up to 2^20; beyond, lane by lane, by Payne and Hanek with the bits of
// 2/pi ("Radian reduction for trigonometric functions", 1983). Vectors of f32 are reduced in
// f64, one f32 with integers.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

constexpr double kLimit = 0x1p20;

/// x = quadrant * pi/2 + r + low.
struct Quadrant {
  Num quadrant, r, low;
};

/// sin(r) (or cos(r)) for |r| at most pi/4 and a small correction of r.
static Num sinKernel(Num r, Num low) {
  Num z = r * r;
  static const double single[] = {-0.1666666666374136766, 0.008333331830629428363,
                                  -0.0001984006304080411685, 2.724686872287794454e-6};
  static const double twice[] = {-0.1666666666666666667,    0.008333333333333331379,
                                 -0.0001984126984126482162, 2.755731921915078158e-6,
                                 -2.505210616733570639e-8,  1.605852134995498633e-10,
                                 -7.586094789672620074e-13};
  ArrayRef<double> c = r.isDouble() ? ArrayRef(twice) : ArrayRef(single);
  Num sum = r.like(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = fma(sum, z, coefficient);
  return r + fma(z * r, sum, fma(z * low, -0.5, low));
}
static Num cosKernel(Num r, Num low) {
  Num z = r * r;
  static const double single[] = {0.04166666666422613352, -0.001388888763522797488,
                                  0.00002480058060135464235, -2.729840765279517472e-7};
  static const double twice[] = {0.04166666666666666667,    -0.00138888888888888878,
                                 0.00002480158730158451114, -2.755731922129808697e-7,
                                 2.087675575487959641e-9,   -1.147045517821690658e-11,
                                 4.745537017319258366e-14};
  ArrayRef<double> c = r.isDouble() ? ArrayRef(twice) : ArrayRef(single);
  Num sum = r.like(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = fma(sum, z, coefficient);
  // 1 - z/2 rounded, and what that lost.
  Num half = z * 0.5, w = 1 - half;
  return w + (((1 - w) - half) + (z * z * sum - r * low));
}

/// sin(x + shift * pi/2).
static Num sinOfQuadrant(const Quadrant &q, int shift) {
  Num n = q.quadrant + q.quadrant.likeInteger(shift);
  Num odd = (n & n.likeInteger(1)) != n.likeInteger(0);
  Num flip = (n & n.likeInteger(2)) != n.likeInteger(0);
  Num value = select(odd, cosKernel(q.r, q.low), sinKernel(q.r, q.low));
  return select(flip, -value, value);
}

/// For an f64 x of magnitude up to kLimit.
static Quadrant reduceSmall(Num x) {
  Num shifted = fma(x, 6.36619772367581382433e-01, x.like(0x1.8p52));
  Num n = shifted - 0x1.8p52;
  Num r1 = x - n * 1.57079632673412561417e+00; // exact, as n has 20 bits
  Num w2 = n * 6.07710050630396597660e-11;
  Num r2 = r1 - w2, e2 = (r1 - r2) - w2;
  Num w3 = n * 2.02226624871116645580e-21;
  Num r3 = r2 - w3, e3 = (r2 - r3) - w3;
  Num tail = (e2 + e3) - n * 8.47842766036889956997e-32;
  Num r = r3 + tail;
  return {shifted.bits(), r, (r3 - r) + tail};
}

/// Bits of 2/pi, the binary point after the first word.
static ArrayRef<int64_t> twoOverPi() {
  static const uint64_t words[] = {0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0,
                                   0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
                                   0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
                                   0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
                                   0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
                                   0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA,
                                   0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D};
  return ArrayRef<int64_t>(reinterpret_cast<const int64_t *>(words), std::size(words));
}

/// 64 bits of 2/pi from bit `start` on, and as many of the next ones as asked for.
static SmallVector<Num, 3> bitsFrom(Num start, int count) {
  OpBuilder &b = *start.b;
  Location loc = start.loc;
  Value table = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get({int64_t(twoOverPi().size())}, b.getI64Type()),
                                  twoOverPi()));
  Num word = shiftRightLogical(start, 6), offset = start & start.likeInteger(63);
  SmallVector<Num, 4> words;
  for (int i = 0; i <= count; i++) {
    Value at = b.create<arith::IndexCastOp>(loc, b.getIndexType(), (word + word.likeInteger(i)).v);
    words.push_back(word.of(b.create<vector::ExtractElementOp>(loc, table, at)));
  }
  SmallVector<Num, 3> result;
  for (int i = 0; i < count; i++) {
    Num high = start.of(b.create<arith::ShLIOp>(loc, words[i].v, offset.v));
    // In two steps, as a shift by 64 has no value.
    Num below = shiftRightLogical(words[i + 1], 1), left = offset.likeInteger(63) - offset;
    result.push_back(high | start.of(b.create<arith::ShRUIOp>(loc, below.v, left.v)));
  }
  return result;
}

/// The upper 64 bits of a product.
static Num highProduct(Num x, Num y) {
  Num mask = x.likeInteger(0xFFFFFFFF);
  Num xLow = x & mask, xHigh = shiftRightLogical(x, 32);
  Num yLow = y & mask, yHigh = shiftRightLogical(y, 32);
  Num first = xHigh * yLow + shiftRightLogical(xLow * yLow, 32);
  Num second = xLow * yHigh + (first & mask);
  return xHigh * yHigh + shiftRightLogical(first, 32) + shiftRightLogical(second, 32);
}

static Num lessUnsigned(Num x, Num y) {
  return x.of(x.b->create<arith::CmpIOp>(x.loc, arith::CmpIPredicate::ult, x.v, y.v));
}
static Num toFloat(Num x, Type type) {
  return x.of(x.b->create<arith::SIToFPOp>(x.loc, type, x.v));
}

/// What `part` of pi/2 is, as a number and what that lost; and the signs of the whole.
static Quadrant inRadians(Num quadrant, Num part, Num lost, Num flip, Num sign) {
  bool isDouble = part.isDouble();
  double halfPi = isDouble ? 1.57079632679489661923 : 1.57079637050628662109375;
  double halfPiLow = isDouble ? 6.12323399573676603587e-17 : -4.37113900018624283e-8;
  Num r = part * halfPi;
  Num low = fma(part, halfPi, -r) + fma(part, halfPiLow, lost * halfPi);
  return {select(sign, quadrant.likeInteger(0) - quadrant, quadrant), select(flip, -r, r),
          select(flip, -low, low)};
}

/// For one f64 x, finite and of magnitude above 1: mantissa times the 192 bits of
/// 2/pi from where the product's integer part matters (modulo 4).
static Quadrant reduceLarge(Num x) {
  Num bits = x.bits();
  Num mantissa = (bits & bits.likeInteger(0x000FFFFFFFFFFFFF)) | bits.likeInteger(1ll << 52);
  // x = mantissa * 2^exponent; bit i of the table (from 0) weighs 2^(63-i).
  Num exponent = (shiftRightLogical(bits, 52) & bits.likeInteger(0x7FF)) - bits.likeInteger(1075);
  // The first bit whose product with the mantissa's last bit weighs 2.
  auto w = bitsFrom(exponent + bits.likeInteger(62), 3);
  // The product modulo 2^192, its upper 128 bits: bit 191 weighs 2.
  Num middle = mantissa * w[1], low = middle + highProduct(mantissa, w[2]);
  Num one = bits.likeInteger(1), zero = bits.likeInteger(0);
  Num high =
      mantissa * w[0] + highProduct(mantissa, w[1]) + select(lessUnsigned(low, middle), one, zero);
  // Round to the nearest quadrant; the rest, signed, is in units of 2^-126.
  Num quadrant = shiftRightLogical(high + (one << 61), 62);
  high = high - (quadrant << 62);
  Num negative = high < zero;
  high = select(negative, !high + select(low == zero, one, zero), high);
  low = select(negative, zero - low, low);
  // As the sum of two f64, from four exact parts (sums by Knuth's 2Sum: the first may be 0).
  auto sum = [](Num a, Num c) {
    Num s = a + c, d = s - a;
    return std::pair(s, (a - (s - d)) + (c - d));
  };
  auto part = [&](Num word, double unit) { return toFloat(word, x.type()) * unit; };
  Num mask = bits.likeInteger(0xFFFFFFFF);
  auto [s, e] = sum(part(shiftRightLogical(high, 32), 0x1p-30), part(high & mask, 0x1p-62));
  auto [t, f] = sum(e, part(shiftRightLogical(low, 32), 0x1p-94));
  auto [fraction, g] = sum(s, t);
  Num sign = x < 0.0;
  return inRadians(quadrant, fraction, g + (f + part(low & mask, 0x1p-126)), negative ^ sign, sign);
}

/// For one f32 x, finite. With integers alone: a GPU may have no f64.
static Quadrant reduceSingle(Num x) {
  OpBuilder &b = *x.b;
  Num bits = x.of(b.create<arith::ExtUIOp>(x.loc, b.getI64Type(), x.bits().v));
  Num mantissa = (bits & bits.likeInteger(0x007FFFFF)) | bits.likeInteger(1 << 23);
  Num exponent = (shiftRightLogical(bits, 23) & bits.likeInteger(0xFF)) - bits.likeInteger(150);
  // Where |x| is small its bits are not looked at.
  Num first = exponent + bits.likeInteger(62);
  auto w = bitsFrom(select(first < first.likeInteger(0), first.likeInteger(0), first), 2);
  Num product = mantissa * w[0] + shiftRightLogical(mantissa * shiftRightLogical(w[1], 32), 32);
  Num quadrant = shiftRightLogical(product + (product.likeInteger(1) << 61), 62);
  Num rest = product - (quadrant << 62);
  Num negative = rest < rest.likeInteger(0);
  rest = select(negative, rest.likeInteger(0) - rest, rest);
  Num high = toFloat(rest & rest.likeInteger(-(1ll << 38)), x.type()) * 0x1p-62;
  Num low = toFloat(rest & rest.likeInteger((1ll << 38) - 1), x.type()) * 0x1p-62;
  Num fraction = high + low, sign = x < 0.0;
  Quadrant q = inRadians(quadrant, fraction, (high - fraction) + low, negative ^ sign, sign);
  q.quadrant = x.of(b.create<arith::TruncIOp>(x.loc, b.getI32Type(), q.quadrant.v));
  Num isSmall = abs(x) <= 0.785398125;
  return {select(isSmall, q.quadrant.likeInteger(0), q.quadrant), select(isSmall, x, q.r),
          select(isSmall, x.like(0), q.low)};
}

/// Lanes beyond the limit, one by one.
static Num replaceLarge(Num x, Num result, Num large, int shift) {
  OpBuilder &b = *x.b;
  Location loc = x.loc;
  auto vectorType = dyn_cast<VectorType>(x.type());
  Value any = large;
  if (vectorType)
    any = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, large.v);
  auto one = [&](Value scalar) -> Value {
    Num n = x.of(scalar);
    if (!n.isDouble())
      n = n.of(b.create<arith::ExtFOp>(loc, b.getF64Type(), scalar));
    Num y = sinOfQuadrant(reduceLarge(n), shift);
    return x.isDouble() ? y.v : Value(b.create<arith::TruncFOp>(loc, x.element(), y.v));
  };
  auto branch = b.create<scf::IfOp>(
      loc, any,
      [&](OpBuilder &, Location) {
        OpBuilder::InsertionGuard guard(b);
        if (!vectorType) {
          Value y = one(x);
          b.create<scf::YieldOp>(loc, y);
          return;
        }
        Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
        Value step = b.create<arith::ConstantIndexOp>(loc, 1);
        Value count = b.create<arith::ConstantIndexOp>(loc, vectorType.getNumElements());
        auto loop = b.create<scf::ForOp>(loc, zero, count, step, ValueRange{result.v});
        b.setInsertionPointToStart(loop.getBody());
        Value lane = loop.getInductionVar(), old = loop.getRegionIterArg(0);
        Value scalar = b.create<vector::ExtractElementOp>(loc, x.v, lane);
        Value isLarge = b.create<vector::ExtractElementOp>(loc, large.v, lane);
        Value before = b.create<vector::ExtractElementOp>(loc, old, lane);
        Value y = b.create<arith::SelectOp>(loc, isLarge, one(scalar), before);
        Value inserted = b.create<vector::InsertElementOp>(loc, y, old, lane);
        b.create<scf::YieldOp>(loc, inserted);
        b.setInsertionPointAfter(loop);
        b.create<scf::YieldOp>(loc, loop.getResult(0));
      },
      [&](OpBuilder &, Location) { b.create<scf::YieldOp>(loc, result.v); });
  b.setInsertionPointAfter(branch);
  return x.of(branch.getResult(0));
}

static Num sinShifted(Num x, int shift) {
  OpBuilder &b = *x.b;
  Location loc = x.loc;
  if (x.type().isF32()) {
    Num result = select(abs(x) < INFINITY, sinOfQuadrant(reduceSingle(x), shift), x - x);
    return shift == 0 ? select(x == 0.0, x, result) : result; // -0 stays
  }
  Num a = abs(x);
  Num large = (a > kLimit) & (a < INFINITY);
  // Keeps the small path's numbers small where its result is not used.
  Num bounded = select(large, x.like(0), x);
  Quadrant q{x, x, x};
  if (x.isDouble()) {
    q = reduceSmall(bounded);
  } else {
    Type wide = withElement(x.type(), b.getF64Type());
    Quadrant w = reduceSmall(x.of(b.create<arith::ExtFOp>(loc, wide, bounded.v)));
    Type i32 = withElement(x.type(), b.getI32Type());
    q = {x.of(b.create<arith::TruncIOp>(loc, i32, w.quadrant.v)),
         x.of(b.create<arith::TruncFOp>(loc, x.type(), w.r.v)), x.like(0)};
  }
  Num result = sinOfQuadrant(q, shift);
  if (shift == 0)
    result = select(x == 0.0, x, result); // -0 stays
  return replaceLarge(x, result, large, shift);
}

Value emitSin(OpBuilder &b, Location loc, Value x) { return sinShifted(Num(b, loc, x), 0); }
Value emitCos(OpBuilder &b, Location loc, Value x) { return sinShifted(Num(b, loc, x), 1); }

std::pair<Value, Value> emitSinCosTurns(OpBuilder &b, Location loc, Value x) {
  Num turns(b, loc, x);
  double magic = turns.isDouble() ? 0x1.8p52 : 0x1.8p23;
  Num quarters = turns * 4, shifted = quarters + magic;
  Num r = (quarters - (shifted - magic)) * 1.57079632679489661923;
  Quadrant q{shifted.bits(), r, r.like(0)};
  return {sinOfQuadrant(q, 0), sinOfQuadrant(q, 1)};
}

} // namespace tenon::cpu
