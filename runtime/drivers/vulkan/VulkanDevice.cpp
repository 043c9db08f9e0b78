//===- VulkanDevice.cpp - a Vulkan device ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever works on the device keeps what it opened alive, also when that is lost meanwhile.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanDevice.h"

#include "runtime/Faults.h"
#include "runtime/Status.h"
#include "runtime/drivers/vulkan/VulkanProgram.h"

#include <algorithm>

namespace tenon::runtime::vulkan {

std::shared_ptr<OpenDevice> VulkanDevice::opened() const {
  std::lock_guard<std::mutex> guard(lock);
  return current;
}

tenon_status VulkanDevice::use(std::shared_ptr<OpenDevice> &device) {
  if ((device = opened()))
    return nullptr;
  reclaim(false); // what is left of the lost one keeps memory
  std::lock_guard<std::mutex> alone(opening);
  if ((device = opened())) // by another thread
    return nullptr;
  device = std::make_shared<OpenDevice>(*this);
  TENON_TRY(device->open());
  std::lock_guard<std::mutex> guard(lock);
  current = device;
  return nullptr;
}

tenon_status VulkanDevice::reopen() {
  std::shared_ptr<OpenDevice> device;
  return use(device);
}

void VulkanDevice::lose(const OpenDevice &device) {
  std::shared_ptr<OpenDevice> gone; // the caller has another reference
  std::lock_guard<std::mutex> guard(lock);
  if (current.get() != &device)
    return;
  gone.swap(current);
  countLoss();
}

tenon_status VulkanDevice::load(const tenon_program &program,
                                std::unique_ptr<DeviceProgram> &loaded) {
  std::shared_ptr<OpenDevice> device;
  TENON_TRY(use(device));
  auto made = std::make_unique<VulkanProgram>(std::move(device), program);
  TENON_TRY(made->load());
  loaded = std::move(made);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void VulkanDevice::memoryState(int64_t &total, int64_t &free) const {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  all.pNext = traits.hasBudget ? &budget : nullptr;
  instance.GetPhysicalDeviceMemoryProperties2(traits.physical, &all);
  total = free = 0;
  for (uint32_t i = 0; i < all.memoryProperties.memoryHeapCount; ++i) {
    const VkMemoryHeap &heap = all.memoryProperties.memoryHeaps[i];
    if (!(heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) || int64_t(heap.size) <= total)
      continue;
    total = int64_t(heap.size);
    free = traits.hasBudget ? int64_t(budget.heapBudget[i]) - int64_t(budget.heapUsage[i])
                            : total - liveBytes();
  }
  free = std::clamp<int64_t>(free, 0, total);
}

int64_t VulkanDevice::mostBytes() const {
  uint64_t most = std::min<uint64_t>(traits.memory.mostBytes, INT64_MAX);
  return int64_t(faults::limit(faults::BufferBytes, most));
}

void *VulkanDevice::allocateBlock(int64_t bytes) {
  std::shared_ptr<OpenDevice> device = opened();
  return device ? device->memory->allocate(uint64_t(bytes)) : nullptr;
}

/// What was lost is not in the memory of today.
void VulkanDevice::releaseBlock(void *block, int64_t) {
  if (std::shared_ptr<OpenDevice> device = opened())
    device->memory->release(block);
}

tenon_status VulkanDevice::write(void *target, const void *source, int64_t bytes) {
  std::shared_ptr<OpenDevice> device;
  TENON_TRY(use(device));
  return device->write(target, source, bytes);
}

tenon_status VulkanDevice::read(void *target, const void *source, int64_t bytes) {
  std::shared_ptr<OpenDevice> device;
  TENON_TRY(use(device));
  return device->read(target, source, bytes);
}

tenon_status VulkanDevice::copy(void *target, const void *source, int64_t bytes) {
  std::shared_ptr<OpenDevice> device;
  TENON_TRY(use(device));
  return device->copy(target, source, bytes);
}

} // namespace tenon::runtime::vulkan
