//===- ErrorBoundsTest.cpp - Bounds hold, and find what is wrong ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/ErrorBounds.h"
#include "test/unit/codegen/CompiledFunction.h"

#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::test;
using reference::evaluateWithBounds;
using reference::Judgement;

namespace {

const char *const dtypes[] = {"f64", "f32", "f16", "bf16"};

/// The text with an element type for every "!t" and the type that sums have for "!s".
std::string withType(std::string text, const std::string &type) {
  for (size_t at; (at = text.find("!t")) != std::string::npos;)
    text.replace(at, 2, type);
  for (size_t at; (at = text.find("!s")) != std::string::npos;)
    text.replace(at, 2, type == "f64" ? "f64" : "f32");
  return text;
}

class Program {
public:
  explicit Program(const std::string &text) {
    mlir::DialectRegistry registry;
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<TenonDialect, mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
  /// All results, with bounds.
  std::vector<Array> evaluate(llvm::ArrayRef<Array> arguments) {
    if (!module)
      return {};
    auto results = evaluateWithBounds(*module->getOps<mlir::func::FuncOp>().begin(), arguments);
    return mlir::succeeded(results) ? *results : std::vector<Array>();
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

Array vector(std::vector<double> elements, tenon_dtype dtype = TENON_F32) {
  Array x(infer::Type::make(dtype, {int64_t(elements.size())}));
  x.reals = elements;
  return x;
}

Array matrix(int64_t rows, std::vector<double> elements) {
  Array x(infer::Type::make(TENON_F32, {rows, int64_t(elements.size()) / rows}));
  x.reals = elements;
  return x;
}

/// The rule by the largest element: 64 eps of it.
bool passesByLargest(const Array &got, const Array &expected) {
  double error = 0, largest = 0;
  for (int64_t i = 0; i < got.size(); i++) {
    error = std::max(error, std::fabs(got.at(i) - expected.at(i)));
    largest = std::max(largest, std::fabs(expected.at(i)));
  }
  return error <= 64 * 0x1p-23 * largest;
}

/// What the compiler makes of the text, for each element type, is within the bounds.
void expectRight(const char *text, double low, double high) {
  for (const char *dtype : dtypes) {
    CompiledFunction compiled(withType(text, dtype));
    ASSERT_TRUE(compiled.ready) << compiled.error;
    auto arguments = randomArguments(compiled.function(), 0);
    for (Array &argument : arguments)
      for (double &x : argument.reals)
        x = reference::roundTo(argument.type.dtype,
                               low + (high - low) * (std::sin(x * 99) + 1) / 2);
    auto expected = evaluateWithBounds(compiled.function(), arguments);
    ASSERT_TRUE(mlir::succeeded(expected));
    auto got = compiled.run(arguments);
    ASSERT_EQ(got.size(), expected->size()) << compiled.error;
    for (size_t r = 0; r < got.size(); r++) {
      Judgement judgement = judge(got[r], (*expected)[r]);
      EXPECT_LE(judgement.worst, 1) << dtype << ", result " << r << ", element " << judgement.place;
      EXPECT_EQ(judgement.undecided, 0) << dtype << ", result " << r;
    }
  }
}

const char *const product =
    R"(func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x1xf32>) -> tensor<2x1xf32> {
  %y = tenon.matmul %a, %b : (tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
})";

TEST(ErrorBounds, FindsAWrongSmallElementBesideALargeOne) {
  Program program(product);
  auto expected =
      program.evaluate({matrix(2, {1e6, 2e6, 3e6, 1e-3, 2e-3, 3e-3}), matrix(3, {1, 1, 1})});
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  got.reals[1] *= 1.001;
  EXPECT_TRUE(passesByLargest(got, expected[0]));
  Judgement judgement = judge(got, expected[0]);
  EXPECT_GT(judgement.worst, 100);
  EXPECT_EQ(judgement.place, 1);
}

TEST(ErrorBounds, AllowsWhatCancels) {
  Program program(product);
  auto expected = program.evaluate({matrix(2, {1e6, -1e6, 1e-3, 1, 2, 3}), matrix(3, {1, 1, 1})});
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  got.reals[0] += 0.1; // a rounding of 1e6 in f32 is .06
  EXPECT_LE(judge(got, expected[0]).worst, 1);
  got.reals[0] += 10;
  EXPECT_GT(judge(got, expected[0]).worst, 1);
}

// 0 times infinity, if these come first; all the same if no product vanishes.
TEST(ErrorBounds, OpenWhereTheOrderOfAProductDecides) {
  Program program(R"(func.func @f(%x: tensor<3xf32>) -> tensor<f32> {
    %y = tenon.reduce_prod %x {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
    return %y : tensor<f32>
  })");
  auto boundOf = [&](double a, double b, double c) {
    Array x(infer::Type::make(TENON_F32, {3}));
    x.reals = {a, b, c};
    return program.evaluate({x})[0].errors[0];
  };
  EXPECT_EQ(boundOf(INFINITY, 1e-30, 1e-30), INFINITY);
  EXPECT_EQ(boundOf(1e30, 1e30, 1e-30), INFINITY);
  EXPECT_EQ(boundOf(INFINITY, 2, 1e-30), 0);
  EXPECT_LT(boundOf(3, 2, 1e-30), 1e-35);
  EXPECT_LT(boundOf(3, 0, 2), 1e-35);
}

TEST(ErrorBounds, AMissingTermOfASumIsFound) {
  Program program(R"(func.func @f(%x: tensor<100xf16>) -> tensor<f16> {
    %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<100xf16>) -> tensor<f16>
    return %y : tensor<f16>
  })");
  auto expected = program.evaluate(vector(std::vector<double>(100, 1.0), TENON_F16));
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  EXPECT_LE(judge(got, expected[0]).worst, 1);
  got.reals[0] = 99;
  EXPECT_GT(judge(got, expected[0]).worst, 1);
}

TEST(ErrorBounds, AComparisonThatRoundingDecidesMayGoEitherWay) {
  Program program(R"(func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %z = tenon.sqrt %x : tensor<3xf32>
    %c = tenon.compare %z, %y {predicate = #tenon.predicate<lt>}
      : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %r = tenon.select %c, %x, %y : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %r : tensor<3xf32>
  })");
  // The root of 2 against itself rounded; others are far from it.
  double root = 1.41421353816986083984375;
  auto expected = program.evaluate({vector({2, 2, 2}), vector({root, 1, 5})});
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  got.reals = {2, 1, 2};
  EXPECT_LE(judge(got, expected[0]).worst, 1);
  got.reals = {root, 1, 2};
  EXPECT_LE(judge(got, expected[0]).worst, 1);
  got.reals = {root, 2, 2};
  EXPECT_EQ(judge(got, expected[0]).place, 1);
}

TEST(ErrorBounds, WhatOverflowsIsUndecided) {
  Program program(R"(func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    %y = tenon.mul %x, %x : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
    %z = tenon.sqrt %y : tensor<2xf16>
    return %z : tensor<2xf16>
  })");
  auto expected = program.evaluate(vector({300, 100}, TENON_F16));
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  got.reals[0] = INFINITY;
  Judgement judgement = judge(got, expected[0]);
  EXPECT_LE(judgement.worst, 1);
  EXPECT_EQ(judgement.undecided, 1);
  got.reals[1] = INFINITY;
  EXPECT_EQ(judge(got, expected[0]).worst, INFINITY);
}

