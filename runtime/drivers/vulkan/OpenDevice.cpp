//===- OpenDevice.cpp - a Vulkan device from its opening on ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening, submissions and transfers.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/OpenDevice.h"

#include "runtime/Faults.h"
#include "runtime/Status.h"
#include "runtime/Stopwatch.h"
#include "runtime/drivers/vulkan/VulkanDevice.h"
#include "runtime/platform/Platform.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tenon::runtime::vulkan {

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

void CommandBuffer::destroy() {
  if (pool)
    api->DestroyCommandPool(device, pool, nullptr);
  pool = nullptr;
  commands = nullptr;
}

VkResult CommandBuffer::begin(const DeviceApi &of, VkDevice on, uint32_t family, bool once) {
  api = &of;
  device = on;
  VkResult result = VK_SUCCESS;
  if (!pool) {
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    info.queueFamilyIndex = family;
    if (result = api->CreateCommandPool(device, &info, nullptr, &pool); result != VK_SUCCESS)
      return result;
  }
  if (!commands) {
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    if (result = api->AllocateCommandBuffers(device, &info, &commands); result != VK_SUCCESS)
      return result;
  }
  if (result = api->ResetCommandPool(device, pool, 0); result != VK_SUCCESS)
    return result;
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = once ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT : 0;
  if (result = api->BeginCommandBuffer(commands, &info); result == VK_SUCCESS)
    barrier(); // against what was submitted before
  return result;
}

