//===- VulkanTraits.cpp - what a physical device can do -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and features. Those that kernels or the driver may use are enabled where
// they are there.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanTraits.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tenon::runtime::vulkan {

using Extensions = std::vector<VkExtensionProperties>;

static Extensions readExtensions(const Api &api, VkPhysicalDevice physical) {
  uint32_t count = 0;
  api.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  Extensions extensions(count);
  api.EnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
  extensions.resize(count);
  return extensions;
}

static bool contains(const Extensions &extensions, const char *name) {
  return std::any_of(extensions.begin(), extensions.end(), [&](const auto &extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

static void readProperties(const Api &api, Traits &traits) {
  VkPhysicalDeviceMaintenance4Properties buffers{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  traits.id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  traits.subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  traits.floatControls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  all.pNext = &traits.subgroup;
  traits.subgroup.pNext = &traits.id;
  traits.id.pNext = &traits.floatControls;
  api.GetPhysicalDeviceProperties2(traits.physical, &all);
  traits.properties = all.properties;
  traits.floatControls.pNext = traits.has13() ? &buffers : nullptr;
  if (traits.has13())
    api.GetPhysicalDeviceProperties2(traits.physical, &all);
  traits.subgroup.pNext = traits.id.pNext = traits.floatControls.pNext = nullptr;
  traits.memory.mostBytes = (traits.has13() ? buffers.maxBufferSize : UINT64_MAX) & ~uint64_t(255);
}

bool hasMatrixProduct(const std::vector<CooperativeMatrixProperties> &products) {
  constexpr uint32_t f16 = 0, f32 = 1, subgroup = 3;
  return std::any_of(products.begin(), products.end(), [](const auto &is) {
    return is.m == 16 && is.n == 16 && is.k == 16 && is.a == f16 && is.b == f16 && is.c == f32 &&
           is.result == f32 && is.scope == subgroup;
  });
}

static bool hasMatrixProduct(const Api &api, VkPhysicalDevice physical) {
  uint32_t count = 0;
  auto read = api.GetCooperativeMatrixProperties;
  if (!read || read(physical, &count, nullptr) != VK_SUCCESS)
    return false;
  std::vector<CooperativeMatrixProperties> products(count);
  if (read(physical, &count, products.data()) != VK_SUCCESS)
    return false;
  products.resize(count);
  return hasMatrixProduct(products);
}

static void readFeatures(const Api &api, const Extensions &extensions, Traits &traits) {
  VkPhysicalDeviceVulkan11Features found11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features found12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features found13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceFeatures2 found{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  found.pNext = &found11;
  found11.pNext = &found12;
  CooperativeMatrixFeatures foundMatrix;
  Bfloat16Features foundBfloat16;
  void **end = &found12.pNext;
  auto chain = [&](bool there, auto &features) {
    if (!there)
      return false;
    *end = &features;
    end = &features.pNext;
    return true;
  };
  chain(traits.has13(), found13);
  bool hasMatrix = chain(contains(extensions, cooperativeMatrixName), foundMatrix);
  bool hasBfloat16 = chain(contains(extensions, bfloat16Name), foundBfloat16);
  api.GetPhysicalDeviceFeatures2(traits.physical, &found);
  if (foundMatrix.cooperativeMatrix && !hasMatrixProduct(api, traits.physical))
    foundMatrix.cooperativeMatrix = VK_FALSE; // of no use
  traits.features11.sType = found11.sType;
  traits.features12.sType = found12.sType;
  traits.features13.sType = found13.sType;
#define TENON_ENABLE(from, to, name) traits.to.name = from.name;
  TENON_ENABLE(found.features, features, shaderFloat64)
  TENON_ENABLE(found.features, features, shaderInt64)
  TENON_ENABLE(found.features, features, shaderInt16)
  TENON_ENABLE(found11, features11, variablePointersStorageBuffer)
  TENON_ENABLE(found11, features11, variablePointers)
  TENON_ENABLE(found11, features11, storageBuffer16BitAccess)
  TENON_ENABLE(found11, features11, uniformAndStorageBuffer16BitAccess)
  TENON_ENABLE(found12, features12, storageBuffer8BitAccess)
  TENON_ENABLE(found12, features12, uniformAndStorageBuffer8BitAccess)
  TENON_ENABLE(found12, features12, shaderBufferInt64Atomics)
  TENON_ENABLE(found12, features12, shaderFloat16)
  TENON_ENABLE(found12, features12, shaderInt8)
  TENON_ENABLE(found12, features12, shaderSubgroupExtendedTypes)
  TENON_ENABLE(found12, features12, timelineSemaphore)
  TENON_ENABLE(found12, features12, vulkanMemoryModel)
  TENON_ENABLE(found12, features12, vulkanMemoryModelDeviceScope)
  TENON_ENABLE(found13, features13, subgroupSizeControl)
  TENON_ENABLE(found13, features13, computeFullSubgroups)
  TENON_ENABLE(found13, features13, shaderIntegerDotProduct)
  TENON_ENABLE(found13, features13, maintenance4)
  TENON_ENABLE(foundMatrix, cooperativeMatrix, cooperativeMatrix)
  TENON_ENABLE(foundBfloat16, bfloat16, shaderBFloat16Type)
  TENON_ENABLE(foundBfloat16, bfloat16, shaderBFloat16DotProduct)
  TENON_ENABLE(foundBfloat16, bfloat16, shaderBFloat16CooperativeMatrix)
#undef TENON_ENABLE
  if (hasMatrix && foundMatrix.cooperativeMatrix)
    traits.extensions.push_back(cooperativeMatrixName);
  if (hasBfloat16 && foundBfloat16.shaderBFloat16Type)
    traits.extensions.push_back(bfloat16Name);
}

static int32_t findQueueFamily(const Api &api, VkPhysicalDevice physical, uint32_t &timestampBits) {
  uint32_t count = 0;
  api.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      timestampBits = families[i].timestampValidBits;
      return int32_t(i);
    }
  return -1;
}

Traits readTraits(const Api &api, VkPhysicalDevice physical) {
  Traits traits;
  traits.physical = physical;
  readProperties(api, traits);
  if (traits.properties.apiVersion < VK_API_VERSION_1_2)
    return traits; // not usable
  Extensions extensions = readExtensions(api, physical);
  readFeatures(api, extensions, traits);
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  api.GetPhysicalDeviceMemoryProperties2(physical, &memory);
  traits.memory.types = memory.memoryProperties;
  traits.hasBudget = contains(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (traits.hasBudget)
    traits.extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  traits.queueFamily = findQueueFamily(api, physical, traits.timestampBits);
  return traits;
}

const char *Traits::kind() const {
  switch (properties.deviceType) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "cpu";
  default:
    return "other";
  }
}

std::string Traits::featureNames() const {
  const std::pair<bool, const char *> known[] = {
      {features.shaderFloat64, "f64"},
      {features12.shaderFloat16, "f16"},
      {features.shaderInt64, "i64"},
      {features.shaderInt16, "i16"},
      {features12.shaderInt8, "i8"},
      {features11.storageBuffer16BitAccess, "storage16"},
      {features12.storageBuffer8BitAccess, "storage8"},
      {features12.vulkanMemoryModel, "memory-model"},
      {features13.subgroupSizeControl, "subgroup-size-control"},
      {features13.shaderIntegerDotProduct, "integer-dot"},
      {floatControls.shaderSignedZeroInfNanPreserveFloat16, "preserve16"},
      {floatControls.shaderSignedZeroInfNanPreserveFloat32, "preserve32"},
      {floatControls.shaderSignedZeroInfNanPreserveFloat64, "preserve64"},
      {(subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0, "shuffle"},
      {bfloat16.shaderBFloat16Type, "bf16"},
      {cooperativeMatrix.cooperativeMatrix, "cooperative-matrix"},
      {hasFragments(), "fragments"},
  };
  std::string text = "subgroup" + std::to_string(subgroup.subgroupSize);
  for (auto [there, name] : known)
    if (there)
      text += std::string(" ") + name;
  return text;
}

} // namespace tenon::runtime::vulkan
