//===- ThreadPoolTest.cpp - parallel loops --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, workers, nesting, parking and the number of threads.
//
//===----------------------------------------------------------------------===//
#include "runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace tenon::runtime;

namespace {

/// An env as a run would make it.
struct LoopRun {
  explicit LoopRun(int64_t workers) {
    env.parallel_for = parallelFor;
    env.num_workers = workers;
    env.cancelled = control.stopFlag();
    env.runtime = &control;
    control.begin(nullptr);
  }

  using Body = std::function<void(int64_t begin, int64_t end, int64_t worker)>;
  void loop(int64_t n, int64_t chunk, Body body) {
    auto call = [](tenon_env *, void *context, int64_t begin, int64_t end, int64_t worker) {
      (*static_cast<Body *>(context))(begin, end, worker);
    };
    env.parallel_for(&env, call, &body, n, chunk);
  }

  RunControl control;
  tenon_env env{};
};

/// Runs a loop and returns how often each iteration ran; checks the slices.
std::vector<int> coverage(LoopRun &run, int64_t n, int64_t chunk) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(n));
  run.loop(n, chunk, [&](int64_t begin, int64_t end, int64_t worker) {
    EXPECT_EQ(begin % chunk, 0);
    EXPECT_EQ(end, std::min(begin + chunk, n));
    EXPECT_GE(worker, 0);
    EXPECT_LT(worker, run.env.num_workers);
    for (int64_t i = begin; i < end; ++i)
      ++counts[size_t(i)];
  });
  return {counts.begin(), counts.end()};
}

} // namespace

TEST(ThreadPool, EverySliceOnce) {
  for (int64_t workers : {1, 2, 3, 8}) {
    LoopRun run(workers);
    for (int64_t n : {1, 2, 15, 16, 17, 1000})
      for (int64_t chunk : {1, 2, 16, 999, 1000, 5000})
        EXPECT_EQ(coverage(run, n, chunk), std::vector<int>(size_t(n), 1))
            << workers << " workers, n " << n << ", chunk " << chunk;
  }
}

TEST(ThreadPool, ManyLoopsInARow) {
  LoopRun run(2);
  std::atomic<int64_t> total{0};
  // More than the generations that `state` can tell apart.
  for (int i = 0; i < 70000; ++i)
    run.loop(4, 1, [&](int64_t, int64_t, int64_t) { ++total; });
  EXPECT_EQ(total, 280000);
}

TEST(ThreadPool, EmptyAndDegenerateLoops) {
  LoopRun run(2);
  int64_t calls = 0;
  auto count = [&](int64_t, int64_t, int64_t) { ++calls; };
  run.loop(0, 4, count);
  run.loop(-5, 4, count);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(coverage(run, 3, 1), std::vector<int>(3, 1));
  std::atomic<int64_t> slices{0};
  run.loop(3, 0, [&](int64_t begin, int64_t end, int64_t) {
    EXPECT_EQ(end, begin + 1); // a chunk below 1 counts as 1
    ++slices;
  });
  EXPECT_EQ(slices, 3);
}

TEST(ThreadPool, BoundsNearTheEndOfTheRange) {
  LoopRun run(2);
  std::mutex lock;
  std::set<std::pair<int64_t, int64_t>> slices;
  constexpr int64_t half = int64_t(1) << 62;
  run.loop(INT64_MAX, half, [&](int64_t begin, int64_t end, int64_t) {
    std::lock_guard<std::mutex> guard(lock);
    slices.insert({begin, end});
  });
  EXPECT_EQ(slices, (std::set<std::pair<int64_t, int64_t>>{{0, half}, {half, INT64_MAX}}));
}

TEST(ThreadPool, OneSliceStaysOnTheCaller) {
  LoopRun run(2);
  run.loop(10, 10, [&](int64_t begin, int64_t end, int64_t worker) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
    EXPECT_EQ(worker, 0);
  });
}

TEST(ThreadPool, WorkersAreApart) {
  LoopRun run(4);
  std::vector<std::atomic<int>> inside(4);
  for (int i = 0; i < 200; ++i)
    run.loop(64, 1, [&](int64_t, int64_t, int64_t worker) {
      EXPECT_EQ(inside[size_t(worker)]++, 0);
      std::this_thread::yield();
      --inside[size_t(worker)];
    });
}

TEST(ThreadPool, OthersHelp) {
  LoopRun run(2);
  std::mutex lock;
  std::set<std::thread::id> threads;
  // Each slice waits for a second thread, up to a limit: a pool that ran all on
  // the caller would end the loop with one thread seen.
  run.loop(2, 1, [&](int64_t, int64_t, int64_t) {
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (bool done = false; !done;) {
      std::lock_guard<std::mutex> guard(lock);
      threads.insert(std::this_thread::get_id());
      done = threads.size() > 1 || std::chrono::steady_clock::now() > limit;
    }
  });
  EXPECT_EQ(threads.size(), 2u);
}