void CommandBuffer::barrier() {
  constexpr VkPipelineStageFlags device =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  api->CmdPipelineBarrier(commands, device, device, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void CommandBuffer::copy(const Place &target, const Place &source, uint64_t bytes) {
  VkBufferCopy region{source.offset, target.offset, bytes};
  api->CmdCopyBuffer(commands, source.buffer, target.buffer, 1, &region);
}

VkResult CommandBuffer::end() {
  // The host may read when the work is done.
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  api->CmdPipelineBarrier(commands,
                          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0, nullptr);
  return api->EndCommandBuffer(commands);
}

//===----------------------------------------------------------------------===//
// Life and queue
//===----------------------------------------------------------------------===//

OpenDevice::OpenDevice(VulkanDevice &owner)
    : owner(owner), instance(owner.instance), traits(owner.traits), pipelines(api, traits) {}

OpenDevice::~OpenDevice() {
  if (!device)
    return;
  if (memory) {
    api.DeviceWaitIdle(device);
    for (Slot &slot : slots) {
      memory->destroy(slot.staging);
      slot.commands.destroy();
    }
    memory.reset();
    api.DestroySemaphore(device, timeline, nullptr);
    pipelines.destroy(device);
  }
  api.DestroyDevice(device, nullptr);
}

const char *OpenDevice::driverName() const { return owner.driverName(); }

int64_t OpenDevice::mostUnmeasured() const {
  constexpr uint64_t slow = uint64_t(64) << 20; // a tenth of a second where that is slow indeed
  bool isFast = traits.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  return int64_t(faults::limit(faults::DispatchWork, isFast ? INT64_MAX : slow));
}

tenon_status OpenDevice::error(const char *what, VkResult result) const {
  if (result == VK_ERROR_DEVICE_LOST) {
    lost = true;
    owner.lose(*this);
    return tenon_status_make(
        TENON_ERROR_DEVICE,
        "device '%s' (%s) was lost, with all that was on it; what is new opens "
        "it again: %s: %s",
        driverName(), description(), what, resultName(result).c_str());
  }
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY)
    return tenon_status_make(TENON_ERROR_MEMORY, "device '%s' (%s): %s: %s", driverName(),
                             description(), what, resultName(result).c_str());
  if (result != VK_SUCCESS)
    return tenon_status_make(TENON_ERROR_DEVICE, "device '%s' (%s): %s: %s", driverName(),
                             description(), what, resultName(result).c_str());
  std::string message = takeValidationError();
  if (message.empty())
    return nullptr;
  return tenon_status_make(TENON_ERROR_DEVICE, "device '%s': validation: %s", driverName(),
                           message.c_str());
}

tenon_status OpenDevice::open() {
  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = uint32_t(traits.queueFamily);
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan11Features features11 = traits.features11;
  VkPhysicalDeviceVulkan12Features features12 = traits.features12;
  VkPhysicalDeviceVulkan13Features features13 = traits.features13;
  CooperativeMatrixFeatures cooperativeMatrix = traits.cooperativeMatrix;
  Bfloat16Features bfloat16 = traits.bfloat16;
  void **end = &features11.pNext;
  auto chain = [&](bool there, auto &features) {
    if (!there)
      return;
    *end = &features;
    end = &features.pNext;
  };
  chain(true, features12);
  chain(traits.has13(), features13);
  chain(traits.cooperativeMatrix.cooperativeMatrix, cooperativeMatrix);
  chain(traits.bfloat16.shaderBFloat16Type, bfloat16);
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &features11;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.pEnabledFeatures = &traits.features;
  info.enabledExtensionCount = uint32_t(traits.extensions.size());
  info.ppEnabledExtensionNames = traits.extensions.data();
  Stopwatch watch;
  TENON_TRY(
      error("cannot be opened", instance.CreateDevice(traits.physical, &info, nullptr, &device)));
  watch.lap("device");
  if (const char *missing = api.load(instance, device))
    return tenon_status_make(TENON_ERROR_DEVICE, "device '%s' (%s) has no %s", driverName(),
                             description(), missing);
  api.GetDeviceQueue(device, uint32_t(traits.queueFamily), 0, &queue);
  memory = std::make_unique<Memory>(api, device, traits.memory);
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  semaphore.pNext = &type;
  VkResult result = api.CreateSemaphore(device, &semaphore, nullptr, &timeline);
  watch.lap("its queue");
  return error("no semaphore", result);
}

tenon_status OpenDevice::begin(CommandBuffer &commands, bool once) {
  return error("commands could not be recorded",
               commands.begin(api, device, uint32_t(traits.queueFamily), once));
}

tenon_status OpenDevice::submit(CommandBuffer &commands, uint64_t &ticket) {
  TENON_TRY(error("commands could not be recorded", commands.end()));
  return submitAgain(commands, ticket);
}

tenon_status OpenDevice::submitAgain(const CommandBuffer &commands, uint64_t &ticket) {
  if (lost || faults::happens(faults::DeviceLost))
    return error("work could not be submitted", VK_ERROR_DEVICE_LOST);
  std::lock_guard<std::mutex> guard(queueLock);
  uint64_t value = submitted + 1;
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands.commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  VkResult result = api.QueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
  if (result != VK_SUCCESS)
    return error("work could not be submitted", result);
  ticket = submitted = value;
  return nullptr;
}

tenon_status OpenDevice::wait(uint64_t ticket, int64_t nanoseconds, bool &done) {
  done = true;
  // A short spin: waking takes longer than small work does.
  constexpr int64_t spinNanoseconds = 50000;
  uint64_t reached = 0;
  for (int64_t begin = platform::nanoseconds();
       platform::nanoseconds() - begin < std::min(nanoseconds, spinNanoseconds);) {
    VkResult result = api.GetSemaphoreCounterValue(device, timeline, &reached);
    if (result != VK_SUCCESS || reached >= ticket)
      return error("work failed", result);
    platform::relax();
  }
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &ticket;
  VkResult result = api.WaitSemaphores(device, &info, uint64_t(nanoseconds));
  done = result != VK_TIMEOUT;
  return done ? error("work failed", result) : nullptr;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

constexpr uint64_t stagingBytes = uint64_t(4) << 20; // of a slot

tenon_status OpenDevice::createMapped(uint64_t bytes, RawBuffer &buffer) {
  auto create = [&] {
    return memory->create(bytes, true, buffer) ||
           (memory->trim() && memory->create(bytes, true, buffer));
  };
  if (create() || (owner.reclaim(false) && create()) || (owner.reclaim(true) && create()))
    return nullptr;
  int64_t total = 0, free = 0;
  owner.memoryState(total, free);
  return tenon_status_make(TENON_ERROR_MEMORY,
                           "cannot allocate %" PRIu64
                           " bytes that host and device '%s' see: %" PRId64 " bytes held, %" PRId64
                           " of %" PRId64 " bytes free",
                           bytes, driverName(), owner.liveBytes(), free, total);
}

/// Of another opening of the device there is nothing here.
tenon_status OpenDevice::find(const void *address, Place &place) const {
  place = memory->find(address);
  if (place.buffer)
    return nullptr;
  return tenon_status_make(TENON_ERROR_DEVICE, "a buffer was lost with device '%s' (%s)",
                           driverName(), description());
}

/// A slot when it is free, to record what it moves.
tenon_status OpenDevice::beginTransfer(int64_t number) {
  Slot &slot = slots[number % numSlots];
  if (!slot.staging.buffer)
    TENON_TRY(createMapped(stagingBytes, slot.staging));
  TENON_TRY(finishTransfer(slot));
  return begin(slot.commands, true);
}

tenon_status OpenDevice::finishTransfer(Slot &slot) {
  bool done = false;
  if (slot.ticket == 0)
    return nullptr;
  return wait(std::exchange(slot.ticket, 0), INT64_MAX, done);
}

/// Nothing is under way any more, whatever happened before.
tenon_status OpenDevice::finishTransfers(tenon_status before) {
  for (Slot &slot : slots) {
    tenon_status status = finishTransfer(slot);
    if (before)
      tenon_status_free(status);
    else
      before = status;
  }
  return before;
}

static char *at(const void *address, int64_t offset) {
  return static_cast<char *>(const_cast<void *>(address)) + offset;
}

/// Between a slot's memory and the device.
tenon_status OpenDevice::move(int64_t number, void *address, int64_t bytes, bool toDevice) {
  Slot &slot = slots[number % numSlots];
  Place place, own{slot.staging.buffer, 0, stagingBytes};
  TENON_TRY(find(address, place));
  slot.commands.copy(toDevice ? place : own, toDevice ? own : place, uint64_t(bytes));
  return submit(slot.commands, slot.ticket);
}

/// The host fills a slot while the device empties others.
tenon_status OpenDevice::write(void *target, const void *source, int64_t bytes) {
  std::lock_guard<std::mutex> guard(transferLock);
  tenon_status status = nullptr;
  int64_t number = 0;
  for (int64_t done = 0; done < bytes && !status; ++number) {
    int64_t size = std::min<int64_t>(bytes - done, stagingBytes);
    status = beginTransfer(number);
    if (status)
      break;
    std::memcpy(slots[number % numSlots].staging.mapped, at(source, done), size_t(size));
    status = move(number, at(target, done), size, true);
    done += size;
  }
  return finishTransfers(status);
}

/// The device fills slots ahead.
tenon_status OpenDevice::read(void *target, const void *source, int64_t bytes) {
  std::lock_guard<std::mutex> guard(transferLock);
  auto sizeOf = [&](int64_t number) {
    return std::min<int64_t>(bytes - number * stagingBytes, stagingBytes);
  };
  int64_t count = (bytes + stagingBytes - 1) / stagingBytes, asked = 0;
  tenon_status status = nullptr;
  for (int64_t taken = 0; taken < count && !status; ++taken) {
    for (; asked < std::min(count, taken + numSlots) && !status; ++asked) {
      status = beginTransfer(asked);
      if (!status)
        status = move(asked, at(source, asked * stagingBytes), sizeOf(asked), false);
    }
    if (!status)
      status = finishTransfer(slots[taken % numSlots]);
    if (!status)
      std::memcpy(at(target, taken * stagingBytes), slots[taken % numSlots].staging.mapped,
                  size_t(sizeOf(taken)));
  }
  return finishTransfers(status);
}

tenon_status OpenDevice::copyPiece(const void *target, const void *source, uint64_t bytes) {
  Place to, from;
  TENON_TRY(find(target, to));
  TENON_TRY(find(source, from));
  TENON_TRY(beginTransfer(0));
  CommandBuffer &commands = slots[0].commands;
  Place own{slots[0].staging.buffer, 0, 0};
  commands.copy(own, from, bytes);
  commands.barrier();
  commands.copy(to, own, bytes);
  TENON_TRY(submit(commands, slots[0].ticket));
  return finishTransfer(slots[0]);
}

tenon_status OpenDevice::copy(void *target, const void *source, int64_t bytes) {
  std::lock_guard<std::mutex> guard(transferLock);
  auto to = reinterpret_cast<uintptr_t>(target), from = reinterpret_cast<uintptr_t>(source);
  if (to == from)
    return nullptr;
  if ((to > from ? to - from : from - to) >= uint64_t(bytes)) {
    Place toPlace, fromPlace;
    TENON_TRY(find(target, toPlace));
    TENON_TRY(find(source, fromPlace));
    TENON_TRY(beginTransfer(0));
    slots[0].commands.copy(toPlace, fromPlace, uint64_t(bytes));
    TENON_TRY(submit(slots[0].commands, slots[0].ticket));
    return finishTransfer(slots[0]);
  }
  // Ranges that overlap go piece by piece, beginning where nothing is lost.
  for (int64_t done = 0; done < bytes;) {
    int64_t size = std::min<int64_t>(bytes - done, stagingBytes);
    int64_t offset = to > from ? bytes - done - size : done;
    TENON_TRY(copyPiece(at(target, offset), at(source, offset), uint64_t(size)));
    done += size;
  }
  return nullptr;
}

} // namespace tenon::runtime::vulkan
