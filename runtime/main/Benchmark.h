//===- Benchmark.h - A generated program measures itself --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--benchmark` of what tenon-compile makes: no files, random inputs, the rate printed.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_MAIN_BENCHMARK_H
#define TENON_RUNTIME_MAIN_BENCHMARK_H

#include "tenon/artifact.h"
#include "tenon/runtime.h"

#include <vector>

namespace tenon {

/// Runs a program for about a second and prints the median time of a run, with the floating point
/// operations and the bytes of its kernels in that time. Floats are uniform between 0 and 1,
/// integers 0. `symbols` are values of the program's symbols. Throws Failure.
void benchmark(tenon_executable *executable, const std::vector<int64_t> &symbols);

} // namespace tenon

#endif // TENON_RUNTIME_MAIN_BENCHMARK_H
