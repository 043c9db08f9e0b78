//===- CancellationTest.cpp - runs that are cut short ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a request takes effect, when it has to wait, and what it leaves behind.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace tenon::test;

namespace {

/// What kernels and poll functions below act on; one test uses it at a time.
struct Scene {
  int32_t cancel = 0;
  int64_t cancelAt = -1;      ///< launch in which to ask
  int64_t cancelAtSlice = -1; ///< slice in which to ask
  std::atomic<int64_t> launches{0}, slices{0};
  std::vector<std::chrono::steady_clock::time_point> polls;
  std::thread::id pollThread;
  int32_t answer = 0;
};
Scene *scene = nullptr;

/// y = x + 1 for one element; asks to cancel in launch number `cancelAt`.
void countedAddOne(tenon_env *, void *const *b, const int64_t *) {
  if (scene->launches++ == scene->cancelAt)
    __atomic_store_n(&scene->cancel, 1, __ATOMIC_RELAXED);
  *static_cast<float *>(b[1]) = *static_cast<float *>(b[0]) + 1;
}

/// Fails twice in launch number `cancelAt`.
void failing(tenon_env *env, void *const *, const int64_t *) {
  if (scene->launches++ != scene->cancelAt)
    return;
  tenon_env_fail(env, tenon_status_make(TENON_ERROR_IO, "no paper"));
  tenon_env_fail(env, tenon_status_make(TENON_ERROR_DEVICE, "no ink"));
}

/// 1000 slices; asks to cancel in the slice that begins at
/// `cancelAtSlice`, and other threads do not run ahead of it.
void manySlices(tenon_env *env, void *const *, const int64_t *) {
  auto slice = [](tenon_env *, void *, int64_t begin, int64_t, int64_t) {
    ++scene->slices;
    if (begin == scene->cancelAtSlice)
      __atomic_store_n(&scene->cancel, 1, __ATOMIC_RELAXED);
    while (scene->cancelAtSlice >= 0 && !__atomic_load_n(&scene->cancel, __ATOMIC_RELAXED))
      std::this_thread::yield();
  };
  env->parallel_for(env, slice, nullptr, 1000, 1);
}

/// Slices that take 80 ms in all on one thread.
void slowSlices(tenon_env *env, void *const *, const int64_t *) {
  auto slice = [](tenon_env *, void *, int64_t, int64_t, int64_t) {
    ++scene->slices;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  env->parallel_for(env, slice, nullptr, 80, 1);
}

int32_t recordPoll(void *context) {
  auto *s = static_cast<Scene *>(context);
  s->polls.push_back(std::chrono::steady_clock::now());
  s->pollThread = std::this_thread::get_id();
  return s->answer;
}

class CancellationTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    scene = &state;
    options.cancel = &state.cancel;
  }

  Scene state;
  tenon_run_options options{};
};

/// A loop that adds 1 to x for `trips` trips. `donates`: the output may take
/// the input's place. Then, if asked, a step that copies the result to `copy`.
struct LoopProgram {
  ProgramBuilder b{"train", 1};
  Tensor<float> count, x{{1}}, y{{-1}}, copy{{-1}};

