//===- VulkanApi.h - functions of the Vulkan loader -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader is opened at run time: a machine without it has no Vulkan devices
// and all else works. Nothing links against it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANAPI_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANAPI_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>

namespace tenon::runtime::vulkan {

#define TENON_VULKAN_INSTANCE_FUNCTIONS(X)                                                         \
  X(DestroyInstance)                                                                               \
  X(EnumeratePhysicalDevices)                                                                      \
  X(GetPhysicalDeviceProperties2)                                                                  \
  X(GetPhysicalDeviceFeatures2)                                                                    \
  X(GetPhysicalDeviceMemoryProperties2)                                                            \
  X(GetPhysicalDeviceQueueFamilyProperties)                                                        \
  X(EnumerateDeviceExtensionProperties)                                                            \
  X(CreateDevice)                                                                                  \
  X(GetDeviceProcAddr)

#define TENON_VULKAN_DEVICE_FUNCTIONS(X)                                                           \
  X(DestroyDevice)                                                                                 \
  X(GetDeviceQueue)                                                                                \
  X(QueueSubmit)                                                                                   \
  X(DeviceWaitIdle)                                                                                \
  X(CreateBuffer)                                                                                  \
  X(DestroyBuffer)                                                                                 \
  X(GetBufferMemoryRequirements)                                                                   \
  X(AllocateMemory)                                                                                \
  X(FreeMemory)                                                                                    \
  X(BindBufferMemory)                                                                              \
  X(MapMemory)                                                                                     \
  X(CreateSemaphore)                                                                               \
  X(DestroySemaphore)                                                                              \
  X(GetSemaphoreCounterValue)                                                                      \
  X(WaitSemaphores)                                                                                \
  X(CreateCommandPool)                                                                             \
  X(DestroyCommandPool)                                                                            \
  X(ResetCommandPool)                                                                              \
  X(AllocateCommandBuffers)                                                                        \
  X(BeginCommandBuffer)                                                                            \
  X(EndCommandBuffer)                                                                              \
  X(CreateDescriptorSetLayout)                                                                     \
  X(DestroyDescriptorSetLayout)                                                                    \
  X(CreateDescriptorPool)                                                                          \
  X(DestroyDescriptorPool)                                                                         \
  X(ResetDescriptorPool)                                                                           \
  X(AllocateDescriptorSets)                                                                        \
  X(UpdateDescriptorSets)                                                                          \
  X(CreateShaderModule)                                                                            \
  X(DestroyShaderModule)                                                                           \
  X(CreatePipelineCache)                                                                           \
  X(GetPipelineCacheData)                                                                          \
  X(MergePipelineCaches)                                                                           \
  X(DestroyPipelineCache)                                                                          \
  X(CreatePipelineLayout)                                                                          \
  X(DestroyPipelineLayout)                                                                         \
  X(CreateComputePipelines)                                                                        \
  X(DestroyPipeline)                                                                               \
  X(CmdBindPipeline)                                                                               \
  X(CmdBindDescriptorSets)                                                                         \
  X(CmdPushConstants)                                                                              \
  X(CmdDispatch)                                                                                   \
  X(CmdDispatchBase)                                                                               \
  X(CmdCopyBuffer)                                                                                 \
  X(CmdUpdateBuffer)                                                                               \
  X(CreateQueryPool)                                                                               \
  X(DestroyQueryPool)                                                                              \
  X(GetQueryPoolResults)                                                                           \
  X(CmdResetQueryPool)                                                                             \
  X(CmdWriteTimestamp)                                                                             \
  X(CmdPipelineBarrier)

/// Of VK_KHR_cooperative_matrix, as the registry of Vulkan has it: headers may not know it.
struct CooperativeMatrixProperties {
  VkStructureType sType = VkStructureType(1000506001);
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  uint32_t a = 0, b = 0, c = 0, result = 0; ///< 0: f16, 1: f32
  VkBool32 saturates = VK_FALSE;
  uint32_t scope = 0; ///< 3: subgroup
};
using PFN_GetCooperativeMatrixProperties = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *,
                                                                 CooperativeMatrixProperties *);

#define TENON_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

/// The instance of this process, made once.
struct Api {
  TENON_VULKAN_INSTANCE_FUNCTIONS(TENON_VULKAN_MEMBER)
  PFN_GetCooperativeMatrixProperties GetCooperativeMatrixProperties = nullptr; ///< may be missing
  VkInstance instance = nullptr;

  /// Null where there is no instance; `reason` says why.
  static const Api *get(std::string &reason);
};

struct DeviceApi {
  TENON_VULKAN_DEVICE_FUNCTIONS(TENON_VULKAN_MEMBER)

  /// The name of a function that the device has not, or null.
  const char *load(const Api &api, VkDevice device);
};

#undef TENON_VULKAN_MEMBER

/// "VK_ERROR_DEVICE_LOST", or the number.
std::string resultName(VkResult result);

/// The first error that the validation layer told since the last call, or "". It is on where
/// TENON_VULKAN_VALIDATION is 1.
std::string takeValidationError();

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANAPI_H
