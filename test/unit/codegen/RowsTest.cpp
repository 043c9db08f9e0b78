//===- RowsTest.cpp - Rows kernels against the reference ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/CompiledFunction.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

/// A function by its arguments' types, result types and body; %a, %b ... are arguments.
struct Case {
  const char *name, *arguments, *results, *body;
  size_t kernels = 1;
  double tolerance = 8; ///< in units of eps times max(1, |expected|)
  int64_t dynamic = 37;
};

std::string textOf(const Case &c) {
  std::string text = "func.func @f(";
  llvm::SmallVector<llvm::StringRef> types;
  llvm::StringRef(c.arguments).split(types, ';', -1, false);
  for (size_t i = 0; i < types.size(); i++)
    text += (i ? ", %" : "%") + std::string(1, char('a' + i)) + ": " + types[i].trim().str();
  return text + ") -> (" + c.results + ") {\n" + c.body + "\n}\n";
}

double epsOf(tenon_dtype dtype) {
  switch (dtype) {
  case TENON_F64:
    return 0x1p-52;
  case TENON_F32:
    return 0x1p-23;
  case TENON_F16:
    return 0x1p-10;
  case TENON_BF16:
    return 0x1p-7;
  default:
    return 0;
  }
}

class RowsTest : public ::testing::TestWithParam<Case> {};

void check(const Case &c, const char *march) {
  CompiledFunction function(textOf(c), march);
  ASSERT_TRUE(function.ready) << textOf(c) << function.error;
  EXPECT_EQ(function.numKernels(), c.kernels);
  auto arguments = randomArguments(function.function(), c.dynamic);
  auto expected = function.reference(arguments);
  ASSERT_TRUE(mlir::succeeded(expected));
  auto got = function.run(arguments);
  ASSERT_EQ(got.size(), expected->size()) << function.error;
  for (size_t r = 0; r < got.size(); r++) {
    double eps = epsOf(got[r].type.dtype);
    ASSERT_EQ(got[r].size(), (*expected)[r].size());
    for (int64_t i = 0; i < got[r].size(); i++) {
      double x = got[r].at(i), y = (*expected)[r].at(i);
      if (x == y || (x != x && y != y))
        continue;
      ASSERT_LE(std::fabs(x - y), c.tolerance * eps * std::max(1.0, std::fabs(y)))
          << "result " << r << ", element " << i << ": " << x << " for " << y << "\n"
          << textOf(c);
    }
  }
}

TEST_P(RowsTest, Native) { check(GetParam(), "native"); }
TEST_P(RowsTest, Avx2) { check(GetParam(), "x86-64-v3"); }
TEST_P(RowsTest, Sse) { check(GetParam(), "x86-64-v2"); }

