//===- Buffer.h - reference-counted device memory ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object behind tenon_buffer.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_BUFFER_H
#define TENON_RUNTIME_BUFFER_H

#include "runtime/Checkpoint.h"
#include "runtime/Device.h"

struct tenon_buffer {
  ~tenon_buffer() {
    if (copied)
      device->checkpoint->forget(this);
  }

  std::atomic<int64_t> references{1};
  tenon_device *device = nullptr;
  tenon::runtime::DeviceMemory memory;
  std::atomic<bool> copied{false}; ///< in a checkpoint
};

#endif // TENON_RUNTIME_BUFFER_H
