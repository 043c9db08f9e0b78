//===- AttentionTest.cpp - Attention kernels against exact results --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/AttentionRun.h"

#include "gtest/gtest.h"

namespace tenon::test {
namespace {

using Problem = AttentionProblem;

double epsilon(const std::string &dtype) {
  return dtype == "f64" ? 2.2e-16 : dtype == "f32" ? 1.2e-7 : dtype == "f16" ? 9.8e-4 : 7.8e-3;
}

/// Largest error relative to the largest exact value; where that is almost 0 (one
/// key: dq is 0) the absolute error. NaN and infinity have to agree.
double error(const std::vector<double> &got, const std::vector<double> &exact) {
  double worst = 0, top = 0;
  for (size_t i = 0; i < exact.size(); i++) {
    if (std::isfinite(exact[i])) {
      double e = std::fabs(got[i] - exact[i]);
      worst = std::max(worst, e == e ? e : HUGE_VAL);
      top = std::max(top, std::fabs(exact[i]));
    } else if (std::isnan(exact[i]) ? !std::isnan(got[i]) : got[i] != exact[i]) {
      worst = HUGE_VAL;
    }
  }
  return top > 1e-3 ? worst / top : worst;
}

void expectExact(const Problem &problem, bool backward) {
  SCOPED_TRACE(::testing::Message() << problem << (backward ? " backward" : " forward"));
  AttentionData data(problem);
  data.compute();
  AttentionKernel kernel(problem, backward);
  ASSERT_EQ(kernel.error(), "");
  std::vector<char> one, two;
  auto got = kernel.run(data, 1, &one);
  kernel.run(data, 2, &two);
  EXPECT_EQ(kernel.error(), "");
  EXPECT_TRUE(one == two) << "1 and 2 threads give different bits";
  std::vector<std::vector<double> *> exact = {&data.o, &data.lse};
  if (backward)
    exact = {&data.dq, &data.dk, &data.dv, &data.dmask};
  std::string dtype = problem.dtype;
  double bound = (dtype == "f16" || dtype == "bf16" ? 4 : 100) * epsilon(dtype);
  for (size_t i = 0; i < got.size(); i++)
    EXPECT_LT(error(got[i], *exact[i]), bound) << "result " << i;
}

void expectExact(const Problem &problem) {
  expectExact(problem, false);
  expectExact(problem, true);
}

Problem shaped(int64_t n, int64_t m, int64_t d, bool causal) {
  Problem p;
  p.n = n, p.m = m, p.d = d, p.causal = causal;
  return p;
}

TEST(Attention, LengthsOfQueriesAndKeys) {
  for (int64_t n : {1, 3, 17, 65, 129})
    for (int64_t m : {1, 3, 17, 65, 129})
      expectExact(shaped(n, m, 33, (n + m) % 4 == 0));
}

TEST(Attention, WidthsOfHeads) {
  for (int64_t d : {1, 7, 33, 64, 66, 100, 160})
    for (bool causal : {false, true})
      expectExact(shaped(65, 80, d, causal));
}

TEST(Attention, CausalOfUnequalLengths) {
  for (auto [n, m] : {std::pair(300, 70), {70, 300}, {129, 128}, {1, 40}, {40, 1}})
    expectExact(shaped(n, m, 16, true));
}

TEST(Attention, OtherWidthOfValues) {
  for (auto [d, e] : {std::pair(7, 66), {66, 7}, {64, 32}, {1, 100}}) {
    Problem p = shaped(65, 129, d, false);
    p.e = e;
    expectExact(p);
  }
}

TEST(Attention, GroupedHeadsAndBatches) {
  Problem p = shaped(65, 80, 33, true);
  p.b = 2, p.h = 6, p.g = 2;
  expectExact(p);
  p.g = 1, p.causal = false;
  expectExact(p);
  p.b = 3, p.h = 8, p.g = 8, p.n = p.m = 64, p.d = 32;
  expectExact(p);
}

TEST(Attention, KeysInChunks) {
  Problem p = shaped(200, 1100, 40, false);
  expectExact(p);
  p.n = 700, p.m = 700, p.causal = true, p.h = 2, p.g = 1;
  expectExact(p);
}

/// What is skipped stays at the zeros that gradients start from.
TEST(Attention, ACancelledGradientSkipsItsTiles) {
  Problem p = shaped(300, 400, 16, false);
  AttentionData data(p);
  data.compute();
  AttentionKernel kernel(p, true);
  kernel.cancelled = 1;
  for (const std::vector<double> &gradient : kernel.run(data, 2))
    EXPECT_EQ(gradient, std::vector<double>(gradient.size(), 0));
  kernel.cancelled = 0;
  EXPECT_LT(error(kernel.run(data, 2)[0], data.dq), 1e-5);
}

TEST(Attention, DoublePrecision) {
  for (int64_t d : {1, 33, 64}) {
    Problem p = shaped(65, 129, d, d == 33);
    p.dtype = "f64";
    expectExact(p);
  }
}

TEST(Attention, HalfPrecision) {
  for (const char *dtype : {"f16", "bf16"})
    for (bool causal : {false, true}) {
      Problem p = shaped(65, 80, 33, causal);
      p.dtype = dtype, p.h = 2;
      expectExact(p);
    }
}

TEST(Attention, Masks) {
  for (const char *mask : {"i1", "f32", "f64", "bf16"})
    for (auto [batches, heads] : {std::pair(1, 1), {2, 1}, {1, 4}, {2, 4}}) {
      Problem p = shaped(33, 70, 16, batches != heads);
      p.b = 2, p.h = 4, p.g = 2, p.mask = mask, p.maskBatch = batches, p.maskHeads = heads;
      p.maskGrad = std::string(mask) == "f32";
      expectExact(p);
    }
}

TEST(Attention, GradientOfMaskOverManyTiles) {
  Problem p = shaped(300, 200, 24, true);
  p.h = 3, p.g = 3, p.mask = "f32", p.maskGrad = true;
  expectExact(p);
}

TEST(Attention, SplitHeads) {
  for (const char *dtype : {"f32", "f64", "bf16"}) {
    Problem p = shaped(65, 40, 32, true);
    p.b = 2, p.h = 4, p.g = 2, p.split = true, p.dtype = dtype;
    expectExact(p);
    p.d = 7, p.causal = false;
    expectExact(p);
  }
}

TEST(Attention, DynamicExtents) {
  for (auto [n, m] : {std::pair(65, 129), {1, 1}, {200, 17}})
    for (const char *mask : {"", "f32"}) {
      Problem p = shaped(n, m, 33, true);
      p.b = 2, p.h = 4, p.g = 2, p.dynamic = true, p.mask = mask, p.maskGrad = p.masked();
      expectExact(p);
    }
}

TEST(Attention, LargeScores) {
  Problem p = shaped(65, 77, 64, false);
  p.range = 12, p.scale = 0.25;
  AttentionData data(p);
  data.compute();
  AttentionKernel kernel(p, false);
  ASSERT_EQ(kernel.error(), "");
  EXPECT_LT(error(kernel.run(data, 1)[0], data.o), 1e-3);
}

TEST(Attention, NegativeScale) {
  Problem p = shaped(20, 33, 16, true);
  p.scale = -0.5;
  expectExact(p);
}

TEST(Attention, OtherProcessors) {
  for (const char *march : {"x86-64-v2", "x86-64-v3"})
    for (const char *dtype : {"f32", "f64", "bf16"}) {
      Problem p = shaped(37, 45, 20, true);
      p.march = march, p.dtype = dtype, p.h = 2, p.g = 1, p.mask = "i1";
      expectExact(p);
    }
}

TEST(Attention, QueryThatSeesNoKeyIsZero) {
  for (const char *mask : {"i1", "f32"}) {
    Problem p = shaped(20, 33, 16, false);
    p.mask = mask;
    AttentionData data(p);
    for (int64_t i : {0, 7, 19})
      for (int64_t j = 0; j < p.m; j++)
        data.mask[i * p.m + j] = std::string(mask) == "i1" ? 0 : -HUGE_VAL;
    data.compute();
    AttentionKernel forward(p, false), backward(p, true);
    ASSERT_EQ(forward.error() + backward.error(), "");
    auto o = forward.run(data, 1);
    auto gradients = backward.run(data, 1);
    for (int64_t i : {0, 7, 19}) {
      EXPECT_EQ(o[1][i], HUGE_VAL);
      for (int64_t c = 0; c < p.d; c++) {
        EXPECT_EQ(o[0][i * p.d + c], 0);
        EXPECT_EQ(gradients[0][i * p.d + c], 0);
      }
    }
    EXPECT_LT(error(o[0], data.o), 1e-5);
    for (int i = 0; i < 3; i++)
      EXPECT_LT(error(gradients[i], i == 0 ? data.dq : i == 1 ? data.dk : data.dv), 1e-5);
  }
}

TEST(Attention, NanReachesWhatDependsOnIt) {
  Problem p = shaped(40, 33, 16, false);
  AttentionData data(p);
  data.q[3 * p.d] = std::nan("0x7a2"); // R's NA has a payload in its low bits
  data.compute();
  for (const char *dtype : {"f32", "f64"}) {
    data.problem.dtype = p.dtype = dtype;
    AttentionKernel forward(p, false), backward(p, true);
    ASSERT_EQ(forward.error() + backward.error(), "");
    auto o = forward.run(data, 1), gradients = backward.run(data, 1);
    for (int64_t c = 0; c < p.d; c++) {
      EXPECT_TRUE(std::isnan(o[0][3 * p.d + c]));
      EXPECT_FALSE(std::isnan(o[0][4 * p.d + c]));
      EXPECT_TRUE(std::isnan(gradients[0][3 * p.d + c]));
      EXPECT_FALSE(std::isnan(gradients[0][4 * p.d + c]));
      EXPECT_TRUE(std::isnan(gradients[2][c])); // every key is seen by query 3
    }
  }
}

TEST(Attention, ScratchIsLinearInLength) {
  Problem p = shaped(16384, 16384, 64, true);
  for (bool backward : {false, true}) {
    AttentionKernel kernel(p, backward);
    ASSERT_EQ(kernel.error(), "");
    EXPECT_LT(kernel.scratchBytes(2), 100 << 20);
  }
}

} // namespace
} // namespace tenon::test
