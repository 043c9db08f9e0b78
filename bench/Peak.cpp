//===- Peak.cpp - The processor's peak of multiply-adds -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled for the machine it is built on, unlike the rest.
//
//===----------------------------------------------------------------------===//
#include "bench/Peak.h"

#include <ctime>

namespace tenon::bench {

#if defined(__AVX512F__)
constexpr int vectorBytes = 64;
#define ANY_REGISTER "v"
#elif defined(__AVX__)
constexpr int vectorBytes = 32;
#define ANY_REGISTER "x"
#else
constexpr int vectorBytes = 16;
#define ANY_REGISTER "x"
#endif

static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <typename T> static double measure() {
  typedef T Vector __attribute__((vector_size(vectorBytes)));
  constexpr int chains = 12; // latency times throughput is 8 or 10, and all stay in registers
  constexpr long repeats = 2000000;
  Vector x[chains], a = {}, c = {};
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; i++)
    x[i] = Vector{} + T(i);
  a += T(0.999), c += T(0.001);
  double start = now();
  for (long r = 0; r < repeats; r++) {
    asm volatile("" : "+" ANY_REGISTER(a), "+" ANY_REGISTER(c)); // not to be folded over rounds
#pragma clang loop unroll(full)
    for (int i = 0; i < chains; i++)
      x[i] = __builtin_elementwise_fma(x[i], a, c);
  }
  double seconds = now() - start;
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; i++)
    asm volatile("" ::ANY_REGISTER(x[i]));
  return 2.0 * chains * (vectorBytes / sizeof(T)) * repeats / seconds;
}

double peakFlops(bool isDouble) { return isDouble ? measure<double>() : measure<float>(); }

} // namespace tenon::bench