const Case elementwise[] = {
    {"chain", "tensor<5x7x3xf32>; tensor<5x7x3xf32>", "tensor<5x7x3xf32>", R"(
      %0 = tenon.mul %a, %b : (tensor<5x7x3xf32>, tensor<5x7x3xf32>) -> tensor<5x7x3xf32>
      %1 = tenon.exp %0 : tensor<5x7x3xf32>
      %2 = tenon.add %1, %a : (tensor<5x7x3xf32>, tensor<5x7x3xf32>) -> tensor<5x7x3xf32>
      return %2 : tensor<5x7x3xf32>)"},
    {"bias", "tensor<6x50xf64>; tensor<50xf64>", "tensor<6x50xf64>, tensor<6x50xf64>", R"(
      %0 = tenon.broadcast %b {shape = array<i64: 6, 50>, dims = array<i64: 1>}
        : (tensor<50xf64>) -> tensor<6x50xf64>
      %1 = tenon.add %a, %0 : (tensor<6x50xf64>, tensor<6x50xf64>) -> tensor<6x50xf64>
      %2 = tenon.gelu %1 : tensor<6x50xf64>
      return %1, %2 : tensor<6x50xf64>, tensor<6x50xf64>)"},
    {"dynamic", "tensor<?x9xf32>; tensor<9xf32>", "tensor<?x9xf32>", R"(
      %0 = tenon.broadcast %b, %a {shape = array<i64: -9223372036854775808, 9>, dims = array<i64: 1>}
        : (tensor<9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32>
      %1 = tenon.sub %a, %0 : (tensor<?x9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32>
      %2 = tenon.tanh %1 : tensor<?x9xf32>
      return %2 : tensor<?x9xf32>)"},
    {"large", "tensor<123x1001xf32>", "tensor<123x1001xf32>", R"(
      %0 = tenon.sigmoid %a : tensor<123x1001xf32>
      return %0 : tensor<123x1001xf32>)"},
    {"half", "tensor<77xf16>; tensor<77xbf16>", "tensor<77xf16>, tensor<77xbf16>", R"(
      %0 = tenon.silu %a : tensor<77xf16>
      %1 = tenon.softplus %b : tensor<77xbf16>
      return %0, %1 : tensor<77xf16>, tensor<77xbf16>)"},
    {"integers", "tensor<70xi64>; tensor<70xi64>; tensor<70xi8>",
     "tensor<70xi64>, tensor<70xi64>, tensor<70xi64>, tensor<70xi1>, tensor<70xi8>", R"(
      %0 = tenon.div %a, %b : (tensor<70xi64>, tensor<70xi64>) -> tensor<70xi64>
      %1 = tenon.rem %a, %b : (tensor<70xi64>, tensor<70xi64>) -> tensor<70xi64>
      %2 = tenon.pow %a, %b : (tensor<70xi64>, tensor<70xi64>) -> tensor<70xi64>
      %3 = tenon.compare %a, %b {predicate = #tenon.predicate<lt>} : (tensor<70xi64>, tensor<70xi64>) -> tensor<70xi1>
      %4 = tenon.neg %c : tensor<70xi8>
      return %0, %1, %2, %3, %4 : tensor<70xi64>, tensor<70xi64>, tensor<70xi64>, tensor<70xi1>, tensor<70xi8>)"},
    {"casts", "tensor<33xf32>; tensor<33xi1>",
     "tensor<33xi32>, tensor<33xi8>, tensor<33xf16>, tensor<33xf64>, tensor<33xi1>", R"(
      %0 = tenon.cast %a {dtype = i32} : (tensor<33xf32>) -> tensor<33xi32>
      %1 = tenon.cast %a {dtype = i8} : (tensor<33xf32>) -> tensor<33xi8>
      %2 = tenon.cast %a {dtype = f16} : (tensor<33xf32>) -> tensor<33xf16>
      %3 = tenon.cast %b {dtype = f64} : (tensor<33xi1>) -> tensor<33xf64>
      %4 = tenon.cast %a {dtype = i1} : (tensor<33xf32>) -> tensor<33xi1>
      return %0, %1, %2, %3, %4 : tensor<33xi32>, tensor<33xi8>, tensor<33xf16>, tensor<33xf64>, tensor<33xi1>)"},
    {"scalar", "tensor<f64>; tensor<f64>", "tensor<f64>", R"(
      %0 = tenon.pow %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
      return %0 : tensor<f64>)"},
    {"empty", "tensor<0x5xf32>; tensor<3x0xf32>", "tensor<0x5xf32>, tensor<3xf32>", R"(
      %0 = tenon.exp %a : tensor<0x5xf32>
      %1 = tenon.reduce_sum %b {axes = array<i64: 1>} : (tensor<3x0xf32>) -> tensor<3xf32>
      return %0, %1 : tensor<0x5xf32>, tensor<3xf32>)"},
    {"rank8", "tensor<2x1x3x1x2x2x1x3xf64>", "tensor<2x1x3x1x2x2x1x3xf64>", R"(
      %0 = tenon.sin %a : tensor<2x1x3x1x2x2x1x3xf64>
      return %0 : tensor<2x1x3x1x2x2x1x3xf64>)"},
    {"select", "tensor<40xf32>; tensor<40xf32>; tensor<40xi1>", "tensor<40xf32>, tensor<40xf32>",
     R"(
      %0 = tenon.select %c, %a, %b : (tensor<40xi1>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
      %1 = tenon.clamp %0 {lo = -0.5 : f64, hi = 0.5 : f64} : tensor<40xf32>
      %2 = tenon.rem %1, %b : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
      return %0, %2 : tensor<40xf32>, tensor<40xf32>)"},
};

const Case shapes[] = {
    {"dynamic_transpose", "tensor<?x?xf32>; tensor<?x?xf32>", "tensor<?x?xf32>", R"(
      %0 = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
      %1 = tenon.mul %0, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>)"},
    {"transpose", "tensor<19x35xf32>", "tensor<35x19xf32>", R"(
      %0 = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<19x35xf32>) -> tensor<35x19xf32>
      %1 = tenon.exp %0 : tensor<35x19xf32>
      return %1 : tensor<35x19xf32>)"},
    {"heads", "tensor<10x24xf32>", "tensor<3x10x8xf32>", R"(
      %0 = tenon.reshape %a {shape = array<i64: 10, 3, 8>} : (tensor<10x24xf32>) -> tensor<10x3x8xf32>
      %1 = tenon.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<10x3x8xf32>) -> tensor<3x10x8xf32>
      %2 = tenon.neg %1 : tensor<3x10x8xf32>
      return %2 : tensor<3x10x8xf32>)"},
    {"reshape_across", "tensor<6x35xf32>; tensor<5x42xf32>", "tensor<5x42xf32>", R"(
      %0 = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<6x35xf32>) -> tensor<35x6xf32>
      %1 = tenon.reshape %0 {shape = array<i64: 5, 42>} : (tensor<35x6xf32>) -> tensor<5x42xf32>
      %2 = tenon.add %1, %b : (tensor<5x42xf32>, tensor<5x42xf32>) -> tensor<5x42xf32>
      return %2 : tensor<5x42xf32>)"},
    {"slice_concat_pad", "tensor<6x20xf32>; tensor<6x3xf32>", "tensor<8x20xf32>", R"(
      %0 = tenon.slice %a {offsets = array<i64: 0, 3>, sizes = array<i64: 6, 8>, strides = array<i64: 1, 2>} : (tensor<6x20xf32>) -> tensor<6x8xf32>
      %1 = tenon.concat %b, %0, %b {axis = 1 : i64} : (tensor<6x3xf32>, tensor<6x8xf32>, tensor<6x3xf32>) -> tensor<6x14xf32>
      %2 = tenon.pad %1 {low = array<i64: 2, 1>, high = array<i64: 0, 5>, value = 0.5 : f64} : (tensor<6x14xf32>) -> tensor<8x20xf32>
      return %2 : tensor<8x20xf32>)"},
    {"gather", "tensor<5x18xf32>; tensor<3x4xi32>", "tensor<3x4x18xf32>", R"(
      %0 = tenon.gather %a, %b : (tensor<5x18xf32>, tensor<3x4xi32>) -> tensor<3x4x18xf32>
      return %0 : tensor<3x4x18xf32>)"},
    {"gather_missing", "tensor<3xf32>; tensor<50xi64>", "tensor<50xf32>", R"(
      %0 = tenon.gather %a, %b : (tensor<3xf32>, tensor<50xi64>) -> tensor<50xf32>
      return %0 : tensor<50xf32>)"},
    {"one_hot_iota", "tensor<7xi32>", "tensor<7x20xf32>", R"(
      %0 = tenon.one_hot %a {depth = 20 : i64, dtype = f32} : (tensor<7xi32>) -> tensor<7x20xf32>
      %1 = tenon.iota {shape = array<i64: 7, 20>, axis = 1 : i64, dtype = f32} : () -> tensor<7x20xf32>
      %2 = tenon.add %0, %1 : (tensor<7x20xf32>, tensor<7x20xf32>) -> tensor<7x20xf32>
      return %2 : tensor<7x20xf32>)"},
    {"scatter", "tensor<40xi32>; tensor<40x21xf32>", "tensor<4x21xf32>", R"(
      %0 = tenon.scatter_add %a, %b {rows = 4 : i64} : (tensor<40xi32>, tensor<40x21xf32>) -> tensor<4x21xf32>
      return %0 : tensor<4x21xf32>)",
     1, 64},
    {"scatter_large", "tensor<100x30xi64>; tensor<100x30x16xbf16>", "tensor<9x16xbf16>", R"(
      %0 = tenon.neg %b : tensor<100x30x16xbf16>
      %1 = tenon.scatter_add %a, %0 {rows = 9 : i64} : (tensor<100x30xi64>, tensor<100x30x16xbf16>) -> tensor<9x16xbf16>
      return %1 : tensor<9x16xbf16>)",
     1, 16},
    {"random", "tensor<i64>; tensor<i64>; tensor<9x11xf32>",
     "tensor<9x11xf32>, tensor<9x11xf64>, tensor<9x11xf32>", R"(
      %0 = tenon.random_uniform %a, %b {shape = array<i64: 9, 11>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<9x11xf32>
      %1 = tenon.random_normal %a, %b {shape = array<i64: 9, 11>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<9x11xf64>
      %2 = tenon.dropout %c, %a, %b {rate = 0.3 : f64, stream = 5 : i64} : (tensor<9x11xf32>, tensor<i64>, tensor<i64>) -> tensor<9x11xf32>
      return %0, %1, %2 : tensor<9x11xf32>, tensor<9x11xf64>, tensor<9x11xf32>)"},
    {"optimizers",
     "tensor<50xf32>; tensor<50xf32>; tensor<50xf32>; tensor<50xf32>; tensor<f32>; tensor<i64>",
     "tensor<50xf32>, tensor<50xf32>, tensor<50xf32>, tensor<50xf32>", R"(
      %v = tenon.mul %d, %d : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xf32>
      %one = tenon.constant dense<1> : tensor<i64>
      %t = tenon.add %f, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %0, %1, %2 = tenon.adam %a, %b, %c, %v, %e, %t {beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-8 : f64, weight_decay = 0.1 : f64}
        : (tensor<50xf32>, tensor<50xf32>, tensor<50xf32>, tensor<50xf32>, tensor<f32>, tensor<i64>) -> (tensor<50xf32>, tensor<50xf32>, tensor<50xf32>)
      %3 = tenon.sgd %a, %b, %e : (tensor<50xf32>, tensor<50xf32>, tensor<f32>) -> tensor<50xf32>
      return %0, %1, %2, %3 : tensor<50xf32>, tensor<50xf32>, tensor<50xf32>, tensor<50xf32>)",
     1, 64},
};

