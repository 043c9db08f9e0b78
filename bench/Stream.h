//===- Stream.h - What memory gives one core --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ceiling that benchmarks of memory traffic are told in parts of, measured in
// the same run.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_BENCH_STREAM_H
#define TENON_BENCH_STREAM_H

#include <cstddef>

namespace tenon::bench {

/// STREAM's copy, c[i] = a[i], with ordinary stores of the widest registers.
void streamCopy(void *to, const void *from, size_t bytes);
/// Reads all of it; the result is of no use.
float streamRead(const void *from, size_t bytes);

} // namespace tenon::bench

#endif // TENON_BENCH_STREAM_H
