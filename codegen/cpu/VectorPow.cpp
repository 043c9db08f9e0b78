//===- VectorPow.cpp - Powers ---------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 goes through f64. f64 takes log2|x| in two doubles as fdlibm's e_pow does (Sun
// Microsystems, 2004): constants and order of operations are from there, since they
// make the split products exact.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorMath.h"

using namespace mlir;

namespace tenon::cpu {

/// x without its low 32 bits, so that products of two such numbers are exact.
static Num upperHalf(Num x) {
  return (x.bits() & x.bits().likeInteger(int64_t(0xFFFFFFFF00000000))).asFloat();
}

/// log2(x) = high + low for a positive finite x.
static std::pair<Num, Num> log2Split(Num x) {
  Num tiny = x < 0x1p-1022;
  Num bits = select(tiny, x * 0x1p54, x).bits();
  Num n = (bits >> 52) - bits.likeInteger(1023);
  n = n - select(tiny, bits.likeInteger(54), bits.likeInteger(0));
  Num fraction = bits & bits.likeInteger(0x000FFFFFFFFFFFFF);
  // Below sqrt(3/2) relative to 1, below sqrt(3) relative to 3/2, else to 2.
  Num aboveFirst = fraction > bits.likeInteger(0x0003988EFFFFFFFF);
  Num above = fraction >= bits.likeInteger(0x000BB67A00000000);
  Num middle = aboveFirst & !above;
  n = n + select(above, bits.likeInteger(1), bits.likeInteger(0));
  Num mBits = (fraction | bits.likeInteger(0x3FF0000000000000)) -
              select(above, bits.likeInteger(0x0010000000000000), bits.likeInteger(0));
  Num m = mBits.asFloat();
  Num center = select(middle, m.like(1.5), m.like(1));
  // s = (m - center) / (m + center) = sHigh + sLow.
  Num u = m - center, v = 1 / (m + center), s = u * v, sHigh = upperHalf(s);
  Num tHigh = upperHalf(m + center), tLow = m - (tHigh - center);
  Num sLow = v * ((u - sHigh * tHigh) - sHigh * tLow);
  // log(m / center) = 2 s + 2/3 s^3 + ...
  Num s2 = s * s, poly = s.like(2.06975017800338417784e-01);
  for (double c :
       {2.30660745775561754067e-01, 2.72728123808534006489e-01, 3.33333329818377432918e-01,
        4.28571428578550184252e-01, 5.99999999999994648725e-01})
    poly = fma(poly, s2, c);
  Num r = s2 * s2 * poly + sLow * (sHigh + s);
  Num q = sHigh * sHigh;
  Num hHigh = upperHalf(q + 3 + r), hLow = r - ((hHigh - 3) - q);
  Num a = sHigh * hHigh, c = sLow * hHigh + hLow * s;
  Num pHigh = upperHalf(a + c), pLow = c - (pHigh - a);
  // Times 2 / (3 ln 2), plus log2(center) and n.
  Num zHigh = pHigh * 9.61796700954437255859e-01;
  Num zLow = pHigh * -7.02846165095275826516e-09 + pLow * 9.61796693925975554329e-01 +
             select(middle, m.like(1.35003920212974897128e-08), m.like(0));
  Num offset = select(middle, m.like(5.84962487220764160156e-01), m.like(0));
  Num count = (n + n.likeInteger(0x4338000000000000)).asFloat() - 0x1.8p52;
  Num high = upperHalf(((zHigh + zLow) + offset) + count);
  return {high, zLow - (((high - count) - offset) - zHigh)};
}

/// 2^(high + low) for |low| far below |high|.
static Num exp2Split(Num high, Num low) {
  Num beyond = abs(high) > 1100.0;
  low = select(beyond, high.like(0), low);
  high = atLeast(atMost(high, 1100), -1100);
  Num shifted = (high + low) + 0x1.8p52;
  Num n = shifted.bits() - shifted.bits().likeInteger(0x4338000000000000);
  high = high - (shifted - 0x1.8p52);
  Num t = upperHalf(low + high);
  Num u = t * 6.93147182464599609375e-01;
  Num v = (low - (t - high)) * 6.93147180559945286227e-01 + t * -1.90465429995776804525e-09;
  Num z = u + v, w = v - (z - u);
  Num square = z * z, poly = z.like(4.13813679705723846039e-08);
  for (double c : {-1.65339022054652515390e-06, 6.61375632143793436117e-05,
                   -2.77777777770155933842e-03, 1.66666666666666019037e-01})
    poly = fma(poly, square, c);
  Num t1 = z - square * poly;
  Num r = (z * t1) / (t1 - 2) - (w + z * w);
  Num value = 1 - (r - z);
  Num half = n >> 1;
  auto power = [](Num k) { return ((k + k.likeInteger(1023)) << 52).asFloat(); };
  return value * power(half) * power(n - half);
}

/// |x|^y for a positive finite x.
static Num powPositive(Num x, Num y) {
  auto [high, low] = log2Split(x);
  y = atLeast(atMost(y, 0x1p65), -0x1p65); // beyond, any x but 1 over- or underflows
  Num yHigh = upperHalf(y);
  Num pLow = (y - yHigh) * high + y * low, pHigh = yHigh * high;
  return exp2Split(pHigh, pLow);
}

Value emitPow(OpBuilder &b, Location loc, Value base, Value exponent) {
  Num x(b, loc, base), y(b, loc, exponent);
  Num a = abs(x), result = x;
  if (x.isDouble()) {
    result = powPositive(a, y);
  } else {
    Type wide = withElement(x.type(), b.getF64Type());
    Num xWide = x.of(b.create<arith::ExtFOp>(loc, wide, a.v));
    Num yWide = x.of(b.create<arith::ExtFOp>(loc, wide, y.v));
    Num log = x.of(emitLog(b, loc, xWide));
    result = x.of(b.create<arith::TruncFOp>(loc, x.type(), emitExp(b, loc, yWide * log)));
  }
  // |x| of 0, infinity and 1.
  Num one = x.like(1), zero = x.like(0), infinity = x.like(INFINITY);
  Num grows = y > 0.0;
  result = select(a == 0.0, select(grows, zero, infinity), result);
  result = select(a == INFINITY, select(grows, infinity, zero), result);
  result = select(a == 1.0, one, result);
  // A negative base needs an integer; an odd one keeps the sign.
  Num whole = floor(y) == y, half = y * 0.5;
  Num odd = whole & (floor(half) != half) & (abs(y) < INFINITY);
  Num negative = x.bits() < x.bits().likeInteger(0);
  result = select(negative & odd, -result, result);
  Num undefined = (x < 0.0) & (a < INFINITY) & !whole;
  result = select(undefined | isNan(x) | isNan(y), x.like(NAN), result);
  return select((y == 0.0) | (x == 1.0), one, result);
}

} // namespace tenon::cpu
