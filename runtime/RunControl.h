//===- RunControl.h - cancellation and failure of one run -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches the caller's cancel flag and poll function for the length of a run.
// Only the calling thread watches; workers look at one flag of ours. A kernel that
// failed leaves its status here.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_RUNCONTROL_H
#define TENON_RUNTIME_RUNCONTROL_H

#include "runtime/platform/Platform.h"
#include "tenon/runtime.h"

#include <vector>

namespace tenon::runtime {

class RunControl {
public:
  /// Nanoseconds between two calls of the poll function.
  static constexpr int64_t pollInterval = 10000000;

  void begin(const tenon_run_options *options) {
    cancel = options ? options->cancel : nullptr;
    poll = options ? options->poll : nullptr;
    pollContext = options ? options->poll_context : nullptr;
    watched = cancel || poll;
    cancelRequested = false;
    interruptible = true;
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    tenon_status_free(takeFailure());
    if (poll)
      nextPoll = platform::coarseNanoseconds() + pollInterval;
  }

  /// Looks at the flag, and polls when it is time. Calling thread only.
  void check() {
    if (watched)
      watch();
  }

  /// Whether somebody asked to cancel, be it possible now or not.
  bool requested() const { return cancelRequested; }
  bool polls() const { return poll != nullptr; }

  /// While not interruptible (state is being written, or a trip of a loop is
  /// under way) a request waits.
  void setInterruptible(bool value) { interruptible = value; }

  /// Whether slices not yet begun are to be dropped. Any thread.
  bool stopped() const { return __atomic_load_n(&stop, __ATOMIC_RELAXED) != 0; }
  const int32_t *stopFlag() const { return &stop; }

  /// Keeps the first status that something fails with; null is success. Any thread.
  void fail(tenon_status status) {
    if (!status)
      return;
    tenon_status none = nullptr;
    if (!__atomic_compare_exchange_n(&failure, &none, status, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
      tenon_status_free(status);
  }
  bool failed() const { return __atomic_load_n(&failure, __ATOMIC_RELAXED) != nullptr; }
  /// The status, which is the caller's from now on; null when all is well.
  tenon_status takeFailure() {
    return failed() ? __atomic_exchange_n(&failure, nullptr, __ATOMIC_ACQ_REL) : nullptr;
  }

  /// Of the launch under way: its kernel and, where that checks its accesses, its buffers.
  /// Written by the calling thread before any slice begins.
  struct Region {
    uintptr_t begin;
    int64_t bytes;
  };
  const tenon_kernel_desc *kernel = nullptr;
  std::vector<Region> regions;

private:
  void watch() {
    if (!cancelRequested && cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0)
      cancelRequested = true;
    if (!cancelRequested && poll && platform::coarseNanoseconds() >= nextPoll) {
      cancelRequested = poll(pollContext) != 0;
      nextPoll = platform::coarseNanoseconds() + pollInterval;
    }
    if (cancelRequested && interruptible)
      __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  }

  const int32_t *cancel = nullptr;
  int32_t (*poll)(void *) = nullptr;
  void *pollContext = nullptr;
  int64_t nextPoll = 0;
  bool watched = false;
  bool cancelRequested = false;
  bool interruptible = true;
  int32_t stop = 0;
  tenon_status failure = nullptr;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_RUNCONTROL_H
