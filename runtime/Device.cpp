//===- Device.cpp - device entry points and memory accounting -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver-independent part of a device.
//
//===----------------------------------------------------------------------===//
#include "runtime/Device.h"

#include "runtime/Checkpoint.h"
#include "runtime/Status.h"

#include <algorithm>
#include <string>

using namespace tenon::runtime;

tenon_device::tenon_device(const char *driver)
    : checkpoint(std::make_unique<Checkpoint>(*this)), driver(driver) {}
tenon_device::~tenon_device() = default;

void tenon_device::addHolder(MemoryHolder &holder) {
  std::lock_guard<std::mutex> guard(holdersLock);
  holders.insert(&holder);
}

void tenon_device::removeHolder(MemoryHolder &holder) {
  std::lock_guard<std::mutex> guard(holdersLock);
  holders.erase(&holder);
}

bool tenon_device::reclaim(bool all) {
  std::lock_guard<std::mutex> guard(holdersLock);
  bool any = false;
  for (MemoryHolder *holder : holders)
    any |= holder->dropIdle(all);
  return any;
}

tenon_status tenon_device::allocate(int64_t bytes, DeviceMemory &memory) {
  memory.reset();
  // Even an empty block has an address of its own.
  int64_t size = std::max<int64_t>(bytes, 1);
  void *block = nullptr;
  int64_t opened = 0, most = 0;
  for (;;) {
    opened = generation();
    TENON_TRY(reopen());
    most = mostBytes();
    block = size > most ? nullptr : allocateBlock(size);
    for (bool all : {false, true})
      if (!block && size <= most && reclaim(all))
        block = allocateBlock(size);
    if (opened == generation())
      break;
    if (block) // another thread lost the device meanwhile
      releaseBlock(block, size);
  }
  if (!block) {
    int64_t total = 0, free = 0;
    memoryState(total, free);
    std::string more = size > most ? "; one buffer has at most " + std::to_string(most) : "";
    return tenon_status_make(TENON_ERROR_MEMORY,
                             "cannot allocate %" PRId64 " bytes on device '%s': %" PRId64
                             " bytes held, %" PRId64 " of %" PRId64 " bytes free%s",
                             bytes, driver, liveBytes(), free, total, more.c_str());
  }
  live.fetch_add(bytes, std::memory_order_relaxed);
  memory.device = this;
  memory.block = block;
  memory.size = bytes;
  memory.generation = opened;
  return nullptr;
}

void DeviceMemory::reset() {
  if (!device)
    return;
  device->releaseBlock(block, std::max<int64_t>(size, 1));
  device->live.fetch_sub(size, std::memory_order_relaxed);
  device = nullptr;
  block = nullptr;
  size = 0;
}

// The registry owns devices for good, so a reference costs nothing to hold.
void tenon_device_retain(tenon_device *) {}
void tenon_device_release(tenon_device *) {}

tenon_status tenon_device_info_get(tenon_device *device, tenon_device_info *info) {
  if (!device || !info)
    return nullArgument("tenon_device_info_get", device ? "info" : "device");
  return guarded([&]() -> tenon_status {
    tenon_device_info result;
    result.driver = device->driverName();
    result.description = device->description();
    result.features = device->features();
    result.kind = device->kind();
    device->memoryState(result.memory_total, result.memory_free);
    *info = result;
    return nullptr;
  });
}

int64_t tenon_device_bytes(tenon_device *device) { return device ? device->liveBytes() : 0; }
