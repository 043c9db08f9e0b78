//===- runtime.cpp - overhead of the runtime ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run, a launch and a parallel loop cost when the kernels do nothing.
// The peer of a parallel loop is a std::thread that is started and joined.
//
//===----------------------------------------------------------------------===//
#include "tenon/runtime.h"
#include "test/cts/ProgramBuilder.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <thread>

using namespace tenon::test;

static void check(tenon_status status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", tenon_status_message(status));
  std::exit(1);
}

static tenon_device *cpu() {
  tenon_device *device = nullptr;
  check(tenon_device_open("cpu", 0, &device));
  return device;
}

static tenon_executable *create(ProgramBuilder &builder) {
  tenon_executable *executable = nullptr;
  check(tenon_executable_create(cpu(), &builder.build(), nullptr, nullptr, &executable));
  return executable;
}

static void emptyKernel(tenon_env *, void *const *, const int64_t *) {}

/// A run of `range(0)` empty kernels; with new addresses every time if
/// range(1), with a dynamic extent if range(2).
static void emptyRun(benchmark::State &state) {
  bool moving = state.range(1), dynamic = state.range(2);
  Expr extent = dynamic ? Expr::symbol(0) : Expr(64);
  ProgramBuilder b("empty", dynamic);
  int64_t x = b.input("x", TENON_F32, {extent});
  int64_t y = b.output("y", TENON_F32, {extent});
  int64_t k = b.kernel("empty", emptyKernel);
  for (int64_t i = 0; i < state.range(0); ++i)
    b.launch(k, {x, x, y}, {extent});
  tenon_executable *executable = create(b);
  static float data[4][64];
  int64_t extents[1] = {64};
  int64_t turn = 0;
  for (auto _ : state) {
    turn ^= moving;
    tenon_tensor in{nullptr, data[turn], TENON_F32, 1, extents};
    tenon_tensor out{nullptr, data[2 + turn], TENON_F32, 1, extents};
    check(tenon_executable_run(executable, &in, 1, &out, 1, nullptr));
  }
  tenon_executable_release(executable);
}
BENCHMARK(emptyRun)
    ->ArgNames({"kernels", "moving", "dynamic"})
    ->Args({1, 0, 0})
    ->Args({10, 0, 0})
    ->Args({10, 1, 0})
    ->Args({10, 0, 1})
    ->Args({10, 1, 1})
    ->Args({200, 0, 0});

/// A training step's worth of arguments: range(0) parameters, all in place.
static void manyArguments(benchmark::State &state) {
  int64_t count = state.range(0);
  ProgramBuilder b("many");
  int64_t k = b.kernel("empty", emptyKernel);
  for (int64_t i = 0; i < count; ++i) {
    int64_t x = b.input("p", TENON_F32, {64, 64});
    int64_t y = b.output("p", TENON_F32, {64, 64}, i);
    b.launch(k, {x, y});
  }
  tenon_executable *executable = create(b);
  std::vector<std::vector<float>> data(2 * size_t(count), std::vector<float>(64 * 64));
  std::vector<tenon_tensor> inputs(static_cast<size_t>(count)), outputs;
  int64_t extents[2] = {64, 64};
  size_t turn = 0;
  for (auto _ : state) {
    turn ^= size_t(state.range(1));
    for (size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = {nullptr, data[2 * i + turn].data(), TENON_F32, 2, extents};
    check(tenon_executable_run(executable, inputs.data(), count, inputs.data(), count, nullptr));
  }
  tenon_executable_release(executable);
}
BENCHMARK(manyArguments)->ArgNames({"parameters", "moving"})->Args({100, 0})->Args({100, 1});

static void emptySlice(tenon_env *, void *, int64_t, int64_t, int64_t) {}

constexpr int64_t loopsPerRun = 1000;

static void loops(tenon_env *env, void *const *, const int64_t *extents) {
  for (int64_t i = 0; i < loopsPerRun; ++i)
    env->parallel_for(env, emptySlice, nullptr, extents[0], extents[1]);
}

/// Time of one parallel_for of `slices` slices while the workers are awake.
static void hotLoop(benchmark::State &state) {
  check(tenon_set_num_threads(state.range(1)));
  ProgramBuilder b("loops");
  b.launch(b.kernel("loops", loops), {}, {state.range(0), 1});
  tenon_executable *executable = create(b);
  for (auto _ : state)
    check(tenon_executable_run(executable, nullptr, 0, nullptr, 0, nullptr));
  state.counters["per_loop"] =
      benchmark::Counter(double(state.iterations() * loopsPerRun),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  tenon_executable_release(executable);
}
BENCHMARK(hotLoop)
    ->ArgNames({"slices", "threads"})
    ->Args({1, 2})
    ->Args({2, 1})
    ->Args({2, 2})
    ->Args({8, 2})
    ->Args({64, 2})
    ->UseRealTime();

static void busySlice(tenon_env *, void *context, int64_t begin, int64_t end, int64_t) {
  auto *values = static_cast<float *>(context);
  for (int64_t i = begin; i < end; ++i)
    values[i] = values[i] * 0.5f + 1.0f;
}

static void busyLoops(tenon_env *env, void *const *buffers, const int64_t *extents) {
  for (int64_t i = 0; i < loopsPerRun; ++i)
    env->parallel_for(env, busySlice, buffers[0], extents[0], extents[1]);
}

/// Loops over range(1) floats, again and again, in slices of 16k: time per loop
/// at one thread against two. Below about 32k there is nothing to win.
static void sharedLoop(benchmark::State &state) {
  check(tenon_set_num_threads(state.range(0)));
  ProgramBuilder b("busy");
  int64_t values = b.arena(0);
  b.arenaBytes(state.range(1) * 4);
  b.launch(b.kernel("busy", busyLoops), {values}, {state.range(1), 16384});
  tenon_executable *executable = create(b);
  for (auto _ : state)
    check(tenon_executable_run(executable, nullptr, 0, nullptr, 0, nullptr));
  state.counters["per_loop"] =
      benchmark::Counter(double(state.iterations() * loopsPerRun),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  tenon_executable_release(executable);
}
BENCHMARK(sharedLoop)
    ->ArgNames({"threads", "floats"})
    ->ArgsProduct({{1, 2}, {32768, 131072, 524288}})
    ->UseRealTime();

static void threadPeer(benchmark::State &state) {
  for (auto _ : state) {
    std::thread other([] {});
    other.join();
  }
}
BENCHMARK(threadPeer)->UseRealTime();

/// Allocation and release of a result buffer, as R does for every call.
static void allocateBuffer(benchmark::State &state) {
  tenon_device *device = cpu();
  for (auto _ : state) {
    tenon_buffer *buffer = nullptr;
    check(tenon_buffer_allocate(device, state.range(0), &buffer));
    benchmark::DoNotOptimize(tenon_buffer_data(buffer));
    tenon_buffer_release(buffer);
  }
}
BENCHMARK(allocateBuffer)->Arg(64)->Arg(1 << 20)->Arg(16 << 20);

BENCHMARK_MAIN();
