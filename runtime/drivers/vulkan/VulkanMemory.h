//===- VulkanMemory.h - device memory by numbers ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory in a few large buffers, and parts of them. An address is a number
// that nothing dereferences; each buffer has a range of such numbers of its own,
// so that an address and what is added to it tell the buffer and the offset.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANMEMORY_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANMEMORY_H

#include "runtime/drivers/vulkan/VulkanApi.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace tenon::runtime::vulkan {

/// A place in a buffer, and the bytes from there to its end.
struct Place {
  VkBuffer buffer = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// A buffer with memory of its own.
struct RawBuffer {
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  void *mapped = nullptr; ///< where it was asked for
};

/// What the device says about its memory.
struct MemoryTraits {
  VkPhysicalDeviceMemoryProperties types{};
  /// Of one buffer. Less than that may be too much for an allocation, which then fails: how much is
  /// sure to be had (maxMemoryAllocationSize) says nothing of how much there is.
  uint64_t mostBytes = 0;
};

class Memory {
public:
  Memory(const DeviceApi &api, VkDevice device, const MemoryTraits &traits)
      : api(api), device(device), traits(traits) {}
  ~Memory();

  /// An address, or null.
  void *allocate(uint64_t bytes);
  void release(void *address);
  /// Where an address lies; no buffer where it is none.
  Place find(const void *address) const;

  /// Frees blocks of which nothing is used; whether there was any.
  bool trim();

  /// A buffer apart from the pool, which the host sees if it is `mapped`.
  bool create(uint64_t bytes, bool mapped, RawBuffer &result);
  void destroy(const RawBuffer &buffer);

private:
  struct Block {
    RawBuffer raw;
    uint64_t bytes = 0;
    std::map<uint64_t, uint64_t> free; ///< offset -> bytes
    std::map<uint64_t, uint64_t> used;
    bool shared = false;
  };
  using Blocks = std::map<uint64_t, Block>; ///< by first address

  Blocks::iterator addBlock(uint64_t bytes, bool shared);
  bool dropIdle();
  Blocks::const_iterator blockOf(uint64_t address) const;
  static bool take(Block &block, uint64_t bytes, uint64_t &offset);
  int32_t memoryType(uint32_t allowed, bool mapped) const;

  const DeviceApi &api;
  VkDevice device;
  MemoryTraits traits;
  mutable std::shared_mutex lock;
  Blocks blocks;
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANMEMORY_H
