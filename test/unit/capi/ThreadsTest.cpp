//===- ThreadsTest.cpp - Compilations and runs at the same time -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the thread sanitizer looks at: programs that differ, compiled by eight threads, and
// one program, compiled ahead of time, run by eight.
//
//===----------------------------------------------------------------------===//
#include "tenon/library.h"
#include "test/unit/capi/CompileFixture.h"

#include <filesystem>
#include <thread>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr int numThreads = 8;

template <typename Body> void onThreads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < numThreads; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}

/// y = exp(softmax(x w)), a kernel of each kind, for n rows of 4.
struct Layer {
  Trace trace;
  Trace::Slice slice;

  explicit Layer(int64_t n) {
    int32_t x = trace.input(Type::make(TENON_F32, {n, 4}));
    int32_t w = trace.input(Type::make(TENON_F32, {4, 4}));
    int32_t product = trace.record(op("matmul"), {x, w}, AttrWords().boolean(false).boolean(false));
    int32_t y =
        trace.record(op("exp"), {trace.record(op("softmax"), {product}, AttrWords().integer(1))});
    EXPECT_GE(y, 0) << trace.error();
    trace.slice({y}, {x, w}, {}, slice, [](int32_t, Need) { return false; });
  }
};

/// Of zeros: every row has the same softmax. Parallel enough to need the pool if n is large.
void check(tenon_executable *executable, int64_t n) {
  std::vector<float> x(n * 4), w(16, 1), y(n * 4);
  std::vector<int64_t> rows{n, 4}, square{4, 4};
  tenon_tensor inputs[] = {floats(x, rows), floats(w, square)}, output = floats(y, rows);
  tenon_status status = tenon_executable_run(executable, inputs, 2, &output, 1, nullptr);
  ASSERT_EQ(status, nullptr) << take(status);
  for (float each : y)
    ASSERT_NEAR(each, 1.2840254f, 1e-6f);
}

class CompilesOnEight : public testing::TestWithParam<const char *> {};

INSTANTIATE_TEST_SUITE_P(Devices, CompilesOnEight, testing::Values("cpu", "vulkan"),
                         [](auto &info) { return info.param; });

TEST_P(CompilesOnEight, ProgramsThatDiffer) {
  tenon_cache_clear();
  onThreads([](int thread) {
    for (int round = 0; round < 2; ++round) {
      int64_t n = 1 + (thread + 3 * round) % numThreads; // some are compiled by two
      Layer layer(n);
      tenon_trace view = layer.slice.view();
      tenon_compile_options options;
      tenon_compile_options_init(&options);
      options.device = GetParam();
      tenon_executable *executable = nullptr;
      tenon_status status = tenon_compile_trace(&view, &options, &executable);
      ASSERT_EQ(status, nullptr) << take(status);
      check(executable, n);
      tenon_executable_release(executable);
    }
  });
}

TEST(ThreadsTest, RunsOneProgramAheadOfTimeOnEight) {
  std::string folder = testing::TempDir() + "tenon-threads-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/liblayer.so";
  constexpr int64_t n = 20000;
  Layer layer(n);
  tenon_trace view = layer.slice.view();
  const char *inputs[] = {"x", "w"}, *outputs[] = {"y"};
  const void *constants[] = {nullptr, nullptr};
  tenon_artifact_function function = {"layer", &view, inputs, outputs, constants, nullptr};
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  tenon_status status = tenon_compile_artifact(&function, 1, &options, path.c_str());
  ASSERT_EQ(status, nullptr) << take(status);
  tenon_library *library = nullptr;
  status = tenon_library_open(path.c_str(), &library);
  ASSERT_EQ(status, nullptr) << take(status);
  tenon_executable *executable = nullptr;
  status = tenon_library_executable(library, "layer", nullptr, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  tenon_library_release(library);
  onThreads([&](int) {
    for (int round = 0; round < 3; ++round)
      check(executable, n);
  });
  tenon_executable_release(executable);
  std::filesystem::remove_all(folder);
}

} // namespace
