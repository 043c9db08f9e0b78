//===- PipelineCache.h - pipelines that were compiled before ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's own cache, begun with what an earlier process kept.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_PIPELINECACHE_H
#define TENON_RUNTIME_DRIVERS_VULKAN_PIPELINECACHE_H

#include "runtime/drivers/vulkan/VulkanTraits.h"

#include <mutex>
#include <string>
#include <vector>

namespace tenon::runtime::vulkan {

class PipelineCache {
public:
  PipelineCache(const DeviceApi &api, const Traits &traits) : api(api), traits(traits) {}
  /// Of no use any more.
  void destroy(VkDevice device);

  /// What pipelines are made with; null where the driver has none.
  VkPipelineCache use(VkDevice device);
  /// Keeps what is new on disk, where the user wants that.
  void keep(VkDevice device);

private:
  std::string fileName() const;
  std::string owner() const;
  VkPipelineCache create(VkDevice device);

  const DeviceApi &api;
  const Traits &traits;
  std::mutex lock; ///< guards what follows
  /// The last one is in use. Others may still be, by threads that began before.
  std::vector<VkPipelineCache> caches;
  std::string folder;   ///< that the last one began with
  size_t keptBytes = 0; ///< in its file
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_PIPELINECACHE_H