TEST(ErrorBounds, ADivisorThatMayBeZeroIsUndecided) {
  Program program(R"(func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %z = tenon.sub %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %r = tenon.rem %z, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  })");
  // Subnormal, and rounded by more than its size.
  auto expected = program.evaluate({vector({2e-45, 3}), vector({0, 1})});
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  got.reals[0] = NAN;
  Judgement judgement = judge(got, expected[0]);
  EXPECT_LE(judgement.worst, 1);
  EXPECT_EQ(judgement.undecided, 1);
  got.reals[1] = NAN;
  EXPECT_EQ(judge(got, expected[0]).worst, INFINITY);
}

TEST(ErrorBounds, ARemainderMayJumpByItsDivisor) {
  Program program(R"(func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %z = tenon.sqrt %x : tensor<2xf32>
    %r = tenon.rem %y, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  })");
  double root = 1.41421353816986083984375; // of 2, rounded
  auto expected = program.evaluate({vector({2, 2}), vector({2 * root, 1})});
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  for (double remainder : {0.0, root}) {
    got.reals[0] = remainder;
    EXPECT_LE(judge(got, expected[0]).worst, 1) << remainder;
  }
  got.reals[1] = 0;
  EXPECT_GT(judge(got, expected[0]).worst, 1);
}

TEST(ErrorBounds, AWaveOfWhatIsNotSureGoesFromCrestToCrest) {
  // 2400 that may be 2380: several waves, whose crests no end of the interval shows.
  Program program(R"(func.func @f(%x: tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xbf16>) {
    %e = tenon.exp %x : tensor<2xbf16>
    %s = tenon.sin %e : tensor<2xbf16>
    %c = tenon.cos %e : tensor<2xbf16>
    return %s, %c : tensor<2xbf16>, tensor<2xbf16>
  })");
  std::vector<Array> results = program.evaluate({vector({7.78125, 0.5}, TENON_BF16)});
  ASSERT_EQ(results.size(), 2u);
  for (const Array &wave : results) {
    EXPECT_GE(wave.errors[0], 1 + std::fabs(wave.at(0)));
    EXPECT_LE(wave.errors[0], 2.1);
    EXPECT_LE(wave.errors[1], 0.05);
  }
}