TEST(ThreadPool, WorkersWakeAfterParking) {
  LoopRun run(3);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(coverage(run, 100, 1), std::vector<int>(100, 1));
  }
}

TEST(ThreadPool, NestedLoopsAreSerialOnTheSameWorker) {
  LoopRun run(2);
  std::atomic<int64_t> total{0};
  run.loop(8, 1, [&](int64_t, int64_t, int64_t outer) {
    std::thread::id thread = std::this_thread::get_id();
    int64_t expected = 0;
    run.loop(10, 2, [&](int64_t begin, int64_t, int64_t inner) {
      EXPECT_EQ(begin, expected);
      expected += 2;
      EXPECT_EQ(inner, outer);
      EXPECT_EQ(std::this_thread::get_id(), thread);
      ++total;
    });
  });
  EXPECT_EQ(total, 40);
}

TEST(ThreadPool, SecondCallerRunsInline) {
  LoopRun first(2);
  first.loop(2, 1, [&](int64_t, int64_t, int64_t) {
    // The pool is taken: another run on this thread stays on it.
    LoopRun second(2);
    std::thread::id thread = std::this_thread::get_id();
    second.loop(4, 1, [&](int64_t, int64_t, int64_t worker) {
      EXPECT_EQ(worker, 0);
      EXPECT_EQ(std::this_thread::get_id(), thread);
    });
  });
}

TEST(ThreadPool, ManyCallersAtOnce) {
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      LoopRun run(3);
      for (int i = 0; i < 2000; ++i)
        run.loop(5, 1, [&](int64_t, int64_t, int64_t) { ++total; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * 2000 * 5);
}

TEST(ThreadPool, StopDropsSlices) {
  for (int64_t workers : {1, 2}) {
    LoopRun run(workers);
    int32_t cancel = 0;
    tenon_run_options options{&cancel, nullptr, nullptr};
    run.control.begin(&options);
    std::atomic<int64_t> slices{0};
    run.loop(1000000, 1, [&](int64_t, int64_t, int64_t) {
      ++slices;
      __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
    });
    EXPECT_LT(slices, 1000000);
    EXPECT_TRUE(run.control.stopped());
  }
}

/// A loop over nothing is a look at the request; a worker's is none.
TEST(ThreadPool, ALongSliceCanLook) {
  LoopRun run(2);
  static std::atomic<int> polls, strangers;
  static std::thread::id caller;
  polls = strangers = 0;
  caller = std::this_thread::get_id();
  auto poll = [](void *) -> int32_t {
    strangers += std::this_thread::get_id() != caller;
    return ++polls, 1;
  };
  tenon_run_options options{nullptr, poll, nullptr};
  run.control.begin(&options);
  auto goesOn = [&] {
    run.env.parallel_for(&run.env, nullptr, nullptr, 0, 1);
    return __atomic_load_n(run.env.cancelled, __ATOMIC_RELAXED) == 0;
  };
  run.loop(2, 1, [&](int64_t, int64_t, int64_t) {
    while (goesOn())
      std::this_thread::yield();
  });
  EXPECT_EQ(polls, 1);
  EXPECT_EQ(strangers, 0);
  EXPECT_FALSE(goesOn());
}

TEST(ThreadPool, ARequestWaitsWhileNotInterruptible) {
  LoopRun run(2);
  int32_t cancel = 1;
  tenon_run_options options{&cancel, nullptr, nullptr};
  run.control.begin(&options);
  run.control.setInterruptible(false);
  run.control.check();
  EXPECT_EQ(coverage(run, 100, 1), std::vector<int>(100, 1));
  EXPECT_TRUE(run.control.requested());
  EXPECT_FALSE(run.control.stopped());
  run.control.setInterruptible(true);
  run.control.check();
  EXPECT_TRUE(run.control.stopped());
}

TEST(ThreadPool, CallerPollsWhileItWaits) {
  LoopRun run(2);
  static std::atomic<int> polls;
  polls = 0;
  tenon_run_options options{nullptr, [](void *) -> int32_t { return ++polls, 0; }, nullptr};
  run.control.begin(&options);
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> helperCame{false};
  // Two slices; the helper's goes on until the caller, out of work, has polled.
  run.loop(2, 1, [&](int64_t, int64_t, int64_t) {
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    auto late = [&] { return std::chrono::steady_clock::now() > limit; };
    if (std::this_thread::get_id() == caller) {
      while (!helperCame && !late())
        std::this_thread::yield();
      return;
    }
    helperCame = true;
    int before = polls;
    while (polls == before && !late())
      std::this_thread::yield();
  });
  EXPECT_TRUE(helperCame);
  EXPECT_GE(polls, 1);
}

TEST(ThreadPool, NumberOfWorkersMayChange) {
  for (int64_t workers : {2, 6, 2, 1, 4, 9, 3}) {
    LoopRun run(workers);
    for (int i = 0; i < 50; ++i)
      EXPECT_EQ(coverage(run, 40, 1), std::vector<int>(40, 1));
  }
}
