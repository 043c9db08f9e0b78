//===- Stopwatch.h - What the parts of something take -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For what happens once: opening a device, compiling a program.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_STOPWATCH_H
#define TENON_RUNTIME_STOPWATCH_H

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace tenon::runtime {

/// Tells, on stderr, how long it was since the last lap, when TENON_TIMING is set.
class Stopwatch {
public:
  void lap(const char *what) {
    static const bool enabled = std::getenv("TENON_TIMING") != nullptr;
    if (!enabled)
      return;
    auto now = std::chrono::steady_clock::now();
    std::fprintf(stderr, "tenon: %-24s %8.2f ms\n", what,
                 std::chrono::duration<double, std::milli>(now - last).count());
    last = std::chrono::steady_clock::now();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_STOPWATCH_H
