//===- PipelineCache.cpp - pipelines that were compiled before ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is good for one device and one version of its driver.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/PipelineCache.h"

#include "runtime/PipelineStore.h"

namespace tenon::runtime::vulkan {

static std::string hexadecimal(const uint8_t (&bytes)[VK_UUID_SIZE]) {
  std::string text;
  for (uint8_t byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

std::string PipelineCache::fileName() const {
  return "vulkan-" + hexadecimal(traits.id.deviceUUID) + ".pipelines";
}

std::string PipelineCache::owner() const {
  const VkPhysicalDeviceProperties &is = traits.properties;
  return hexadecimal(traits.id.deviceUUID) + " " + hexadecimal(traits.id.driverUUID) + " " +
         hexadecimal(is.pipelineCacheUUID) + " " + std::to_string(is.vendorID) + " " +
         std::to_string(is.deviceID) + " " + std::to_string(is.driverVersion);
}

VkPipelineCache PipelineCache::create(VkDevice device) {
  PipelineStore::Bytes bytes = PipelineStore::get().find(fileName(), owner());
  keptBytes = bytes.size();
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = bytes.size();
  info.pInitialData = bytes.data();
  VkPipelineCache cache = nullptr;
  VkResult result = api.CreatePipelineCache(device, &info, nullptr, &cache);
  if (result != VK_SUCCESS && info.initialDataSize > 0) {
    info.initialDataSize = keptBytes = 0;
    result = api.CreatePipelineCache(device, &info, nullptr, &cache);
  }
  return result == VK_SUCCESS ? cache : nullptr;
}

VkPipelineCache PipelineCache::use(VkDevice device) {
  std::lock_guard<std::mutex> guard(lock);
  std::string now = PipelineStore::get().folder();
  if (!caches.empty() && now == folder)
    return caches.back();
  folder = now;
  VkPipelineCache made = create(device);
  if (made && !caches.empty() && caches.back())
    api.MergePipelineCaches(device, made, 1, &caches.back());
  caches.push_back(made);
  return made;
}

void PipelineCache::keep(VkDevice device) {
  std::lock_guard<std::mutex> guard(lock);
  if (folder.empty() || !caches.back())
    return;
  size_t size = 0;
  if (api.GetPipelineCacheData(device, caches.back(), &size, nullptr) != VK_SUCCESS ||
      size <= keptBytes)
    return;
  PipelineStore::Bytes bytes(size);
  if (api.GetPipelineCacheData(device, caches.back(), &size, bytes.data()) != VK_SUCCESS)
    return;
  bytes.resize(size);
  keptBytes = size;
  PipelineStore::get().keep(fileName(), owner(), bytes);
}

void PipelineCache::destroy(VkDevice device) {
  for (VkPipelineCache cache : caches)
    api.DestroyPipelineCache(device, cache, nullptr);
  caches.clear();
}

} // namespace tenon::runtime::vulkan
