//===- VariantsTest.cpp - One program for many extents --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/capi/CompileFixture.h"

using namespace tenon;
using namespace tenon::test;

namespace {

class VariantsTest : public CompileTest {};

/// y = x w + b, its mean over the batch and the gradient of the sum by w, for x[n,2].
struct Layer {
  Trace trace;
  Trace::Slice slice;

  explicit Layer(int64_t n) {
    int32_t x = trace.input(Type::make(TENON_F32, {n, 2}));
    int32_t w = trace.input(Type::make(TENON_F32, {2, 3}));
    int32_t b = trace.input(Type::make(TENON_F32, {3}));
    int32_t y = trace.record(op("matmul"), {x, w}, AttrWords().boolean(false).boolean(false));
    const int64_t shape[] = {n, 3}, last[] = {1}, rows[] = {0}, both[] = {0, 1};
    int32_t wide = trace.record(op("broadcast"), {b}, AttrWords().list(shape, 2).list(last, 1));
    y = trace.record(op("add"), {y, wide});
    int32_t mean = trace.record(op("reduce_mean"), {y}, AttrWords().list(rows, 1).boolean(false));
    int32_t sum = trace.record(op("reduce_sum"), {y}, AttrWords().list(both, 2).boolean(false));
    int32_t g = trace.record(op("gradient"), {sum, w});
    EXPECT_GE(g, 0) << trace.error();
    trace.slice({y, mean, g}, {x, w, b}, {}, slice, [](int32_t, Need) { return false; });
  }
};

TEST_P(VariantsTest, theThirdVariantOfAnExtentServesAllOthers) {
  std::vector<tenon_executable *> found;
  for (int64_t n = 1; n <= 20; n++) {
    Layer layer(n);
    found.push_back(compile(layer.slice.view()));
    std::vector<float> x, w{1, 2, 3, 4, 5, 6}, b{.5, 0, -1}, y(n * 3), mean(3), g(6), wanted;
    float sums[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
      x.insert(x.end(), {float(i), float(n)});
      sums[0] += float(i), sums[1] += float(n);
      for (int j = 0; j < 3; j++)
        wanted.push_back(float(i) * w[j] + float(n) * w[3 + j] + b[j]);
    }
    std::vector<int64_t> xs{n, 2}, ws{2, 3}, bs{3}, ys{n, 3};
    run(found.back(), {floats(x, xs), floats(w, ws), floats(b, bs)},
        {floats(y, ys), floats(mean, bs), floats(g, ws)});
    EXPECT_EQ(y, wanted) << n;
    for (int j = 0; j < 3; j++) {
      EXPECT_FLOAT_EQ(mean[j], sums[0] / n * w[j] + n * w[3 + j] + b[j]) << n;
      EXPECT_FLOAT_EQ(g[j], sums[0]) << n;
      EXPECT_FLOAT_EQ(g[3 + j], sums[1]) << n;
    }
  }
  tenon_cache_info info;
  tenon_cache_info_get(&info);
  EXPECT_EQ(info.misses, 3);
  EXPECT_NE(found[0], found[1]);
  EXPECT_EQ(found[2], found[19]);
  for (tenon_executable *each : found)
    tenon_executable_release(each);
}

TEST_P(VariantsTest, multiplesOfTilesAreServedApart) {
  std::vector<tenon_executable *> found;
  for (int64_t n : {16, 32, 48, 160, 17, 33, 64}) {
    Layer layer(n);
    found.push_back(compile(layer.slice.view()));
    std::vector<float> x(n * 2, 1), w(6, 1), b(3, 1), y(n * 3), mean(3), g(6);
    std::vector<int64_t> xs{n, 2}, ws{2, 3}, bs{3}, ys{n, 3};
    run(found.back(), {floats(x, xs), floats(w, ws), floats(b, bs)},
        {floats(y, ys), floats(mean, bs), floats(g, ws)});
    EXPECT_EQ(y, std::vector<float>(n * 3, 3)) << n;
    EXPECT_EQ(g, std::vector<float>(6, float(n))) << n;
  }
  EXPECT_EQ(found[2], found[3]);
  EXPECT_EQ(found[2], found[6]);
  EXPECT_NE(found[3], found[4]);
  EXPECT_EQ(found[4], found[5]);
  for (tenon_executable *each : found)
    tenon_executable_release(each);
}

TEST_P(VariantsTest, multiplesAreCheckedAndKept) {
  Layer layer(16);
  tenon_trace view = layer.slice.view();
  std::vector<tenon_trace_value> values(view.values, view.values + view.num_values);
  std::vector<int64_t> multiples(size_t(view.num_inputs) * TENON_TRACE_MAX_RANK, 0);
  multiples[0] = 5;
  view.multiples = multiples.data();
  tenon_executable *executable = nullptr;
  tenon_status status = tenon_compile_trace(&view, &options, &executable);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_SHAPE);
  EXPECT_EQ(take(status), "trace: input 0, axis 0: expected a multiple of 5, got 16");
  multiples[0] = -1;
  status = tenon_compile_trace(&view, &options, &executable);
  EXPECT_EQ(take(status), "trace: input 0, axis 0: expected a multiple of 1 to 1073741824, got -1");
}

