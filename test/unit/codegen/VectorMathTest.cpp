//===- VectorMathTest.cpp - Errors of vector functions in ulp -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense samples of all exponents, of denormals and of each function's own interesting
// range, against long double.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/VectorMath.h"

#include "test/unit/codegen/CompiledKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace tenon;
using namespace tenon::cpu;
using namespace tenon::test;

namespace {

using Real = long double;
using EmitFunction = std::function<Value(OpBuilder &, Location, Value)>;

Real ofY(Real, Real y) { return y; }
Real ofX(Real x, Real y) { return std::max(fabsl(x), fabsl(y)); }

Real ofOne(Real, Real) { return 1; }

struct Function {
  const char *name;
  EmitFunction emit;
  Real (*exact)(Real);
  double low, high; ///< where most samples lie
  /// Errors are in units of the last place of this.
  Real (*scale)(Real x, Real y) = ofY;
  Real bound = 2;
};

Real sigmoid(Real x) { return 1 / (1 + expl(-x)); }
Real silu(Real x) { return x == -INFINITY ? 0 : x / (1 + expl(-x)); }
Real softplus(Real x) { return fmaxl(x, 0) + log1pl(expl(-fabsl(x))) + (x != x ? x : 0); }
Real gelu(Real x) { return x == -INFINITY ? 0 : x / 2 * (1 + erfl(x * sqrtl(0.5L))); }
Real normalCdf(Real x) { return erfcl(-x * sqrtl(0.5L)) / 2; }
Real geluTanh(Real x) {
  return x == -INFINITY ? 0
                        : x / 2 * (1 + tanhl(sqrtl(2 / acosl(-1)) * (x + 0.044715L * x * x * x)));
}
const Function functions[] = {
    {"exp", emitExp, expl, -110, 95},
    {"exp2", emitExp2, exp2l, -155, 130},
    {"expm1", emitExpm1, expm1l, -5, 5},
    {"log", emitLog, logl, 0.25, 4},
    {"log1p", emitLog1p, log1pl, -1, 3},
    {"tanh", emitTanh, tanhl, -12, 12},
    {"erf", emitErf, erfl, -5, 5},
    {"sin", emitSin, sinl, -100, 100},
    {"cos", emitCos, cosl, -100, 100},
    {"sigmoid", emitSigmoid, sigmoid, -20, 20, ofY, 2.5},
    {"silu", emitSilu, silu, -20, 20, ofY, 3},
    {"softplus", emitSoftplus, softplus, -20, 20},
    {"normal_cdf", emitNormalCdf, normalCdf, -6, 6, ofOne},
    {"gelu", [](OpBuilder &b, Location loc, Value x) { return emitGelu(b, loc, x, false); }, gelu,
     -6, 6, ofX},
    {"gelu_tanh", [](OpBuilder &b, Location loc, Value x) { return emitGelu(b, loc, x, true); },
     geluTanh, -6, 6, ofX},
};

template <typename T> Real ulpOf(Real y) {
  if (fabsl(y) < std::numeric_limits<T>::min())
    return std::numeric_limits<T>::denorm_min();
  int exponent;
  frexpl(y, &exponent);
  return ldexpl(1, exponent - std::numeric_limits<T>::digits);
}

/// A NaN with bits set at its lower end, as R's NA.
template <typename T> T notAvailable() {
  return sizeof(T) == 8 ? T(std::nan("1954")) : T(std::nanf("1954"));
}

template <typename T> std::vector<T> samples(double low, double high) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(low, high), unit(-1, 1);
  int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  int most = std::numeric_limits<T>::max_exponent;
  std::uniform_int_distribution<int> exponent(least, most);
  std::vector<T> x = {0,
                      T(-0.0),
                      INFINITY,
                      -INFINITY,
                      NAN,
                      notAvailable<T>(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::max(),
                      -std::numeric_limits<T>::max(),
                      1,
                      -1,
                      T(0.5),
                      T(-0.5),
                      2};
  for (int i = 0; i < 60000; i++)
    x.push_back(T(uniform(generator)));
  for (int i = 0; i < 20000; i++)
    x.push_back(T(std::ldexp(unit(generator), exponent(generator))));
  for (int i = 0; i < 20000; i++) // near multiples of pi/2
    x.push_back(T((i - 10000) * 1.57079632679489661923));
  while (x.size() % 32)
    x.push_back(1);
  return x;
}

/// y[i] = f(x[i]) by vectors, or by scalars.
LogicalResult emitMap(KernelFrame &frame, int lanes, EmitFunction f) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  Type element = cast<RankedTensorType>(frame.kernel().getInputs()[0].getType()).getElementType();
  auto loop = b.create<scf::ForOp>(loc, frame.index(0), frame.extent(0, 0), frame.index(lanes));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  if (lanes == 1) {
    Value y = f(b, loc, b.create<memref::LoadOp>(loc, frame.buffer(0), i));
    b.create<memref::StoreOp>(loc, y, frame.result(0), i);
    return success();
  }
  Value x = b.create<vector::LoadOp>(loc, VectorType::get(lanes, element), frame.buffer(0), i);
  b.create<vector::StoreOp>(loc, f(b, loc, x), frame.result(0), i);
  return success();
}

