//===- Profiler.h - records launches ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects one event per launch between tenon_profile_start and
// tenon_profile_stop. Costs one relaxed load per launch when off.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_PROFILER_H
#define TENON_RUNTIME_PROFILER_H

#include "tenon/runtime.h"

#include <atomic>

namespace tenon::runtime::profiler {

extern std::atomic<bool> active;

inline bool enabled() { return active.load(std::memory_order_relaxed); }

/// Where an executable keeps the place of its kernels' names in the current
/// session. Names are copied, for the executable may die before the session.
struct Registration {
  std::atomic<int64_t> session{0};
  std::atomic<int64_t> first{0};
};

struct Launch {
  int64_t kernel;     ///< index in the program
  int64_t begin, end; ///< nanoseconds
  int64_t flops, bytes;
  bool onDevice = false; ///< in a lane of its own, 0
};

/// Records a launch of `program`. Drops it when the session has just ended or
/// memory is short.
void record(const tenon_program &program, Registration &registration,
            const Launch &launch) noexcept;

} // namespace tenon::runtime::profiler

#endif // TENON_RUNTIME_PROFILER_H
