//===- capi.cpp - what a call costs once it has been compiled -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cached call from C: finding the executable of a trace, and running it. The
// program is small, so that the overhead shows. Target: 3 us for both together.
//
//===----------------------------------------------------------------------===//
#include "frontend/Trace.h"
#include "tenon/compiler.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

using namespace tenon;
using infer::Type;

static void check(tenon_status status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", tenon_status_message(status));
  std::exit(1);
}

/// y = x * x * ... * x + x with `count` products of 8 elements.
static Trace::Slice chain(int count) {
  Trace trace;
  int32_t x = trace.input(Type::make(TENON_F32, {8}));
  int32_t y = x;
  for (int i = 0; i < count; i++)
    y = trace.record(infer::findOp("mul"), {y, x});
  Trace::Slice slice;
  trace.slice({y}, slice, [](int32_t, Need) { return false; });
  return slice;
}

static tenon_executable *compile(const Trace::Slice &slice) {
  tenon_trace trace = slice.view();
  tenon_executable *executable;
  check(tenon_compile_trace(&trace, nullptr, &executable));
  return executable;
}

static void run(tenon_executable *executable) {
  static float x[8], y[8];
  static const int64_t extents[] = {8};
  tenon_tensor in{nullptr, x, TENON_F32, 1, extents}, out{nullptr, y, TENON_F32, 1, extents};
  check(tenon_executable_run(executable, &in, 1, &out, 1, nullptr));
}

static void lookUp(benchmark::State &state) {
  Trace::Slice slice = chain(int(state.range(0)));
  for (auto _ : state)
    tenon_executable_release(compile(slice));
}
BENCHMARK(lookUp)->Arg(1)->Arg(26)->Arg(200);

static void lookUpAndRun(benchmark::State &state) {
  Trace::Slice slice = chain(int(state.range(0)));
  for (auto _ : state) {
    tenon_executable *executable = compile(slice);
    run(executable);
    tenon_executable_release(executable);
  }
}
BENCHMARK(lookUpAndRun)->Arg(1)->Arg(26);

static void runOnly(benchmark::State &state) {
  tenon_executable *executable = compile(chain(1));
  for (auto _ : state)
    run(executable);
  tenon_executable_release(executable);
}
BENCHMARK(runOnly);

BENCHMARK_MAIN();
