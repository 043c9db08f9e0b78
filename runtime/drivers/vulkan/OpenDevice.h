//===- OpenDevice.h - a Vulkan device from its opening on -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its memory, transfers through a buffer that the host sees, and the queue: work is counted
// by a timeline semaphore. Once the device is lost it stays so; another one is opened.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_OPENDEVICE_H
#define TENON_RUNTIME_DRIVERS_VULKAN_OPENDEVICE_H

#include "runtime/drivers/vulkan/PipelineCache.h"
#include "runtime/drivers/vulkan/VulkanMemory.h"
#include "runtime/drivers/vulkan/VulkanTraits.h"
#include "tenon/runtime.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace tenon::runtime::vulkan {

class VulkanDevice;

/// Commands to be submitted together, one after the other.
class CommandBuffer {
public:
  CommandBuffer() = default;
  CommandBuffer(const CommandBuffer &) = delete;
  ~CommandBuffer() { destroy(); }
  void destroy();

  /// Begins to record, to be submitted `once` or more often; what was recorded before must be done.
  VkResult begin(const DeviceApi &api, VkDevice device, uint32_t family, bool once);
  /// What follows sees what came before.
  void barrier();
  void copy(const Place &target, const Place &source, uint64_t bytes);
  VkResult end();

  VkCommandBuffer commands = nullptr;

private:
  const DeviceApi *api = nullptr;
  VkDevice device = nullptr;
  VkCommandPool pool = nullptr;
};

class OpenDevice {
public:
  explicit OpenDevice(VulkanDevice &owner);
  ~OpenDevice();
  tenon_status open();

  const char *driverName() const;
  const char *description() const { return traits.properties.deviceName; }
  /// What a launch may do, in operations or bytes, before it is measured how long that takes; all
  /// on a device that is fast.
  int64_t mostUnmeasured() const;

  tenon_status write(void *target, const void *source, int64_t bytes);
  tenon_status read(void *target, const void *source, int64_t bytes);
  tenon_status copy(void *target, const void *source, int64_t bytes);

  tenon_status begin(CommandBuffer &commands, bool once);
  /// Ends the recording and submits it; `ticket` is what to wait for.
  tenon_status submit(CommandBuffer &commands, uint64_t &ticket);
  tenon_status submitAgain(const CommandBuffer &commands, uint64_t &ticket);
  /// Waits up to `nanoseconds`; `done` tells whether that was long enough.
  tenon_status wait(uint64_t ticket, int64_t nanoseconds, bool &done);
  /// A buffer that the host sees.
  tenon_status createMapped(uint64_t bytes, RawBuffer &buffer);
  /// Where an address lies; an error where it was lost.
  tenon_status find(const void *address, Place &place) const;
  /// An error for what a function of Vulkan gave, who may have lost the device; null for success.
  tenon_status error(const char *what, VkResult result) const;

  VulkanDevice &owner;
  const Api &instance;
  const Traits &traits;
  DeviceApi api;
  VkDevice device = nullptr;
  std::unique_ptr<Memory> memory;
  PipelineCache pipelines;

private:
  /// Memory that the host sees, and what fills or empties it.
  struct Slot {
    RawBuffer staging;
    CommandBuffer commands;
    uint64_t ticket = 0; ///< 0 when it is free
  };
  static constexpr int64_t numSlots = 4;
  /// Pieces of a transfer have numbers, and take slots in turn.
  tenon_status beginTransfer(int64_t number);
  tenon_status move(int64_t number, void *address, int64_t bytes, bool toDevice);
  tenon_status finishTransfer(Slot &slot);
  tenon_status finishTransfers(tenon_status before);
  tenon_status copyPiece(const void *target, const void *source, uint64_t bytes);

  VkQueue queue = nullptr;
  VkSemaphore timeline = nullptr;
  mutable std::atomic<bool> lost{false};
  std::mutex queueLock;
  uint64_t submitted = 0;
  std::mutex transferLock; ///< guards what follows
  Slot slots[numSlots];
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_OPENDEVICE_H
