//===- ThreadTest.cpp - several threads, several callers ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results do not depend on threads; callers do not disturb each other.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace tenon::test;

namespace {

class ThreadTest : public DriverTest {
protected:
  /// y = sum of x.
  static ProgramBuilder sumProgram() {
    Expr n = Expr::symbol(0);
    ProgramBuilder b("sum", 1);
    int64_t x = b.input("x", TENON_F64, {n});
    int64_t y = b.output("y", TENON_F64, {});
    Expr partials = n.with(TENON_EXPR_CEILDIV, 1000) * 8;
    b.launch(b.kernel("sum", sum, partials), {x, y}, {n});
    return b;
  }
  /// Values whose sum depends on the order of addition.
  static Tensor<double> irregular(size_t size) {
    std::vector<double> values(size);
    for (size_t i = 0; i < size; ++i)
      values[i] = std::sin(double(i)) * std::exp(double(i % 50));
    return Tensor<double>(values);
  }
};

/// With kernels that run more programs, or in a process that no GPU's driver follows into.
class FunctionThreadTest : public ThreadTest {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, ThreadTest, ::testing::ValuesIn(computingDrivers()), driverLabel);
INSTANTIATE_TEST_SUITE_P(Drivers, FunctionThreadTest, ::testing::ValuesIn(functionDrivers()),
                         driverLabel);

TEST(Threads, SettingIsChecked) {
  int64_t before = tenon_num_threads();
  EXPECT_GE(before, 1);
  EXPECT_ERROR(tenon_set_num_threads(0), TENON_ERROR_ARGUMENT, "got 0");
  EXPECT_ERROR(tenon_set_num_threads(-2), TENON_ERROR_ARGUMENT, "got -2");
  EXPECT_EQ(tenon_num_threads(), before);
  EXPECT_OK(tenon_set_num_threads(7));
  EXPECT_EQ(tenon_num_threads(), 7);
  EXPECT_OK(tenon_set_num_threads(before));
}

TEST_P(ThreadTest, SameBitsAtAnyNumberOfThreads) {
  ProgramBuilder b = sumProgram();
  ExecutableHandle e = create(b);
  Tensor<double> x = irregular(123457), y({0}, {});
  ASSERT_OK(tenon_set_num_threads(1));
  ASSERT_OK(run(e, {x.argument()}, {y.argument()}));
  const double expected = y.values[0];
  for (int64_t threads : {2, 3, 8})
    for (int repeat = 0; repeat < 20; ++repeat) {
      ASSERT_OK(tenon_set_num_threads(threads));
      y.values[0] = 0;
      ASSERT_OK(run(e, {x.argument()}, {y.argument()}));
      EXPECT_EQ(std::memcmp(&y.values[0], &expected, sizeof expected), 0);
    }
}

TEST_P(ThreadTest, OneExecutableFromSeveralThreads) {
  ASSERT_OK(tenon_set_num_threads(2));
  // The arena holds x + 1 between the launches: a shared one would show.
  Expr n = Expr::symbol(0);
  ProgramBuilder b("p", 1);
  int64_t x = b.input("x", TENON_F32, {n}), y = b.output("y", TENON_F32, {n});
  int64_t between = b.arena(0, n * 4);
  b.arenaBytes(n * 4);
  int64_t k = b.kernel("add_one", addOne);
  b.launch(k, {x, between}, {n}).launch(k, {between, y}, {n});
  ExecutableHandle e = create(b);
  std::vector<std::string> failures(4);
  onThreads(failures.size(), [&](size_t t) {
    for (size_t i = 0; i < 500 && failures[t].empty(); ++i) {
      size_t size = 100 * (t + 1) + i % 7;
      Tensor<float> in(std::vector<float>(size, float(t)));
      Tensor<float> out{std::vector<float>(size)};
      tenon_status status = run(e, {in.argument()}, {out.argument()});
      if (status || out.values != std::vector<float>(size, float(t) + 2))
        failures[t] = std::string("wrong result ") + tenon_status_message(status);
      tenon_status_free(status);
    }
  });
  for (const std::string &failure : failures)
    EXPECT_EQ(failure, "");
}

TEST_P(ThreadTest, ProgramsComeAndGoUnderTheProfiler) {
  std::string folder = ::testing::TempDir() + "tenon-threads-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  ASSERT_OK(tenon_pipeline_cache_open(folder.c_str(), 0));
  std::atomic<int> atWork{4};
  onThreads(5, [&](size_t t) {
    if (t == 4) { // one records what the others run
      while (atWork > 0) {
        EXPECT_OK(tenon_profile_start());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        EXPECT_OK(tenon_profile_stop((folder + "/trace.json").c_str()));
      }
      return;
    }
    for (int i = 0; i < 10; ++i) {
      ProgramBuilder b = sumProgram();
      ExecutableHandle e = create(b);
      BufferHandle x = allocate(4000 * 8), copy = allocate(4000 * 8);
      std::vector<double> values(4000, double(t + 1));
      EXPECT_OK(tenon_buffer_write(x.get(), 0, values.data(), 4000 * 8));
      EXPECT_OK(tenon_buffer_copy(copy.get(), 0, x.get(), 0, 4000 * 8));
      int64_t extent = 4000;
      Tensor<double> y({0}, {});
      EXPECT_OK(run(e, {{copy.get(), nullptr, TENON_F64, 1, &extent}}, {y.argument()}));
      EXPECT_EQ(y.values[0], 4000 * double(t + 1));
    }
    --atWork;
  });
  EXPECT_OK(tenon_pipeline_cache_open(nullptr, 0));
  std::filesystem::remove_all(folder);
}

TEST_P(FunctionThreadTest, KernelMayRunAnotherExecutable) {
  // As a poll function does that serves a user interface.
  ASSERT_OK(tenon_set_num_threads(2));
  ProgramBuilder inner = sumProgram();
  ExecutableHandle e = create(inner);
  static tenon_executable *nested;
  nested = e.get();
  static double results[64];
  auto outer = [](tenon_env *env, void *const *, const int64_t *) {
    auto slice = [](tenon_env *, void *, int64_t begin, int64_t, int64_t) {
      Tensor<double> x{std::vector<double>(5000, 1)}, y({0}, {});
      tenon_tensor in = x.argument(), out = y.argument();
      tenon_status status = tenon_executable_run(nested, &in, 1, &out, 1, nullptr);
      results[begin] = status ? -1 : y.values[0];
      tenon_status_free(status);
    };
    env->parallel_for(env, slice, nullptr, 64, 1);
  };
  ProgramBuilder b("outer");
  b.launch(b.kernel("outer", outer), {});
  ExecutableHandle o = create(b);
  ASSERT_OK(run(o, {}, {}));
  for (double result : results)
    EXPECT_EQ(result, 5000);
}

TEST_P(FunctionThreadTest, ChildOfAForkRuns) {
  ASSERT_OK(tenon_set_num_threads(2));
  ProgramBuilder b = sumProgram();
  ExecutableHandle e = create(b);
  Tensor<double> x{std::vector<double>(100000, 1)}, y({0}, {});
  ASSERT_OK(run(e, {x.argument()}, {y.argument()})); // the workers exist
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60); // a hang is a failure
    bool good = true;
    for (int i = 0; i < 100; ++i) {
      y.values[0] = 0;
      tenon_status status = run(e, {x.argument()}, {y.argument()});
      good &= !status && y.values[0] == 100000;
    }
    _exit(good ? 0 : 1);
  }
  int result = -1;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_TRUE(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  EXPECT_OK(run(e, {x.argument()}, {y.argument()}));
}