template <typename T> void check(const Function &function, int lanes, const char *march) {
  std::string type = sizeof(T) == 8 ? "tensor<?xf64>" : "tensor<?xf32>";
  Kernel kernel(
      type, type, [&](KernelFrame &frame) { return emitMap(frame, lanes, function.emit); }, march);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<T> x = samples<T>(function.low, function.high), y(x.size());
  kernel.run({x.data(), y.data()}, {int64_t(x.size()), int64_t(x.size())});
  Real worst = 0;
  T at = 0;
  for (size_t i = 0; i < x.size(); i++) {
    Real exact = function.exact(x[i]);
    if (exact != exact || y[i] != y[i]) {
      ASSERT_EQ(exact != exact, y[i] != y[i]) << function.name << "(" << x[i] << ") = " << y[i];
      continue;
    }
    if (std::isinf(T(exact)) || std::isinf(y[i])) {
      bool edge = fabsl(exact) > std::numeric_limits<T>::max() * (1 - 2e-7L);
      ASSERT_TRUE(y[i] == T(exact) || edge) << function.name << "(" << x[i] << ") = " << y[i];
      continue;
    }
    if (exact == 0 && std::fabs(x[i]) < 1) {
      ASSERT_EQ(std::signbit(y[i]), std::signbit(T(exact))) << function.name << "(" << x[i] << ")";
    }
    Real error = fabsl(y[i] - exact) / ulpOf<T>(function.scale(x[i], exact));
    if (error > worst) {
      worst = error;
      at = x[i];
    }
  }
  EXPECT_LE(worst, function.bound + (std::string(march) == "native" ? 0 : 0.25L))
      << function.name << " at " << at;
  if (std::getenv("TENON_TEST_SHOW_ULP"))
    std::fprintf(stderr, "%-10s %s lanes %2d: %.2Lf ulp at %g\n", function.name,
                 sizeof(T) == 8 ? "f64" : "f32", lanes, worst, double(at));
}

class VectorMathTest : public ::testing::TestWithParam<Function> {};
TEST_P(VectorMathTest, SingleVector) { check<float>(GetParam(), 16, "native"); }
TEST_P(VectorMathTest, DoubleVector) { check<double>(GetParam(), 8, "native"); }
TEST_P(VectorMathTest, SingleScalarWithoutFma) { check<float>(GetParam(), 1, "x86-64-v2"); }
TEST_P(VectorMathTest, SingleScalar) { check<float>(GetParam(), 1, "native"); }
TEST_P(VectorMathTest, DoubleScalar) { check<double>(GetParam(), 1, "native"); }
TEST_P(VectorMathTest, DoubleVectorWithoutFma) { check<double>(GetParam(), 2, "x86-64-v2"); }

INSTANTIATE_TEST_SUITE_P(Functions, VectorMathTest, ::testing::ValuesIn(functions),
                         [](auto &info) { return std::string(info.param.name); });

