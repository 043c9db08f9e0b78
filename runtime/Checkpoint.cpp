//===- Checkpoint.cpp - copies that survive a lost device -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy goes with its buffer.
//
//===----------------------------------------------------------------------===//
#include "runtime/Checkpoint.h"

#include "runtime/Buffer.h"
#include "runtime/Status.h"

using namespace tenon::runtime;

tenon_status Checkpoint::take(tenon_buffer *const *buffers, int64_t count) {
  Copies taken;
  for (int64_t i = 0; i < count; ++i) {
    tenon_buffer *buffer = buffers[i];
    if (!buffer)
      return nullArgument("tenon_device_checkpoint", "buffer");
    if (buffer->device != &device)
      return tenon_status_make(TENON_ERROR_ARGUMENT,
                               "checkpoint: expected buffers of device '%s', got one of '%s'",
                               device.driverName(), buffer->device->driverName());
    int64_t bytes = buffer->memory.bytes();
    auto copy = std::make_unique<char[]>(size_t(bytes));
    TENON_TRY(tenon_buffer_read(buffer, 0, copy.get(), bytes));
    taken[buffer] = std::move(copy);
  }
  std::lock_guard<std::mutex> guard(lock);
  copies.swap(taken);
  for (const auto &[buffer, copy] : taken)
    buffer->copied = false;
  for (const auto &[buffer, copy] : copies)
    buffer->copied = true;
  return nullptr;
}

tenon_status Checkpoint::restore() {
  std::lock_guard<std::mutex> guard(lock);
  for (const auto &[buffer, copy] : copies) {
    int64_t bytes = buffer->memory.bytes();
    if (buffer->memory.lost()) {
      DeviceMemory memory;
      TENON_TRY(device.allocate(bytes, memory));
      buffer->memory = std::move(memory);
    }
    TENON_TRY(tenon_buffer_write(buffer, 0, copy.get(), bytes));
  }
  return nullptr;
}

void Checkpoint::forget(tenon_buffer *buffer) {
  std::lock_guard<std::mutex> guard(lock);
  copies.erase(buffer);
}

tenon_status tenon_device_checkpoint(tenon_device *device, tenon_buffer *const *buffers,
                                     int64_t count) {
  if (!device || (!buffers && count > 0))
    return nullArgument("tenon_device_checkpoint", device ? "buffers" : "device");
  return guarded([&] { return device->checkpoint->take(buffers, count); });
}

tenon_status tenon_device_restore(tenon_device *device) {
  if (!device)
    return nullArgument("tenon_device_restore", "device");
  return guarded([&] { return device->checkpoint->restore(); });
}
