//===- CancelTest.cpp - Compilations that are cut short -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/Trace.h"
#include "tenon/compiler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace tenon;
using infer::Type;

namespace {

int op(const char *name) { return infer::findOp(name); }

/// y = tanh(x x + x) over f32[n, n].
struct Program {
  Trace trace;
  Trace::Slice slice;

  explicit Program(int64_t n) {
    int32_t x = trace.input(Type::make(TENON_F32, {n, n}));
    int32_t product = trace.record(op("matmul"), {x, x}, AttrWords().boolean(false).boolean(false));
    int32_t sum = trace.record(op("add"), {product, x});
    int32_t y = trace.record(op("tanh"), {sum});
    EXPECT_GE(y, 0) << trace.error();
    trace.slice({y}, {x}, {}, slice, [](int32_t, Need) { return false; });
  }
};

int32_t call(void *function) { return (*static_cast<std::function<int32_t()> *>(function))(); }

class CancelTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    tenon_cache_clear();
    tenon_compile_options_init(&options);
    options.device = GetParam();
    options.poll = call;
    options.poll_context = &poll;
  }
  tenon_status compile(int64_t n, tenon_executable **executable) {
    Program program(n);
    tenon_trace trace = program.slice.view();
    return tenon_compile_trace(&trace, &options, executable);
  }
  void expectCancelled(tenon_status status) {
    EXPECT_EQ(tenon_status_code(status), TENON_ERROR_CANCELLED);
    EXPECT_STREQ(tenon_status_message(status), "compilation was cancelled");
    tenon_status_free(status);
  }
  int64_t entries() {
    tenon_cache_info info;
    tenon_cache_info_get(&info);
    return info.entries;
  }
  int64_t hits() {
    tenon_cache_info info;
    tenon_cache_info_get(&info);
    return info.hits;
  }
  std::function<int32_t()> poll = [] { return 0; };
  tenon_compile_options options;
};

/// tanh(x x + x) for x = 1/2 everywhere.
void expectWorks(tenon_executable *executable, int64_t n) {
  std::vector<float> x(size_t(n * n), 0.5f), y(size_t(n * n));
  int64_t extents[] = {n, n};
  tenon_tensor in{nullptr, x.data(), TENON_F32, 2, extents};
  tenon_tensor out{nullptr, y.data(), TENON_F32, 2, extents};
  ASSERT_EQ(tenon_executable_run(executable, &in, 1, &out, 1, nullptr), nullptr);
  for (float value : y)
    ASSERT_NEAR(value, std::tanh(0.25 * double(n) + 0.5), 1e-5);
}

TEST_P(CancelTest, AFlagThatIsSetEndsItAtOnce) {
  int32_t cancel = 1;
  options.poll = nullptr;
  options.cancel = &cancel;
  tenon_executable *executable = nullptr;
  expectCancelled(compile(4, &executable));
  EXPECT_EQ(executable, nullptr);
  EXPECT_EQ(entries(), 0);
  cancel = 0;
  ASSERT_EQ(compile(4, &executable), nullptr);
  expectWorks(executable, 4);
  tenon_executable_release(executable);
}

/// Cancelled at the first poll, then at the second, ... until it is too late.
TEST_P(CancelTest, WhereverItIsCutNothingIsLeftAndTheNextOneIsWhole) {
  tenon_executable *executable = nullptr;
  for (int polls = 1; !executable; polls++) {
    int left = polls;
    poll = [&] { return --left == 0; };
    if (tenon_status status = compile(4, &executable)) {
      expectCancelled(status);
      EXPECT_EQ(executable, nullptr);
      EXPECT_EQ(entries(), 0);
    } else {
      EXPECT_GT(polls, 2); // before it begins and as soon as it has begun
    }
  }
  EXPECT_EQ(entries(), 1);
  expectWorks(executable, 4);
  tenon_executable_release(executable);
}

TEST_P(CancelTest, PollsOnTheCallingThread) {
  std::thread::id caller = std::this_thread::get_id();
  int polls = 0, strangers = 0;
  poll = [&] {
    polls++;
    strangers += std::this_thread::get_id() != caller;
    return 0;
  };
  tenon_executable *executable = nullptr;
  ASSERT_EQ(compile(5, &executable), nullptr);
  EXPECT_GE(polls, 2);
  EXPECT_EQ(strangers, 0);
  tenon_executable_release(executable);
}

/// Another thread that waits for the same program has not asked to cancel.
TEST_P(CancelTest, WhoWaitsForItCompilesItThen) {
  poll = [&] {
    while (hits() == 0)
      std::this_thread::yield();
    return 1;
  };
  std::thread waiter([&] {
    Program program(6);
    tenon_trace trace = program.slice.view();
    while (entries() == 0)
      std::this_thread::yield();
    tenon_compile_options patient;
    tenon_compile_options_init(&patient);
    patient.device = GetParam();
    tenon_executable *executable = nullptr;
    ASSERT_EQ(tenon_compile_trace(&trace, &patient, &executable), nullptr);
    expectWorks(executable, 6);
    tenon_executable_release(executable);
  });
  tenon_executable *executable = nullptr;
  expectCancelled(compile(6, &executable));
  waiter.join();
}

TEST_P(CancelTest, AProgramForManyExtentsCanBeCut) {
  for (int64_t n : {3, 4}) {
    tenon_executable *executable = nullptr;
    ASSERT_EQ(compile(n, &executable), nullptr);
    tenon_executable_release(executable);
  }
  int polls = 0;
  poll = [&] { return ++polls == 2; };
  tenon_executable *executable = nullptr;
  expectCancelled(compile(5, &executable));
  EXPECT_EQ(entries(), 2);
  poll = [] { return 0; };
  ASSERT_EQ(compile(5, &executable), nullptr);
  expectWorks(executable, 5);
  expectWorks(executable, 9); // so it is the program with `?`
  tenon_executable_release(executable);
}

TEST_P(CancelTest, PrintingCanBeCut) {
  Program program(4);
  tenon_trace trace = program.slice.view();
  int polls = 0;
  poll = [&] { return ++polls == 2; };
  char *text = nullptr;
  expectCancelled(tenon_print_trace(&trace, &options, "asm", &text));
  EXPECT_EQ(text, nullptr);
}

/// A process may end while a compilation that was left still runs.
TEST_P(CancelTest, TheProcessCanEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto cancelAndExit = [&] {
    int polls = 0;
    poll = [&] { return ++polls == 2; };
    tenon_executable *executable = nullptr;
    tenon_status status = compile(8, &executable);
    std::exit(tenon_status_code(status) == TENON_ERROR_CANCELLED ? 0 : 1);
  };
  EXPECT_EXIT(cancelAndExit(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Devices, CancelTest, testing::Values("cpu", "reference"),
                         [](auto &info) { return std::string(info.param); });

} // namespace