/// e^-|x| as row kernels compute it, who want 0 for denormals.
template <typename T> void checkExpNonPositive(int lanes, const char *march) {
  CpuTarget target = llvm::cantFail(CpuTarget::get(march));
  auto emit = [target](OpBuilder &b, Location loc, Value x) -> Value {
    x = b.create<arith::NegFOp>(loc, b.create<math::AbsFOp>(loc, x));
    return canEmitExpTable(target, x.getType()) ? emitExpTable(b, loc, x)
                                                : emitExpNonPositive(b, loc, x);
  };
  auto exact = [](Real x) {
    Real y = expl(-fabsl(x));
    return y < std::numeric_limits<T>::min() ? 0 : y;
  };
  double low = sizeof(T) == 8 ? -708 : -87;
  check<T>({"exp(-|x|)", emit, exact, low, 0, ofY, 1.25}, lanes, march);
}
TEST(VectorExpNonPositiveTest, Single) {
  checkExpNonPositive<float>(16, "native");
  checkExpNonPositive<float>(32, "native"); // of two vectors
  checkExpNonPositive<float>(8, "native");  // of less than one
  checkExpNonPositive<float>(1, "x86-64-v2");
}
TEST(VectorExpNonPositiveTest, Double) {
  checkExpNonPositive<double>(8, "native");
  checkExpNonPositive<double>(16, "native");
  checkExpNonPositive<double>(4, "native");
  checkExpNonPositive<double>(1, "x86-64-v2");
}

template <typename T> void checkPow(int lanes) {
  std::string type = sizeof(T) == 8 ? "tensor<?xf64>" : "tensor<?xf32>";
  Kernel kernel(type + ", " + type, type, [&](KernelFrame &frame) {
    return emitMap(frame, lanes, [&](OpBuilder &b, Location loc, Value x) {
      Value i = cast<scf::ForOp>(b.getInsertionBlock()->getParentOp()).getInductionVar();
      Value y = b.create<vector::LoadOp>(loc, x.getType(), frame.buffer(1), i);
      return emitPow(b, loc, x, y);
    });
  });
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<T> special = {0,
                            T(-0.0),
                            1,
                            -1,
                            2,
                            -2,
                            3,
                            -3,
                            T(0.5),
                            T(-0.5),
                            T(1.5),
                            INFINITY,
                            -INFINITY,
                            NAN,
                            std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::max(),
                            -std::numeric_limits<T>::max()};
  std::vector<T> x, y;
  for (T a : special)
    for (T c : special)
      x.push_back(a), y.push_back(c);
  std::vector<T> bases = samples<T>(0, 3), exponents = samples<T>(-40, 40);
  std::reverse(exponents.begin(), exponents.end());
  for (size_t i = 0; i < bases.size(); i++) {
    x.push_back(bases[i]), y.push_back(exponents[i]);
    x.push_back(-bases[i]), y.push_back(T(int(i % 41) - 20));
  }
  while (x.size() % 16)
    x.push_back(1), y.push_back(1);
  std::vector<T> z(x.size());
  int64_t n = x.size();
  kernel.run({x.data(), y.data(), z.data()}, {n, n, n});
  Real worst = 0;
  for (size_t i = 0; i < x.size(); i++) {
    Real exact = powl(x[i], y[i]);
    if (exact != exact || z[i] != z[i]) {
      ASSERT_EQ(exact != exact, z[i] != z[i]) << x[i] << "^" << y[i] << " = " << z[i];
    } else if (std::isinf(T(exact)) || std::isinf(z[i]) || exact == 0) {
      bool edge = fabsl(exact) > std::numeric_limits<T>::max() * (1 - 2e-7L);
      ASSERT_TRUE(z[i] == T(exact) || edge) << x[i] << "^" << y[i] << " = " << z[i];
    } else {
      worst = std::max(worst, fabsl(z[i] - exact) / ulpOf<T>(exact));
    }
  }
  EXPECT_LE(worst, 2);
  if (std::getenv("TENON_TEST_SHOW_ULP"))
    std::fprintf(stderr, "pow        lanes %2d: %.2Lf ulp\n", lanes, worst);
}
TEST(VectorPowTest, Single) { checkPow<float>(16); }
TEST(VectorPowTest, Double) { checkPow<double>(8); }

} // namespace
