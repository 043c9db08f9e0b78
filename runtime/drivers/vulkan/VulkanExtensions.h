//===- VulkanExtensions.h - structures newer than the headers ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features of VK_KHR_cooperative_matrix and VK_KHR_shader_bfloat16 as the registry of
// Vulkan has them, under names of our own: headers may or may not know them.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANEXTENSIONS_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANEXTENSIONS_H

#include "runtime/drivers/vulkan/VulkanApi.h"

namespace tenon::runtime::vulkan {

constexpr char cooperativeMatrixName[] = "VK_KHR_cooperative_matrix";
struct CooperativeMatrixFeatures {
  VkStructureType sType = VkStructureType(1000506000);
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

constexpr char bfloat16Name[] = "VK_KHR_shader_bfloat16";
struct Bfloat16Features {
  VkStructureType sType = VkStructureType(1000141000);
  void *pNext = nullptr;
  VkBool32 shaderBFloat16Type = VK_FALSE;
  VkBool32 shaderBFloat16DotProduct = VK_FALSE;
  VkBool32 shaderBFloat16CooperativeMatrix = VK_FALSE;
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANEXTENSIONS_H