  explicit LoopProgram(size_t trips) : count(std::vector<float>(trips)) {
    Expr n = Expr::symbol(0);
    b.input("trips", TENON_F32, {n});
    int64_t in = b.input("x", TENON_F32, {1});
    int64_t out = b.output("y", TENON_F32, {1}, 1);
    int64_t copyOut = b.output("copy", TENON_F32, {1});
    int64_t body = b.arena(0), next = b.arena(64);
    b.arenaBytes(128);
    int64_t k = b.kernel("counted_add_one", countedAddOne);
    b.add(b.loopStep(n, {{in, body, next, out, 4}}, {}, {b.launchStep(k, {body, next})}));
    b.add(b.copyStep(copyOut, out, 4));
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, CancellationTest, ::testing::ValuesIn(functionDrivers()),
                         driverLabel);

TEST_P(CancellationTest, FlagSetBeforeTheRun) {
  ProgramBuilder b("p");
  b.launch(b.kernel("many", manySlices), {});
  ExecutableHandle e = create(b);
  state.cancel = 1;
  EXPECT_ERROR(run(e, {}, {}, &options), TENON_ERROR_CANCELLED, "run of 'p' was cancelled");
  EXPECT_EQ(state.slices, 0);
  state.cancel = 0;
  EXPECT_OK(run(e, {}, {}, &options));
  EXPECT_EQ(state.slices, 1000);
}

TEST_P(CancellationTest, SlicesNotBegunAreDropped) {
  for (int64_t threads : {1, 2}) {
    ASSERT_OK(tenon_set_num_threads(threads));
    ProgramBuilder b("p");
    b.launch(b.kernel("many", manySlices), {});
    ExecutableHandle e = create(b);
    state.cancel = 0;
    state.cancelAtSlice = 0;
    state.slices = 0;
    EXPECT_ERROR(run(e, {}, {}, &options), TENON_ERROR_CANCELLED, "cancelled");
    EXPECT_GE(state.slices, 1);
    if (threads == 1)
      EXPECT_EQ(state.slices, 1);
  }
}

TEST_P(CancellationTest, LaterStepsDoNotRun) {
  ProgramBuilder b("p");
  int64_t x = b.input("x", TENON_F32, {1}), y = b.output("y", TENON_F32, {1});
  int64_t k = b.kernel("counted_add_one", countedAddOne);
  for (int i = 0; i < 3; ++i)
    b.launch(k, {x, y});
  ExecutableHandle e = create(b);
  Tensor<float> in({1}), out({0});
  state.cancelAt = 1;
  EXPECT_ERROR(run(e, {in.argument()}, {out.argument()}, &options), TENON_ERROR_CANCELLED,
               "cancelled");
  EXPECT_EQ(state.launches, 2);
}

TEST_P(CancellationTest, WrittenStateMakesTheRunFinish) {
  ProgramBuilder b("p");
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1}, /*donates=*/0);
  int64_t k = b.kernel("counted_add_one", countedAddOne);
  b.launch(k, {x, y});
  b.launch(b.kernel("many", manySlices), {});
  b.launch(k, {y, y});
  ExecutableHandle e = create(b);
  Tensor<float> in({1}), out({0});
  state.cancelAt = 0; // the launch that writes y asks
  EXPECT_OK(run(e, {in.argument()}, {in.argument()}, &options));
  EXPECT_EQ(in.values[0], 3);
  EXPECT_EQ(state.slices, 1000);
  // The same request where the output lies elsewhere: nothing is lost by it.
  state.cancel = 0;
  state.launches = 0;
  EXPECT_ERROR(run(e, {in.argument()}, {out.argument()}, &options), TENON_ERROR_CANCELLED,
               "cancelled");
  EXPECT_EQ(in.values[0], 3);
}

TEST_P(CancellationTest, FailedKernelEndsTheRun) {
  ProgramBuilder b("p");
  int64_t k = b.kernel("failing", failing);
  for (int i = 0; i < 3; ++i)
    b.launch(k, {});
  ExecutableHandle e = create(b);
  state.cancelAt = 1;
  EXPECT_ERROR(run(e, {}, {}), TENON_ERROR_IO, "no paper");
  EXPECT_EQ(state.launches, 2);
  state.cancelAt = -1;
  EXPECT_OK(run(e, {}, {}));
}

TEST_P(CancellationTest, FailedKernelEndsALoop) {
  ProgramBuilder b("p", 1);
  Tensor<float> count(std::vector<float>(10));
  b.input("trips", TENON_F32, {Expr::symbol(0)});
  b.add(b.loopStep(Expr::symbol(0), {}, {}, {b.launchStep(b.kernel("failing", failing), {})}));
  b.launch(b.kernel("many", manySlices), {});
  ExecutableHandle e = create(b);
  state.cancelAt = 3;
  EXPECT_ERROR(run(e, {count.argument()}, {}), TENON_ERROR_IO, "no paper");
  EXPECT_EQ(state.launches, 4);
  EXPECT_EQ(state.slices, 0);
}

