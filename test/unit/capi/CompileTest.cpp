//===- CompileTest.cpp - Traces and MLIR text through the C API -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/Trace.h"
#include "tenon/compiler.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

using namespace tenon;
using infer::Type;

namespace {

int op(const char *name) { return infer::findOp(name); }

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

std::string take(tenon_status status) {
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

tenon_tensor floats(std::vector<float> &data, std::vector<int64_t> &extents) {
  return {nullptr, data.data(), TENON_F32, int64_t(extents.size()), extents.data()};
}

TEST_P(CompileTest, computesATrace) {
  Square square(3);
  tenon_executable *executable = compile(square.slice.view());
  std::vector<float> x{1, 2, 3}, b{10, 20, 30}, y(3);
  std::vector<int64_t> extents{3};
  run(executable, {floats(x, extents), floats(b, extents)}, {floats(y, extents)});
  EXPECT_EQ(y, (std::vector<float>{11, 24, 39}));
  tenon_executable_release(executable);
}

TEST_P(CompileTest, derivesAGradient) {
  Square square(3, true);
  tenon_executable *executable = compile(square.slice.view());
  std::vector<float> x{1, 2, 3}, b{10, 20, 30}, y(3), g(3);
  std::vector<int64_t> extents{3};
  run(executable, {floats(x, extents), floats(b, extents)},
      {floats(y, extents), floats(g, extents)});
  EXPECT_EQ(g, (std::vector<float>{2, 4, 6}));
  tenon_executable_release(executable);
}

TEST_P(CompileTest, findsAnEqualTraceAgain) {
  Square first(5), second(5), other(6);
  tenon_executable *a = compile(first.slice.view()), *b = compile(second.slice.view());
  tenon_executable *c = compile(other.slice.view());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  tenon_cache_info info;
  tenon_cache_info_get(&info);
  EXPECT_EQ(info.hits, 1);
  EXPECT_EQ(info.misses, 2);
  EXPECT_EQ(info.entries, 2);
  for (tenon_executable *each : {a, b, c})
    tenon_executable_release(each);
}

TEST_P(CompileTest, threadsShareOneCompilation) {
  constexpr int kThreads = 8;
  tenon_executable *found[kThreads] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++)
    threads.emplace_back([&, i] {
      Square square(7);
      found[i] = compile(square.slice.view());
    });
  for (std::thread &thread : threads)
    thread.join();
  tenon_cache_info info;
  tenon_cache_info_get(&info);
  EXPECT_EQ(info.misses, 1);
  for (tenon_executable *each : found) {
    EXPECT_EQ(each, found[0]);
    tenon_executable_release(each);
  }
}

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

TEST_P(CompileTest, theThirdVariantOfAnExtentServesAllOthers) {
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

TEST_P(CompileTest, anOpThatNeedsAnExtentKeepsItFixed) {
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

TEST_P(CompileTest, aSliceToAnotherPlaceIsNoSliceToTheEnd) {
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

TEST_P(CompileTest, oneProgramRunsManyExtents) {
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

TEST_P(CompileTest, optionsArePartOfTheKey) {
  Square square(4);
  tenon_executable *a = compile(square.slice.view());
  options.opt_level = 1;
  tenon_executable *b = compile(square.slice.view());
  EXPECT_NE(a, b);
  tenon_executable_release(a);
  tenon_executable_release(b);
}

TEST_P(CompileTest, loopsOverATrace) {
  // state' = state + slice * scale; out = state'
  Trace trace;
  int32_t state = trace.input(Type::make(TENON_F32, {2}));
  int32_t slice = trace.input(Type::make(TENON_F32, {2}));
  int32_t scale = trace.input(Type::make(TENON_F32, {2}));
  int32_t trip = trace.input(Type::make(TENON_I64, {}));
  int32_t next = trace.record(op("add"), {state, trace.record(op("mul"), {slice, scale})});
  int32_t out = trace.record(op("neg"), {next});
  Trace::Slice program;
  trace.slice({next, out}, {state, slice, scale, trip}, {}, program,
              [](int32_t, Need) { return false; });
  options.loop_trips = 3;
  options.loop_state = options.loop_invariant = 1;
  program.donates = {0, -1};
  tenon_executable *executable = compile(program.view());
  std::vector<float> s{1, 2}, xs{1, 2, 3, 4, 5, 6}, k{10, 100}, o(6);
  std::vector<int64_t> small{2}, large{3, 2};
  run(executable, {floats(s, small), floats(xs, large), floats(k, small)},
      {floats(s, small), floats(o, large)});
  EXPECT_EQ(s, (std::vector<float>{91, 1202}));
  EXPECT_EQ(o, (std::vector<float>{-11, -202, -41, -602, -91, -1202}));
  tenon_executable_release(executable);
}

TEST_P(CompileTest, aTraceThatLiesIsRefused) {
  Square square(3);
  auto broken = [&](auto edit) {
    Trace::Slice copy = square.slice;
    edit(copy);
    return copy;
  };
  auto operand = broken([](Trace::Slice &s) { s.refs[1] = 99; });
  EXPECT_NE(failure(operand.view(), TENON_ERROR_ARGUMENT).find("operand 1 is value 99"),
            std::string::npos);
  auto unknown = broken([](Trace::Slice &s) { s.nodes[0].op = 100000; });
  EXPECT_NE(failure(unknown.view(), TENON_ERROR_ARGUMENT).find("unknown op id"), std::string::npos);
  auto type = broken([](Trace::Slice &s) { s.values[3].extents[0] = 4; });
  EXPECT_NE(failure(type.view(), TENON_ERROR_SHAPE).find("expected f32[3], got f32[4]"),
            std::string::npos);
  auto output = broken([](Trace::Slice &s) { s.outputs[0] = -7; });
  EXPECT_NE(failure(output.view(), TENON_ERROR_ARGUMENT).find("output 0"), std::string::npos);
  auto dtype = broken([](Trace::Slice &s) { s.values[0].dtype = 50; });
  EXPECT_NE(failure(dtype.view(), TENON_ERROR_DTYPE).find("dtype 50"), std::string::npos);
}

TEST_P(CompileTest, compilesMlirText) {
  std::string text = R"(
    func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = tenon.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> })";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), "twice", &options, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  std::vector<float> x{1, 2}, y(2);
  std::vector<int64_t> extents{2};
  run(executable, {floats(x, extents)}, {floats(y, extents)});
  EXPECT_EQ(y, (std::vector<float>{2, 4}));
  tenon_executable_release(executable);

  status = tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  EXPECT_EQ(take(status), "function: expected a name, as there are 2 functions: 'twice', 'other'");
}

TEST_P(CompileTest, aParseErrorSaysWhere) {
  std::string text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = tenon.nonsense\n}";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_COMPILE);
  EXPECT_NE(take(status).find("input:2:"), std::string::npos);
}

TEST_P(CompileTest, nullIsRefused) {
  Square square(3);
  tenon_trace trace = square.slice.view();
  EXPECT_EQ(take(tenon_compile_trace(&trace, &options, nullptr)),
            "tenon_compile_trace: 'executable' is NULL");
  EXPECT_EQ(take(tenon_compile_mlir("", 0, nullptr, &options, nullptr)),
            "tenon_compile_mlir: 'executable' is NULL");
  EXPECT_EQ(take(tenon_print_trace(&trace, &options, "input", nullptr)),
            "tenon_print_trace: 'text' is NULL");
  tenon_cache_info_get(nullptr);
  tenon_compile_options_init(nullptr);
}

TEST_P(CompileTest, loopCountsDoNotOverflow) {
  Square square(3);
  options.loop_trips = 2;
  options.loop_invariant = INT64_MAX;
  std::string message = failure(square.slice.view(), TENON_ERROR_COMPILE);
  EXPECT_NE(message.find("9223372036854775807 invariant values and the trip do not fit 2 inputs"),
            std::string::npos)
      << message;
}

TEST_P(CompileTest, unknownPassesAreRefused) {
  Square square(3);
  options.disable = "cse,tenon-simplify,zzz";
  std::string message = failure(square.slice.view(), TENON_ERROR_ARGUMENT);
  EXPECT_EQ(message.find("disable: no pass 'zzz' can be left out, expected some of canonicalize, "
                         "cse, "),
            0u)
      << message;
  // Code cannot be made without it.
  options.disable = "form-kernels";
  EXPECT_NE(failure(square.slice.view(), TENON_ERROR_ARGUMENT).find("'form-kernels'"),
            std::string::npos);
}

TEST_P(CompileTest, otherElementTypesAreRefused) {
  for (std::string type : {"complex<f32>", "i16", "index"}) {
    std::string message = mlirFailure("func.func @f(%x: tensor<3x" + type + ">) -> tensor<3x" +
                                      type + "> { return %x : tensor<3x" + type + "> }");
    EXPECT_EQ(message, "input:1:14: argument 0: expected a ranked tensor of at most 8 axes of f64, "
                       "f32, f16, bf16, i64, i32, i8 or i1, got 'tensor<3x" +
                           type + ">'");
  }
}

TEST_P(CompileTest, callsAreRefused) {
  std::string message = mlirFailure("func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                                    "  %y = call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>\n"
                                    "  return %y : tensor<3xf32>\n}");
  EXPECT_EQ(message, "input:2:8: calls are not supported: expected what 'f' computes in place of "
                     "the call");
}

TEST_P(CompileTest, functionsOfInnerModulesAreNoPrograms) {
  std::string message =
      mlirFailure("module { module { func.func @f() { return } } }", TENON_ERROR_ARGUMENT);
  EXPECT_EQ(message, "function: expected one at the top level of the module, got none");
}

TEST_P(CompileTest, donationsAreChecked) {
  auto donating = [&](std::string value) {
    return mlirFailure("func.func @f(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32> "
                       "{tenon.donates = " +
                       value + "}) { return %x : tensor<3xf32> }");
  };
  std::string at = "input:1:1: result 0: 'tenon.donates' is ";
  for (std::string value : {"-1 : i64", "\"x\"", "7 : i64"})
    EXPECT_EQ(donating(value), at + value + ", expected the number of one of 2 arguments");
  EXPECT_EQ(donating("1 : i64"),
            at + "1 : i64, which is 'tensor<3xi32>', expected 'tensor<3xf32>'");
}

/// The interpreter can be used again after a run that needed too much.
TEST(ReferenceTest, noMemoryIsAnErrorOfTheRun) {
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  options.device = "reference";
  std::string text = R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<f32> {
      %c = tenon.reshape %x {shape = array<i64: -9223372036854775808, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
      %r = tenon.reshape %x {shape = array<i64: 1, -9223372036854775808>} : (tensor<?xf32>) -> tensor<1x?xf32>
      %m = tenon.matmul %c, %r : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
      %s = tenon.reduce_sum %m {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>
      return %s : tensor<f32>
    })";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  std::vector<float> y(1);
  auto sum = [&](int64_t n) {
    std::vector<float> x(size_t(n), 1.0f);
    std::vector<int64_t> extents{n}, scalar;
    tenon_tensor input = floats(x, extents), output = floats(y, scalar);
    return take(tenon_executable_run(executable, &input, 1, &output, 1, nullptr));
  };
  // 2^46 elements.
  EXPECT_EQ(sum(int64_t(1) << 23),
            "reference device: input:5:12: the reference interpreter has no memory for the values "
            "of 'tenon.matmul', which take 562949953421312 bytes");
  EXPECT_EQ(sum(3), "");
  EXPECT_EQ(y[0], 9.0f);
  tenon_executable_release(executable);
}

TEST_P(CompileTest, printsEveryPhase) {
  Square square(3, true);
  tenon_trace trace = square.slice.view();
  const std::pair<const char *, const char *> phases[] = {{"input", "tenon.gradient"},
                                                          {"fused", "tenon.gradient"},
                                                          {"differentiated", "tenon.mul"},
                                                          {"kernels", "tenon.kernel"},
                                                          {"planned", "tenon.slots"},
                                                          {"llvm", "define"},
                                                          {"asm", "ret"}};
  for (auto [phase, part] : phases) {
    char *text = nullptr;
    tenon_status status = tenon_print_trace(&trace, &options, phase, &text);
    ASSERT_EQ(status, nullptr) << take(status);
    EXPECT_NE(std::string(text).find(part), std::string::npos) << text;
    tenon_text_free(text);
  }
  char *text = nullptr;
  tenon_status status = tenon_print_trace(&trace, &options, "nowhere", &text);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_ARGUMENT);
  EXPECT_NE(take(status).find("\"planned\", \"llvm\" or \"asm\", got \"nowhere\""),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Devices, CompileTest, testing::Values("reference", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
