//===- CustomTest.cpp - Shaders of the user's through the C API -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/capi/CompileFixture.h"

using namespace tenon::test;
using namespace tenon;

namespace {

const char doubled[] = "layout(local_size_x = 64) in;\n"
                       "layout(binding = 0) readonly buffer X { float x[]; };\n"
                       "layout(binding = 1) writeonly buffer Y { float y[]; };\n"
                       "void main() {\n"
                       "  uint i = gl_GlobalInvocationID.x;\n"
                       "  if (i < tenon_size(1)) y[i] = x[i] + x[i];\n"
                       "}\n";

/// y = custom(x) that is to be x * k, with k = 2, and the gradient of y by x along x.
struct Custom {
  Trace trace;
  Trace::Slice slice;

  Custom(int64_t n, const char *glsl, const char *groups) {
    int32_t x = trace.input(Type::make(TENON_F32, {n}));
    int32_t k = trace.input(Type::make(TENON_F32, {n}));
    int32_t body = trace.record(op("mul"), {x, k});
    std::vector<int64_t> words = {1};
    for (const char *text : {glsl, groups, "", ""})
      appendText(words, text);
    const int32_t operands[] = {x, body};
    int32_t y = trace.record(op("custom"), operands, 2, words.data(), int(words.size()));
    EXPECT_GE(y, 0) << trace.error();
    int32_t g = trace.record(op("gradient"), {y, x, x});
    trace.slice({y, g}, {x, k}, {}, slice, [](int32_t, Need) { return false; });
  }
};

class CustomTest : public CompileTest {
protected:
  /// Checks y and its gradient over n elements.
  void expectRight(int64_t n, const char *groups) {
    Custom custom(n, doubled, groups);
    tenon_executable *executable = compile(custom.slice.view());
    if (!executable)
      return;
    std::vector<float> x(n), k(n, 2.0f), y(n), g(n);
    for (int64_t i = 0; i < n; i++)
      x[i] = float(i);
    std::vector<int64_t> extents = {n};
    run(executable, {floats(x, extents), floats(k, extents)},
        {floats(y, extents), floats(g, extents)});
    EXPECT_EQ(y[n - 1], 2 * x[n - 1]);
    EXPECT_EQ(g[n - 1], 2 * x[n - 1]);
    tenon_executable_release(executable);
  }
};

TEST_P(CustomTest, RunsOnEveryDevice) {
  expectRight(300, "");
  expectRight(301, "()[n] -> (n ceildiv 64)");
  expectRight(302, ""); // the third variant has its extent open
  expectRight(303, "");
  expectRight(77, "");
}

TEST_P(CustomTest, GroupsAreAMap) {
  Custom custom(3, doubled, "()[n] -> n");
  EXPECT_NE(failure(custom.slice.view(), TENON_ERROR_COMPILE).find("got ()[n] -> n"),
            std::string::npos);
  Custom dimensions(3, doubled, "(n) -> (n)");
  EXPECT_NE(failure(dimensions.slice.view(), TENON_ERROR_COMPILE)
                .find("groups: expected a symbol for each of 1 extents"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Devices, CustomTest, testing::Values("cpu", "reference", "vulkan"),
                         [](auto &info) { return std::string(info.param); });

TEST(CustomShader, IsCheckedWithoutADevice) {
  tenon_trace_value x = {TENON_F32, 2, {3, INT64_MIN}}, y = {TENON_F32, 1, {4}};
  EXPECT_EQ(take(tenon_check_shader(doubled, &x, 1, &y, 1)), "");
  y.dtype = TENON_F64;
  EXPECT_EQ(take(tenon_check_shader(doubled, &x, 1, &y, 1)),
            "glsl: binding 1 (f64[4]): expected an array of double, got one of float");
  EXPECT_EQ(take(tenon_check_shader("void main() {\n  y = 1;\n}", &x, 1, &y, 1)),
            "glsl: line 2: 'y' : undeclared identifier");
  EXPECT_EQ(take(tenon_check_shader(nullptr, &x, 1, &y, 1)), "tenon_check_shader: 'glsl' is NULL");
  y.rank = 99;
  EXPECT_EQ(take(tenon_check_shader(doubled, &x, 1, &y, 1)),
            "tenon_check_shader: expected types of tensors");
}

} // namespace