TEST_P(VariantsTest, anOpThatNeedsAnExtentKeepsItFixed) {
  // The padding varies with the extent: no program serves two of them.
  for (int64_t n = 1; n <= 5; n++) {
    Trace trace;
    int32_t x = trace.input(Type::make(TENON_F32, {n}));
    const int64_t low[] = {n}, high[] = {0};
    int32_t y = trace.record(op("pad"), {x}, AttrWords().list(low, 1).list(high, 1).real(7));
    Trace::Slice slice;
    trace.slice({y}, slice, [](int32_t, Need) { return false; });
    tenon_executable *executable = compile(slice.view());
    std::vector<float> data(n, 1), result(2 * n), wanted(n, 7);
    wanted.resize(2 * n, 1);
    std::vector<int64_t> from{n}, to{2 * n};
    run(executable, {floats(data, from)}, {floats(result, to)});
    EXPECT_EQ(result, wanted);
    tenon_executable_release(executable);
  }
}

TEST_P(VariantsTest, aSliceToAnotherPlaceIsNoSliceToTheEnd) {
  // Sizes n - 1 vary like an extent, but a program with `?` would take all n.
  for (int64_t n = 2; n <= 6; n++) {
    Trace trace;
    int32_t x = trace.input(Type::make(TENON_F32, {n}));
    const int64_t zero[] = {0}, size[] = {n - 1}, one[] = {1};
    int32_t y =
        trace.record(op("slice"), {x}, AttrWords().list(zero, 1).list(size, 1).list(one, 1));
    Trace::Slice slice;
    trace.slice({y}, slice, [](int32_t, Need) { return false; });
    tenon_executable *executable = compile(slice.view());
    std::vector<float> data(n, 3), result(n - 1, 0);
    std::vector<int64_t> from{n}, to{n - 1};
    run(executable, {floats(data, from)}, {floats(result, to)});
    EXPECT_EQ(result, std::vector<float>(n - 1, 3));
    tenon_executable_release(executable);
  }
}

TEST_P(VariantsTest, oneProgramRunsManyExtents) {
  std::string text = R"(
    func.func @f(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
      %z = tenon.mul %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
      return %z : tensor<?x3xf32>
    })";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  for (int64_t n : {5, 0, 1, 333, 5, 64}) {
    std::vector<float> x(n * 3, 2), y(n * 3, 4), z(n * 3);
    std::vector<int64_t> extents{n, 3};
    run(executable, {floats(x, extents), floats(y, extents)}, {floats(z, extents)});
    EXPECT_EQ(z, std::vector<float>(n * 3, 8)) << n;
  }
  std::vector<float> x(6), y(9), z(6);
  std::vector<int64_t> two{2, 3}, three{3, 3};
  tenon_tensor inputs[] = {floats(x, two), floats(y, three)}, output = floats(z, two);
  status = tenon_executable_run(executable, inputs, 2, &output, 1, nullptr);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_SHAPE);
  EXPECT_EQ(take(status), "input 'input1': expected tensor<2x3xf32>, got tensor<3x3xf32>");
  tenon_executable_release(executable);
}

INSTANTIATE_TEST_SUITE_P(Devices, VariantsTest, testing::Values("reference", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
