//===- VulkanDevice.h - a Vulkan device -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its traits, its memory, transfers through a buffer that the host sees, and the
// queue: work is counted by a timeline semaphore.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANDEVICE_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANDEVICE_H

#include "runtime/Device.h"
#include "runtime/drivers/vulkan/VulkanExtensions.h"
#include "runtime/drivers/vulkan/VulkanMemory.h"

#include <mutex>
#include <vector>

namespace tenon::runtime::vulkan {

/// What a physical device is and can do.
struct Traits {
  VkPhysicalDevice physical = nullptr;
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceFloatControlsProperties floatControls{};
  VkPhysicalDeviceFeatures features{}; ///< those that Tenon enables, here and below
  VkPhysicalDeviceVulkan11Features features11{};
  VkPhysicalDeviceVulkan12Features features12{};
  VkPhysicalDeviceVulkan13Features features13{};
  CooperativeMatrixFeatures cooperativeMatrix;
  Bfloat16Features bfloat16;
  MemoryTraits memory;
  std::vector<const char *> extensions; ///< those that Tenon enables
  bool hasBudget = false;               ///< VK_EXT_memory_budget
  int32_t queueFamily = -1;

  bool has13() const { return properties.apiVersion >= VK_API_VERSION_1_3; }
  bool usable() const { return queueFamily >= 0 && features12.timelineSemaphore; }
  std::string featureNames() const;
  const char *kind() const;
  /// The name of a capability of SPIR-V that is not there, else "".
  std::string lacks(uint32_t capability) const;
};

Traits readTraits(const Api &api, VkPhysicalDevice physical);

/// Commands to be submitted together, one after the other.
class CommandBuffer {
public:
  CommandBuffer() = default;
  CommandBuffer(const CommandBuffer &) = delete;
  ~CommandBuffer();

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

class VulkanDevice final : public Device {
public:
  VulkanDevice(const Api &api, const Traits &traits)
      : Device("vulkan"), instance(api), traits(traits), names(traits.featureNames()) {}
  ~VulkanDevice() override;
  tenon_status open();

  const char *description() const override { return traits.properties.deviceName; }
  const char *features() const override { return names.c_str(); }
  const char *kind() const override { return traits.kind(); }
  void memoryState(int64_t &total, int64_t &free) const override;
  bool hostMemory() const override { return false; }
  tenon_status write(void *target, const void *source, int64_t bytes) override;
  tenon_status read(void *target, const void *source, int64_t bytes) override;
  tenon_status copy(void *target, const void *source, int64_t bytes) override;
  tenon_status load(const tenon_program &program, std::unique_ptr<DeviceProgram> &loaded) override;

  tenon_status begin(CommandBuffer &commands, bool once);
  /// Ends the recording and submits it; `ticket` is what to wait for.
  tenon_status submit(CommandBuffer &commands, uint64_t &ticket);
  tenon_status submitAgain(const CommandBuffer &commands, uint64_t &ticket);
  /// Waits up to `nanoseconds`; `done` tells whether that was long enough.
  tenon_status wait(uint64_t ticket, int64_t nanoseconds, bool &done);
  /// TENON_ERROR_DEVICE for what a function of Vulkan gave; null for success.
  tenon_status error(const char *what, VkResult result) const;

  DeviceApi api;
  VkDevice device = nullptr;
  const Api &instance;
  const Traits traits;
  std::unique_ptr<Memory> memory;
  VkPipelineCache pipelineCache = nullptr;

protected:
  void *allocateBlock(int64_t bytes) override { return memory->allocate(uint64_t(bytes)); }
  void releaseBlock(void *block, int64_t) override { memory->release(block); }

private:
  tenon_status beginTransfer();
  tenon_status runTransfer();
  tenon_status copyPiece(const Place &target, const Place &source, uint64_t bytes);

  const std::string names;
  VkQueue queue = nullptr;
  VkSemaphore timeline = nullptr;
  std::mutex queueLock;
  uint64_t submitted = 0;
  std::mutex transferLock; ///< guards what follows
  RawBuffer staging;
  CommandBuffer transfer;
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANDEVICE_H