const Case reductions[] = {
    {"rows", "tensor<9x45xf32>", "tensor<9xf32>, tensor<9xf32>", R"(
      %0 = tenon.reduce_sum %a {axes = array<i64: 1>} : (tensor<9x45xf32>) -> tensor<9xf32>
      %1 = tenon.reduce_max %a {axes = array<i64: 1>} : (tensor<9x45xf32>) -> tensor<9xf32>
      return %0, %1 : tensor<9xf32>, tensor<9xf32>)",
     1, 64},
    {"columns", "tensor<45x9xf64>", "tensor<9xf64>, tensor<9xf64>", R"(
      %0 = tenon.reduce_mean %a {axes = array<i64: 0>} : (tensor<45x9xf64>) -> tensor<9xf64>
      %1 = tenon.reduce_min %a {axes = array<i64: 0>} : (tensor<45x9xf64>) -> tensor<9xf64>
      return %0, %1 : tensor<9xf64>, tensor<9xf64>)",
     1, 64},
    {"columns_split", "tensor<700x130xf32>; tensor<130xf32>; tensor<f32>", "tensor<130xf32>", R"(
      %0 = tenon.reduce_sum %a {axes = array<i64: 0>} : (tensor<700x130xf32>) -> tensor<130xf32>
      %1 = tenon.sgd %b, %0, %c : (tensor<130xf32>, tensor<130xf32>, tensor<f32>) -> tensor<130xf32>
      return %1 : tensor<130xf32>)",
     1, 256},
    {"all_split", "tensor<300x401xf32>; tensor<300x401xf32>", "tensor<f32>", R"(
      %0 = tenon.mse_loss %a, %b : (tensor<300x401xf32>, tensor<300x401xf32>) -> tensor<f32>
      return %0 : tensor<f32>)",
     1, 64},
    {"argmax", "tensor<6x50xf32>; tensor<50x6xi32>", "tensor<6xi64>, tensor<6xi64>", R"(
      %0 = tenon.argmax %a {axis = 1 : i64} : (tensor<6x50xf32>) -> tensor<6xi64>
      %1 = tenon.argmin %b {axis = 0 : i64} : (tensor<50x6xi32>) -> tensor<6xi64>
      return %0, %1 : tensor<6xi64>, tensor<6xi64>)",
     1},
    {"argmax_split", "tensor<100000xf64>", "tensor<i64>", R"(
      %0 = tenon.argmax %a {axis = 0 : i64} : (tensor<100000xf64>) -> tensor<i64>
      return %0 : tensor<i64>)"},
    {"middle", "tensor<3x5x4x17xf32>", "tensor<3x17xf32>, tensor<3x1x1x17xf32>", R"(
      %0 = tenon.reduce_sum %a {axes = array<i64: 1, 2>} : (tensor<3x5x4x17xf32>) -> tensor<3x17xf32>
      %1 = tenon.reduce_prod %a {axes = array<i64: 1, 2>, keep = true} : (tensor<3x5x4x17xf32>) -> tensor<3x1x1x17xf32>
      return %0, %1 : tensor<3x17xf32>, tensor<3x1x1x17xf32>)",
     1, 64},
    {"alternating", "tensor<5x6x7x8xf64>", "tensor<6x8xf64>", R"(
      %0 = tenon.reduce_sum %a {axes = array<i64: 0, 2>} : (tensor<5x6x7x8xf64>) -> tensor<6x8xf64>
      return %0 : tensor<6x8xf64>)",
     1, 64},
    {"dynamic", "tensor<?x?xf32>", "tensor<?xf32>, tensor<f32>", R"(
      %0 = tenon.reduce_mean %a {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
      %1 = tenon.reduce_sum %a {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>
      return %0, %1 : tensor<?xf32>, tensor<f32>)",
     2, 64},
    {"integers", "tensor<20x30xi32>", "tensor<20xi32>", R"(
      %0 = tenon.reduce_sum %a {axes = array<i64: 1>} : (tensor<20x30xi32>) -> tensor<20xi32>
      return %0 : tensor<20xi32>)"},
};

