//===- Stream.cpp - What memory gives one core ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled for the machine it is built on, and not into calls of memcpy.
//
//===----------------------------------------------------------------------===//
#include "bench/Stream.h"

namespace tenon::bench {

typedef float Vector __attribute__((vector_size(64)));

void streamCopy(void *to, const void *from, size_t bytes) {
  auto *a = static_cast<const Vector *>(from);
  auto *c = static_cast<Vector *>(to);
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < bytes / sizeof(Vector); i++)
    c[i] = a[i];
}

float streamRead(const void *from, size_t bytes) {
  auto *a = static_cast<const Vector *>(from);
  Vector sums[4] = {};
  for (size_t i = 0; i + 4 <= bytes / sizeof(Vector); i += 4)
    for (size_t j = 0; j < 4; j++)
      sums[j] += a[i + j];
  Vector sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return sum[0] + sum[7] + sum[15];
}

} // namespace tenon::bench
