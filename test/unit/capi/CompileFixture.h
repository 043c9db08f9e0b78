//===- CompileFixture.h - What tests of the compiler's C API share -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs each test on every device that programs are compiled for.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_UNIT_CAPI_COMPILEFIXTURE_H
#define TENON_TEST_UNIT_CAPI_COMPILEFIXTURE_H

#include "frontend/Trace.h"
#include "tenon/compiler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenon::test {

using infer::Type;

inline int op(const char *name) { return infer::findOp(name); }

/// y = x * x + b over f32[n], and the gradient of sum(y) by x.
struct Square {
  Trace trace;
  Trace::Slice slice;

  explicit Square(int64_t n, bool gradient = false) {
    int32_t x = trace.input(Type::make(TENON_F32, {n}));
    int32_t b = trace.input(Type::make(TENON_F32, {n}));
    int32_t square = trace.record(op("mul"), {x, x});
    int32_t y = trace.record(op("add"), {square, b});
    std::vector<int32_t> outputs{y};
    if (gradient) {
      const int64_t axes[] = {0};
      int32_t loss = trace.record(op("reduce_sum"), {y}, AttrWords().list(axes, 1).boolean(false));
      EXPECT_GE(loss, 0) << trace.error();
      int32_t g = trace.record(op("gradient"), {loss, x});
      EXPECT_GE(g, 0) << trace.error();
      outputs.push_back(g);
    }
    trace.slice(outputs, {x, b}, {}, slice, [](int32_t, Need) { return false; });
  }
};

inline std::string take(tenon_status status) {
  std::string text = tenon_status_message(status);
  tenon_status_free(status);
  return text;
}

class CompileTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    tenon_cache_clear();
    tenon_compile_options_init(&options);
    options.device = GetParam();
  }
  tenon_executable *compile(const tenon_trace &trace) {
    tenon_executable *executable = nullptr;
    tenon_status status = tenon_compile_trace(&trace, &options, &executable);
    EXPECT_EQ(status, nullptr) << take(status);
    return executable;
  }
  std::string failure(const tenon_trace &trace, tenon_code code) {
    tenon_executable *executable = nullptr;
    tenon_status status = tenon_compile_trace(&trace, &options, &executable);
    EXPECT_EQ(tenon_status_code(status), code);
    EXPECT_EQ(executable, nullptr);
    return take(status);
  }
  std::string mlirFailure(const std::string &text, tenon_code code = TENON_ERROR_COMPILE) {
    tenon_executable *executable = nullptr;
    tenon_status status =
        tenon_compile_mlir(text.data(), int64_t(text.size()), "f", &options, &executable);
    EXPECT_EQ(tenon_status_code(status), code);
    EXPECT_EQ(executable, nullptr);
    return take(status);
  }
  void run(tenon_executable *executable, std::vector<tenon_tensor> inputs,
           std::vector<tenon_tensor> outputs) {
    tenon_status status = tenon_executable_run(executable, inputs.data(), int64_t(inputs.size()),
                                               outputs.data(), int64_t(outputs.size()), nullptr);
    EXPECT_EQ(status, nullptr) << take(status);
  }
  tenon_compile_options options;
};

inline tenon_tensor floats(std::vector<float> &data, std::vector<int64_t> &extents) {
  return {nullptr, data.data(), TENON_F32, int64_t(extents.size()), extents.data()};
}

} // namespace tenon::test

#endif // TENON_TEST_UNIT_CAPI_COMPILEFIXTURE_H