TEST(ErrorBounds, NaNMustBeNaN) {
  Program program(R"(func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %y = tenon.softmax %x {axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  })");
  auto expected = program.evaluate(matrix(2, {NAN, 1, 1, 1}));
  ASSERT_EQ(expected.size(), 1u);
  Array got = expected[0];
  EXPECT_EQ(judge(got, expected[0]).worst, 0);
  got.reals[1] = 1;
  EXPECT_EQ(judge(got, expected[0]).worst, INFINITY);
}

TEST(ErrorBounds, GoThroughLoops) {
  Program program(R"(func.func @f(%x: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
    %r:2 = tenon.loop trips 4 carry(%x) scan() use() : (tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %c: tensor<f32>):
      %s = tenon.sqrt %c : tensor<f32>
      tenon.yield %s, %s : tensor<f32>, tensor<f32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
  })");
  Array x(infer::Type::make(TENON_F32, {}));
  x.reals = {2};
  auto expected = program.evaluate(x);
  ASSERT_EQ(expected.size(), 2u);
  EXPECT_EQ(judge(expected[0], expected[0]).undecided, 0);
  ASSERT_EQ(expected[1].errors.size(), 4u);
  EXPECT_DOUBLE_EQ(expected[1].errors[3], expected[0].errors[0]);
  for (double error : expected[1].errors)
    EXPECT_TRUE(error > 0 && error < 1e-5) << error;
}

TEST(ErrorBounds, HoldForSoftmax) {
  expectRight(R"(func.func @f(%x: tensor<5x130x!t>) -> (tensor<5x130x!t>, tensor<5x130x!t>) {
    %y = tenon.softmax %x {axis = 1 : i64} : (tensor<5x130x!t>) -> tensor<5x130x!t>
    %l = tenon.log_softmax %x {axis = 1 : i64} : (tensor<5x130x!t>) -> tensor<5x130x!t>
    return %y, %l : tensor<5x130x!t>, tensor<5x130x!t>
  })",
              -40, 40);
}

TEST(ErrorBounds, HoldForAttention) {
  expectRight(
      R"(func.func @f(%q: tensor<1x2x9x16x!t>, %k: tensor<1x2x33x16x!t>, %v: tensor<1x2x33x8x!t>) -> tensor<1x2x9x8x!t> {
    %o, %lse = tenon.attention %q, %k, %v {scale = 2.5e-1 : f64} : (tensor<1x2x9x16x!t>, tensor<1x2x33x16x!t>, tensor<1x2x33x8x!t>) -> (tensor<1x2x9x8x!t>, tensor<1x2x9x!s>)
    return %o : tensor<1x2x9x8x!t>
  })",
      -3, 3);
}

TEST(ErrorBounds, HoldForProductsThatCancel) {
  // (a b) - (a b), the second by halves: near 0 beside terms of 1e4.
  expectRight(R"(func.func @f(%a: tensor<7x40x!t>, %b: tensor<40x9x!t>) -> tensor<7x9x!t> {
    %n = tenon.neg %b : tensor<40x9x!t>
    %w = tenon.concat %a, %a {axis = 1 : i64} : (tensor<7x40x!t>, tensor<7x40x!t>) -> tensor<7x80x!t>
    %h = tenon.concat %b, %n {axis = 0 : i64} : (tensor<40x9x!t>, tensor<40x9x!t>) -> tensor<80x9x!t>
    %y = tenon.matmul %w, %h : (tensor<7x80x!t>, tensor<80x9x!t>) -> tensor<7x9x!t>
    return %y : tensor<7x9x!t>
  })",
              1, 20);
}

TEST(ErrorBounds, HoldForNormsAndGates) {
  expectRight(
      R"(func.func @f(%x: tensor<6x50x!t>, %g: tensor<50x!t>, %b: tensor<50x!t>) -> tensor<6x50x!t> {
    %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<6x50x!t>, tensor<50x!t>, tensor<50x!t>) -> tensor<6x50x!t>
    %z = tenon.gelu %y : tensor<6x50x!t>
    %s = tenon.silu %z : tensor<6x50x!t>
    %r = tenon.sub %s, %z : (tensor<6x50x!t>, tensor<6x50x!t>) -> tensor<6x50x!t>
    return %r : tensor<6x50x!t>
  })",
      -4, 9);
}

} // namespace
