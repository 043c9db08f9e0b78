//===- Stream.h - work on a device apart from the host ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a driver provides whose memory the host does not see: programs made ready for
// it, and streams of launches, copies and small writes that it does in their order.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_STREAM_H
#define TENON_RUNTIME_STREAM_H

#include "runtime/Profiler.h"
#include "tenon/runtime.h"

#include <memory>
#include <vector>

namespace tenon::runtime {

struct StreamLaunch {
  int64_t kernel; ///< index in the program
  int64_t numBuffers;
  void *const *buffers;
  const int64_t *sizes; ///< bytes of each buffer
  int64_t numExtents;
  const int64_t *extents;
  void *scratch;
  int64_t scratchBytes;
  int64_t flops, bytes; ///< for the profile, and where costs are wanted
};

/// The work of one run at a time. Each piece of work sees what those before it wrote. Work may
/// begin at any time between its being asked for and the end of `finish`.
class Stream {
public:
  virtual ~Stream() = default;
  /// A run begins.
  virtual void begin() = 0;
  /// Does all of the last run again, which has been finished; or tells that it is not `possible`.
  virtual tenon_status repeat(bool &possible) = 0;
  virtual tenon_status launch(const StreamLaunch &launch) = 0;
  /// Whether launches are to say what they cost, also while no profile is made.
  virtual bool wantsCosts() const { return false; }
  /// The ranges do not overlap.
  virtual tenon_status copy(void *target, const void *source, int64_t bytes) = 0;
  virtual tenon_status write(void *target, int64_t value) = 0;
  /// Waits up to `nanoseconds` until all is `done`, which it also is after an error. A run ends
  /// with it, whatever happened before.
  virtual tenon_status finish(int64_t nanoseconds, bool &done) = 0;
  /// Gives away when the launches of the run ran, as the device's clock tells: those that were
  /// asked for while the profiler recorded. Nothing where it has no clock.
  virtual std::vector<profiler::Launch> takeTimes() { return {}; }
};

/// A program's kernels, ready to be launched.
class DeviceProgram {
public:
  virtual ~DeviceProgram() = default;
  /// The program outlives its streams.
  virtual tenon_status openStream(std::unique_ptr<Stream> &stream) = 0;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_STREAM_H
