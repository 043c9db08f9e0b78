//===- VulkanMemory.cpp - device memory by numbers ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small requests share blocks, large ones have their own.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanMemory.h"

#include "runtime/Faults.h"
#include "runtime/Stopwatch.h"

#include <algorithm>
#include <atomic>

namespace tenon::runtime::vulkan {

/// Of parts of a block: as much as any device wants of a storage buffer's offset.
constexpr uint64_t partAlignment = 256;
constexpr uint64_t sharedBlockBytes = uint64_t(32) << 20;
constexpr uint64_t largestShared = sharedBlockBytes / 4;
/// Between blocks, so that an address one past the end is nobody's.
constexpr uint64_t addressGap = uint64_t(1) << 32;

/// Of the next block, far from what a process maps. No two blocks of a process have the same: an
/// address of memory that was lost is found nowhere.
static std::atomic<uint64_t> nextAddress{uint64_t(1) << 60};

Memory::~Memory() {
  for (auto &[address, block] : blocks)
    destroy(block.raw);
}

int32_t Memory::memoryType(uint32_t allowed, bool mapped) const {
  constexpr VkMemoryPropertyFlags visible =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  // The host reads what the device writes: cached if there is such memory.
  VkMemoryPropertyFlags wanted[] = {mapped ? visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                           : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                    mapped ? visible : 0};
  for (VkMemoryPropertyFlags flags : wanted)
    for (uint32_t i = 0; i < traits.types.memoryTypeCount; ++i)
      if ((allowed >> i & 1) && (traits.types.memoryTypes[i].propertyFlags & flags) == flags)
        return int32_t(i);
  return -1;
}

bool Memory::create(uint64_t bytes, bool mapped, RawBuffer &result) {
  Stopwatch watch;
  RawBuffer made;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (api.CreateBuffer(device, &info, nullptr, &made.buffer) != VK_SUCCESS)
    return false;
  VkMemoryRequirements needs;
  api.GetBufferMemoryRequirements(device, made.buffer, &needs);
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.allocationSize = needs.size;
  int32_t type = memoryType(needs.memoryTypeBits, mapped);
  allocation.memoryTypeIndex = uint32_t(type);
  if (type < 0 || faults::happens(faults::OutOfMemory) ||
      api.AllocateMemory(device, &allocation, nullptr, &made.memory) != VK_SUCCESS ||
      api.BindBufferMemory(device, made.buffer, made.memory, 0) != VK_SUCCESS ||
      (mapped &&
       api.MapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped) != VK_SUCCESS)) {
    destroy(made);
    return false;
  }
  result = made;
  watch.lap(mapped ? "memory for both" : "memory");
  return true;
}

void Memory::destroy(const RawBuffer &buffer) {
  api.DestroyBuffer(device, buffer.buffer, nullptr);
  api.FreeMemory(device, buffer.memory, nullptr);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Memory::Blocks::iterator Memory::addBlock(uint64_t bytes, bool shared) {
  Block block;
  if (!create(bytes, false, block.raw) && (!dropIdle() || !create(bytes, false, block.raw)))
    return blocks.end();
  block.bytes = bytes;
  block.shared = shared;
  block.free[0] = bytes;
  uint64_t address =
      nextAddress.fetch_add((bytes + addressGap - 1) / addressGap * addressGap + addressGap);
  return blocks.emplace(address, std::move(block)).first;
}

bool Memory::trim() {
  std::unique_lock<std::shared_mutex> guard(lock);
  return dropIdle();
}

bool Memory::dropIdle() {
  bool any = false;
  for (auto it = blocks.begin(); it != blocks.end();) {
    if (!it->second.used.empty()) {
      ++it;
      continue;
    }
    destroy(it->second.raw);
    it = blocks.erase(it);
    any = true;
  }
  return any;
}

bool Memory::take(Block &block, uint64_t bytes, uint64_t &offset) {
  for (auto it = block.free.begin(); it != block.free.end(); ++it) {
    if (it->second < bytes)
      continue;
    offset = it->first;
    uint64_t left = it->second - bytes;
    block.free.erase(it);
    if (left > 0)
      block.free[offset + bytes] = left;
    block.used[offset] = bytes;
    return true;
  }
  return false;
}

void *Memory::allocate(uint64_t bytes) {
  bytes = (bytes + partAlignment - 1) / partAlignment * partAlignment;
  std::unique_lock<std::shared_mutex> guard(lock);
  bool shared = bytes <= largestShared;
  uint64_t offset = 0;
  if (shared)
    for (auto &[address, block] : blocks)
      if (block.shared && take(block, bytes, offset))
        return reinterpret_cast<void *>(address + offset);
  auto added = addBlock(shared ? sharedBlockBytes : bytes, shared);
  if (added == blocks.end() && shared) // there may still be room for that much
    added = addBlock(bytes, false);
  if (added == blocks.end() || !take(added->second, bytes, offset))
    return nullptr;
  return reinterpret_cast<void *>(added->first + offset);
}

Memory::Blocks::const_iterator Memory::blockOf(uint64_t address) const {
  auto it = blocks.upper_bound(address);
  if (it == blocks.begin())
    return blocks.end();
  --it;
  return address - it->first < it->second.bytes ? it : blocks.end();
}

void Memory::release(void *address) {
  std::unique_lock<std::shared_mutex> guard(lock);
  auto found = blockOf(reinterpret_cast<uint64_t>(address));
  if (found == blocks.end())
    return;
  auto it = blocks.find(found->first);
  Block &block = it->second;
  auto part = block.used.find(reinterpret_cast<uint64_t>(address) - it->first);
  auto [offset, bytes] = *part;
  block.used.erase(part);
  if (!block.shared) {
    destroy(block.raw);
    blocks.erase(it);
    return;
  }
  // Joins its free neighbours.
  auto next = block.free.lower_bound(offset);
  if (next != block.free.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = block.free.erase(next);
  }
  if (next != block.free.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  block.free[offset] = bytes;
}

Place Memory::find(const void *address) const {
  std::shared_lock<std::shared_mutex> guard(lock);
  auto number = reinterpret_cast<uint64_t>(address);
  auto it = blockOf(number);
  if (it == blocks.end())
    return {};
  uint64_t offset = number - it->first;
  return {it->second.raw.buffer, offset, it->second.bytes - offset};
}

} // namespace tenon::runtime::vulkan
