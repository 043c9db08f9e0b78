//===- KnownFaultsTest.cpp - Where other compilers went wrong -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of faults that tensor compilers are known to have had, with the values that are
// right by arithmetic alone.
//
//===----------------------------------------------------------------------===//
#include "test/unit/capi/CompileFixture.h"

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

using Doubles = std::vector<double>;
using Extents = std::vector<int64_t>;

class KnownFaultsTest : public CompileTest {
protected:
  void TearDown() override { tenon_executable_release(executable); }

  void compileText(const std::string &text) {
    tenon_status status =
        tenon_compile_mlir(text.data(), int64_t(text.size()), "f", &options, &executable);
    ASSERT_EQ(status, nullptr) << take(status);
  }

  /// Runs on f64 inputs; results have these shapes.
  std::vector<Doubles> results(std::vector<std::pair<Doubles, Extents>> inputs,
                               std::vector<Extents> shapes) {
    std::vector<Doubles> values;
    std::vector<tenon_tensor> given, taken;
    for (auto &[data, extents] : inputs)
      given.push_back({nullptr, data.data(), TENON_F64, int64_t(extents.size()), extents.data()});
    for (const Extents &shape : shapes) {
      int64_t size = 1;
      for (int64_t extent : shape)
        size *= extent;
      values.emplace_back(size, NAN);
    }
    for (size_t i = 0; i < shapes.size(); i++)
      taken.push_back(
          {nullptr, values[i].data(), TENON_F64, int64_t(shapes[i].size()), shapes[i].data()});
    run(executable, given, taken);
    return values;
  }

  tenon_executable *executable = nullptr;
};

/// One key has all the weight whatever its score: nothing depends on the query or the key.
TEST_P(KnownFaultsTest, AttentionToOneKeyHasNoSlope) {
  compileText(R"(
    func.func @f(%q: tensor<1x1x1x5xf64>, %k: tensor<1x1x1x5xf64>, %v: tensor<1x1x1x5xf64>)
        -> (tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>) {
      %o, %lse = tenon.attention %q, %k, %v {scale = 0.3 : f64}
        : (tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>)
        -> (tensor<1x1x1x5xf64>, tensor<1x1x1xf64>)
      %dq = tenon.gradient %o, %q, %v
        : (tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>) -> tensor<1x1x1x5xf64>
      %dk = tenon.gradient %o, %k, %v
        : (tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>) -> tensor<1x1x1x5xf64>
      return %o, %dq, %dk : tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>, tensor<1x1x1x5xf64>
    })");
  Extents shape{1, 1, 1, 5};
  Doubles v{0.1, -7, 3, 1e3, -0.7};
  auto y = results({{{3, 1, -2, 5, 0.3}, shape}, {{1, -1, 4, 0.1, 9}, shape}, {v, shape}},
                   {shape, shape, shape});
  EXPECT_EQ(y[0], v);
  EXPECT_EQ(y[1], Doubles(5, 0));
  EXPECT_EQ(y[2], Doubles(5, 0));
}

/// A scalar that is spread over an axis collects its gradient over all of it.
TEST_P(KnownFaultsTest, GradientSumsOverTheSpreadAxis) {
  compileText(R"(
    func.func @f(%z: tensor<f64>, %zeros: tensor<1000xf64>) -> tensor<f64> {
      %one = tenon.exp %z : tensor<f64>
      %all = tenon.broadcast %z {shape = array<i64: 1000>, dims = array<i64>}
        : (tensor<f64>) -> tensor<1000xf64>
      %d = tenon.sub %all, %zeros : (tensor<1000xf64>, tensor<1000xf64>) -> tensor<1000xf64>
      %e = tenon.exp %d : tensor<1000xf64>
      %s = tenon.reduce_sum %e {axes = array<i64: 0>} : (tensor<1000xf64>) -> tensor<f64>
      %y = tenon.add %one, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %g = tenon.gradient %y, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
      return %g : tensor<f64>
    })");
  auto y = results({{{1}, {}}, {Doubles(1000, 0), {1000}}}, {{}});
  EXPECT_NEAR(y[0][0], 1001 * std::exp(1.0), 1e-10);
}

/// x, plus x, and what is below 0 cut away, ten thousand ops long.
TEST_P(KnownFaultsTest, TenThousandOpsInARow) {
  constexpr int kPairs = 5000;
  const std::string type = "tensor<3xf64>";
  std::string text = "func.func @f(%x: " + type + ") -> (" + type + ", " + type + ") {\n", y = "%x";
  for (int i = 0; i < kPairs; i++) {
    std::string a = "%a" + std::to_string(i), r = "%r" + std::to_string(i);
    text += a + " = tenon.add " + y + ", %x : (" + type + ", " + type + ") -> " + type + "\n" + r +
            " = tenon.relu " + a + " : " + type + "\n";
    y = r;
  }
  text += "%s = tenon.reduce_sum " + y + " {axes = array<i64: 0>} : (" + type +
          ") -> tensor<f64>\n%g = tenon.gradient %s, %x : (tensor<f64>, " + type + ") -> " + type +
          "\nreturn " + y + ", %g : " + type + ", " + type + "\n}\n";
  compileText(text);
  auto values = results({{{0.5, 2, 3}, {3}}}, {{3}, {3}});
  EXPECT_EQ(values[0], (Doubles{0.5 * (kPairs + 1), 2 * (kPairs + 1), 3 * (kPairs + 1)}));
  EXPECT_EQ(values[1], Doubles(3, kPairs + 1));
}

