//===- CompileTest.cpp - Traces through the C API -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/capi/CompileFixture.h"

#include <thread>

using namespace tenon;
using namespace tenon::test;

namespace {

TEST(OpTable, idsAndNamesAreInverse) {
  int64_t count = 0;
  for (; const char *name = tenon_op_name(count); count++)
    EXPECT_EQ(tenon_op_id(name), count) << name;
  EXPECT_GT(count, 60);
  EXPECT_EQ(tenon_op_id("no_such_op"), -1);
  EXPECT_EQ(tenon_op_id(nullptr), -1);
  EXPECT_EQ(tenon_op_name(-1), nullptr);
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
  EXPECT_NE(take(status).find("\"report-json\" or \"report-svg\", got \"nowhere\""),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Devices, CompileTest, testing::Values("reference", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
