//===- VectorMath.cpp - Exponentials, logarithms and their kin ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Argument reductions and final formulas are those of fdlibm (Sun Microsystems,
// 1993: e_exp, s_expm1, e_log, s_log1p, s_tanh), written without branches; erf splits
// at 1 into an odd polynomial and 1 - e^-x^2 * p((x - 3) / (x + 3)) or, in f32,
// 1 - e^-p(x). The polynomials are Chebyshev interpolations or best approximations of
// the functions named beside them, made with 40 digits or more.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/VectorMath.h"

#include "codegen/cpu/Num.h"

using namespace mlir;

namespace tenon::cpu {

/// c[0] + c[1] x + c[2] x^2 ... by Horner's rule.
static Num polynomial(Num x, ArrayRef<double> c) {
  Num sum = x.like(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}
static Num polynomial(Num x, ArrayRef<double> single, ArrayRef<double> twice) {
  return polynomial(x, x.isDouble() ? twice : single);
}
/// The same by the even and the odd powers: a product more, but half as long a chain.
static Num polynomialInHalves(Num x, ArrayRef<double> c) {
  SmallVector<double> even, odd;
  for (auto [power, coefficient] : llvm::enumerate(c))
    (power % 2 ? odd : even).push_back(coefficient);
  Num square = x * x;
  return fma(polynomial(square, odd), x, polynomial(square, even));
}

/// What differs between the two formats.
struct Format {
  int mantissa;            ///< bits
  int64_t bias, maxFinite; ///< of the exponent
  double magic;            ///< 1.5 * 2^mantissa: adding it rounds to an integer
  int64_t magicBits;
  double ln2High, ln2Low;
  double minNormal;
};
static Format formatOf(Num x) {
  if (x.isDouble())
    return {52,
            1023,
            1023,
            0x1.8p52,
            0x4338000000000000,
            6.93147180369123816490e-01,
            1.90821492927058770002e-10,
            0x1p-1022};
  return {23, 127, 127, 0x1.8p23, 0x4B400000, 0.693359375, -2.121944400546905827e-4, 0x1p-126};
}

static Num signOf(Num x) {
  return x.bits() & x.bits().likeInteger(x.isDouble() ? INT64_MIN : int64_t(INT32_MIN));
}
static Num withSign(Num magnitude, Num sign) { return (magnitude.bits() | sign).asFloat(); }

/// 2^n for an integer n in the range of normal numbers.
static Num powerOfTwo(Num n, const Format &f) {
  return ((n + n.likeInteger(f.bias)) << f.mantissa).asFloat();
}
/// x * 2^n, in two steps, for n up to twice the range and x near 1.
static Num scale(Num x, Num n, const Format &f) {
  Num half = n >> 1;
  return x * powerOfTwo(half, f) * powerOfTwo(n - half, f);
}
static Num integerToFloat(Num n, const Format &f) { // |n| below 2^22
  return (n + n.likeInteger(f.magicBits)).asFloat() - f.magic;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// (e^r - 1 - r) / r^2 on [-0.3467, 0.3467]. What it adds to the error of e^r is below
/// 0.03 ulp.
static Num expTail(Num r) {
  return polynomial(r,
                    {0.4999999353904428279, 0.1666652123665003155, 0.04166837601537802477,
                     0.008368665004256499289, 0.001381493683867762741},
                    {0.5000000000000009894, 0.1666666666666641701, 0.04166666666653522667,
                     0.008333333333493448306, 0.001388888894248536689, 0.0001984126950612997114,
                     0.00002480149414506885015, 2.755758841191128921e-6, 2.762991356876067005e-7,
                     2.499904383479065269e-8});
}

/// The same as exact as e^r - 1 needs it, which is small.
static Num expm1Tail(Num r) {
  return polynomial(r,
                    {0.5000000015156812402, 0.1666666668350119374, 0.0416664483657165923,
                     0.008333309086515256316, 0.001393545184387468874, 0.0001989299176301459342},
                    {0.5, 0.1666666666666666667, 0.04166666666666667898, 0.008333333333333334154,
                     0.00138888888888773977, 0.0001984126984126218184, 0.00002480158734081826064,
                     2.755731925013543305e-6, 2.755725868862393023e-7, 2.505206803466804345e-8,
                     2.091980253490838429e-9, 1.608773757166788219e-10});
}

/// x = n ln 2 + r + low, |r| at most ln(2) / 2.
struct Reduced {
  Num n, r, low;
};
static Reduced reduceByLn2(Num x, const Format &f) {
  Num shifted = fma(x, 1.44269504088896340736, x.like(f.magic));
  Num n = shifted - f.magic;
  Num high = fma(-n, f.ln2High, x), low = n * f.ln2Low;
  Num r = high - low;
  return {shifted.bits() - shifted.bits().likeInteger(f.magicBits), r, (high - r) - low};
}

/// e^x = y 2^n with y near 1.
struct Power {
  Num y, n;
};
static Power powerOf(Num x) {
  Format f = formatOf(x);
  x = x.isDouble() ? atLeast(atMost(x, 710), -770) : atLeast(atMost(x, 89), -120);
  Reduced p = reduceByLn2(x, f);
  return {fma(p.r * p.r, expTail(p.r), p.low) + p.r + 1, p.n};
}

static Num expOf(Num x) {
  Format f = formatOf(x);
  x = x.isDouble() ? atLeast(atMost(x, 710), -746) : atLeast(atMost(x, 89), -104);
  Reduced p = reduceByLn2(x, f);
  return scale(fma(p.r * p.r, expTail(p.r), p.r) + 1, p.n, f);
}

/// e^x where 2^n is a normal number: not below -87 (-708).
static Num expInRange(Num x) {
  Format f = formatOf(x);
  Num shifted = fma(x, 1.44269504088896340736, x.like(f.magic));
  Num n = shifted - f.magic;
  Num r = fma(n, -f.ln2Low, fma(n, -f.ln2High, x));
  Num y = fma(r, fma(r, expTail(r), 1), 1);
  return y * powerOfTwo(shifted.bits() - shifted.bits().likeInteger(f.magicBits), f);
}

static Num expNonPositiveOf(Num x) {
  double least = x.isDouble() ? -708.396418532264106216 : -87.3365447505531;
  return select(x < least, x.like(0), expInRange(x));
}

static Num exp2Of(Num x) {
  Format f = formatOf(x);
  x = x.isDouble() ? atLeast(atMost(x, 1025), -1080) : atLeast(atMost(x, 129), -152);
  Num shifted = x + f.magic;
  Num n = shifted.bits() - shifted.bits().likeInteger(f.magicBits);
  Num r = (x - (shifted - f.magic)) * 0.693147180559945309417;
  return scale(fma(r * r, expTail(r), r) + 1, n, f);
}

static Num expm1Of(Num x) {
  Format f = formatOf(x);
  Num bounded = x.isDouble() ? atLeast(atMost(x, 710), -40) : atLeast(atMost(x, 89), -20);
  Reduced p = reduceByLn2(bounded, f);
  Num y = p.r + fma(p.r * p.r, expm1Tail(p.r), fma(p.low, p.r, p.low));
  // Half of 2^n y + (2^n - 1), as 2^n itself may overflow.
  Num half = powerOfTwo(p.n - p.n.likeInteger(1), f);
  Num scaled = fma(half, y, half - 0.5) * 2;
  Num result = select(p.n == p.n.likeInteger(0), y, scaled);
  return select(x == 0.0, x, result);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// u = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
static std::pair<Num, Num> splitExponent(Num u, const Format &format) {
  bool twice = u.isDouble();
  int64_t root = twice ? 0x3FE6A09E00000000 : 0x3F3504F3;
  int64_t one = twice ? 0x3FF0000000000000 : 0x3F800000;
  Num bits = u.bits() + u.bits().likeInteger(one - root);
  Num k = (bits >> format.mantissa) - bits.likeInteger(format.bias);
  Num m = (bits & bits.likeInteger((int64_t(1) << format.mantissa) - 1)) + bits.likeInteger(root);
  return {k, m.asFloat() - 1};
}

/// log(1 + f) + k ln 2 + correction.
static Num logSum(Num f, Num k, Num correction, const Format &format) {
  Num s = f / (f + 2), z = s * s;
  // (log((1 + s) / (1 - s)) / s - 2) / z.
  Num r = z * polynomial(z,
                         {0.666666665497334925, 0.4000012571574728531, 0.2855038334832926851,
                          0.2334231004301066223},
                         {0.6666666666666666645, 0.4000000000000094338, 0.2857142857076316623,
                          0.2222222240083590066, 0.1818179467041726476, 0.1538629217588881768,
                          0.1326737508462850375, 0.1310117185259182711});
  bool twice = f.isDouble();
  double high = twice ? 6.93147180369123816490e-01 : 6.9313812256e-01;
  double low = twice ? 1.90821492927058770002e-10 : 9.0580006145e-06;
  Num half = f * f * 0.5;
  Num tail = fma(s, half + r, fma(k, low, correction));
  return k * high + (f + (tail - half));
}

/// The values of log at 0, below it and at infinity; NaN stays.
static Num logLimits(Num u, Num result) {
  Num edge = select(u == 0.0, u.like(-INFINITY), u.like(NAN));
  result = select(u > 0.0, result, edge);
  return select(u == INFINITY, u, result);
}

static Num logOf(Num x) {
  Format format = formatOf(x);
  Num tiny = x < format.minNormal;
  Num scaled = select(tiny, x * std::ldexp(1.0, format.mantissa + 2), x);
  auto [k, f] = splitExponent(scaled, format);
  Num exponent = integerToFloat(k, format) - select(tiny, x.like(format.mantissa + 2), x.like(0));
  return logLimits(x, logSum(f, exponent, x.like(0), format));
}

static Num log1pOf(Num x) {
  Format format = formatOf(x);
  Num u = x + 1;
  auto [k, f] = splitExponent(u, format);
  // What rounding 1 + x lost, relative to u.
  Num lost = select(k > k.likeInteger(1), 1 - (u - x), x - (u - 1)) / u;
  Num near = k == k.likeInteger(0);
  Num correction = select(near | (k > k.likeInteger(format.mantissa + 2)), x.like(0), lost);
  Num result = logSum(select(near, x, f), integerToFloat(k, format), correction, format);
  return select(x == 0.0, x, logLimits(u, result));
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

static Num tanhOf(Num x) {
  Num magnitude = atMost(abs(x), x.isDouble() ? 20 : 10);
  Num t = expm1Of(magnitude * 2);
  Num small = magnitude < 0.55;
  Num quotient = select(small, t, x.like(-2)) / (t + 2);
  return withSign(select(small, quotient, quotient + 1), signOf(x));
}

static Num erfOf(Num x) {
  Num a = abs(x), z = x * x;
  // erf(x) / x - 1 on [-1, 1].
  Num odd =
      polynomial(z,
                 {0.1283791670612838907, -0.3761263846514180127, 0.1128378244355160067,
                  -0.02686542729708211697, 0.005221021065527148971, -0.0008483909066418871601,
                  0.0001126461275556633838, -9.662912149757573031e-6},
                 {0.1283791670955125739, -0.3761263890318375238, 0.1128379167095512017,
                  -0.02686617064512982582, 0.005223977625423116642, -0.0008548327021921773529,
                  0.0001205533290228838116, -0.00001492564754907588663, 1.646204505472414277e-6,
                  -1.636463660480217064e-7, 1.479234749941390791e-8, -1.216422565481786383e-9,
                  8.707834948949949392e-11, -4.22901170898919761e-12});
  Num small = fma(a, odd, a), complement = a;
  if (x.isDouble()) {
    // e^(a^2) erfc(a) as a function of (a - 3) / (a + 3), 1 <= a <= 6.
    Num bounded = atMost(a, 6);
    Num t = (bounded - 3) / (bounded + 3);
    complement =
        expInRange(-(bounded * bounded)) *
        polynomial(t, {0.1790011511813899504, -0.3262335600430371961, 0.2456038017123319163,
                       -0.1501159365007832055, 0.07166583719774912304, -0.02439249931851317954,
                       0.004269136347500595573, 0.0007077464503100413026, -0.0005970623501425079802,
                       0.00004525465364626433301, 0.00006406177754203172209,
                       -0.00001284845397097588543, -8.007606751362244286e-6,
                       2.022548566774173861e-6, 1.278855871257962668e-6});
  } else {
    // -log(erfc(a)), 1 <= a <= 4.
    complement = expInRange(-polynomial(
        atMost(a, 4),
        {-0.0003209143829899536129, 1.130236722633357343, 0.6318202467817905932,
         0.1100856802918315137, -0.02642437092729082886, 0.004760747710826218149,
         -0.0005970529461310061693, 0.00004608744728982591373, -1.638637324875471326e-6}));
  }
  return withSign(select(a < 1.0, small, 1 - complement), signOf(x));
}

/// numerator / (1 + e^-x), by e^-|x| so that nothing overflows. The numerator is scaled
/// last: a product with a denormal e^x would lose bits.
static Num sigmoidOf(Num x, Num numerator) {
  Format f = formatOf(x);
  Power p = powerOf(-abs(x));
  Num t = scale(p.y, p.n, f);
  return select(x >= 0.0, numerator, scale(numerator * p.y, p.n, f)) / (t + 1);
}

static Num softplusOf(Num x) { return select(x < 0.0, x.like(0), x) + log1pOf(expOf(-abs(x))); }

/// x * gate where the gate vanishes for negative x: 0 at -infinity as well, and where
/// the gate is below what can be computed.
static Num gated(Num x, Num product) {
  return select(x < (x.isDouble() ? -765.0 : -115.0), x.like(0), product);
}

/// 2^x in f32, 0 below -125; x at most 1. Of a NaN it makes anything.
static Num exp2Bounded(Num x) {
  Format f = formatOf(x);
  Num shifted = x + f.magic;
  Num r = x - (shifted - f.magic);
  Num y = polynomial(r, {1.0000000005541665, 0.6931472057372674, 0.2402264689063424,
                         0.05550328776965723, 0.009618488957116481, 0.001339993121908177,
                         0.0001534581200087442});
  // The integer is at the lower end of the sum's bits: nothing else is left of them.
  Num scaled = (y.bits() + (shifted.bits() << f.mantissa)).asFloat();
  return select(x < -125.0, x.like(0), scaled);
}

/// In f32: |x|, bounded where a tail vanishes, and the normal distribution's upper tail
/// there. Of a NaN the first is NaN, the second anything.
struct NormalTail {
  Num a, tail;
};
static NormalTail normalTail(Num x) {
  Num a = atMost(abs(x), 20);
  // Its log2 on [0, 6], nearer where the tail itself is larger; smaller than any number that
  // counts beyond, and -infinity for large numbers.
  Num log = polynomialInHalves(a, {-0.999999966242, -1.15110648236, -0.459197477659,
                                   -0.0525313854839, 0.00711931088707, -0.000183803268495,
                                   -0.000165076438692, 3.45841872164e-5, -2.40621164352e-6});
  return {a, exp2Bounded(log)};
}

static Num normalCdfOf(Num x) {
  if (x.isDouble())
    return (erfOf(x * 0.70710678118654752440) + 1) * 0.5;
  NormalTail t = normalTail(x);
  return fma(t.a, x.like(0), select(x < 0.0, t.tail, 1 - t.tail)); // NaN stays
}

/// In f32: max(x, 0) - a p(a) with a = |x| and p the part of the gate that is below 1/2,
/// so that nothing cancels.
static Num geluSingle(Num x, bool approximate) {
  Num a = atMost(abs(x), 20), rest = a;
  if (approximate) {
    // 1 / (1 + e^u) with u = sqrt(8 / pi) (a + 0.044715 a^3).
    double linear = -2.302208198144325, cubic = linear * 0.044715; // -sqrt(8 / pi) / ln 2
    Num t = exp2Bounded(a * fma(a * a, cubic, a.like(linear)));
    rest = t / (t + 1);
  } else {
    rest = normalTail(x).tail;
  }
  return fma(-a, rest, atLeast(x, 0));
}

static Num geluOf(Num x, bool approximate) {
  if (!x.isDouble())
    return geluSingle(x, approximate);
  if (!approximate)
    return gated(x, x * normalCdfOf(x));
  // 1/2 (1 + tanh(u)) = sigmoid(2 u).
  Num u = x * fma(x * x, 2 * 0.79788456080286535588 * 0.044715, x.like(2 * 0.79788456080286535588));
  return gated(x, x * sigmoidOf(u, x.like(1)));
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

Value emitExp(OpBuilder &b, Location loc, Value x) { return expOf(Num(b, loc, x)); }
Value emitExpNonPositive(OpBuilder &b, Location loc, Value x) {
  return expNonPositiveOf(Num(b, loc, x));
}
Value emitExp2(OpBuilder &b, Location loc, Value x) { return exp2Of(Num(b, loc, x)); }
Value emitExpm1(OpBuilder &b, Location loc, Value x) { return expm1Of(Num(b, loc, x)); }
Value emitLog(OpBuilder &b, Location loc, Value x) { return logOf(Num(b, loc, x)); }
Value emitLog1p(OpBuilder &b, Location loc, Value x) { return log1pOf(Num(b, loc, x)); }
Value emitTanh(OpBuilder &b, Location loc, Value x) { return tanhOf(Num(b, loc, x)); }
Value emitErf(OpBuilder &b, Location loc, Value x) { return erfOf(Num(b, loc, x)); }
Value emitNormalCdf(OpBuilder &b, Location loc, Value x) { return normalCdfOf(Num(b, loc, x)); }
Value emitSigmoid(OpBuilder &b, Location loc, Value x) {
  Num n(b, loc, x);
  return sigmoidOf(n, n.like(1));
}
Value emitSilu(OpBuilder &b, Location loc, Value x) {
  Num n(b, loc, x);
  return gated(n, sigmoidOf(n, n));
}
Value emitSoftplus(OpBuilder &b, Location loc, Value x) { return softplusOf(Num(b, loc, x)); }
Value emitGelu(OpBuilder &b, Location loc, Value x, bool approximate) {
  return geluOf(Num(b, loc, x), approximate);
}

} // namespace tenon::cpu
