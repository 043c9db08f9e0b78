//===- VulkanTraits.h - what a physical device can do -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and features, read once.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANTRAITS_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANTRAITS_H

#include "runtime/drivers/vulkan/VulkanExtensions.h"
#include "runtime/drivers/vulkan/VulkanMemory.h"

#include <vector>

namespace tenon::runtime::vulkan {

/// What a physical device is and can do.
struct Traits {
  VkPhysicalDevice physical = nullptr;
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceIDProperties id{};
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
  uint32_t timestampBits = 0; ///< of that family's queues

  bool has13() const { return properties.apiVersion >= VK_API_VERSION_1_3; }
  bool usable() const { return queueFamily >= 0 && features12.timelineSemaphore; }
  std::string featureNames() const;
  /// Do elements of cooperative matrices lie among the lanes as in NVIDIA's fragments?
  bool hasFragments() const {
    constexpr uint32_t nvidia = 0x10de;
    return cooperativeMatrix.cooperativeMatrix && properties.vendorID == nvidia &&
           subgroup.subgroupSize == 32;
  }
  const char *kind() const;
  /// The name of a capability of SPIR-V that is not there, else "".
  std::string lacks(uint32_t capability) const;
};

/// Is one of these the product that code counts on: 16 x 16 x 16 in f16 with sums in f32, by a
/// subgroup?
bool hasMatrixProduct(const std::vector<CooperativeMatrixProperties> &products);

Traits readTraits(const Api &api, VkPhysicalDevice physical);

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANTRAITS_H
