//===- Checkpoint.h - copies that survive a lost device ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of buffers in the host's memory, as many as the caller asked for.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_CHECKPOINT_H
#define TENON_RUNTIME_CHECKPOINT_H

#include "tenon/runtime.h"

#include <map>
#include <memory>
#include <mutex>

namespace tenon::runtime {

/// Of one device.
class Checkpoint {
public:
  explicit Checkpoint(tenon_device &device) : device(device) {}

  /// Copies these buffers, and then forgets what it had before.
  tenon_status take(tenon_buffer *const *buffers, int64_t count);
  /// Writes the copies back.
  tenon_status restore();
  /// A buffer that has a copy goes.
  void forget(tenon_buffer *buffer);

private:
  using Copies = std::map<tenon_buffer *, std::unique_ptr<char[]>>;

  tenon_device &device;
  std::mutex lock; ///< guards what follows, and the mark on buffers
  Copies copies;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_CHECKPOINT_H