TEST_P(KnownFaultsTest, SoftmaxOfOneAndThenOfTen) {
  compileText(R"(
    func.func @f(%x: tensor<2x?xf64>) -> tensor<2x?xf64> {
      %y = tenon.softmax %x {axis = 1 : i64} : (tensor<2x?xf64>) -> tensor<2x?xf64>
      return %y : tensor<2x?xf64>
    })");
  EXPECT_EQ(results({{{5, -3}, {2, 1}}}, {{2, 1}})[0], Doubles(2, 1));
  auto ten = results({{Doubles(20, 4), {2, 10}}}, {{2, 10}});
  for (double y : ten[0])
    EXPECT_NEAR(y, 0.1, 1e-16);
  EXPECT_EQ(results({{{0, 0}, {2, 1}}}, {{2, 1}})[0], Doubles(2, 1));
}

/// x^2 and x in a sum: 2 x + 1 from three uses.
TEST_P(KnownFaultsTest, ALeafThatIsUsedThreeTimes) {
  compileText(R"(
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %m = tenon.mul %x, %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      %y = tenon.add %m, %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      %s = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
      %g = tenon.gradient %s, %x : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
      return %g : tensor<4xf64>
    })");
  EXPECT_EQ(results({{{-1, 0, 2, 0.25}, {4}}}, {{4}})[0], (Doubles{-1, 1, 5, 1.5}));
}

/// Rows in which everything is masked have no weights, and what they depend on no slope.
TEST_P(KnownFaultsTest, RowsOfMinusInfinity) {
  compileText(R"(
    func.func @f(%x: tensor<3x4xf64>, %w: tensor<3x4xf64>)
        -> (tensor<3x4xf64>, tensor<3x4xf64>, tensor<3xf64>) {
      %y = tenon.softmax %x {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
      %g = tenon.gradient %y, %x, %w
        : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
      %m = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<3x4xf64>) -> tensor<3xf64>
      return %y, %g, %m : tensor<3x4xf64>, tensor<3x4xf64>, tensor<3xf64>
    })");
  const double none = -INFINITY;
  auto y = results({{{1, 1, 1, 1, none, none, none, none, 2, none, 2, none}, {3, 4}},
                    {{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, {3, 4}}},
                   {{3, 4}, {3, 4}, {3}});
  EXPECT_EQ(y[0], (Doubles{0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0, 0.5, 0, 0.5, 0}));
  EXPECT_EQ(y[1], (Doubles{-0.375, -0.125, 0.125, 0.375, 0, 0, 0, 0, -0.5, 0, 0.5, 0}));
  EXPECT_EQ(y[2], (Doubles{1, none, 2}));
}

/// Beside the middle of two neighbours by less than f32 holds: rounding to f32 on the way gives
/// the wrong one.
TEST_P(KnownFaultsTest, CastsRoundOnce) {
  compileText(R"(
    func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<2xf64>)
        -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
      %h = tenon.cast %x {dtype = f16} : (tensor<2xf64>) -> tensor<2xf16>
      %b = tenon.cast %y {dtype = bf16} : (tensor<2xf64>) -> tensor<2xbf16>
      %i = tenon.cast %z {dtype = i32} : (tensor<2xf64>) -> tensor<2xi32>
      %c = tenon.cast %i {dtype = bf16} : (tensor<2xi32>) -> tensor<2xbf16>
      %0 = tenon.cast %h {dtype = f64} : (tensor<2xf16>) -> tensor<2xf64>
      %1 = tenon.cast %b {dtype = f64} : (tensor<2xbf16>) -> tensor<2xf64>
      %2 = tenon.cast %c {dtype = f64} : (tensor<2xbf16>) -> tensor<2xf64>
      return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
    })");
  double middle = 1 + 0x1p-8, one = 0x1p30;
  auto got = results({{{-0.20489502455118985, 0.25}, {2}},
                      {{middle + 0x1p-30, middle - 0x1p-30}, {2}},
                      {{one * middle + 1, one * middle - 1}, {2}}},
                     {{2}, {2}, {2}});
  EXPECT_EQ(got[0], (Doubles{-0.2049560546875, 0.25}));
  EXPECT_EQ(got[1], (Doubles{1 + 0x1p-7, 1}));
  EXPECT_EQ(got[2], (Doubles{one * (1 + 0x1p-7), one}));
}

INSTANTIATE_TEST_SUITE_P(Devices, KnownFaultsTest, testing::Values("cpu", "reference"));

} // namespace