TEST_P(CancellationTest, LoopEndsAfterItsTrip) {
  for (bool inPlace : {false, true}) {
    LoopProgram p(10);
    ExecutableHandle e = create(p.b);
    state.cancel = 0;
    state.launches = 0;
    state.cancelAt = 3; // in the fourth trip
    Tensor<float> &result = inPlace ? p.x : p.y;
    EXPECT_ERROR(run(e, {p.count.argument(), p.x.argument()},
                     {result.argument(), p.copy.argument()}, &options),
                 TENON_ERROR_CANCELLED, "cancelled after 4 of 10 trips");
    EXPECT_EQ(result.values[0], 5);
    // Written state is followed up; otherwise the run is over, and what it did not write may be
    // anything on a device with memory of its own.
    if (inPlace)
      EXPECT_EQ(p.copy.values[0], 5);
    else if (GetParam() == "cpu")
      EXPECT_EQ(p.copy.values[0], -1);
    EXPECT_EQ(state.launches, 4);
  }
}

TEST_P(CancellationTest, RequestInTheLastTripChangesNothing) {
  LoopProgram p(4);
  ExecutableHandle e = create(p.b);
  state.cancelAt = 3;
  EXPECT_OK(
      run(e, {p.count.argument(), p.x.argument()}, {p.x.argument(), p.copy.argument()}, &options));
  EXPECT_EQ(p.x.values[0], 5);
  EXPECT_EQ(p.copy.values[0], 5);
}

TEST_P(CancellationTest, TripsAreWhole) {
  // The request comes in the first of two launches, inside an inner loop.
  ProgramBuilder b("p");
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1}, 0);
  int64_t k = b.kernel("counted_add_one", countedAddOne);
  tenon_step inner = b.loopStep(5, {}, {}, {b.launchStep(k, {y, y})});
  b.add(b.loopStep(10, {{x, y, y, y, 4}}, {},
                   {inner, b.launchStep(b.kernel("many", manySlices), {})}));
  ExecutableHandle e = create(b);
  Tensor<float> in({1});
  state.cancelAt = 7; // second outer trip
  EXPECT_ERROR(run(e, {in.argument()}, {in.argument()}, &options), TENON_ERROR_CANCELLED,
               "after 2 of 10 trips");
  EXPECT_EQ(in.values[0], 11);
  EXPECT_EQ(state.slices, 2000);
}

TEST_P(CancellationTest, PollsOnTheCallingThread) {
  ASSERT_OK(tenon_set_num_threads(1));
  ProgramBuilder b("p");
  b.launch(b.kernel("slow", slowSlices), {});
  ExecutableHandle e = create(b);
  options.poll = recordPoll;
  options.poll_context = &state;
  EXPECT_OK(run(e, {}, {}, &options));
  EXPECT_EQ(state.slices, 80);
  ASSERT_GE(state.polls.size(), 1u);
  EXPECT_LE(state.polls.size(), 80u);
  EXPECT_EQ(state.pollThread, std::this_thread::get_id());
}

TEST_P(CancellationTest, ShortRunsAreNotPolled) {
  ProgramBuilder b("p");
  ExecutableHandle e = create(b);
  options.poll = recordPoll;
  options.poll_context = &state;
  EXPECT_OK(run(e, {}, {}, &options));
  EXPECT_TRUE(state.polls.empty());
}

TEST_P(CancellationTest, PollCancels) {
  for (int64_t threads : {1, 2}) {
    ASSERT_OK(tenon_set_num_threads(threads));
    ProgramBuilder b("p");
    int64_t k = b.kernel("slow", slowSlices);
    for (int i = 0; i < 20; ++i)
      b.launch(k, {});
    ExecutableHandle e = create(b);
    state.slices = 0;
    state.polls.clear();
    state.answer = 1;
    options.poll = recordPoll;
    options.poll_context = &state;
    EXPECT_ERROR(run(e, {}, {}, &options), TENON_ERROR_CANCELLED, "cancelled");
    EXPECT_EQ(state.polls.size(), 1u);
    EXPECT_LT(state.slices, 1600);
  }
}
