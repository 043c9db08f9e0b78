//===- Job.h - Compilations that their callers may leave --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass or LLVM's code generator cannot be stopped from outside, and may take long.
// So a compilation that can be cancelled runs on a thread of its own: the caller polls
// meanwhile and leaves when asked to, the thread ends at its next checkpoint, and what
// it has made goes with it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_JOB_H
#define TENON_CAPI_JOB_H

#include "passes/Checkpoint.h"
#include "tenon/compiler.h"

#include <chrono>
#include <functional>
#include <string>

namespace tenon {

/// The caller's wish to cancel, as its options tell. Belongs to the calling thread.
class Interruption {
public:
  /// Between two looks.
  static constexpr std::chrono::milliseconds interval{10};

  explicit Interruption(const tenon_compile_options *options) {
    if (options)
      cancel = options->cancel, poll = options->poll, context = options->poll_context;
  }
  bool possible() const { return cancel || poll; }
  /// Looks at the flag and polls. No lock may be held: `poll` is foreign code.
  bool requested() {
    wanted = wanted || (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0) ||
             (poll && poll(context) != 0);
    return wanted;
  }

private:
  const int32_t *cancel = nullptr;
  int32_t (*poll)(void *) = nullptr;
  void *context = nullptr;
  bool wanted = false;
};

tenon_status cancelledStatus();

/// What a job makes. Owned here until it is taken.
struct Compiled {
  tenon_executable *executable = nullptr;
  std::string text, header; ///< of an artifact: the file, and its C header

  Compiled() = default;
  Compiled(const Compiled &) = delete;
  ~Compiled() {
    if (executable)
      tenon_executable_release(executable);
  }
};

/// May run on another thread and after the caller has left, so it owns all that it
/// touches. It need not look at the flag, but should.
using Work = std::function<tenon_status(const CancelFlag *cancelled, Compiled &made)>;

/// Does the work and calls `take` with what it made, or gives its status; returns
/// TENON_ERROR_CANCELLED within Interruption::interval of a request.
tenon_status runJob(Work work, Interruption &interruption,
                    const std::function<void(Compiled &)> &take);

} // namespace tenon

#endif // TENON_CAPI_JOB_H