const Case rowKernels[] = {
    {"softmax", "tensor<7x100xf32>", "tensor<7x100xf32>", R"(
      %0 = tenon.softmax %a {axis = 1 : i64} : (tensor<7x100xf32>) -> tensor<7x100xf32>
      return %0 : tensor<7x100xf32>)"},
    {"softmax_middle", "tensor<3x9x20xf64>", "tensor<3x9x20xf64>", R"(
      %0 = tenon.softmax %a {axis = 1 : i64} : (tensor<3x9x20xf64>) -> tensor<3x9x20xf64>
      return %0 : tensor<3x9x20xf64>)"},
    {"log_softmax_large", "tensor<900x100xf32>", "tensor<900x100xf32>", R"(
      %0 = tenon.log_softmax %a {axis = 0 : i64} : (tensor<900x100xf32>) -> tensor<900x100xf32>
      return %0 : tensor<900x100xf32>)"},
    {"norm", "tensor<4x6x33xf32>; tensor<4x6x33xf32>; tensor<33xf32>; tensor<33xf32>",
     "tensor<4x6x33xf32>, tensor<4x6x33xf32>", R"(
      %h = tenon.add %a, %b : (tensor<4x6x33xf32>, tensor<4x6x33xf32>) -> tensor<4x6x33xf32>
      %0 = tenon.layer_norm %h, %c bias %d {eps = 1.0e-5 : f64} : (tensor<4x6x33xf32>, tensor<33xf32>, tensor<33xf32>) -> tensor<4x6x33xf32>
      return %h, %0 : tensor<4x6x33xf32>, tensor<4x6x33xf32>)",
     1, 64},
    {"rms", "tensor<5x64xbf16>; tensor<64xbf16>", "tensor<5x64xbf16>", R"(
      %0 = tenon.rms_norm %a, %b {eps = 1.0e-5 : f64} : (tensor<5x64xbf16>, tensor<64xbf16>) -> tensor<5x64xbf16>
      return %0 : tensor<5x64xbf16>)"},
    {"cross_entropy", "tensor<9x21xf32>; tensor<9xi32>", "tensor<f32>", R"(
      %0 = tenon.softmax_cross_entropy %a, %b {floor = 0.0 : f64} : (tensor<9x21xf32>, tensor<9xi32>) -> tensor<9xf32>
      %1 = tenon.reduce_mean %0 {axes = array<i64: 0>} : (tensor<9xf32>) -> tensor<f32>
      return %1 : tensor<f32>)",
     2, 64},
    {"soft_cross_entropy", "tensor<9x21xf64>; tensor<9x21xf64>", "tensor<9xf64>", R"(
      %t = tenon.softmax %b {axis = 1 : i64} : (tensor<9x21xf64>) -> tensor<9x21xf64>
      %0 = tenon.softmax_cross_entropy %a, %t {floor = 1.0e-7 : f64} : (tensor<9x21xf64>, tensor<9x21xf64>) -> tensor<9xf64>
      return %0 : tensor<9xf64>)",
     1, 64},
    {"probabilities", "tensor<9x21xf64>; tensor<9x21xf64>", "tensor<9xf64>", R"(
      %p = tenon.softmax %a {axis = 1 : i64} : (tensor<9x21xf64>) -> tensor<9x21xf64>
      %0 = tenon.cross_entropy %p, %b {floor = 1.0e-7 : f64} : (tensor<9x21xf64>, tensor<9x21xf64>) -> tensor<9xf64>
      return %0 : tensor<9xf64>)",
     1, 256},
    {"softmax_gradient", "tensor<8x40xf32>; tensor<8x40xf32>", "tensor<8x40xf32>", R"(
      %y = tenon.softmax %a {axis = 1 : i64} : (tensor<8x40xf32>) -> tensor<8x40xf32>
      %0 = tenon.mul %y, %b : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
      %1 = tenon.reduce_sum %0 {axes = array<i64: 1>, keep = true} : (tensor<8x40xf32>) -> tensor<8x1xf32>
      %2 = tenon.broadcast %1 {shape = array<i64: 8, 40>, dims = array<i64: 0, 1>} : (tensor<8x1xf32>) -> tensor<8x40xf32>
      %3 = tenon.sub %b, %2 : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
      %4 = tenon.mul %y, %3 : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
      return %4 : tensor<8x40xf32>)"},
    {"dynamic_softmax", "tensor<?x?xf32>", "tensor<?x?xf32>", R"(
      %0 = tenon.softmax %a {axis = 1 : i64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>)"},
};

std::string nameOf(const ::testing::TestParamInfo<Case> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Elementwise, RowsTest, ::testing::ValuesIn(elementwise), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, RowsTest, ::testing::ValuesIn(shapes), nameOf);
INSTANTIATE_TEST_SUITE_P(Reductions, RowsTest, ::testing::ValuesIn(reductions), nameOf);
INSTANTIATE_TEST_SUITE_P(Passes, RowsTest, ::testing::ValuesIn(rowKernels), nameOf);

} // namespace
