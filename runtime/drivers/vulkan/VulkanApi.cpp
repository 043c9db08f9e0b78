//===- VulkanApi.cpp - functions of the Vulkan loader ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loader, makes the instance and, when asked to, turns the validation
// layer on.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanApi.h"

#include "runtime/Stopwatch.h"
#include "runtime/platform/Platform.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace tenon::runtime::vulkan {

std::string resultName(VkResult result) {
#define TENON_RESULT(name)                                                                         \
  case name:                                                                                       \
    return #name;
  switch (result) {
    TENON_RESULT(VK_ERROR_OUT_OF_HOST_MEMORY)
    TENON_RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    TENON_RESULT(VK_ERROR_INITIALIZATION_FAILED)
    TENON_RESULT(VK_ERROR_DEVICE_LOST)
    TENON_RESULT(VK_ERROR_LAYER_NOT_PRESENT)
    TENON_RESULT(VK_ERROR_EXTENSION_NOT_PRESENT)
    TENON_RESULT(VK_ERROR_INCOMPATIBLE_DRIVER)
    TENON_RESULT(VK_ERROR_INVALID_SHADER_NV)
  default:
    return "VkResult " + std::to_string(int(result));
  }
#undef TENON_RESULT
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

namespace {
struct ValidationErrors {
  std::mutex lock;
  std::string first;
};
} // namespace

/// Never destroyed: the layer may speak while the process ends.
static ValidationErrors &validationErrors() {
  static auto *errors = new ValidationErrors;
  return *errors;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                VkDebugUtilsMessageTypeFlagsEXT,
                                                const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                void *) {
  ValidationErrors &errors = validationErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  if (errors.first.empty())
    errors.first = data->pMessage ? data->pMessage : "an error without a message";
  return VK_FALSE;
}

std::string takeValidationError() {
  ValidationErrors &errors = validationErrors();
  std::lock_guard<std::mutex> guard(errors.lock);
  return std::exchange(errors.first, std::string());
}

static bool validationWanted() {
  const char *value = std::getenv("TENON_VULKAN_VALIDATION");
  return value && std::strcmp(value, "1") == 0;
}

//===----------------------------------------------------------------------===//
// Instance
//===----------------------------------------------------------------------===//

static std::string createInstance(PFN_vkGetInstanceProcAddr getAddress, VkInstance &instance) {
  auto version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(
      getAddress(nullptr, "vkEnumerateInstanceVersion"));
  auto create = reinterpret_cast<PFN_vkCreateInstance>(getAddress(nullptr, "vkCreateInstance"));
  uint32_t found = VK_API_VERSION_1_0;
  if (!create || !version || version(&found) != VK_SUCCESS || found < VK_API_VERSION_1_2)
    return "the Vulkan loader is older than version 1.2";
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "Tenon";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;

  const char *layer = "VK_LAYER_KHRONOS_validation";
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkDebugUtilsMessengerCreateInfoEXT messenger{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = onMessage;
  VkValidationFeatureEnableEXT synchronization =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;
  bool validate = validationWanted();
  if (validate) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  if (VkResult result = create(&info, nullptr, &instance); result != VK_SUCCESS)
    return "no Vulkan instance" + std::string(validate ? " with validation" : "") + ": " +
           resultName(result);
  if (!validate)
    return "";
  auto listen = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      getAddress(instance, "vkCreateDebugUtilsMessengerEXT"));
  VkDebugUtilsMessengerEXT kept; // as long as the instance: for good
  if (!listen || listen(instance, &messenger, nullptr, &kept) != VK_SUCCESS)
    return "the validation layer takes no listener";
  return "";
}

static std::string loadInstance(Api &api) {
  std::string error;
  Stopwatch watch;
  void *library = platform::openSystemLibrary("libvulkan.so.1", error);
  watch.lap("Vulkan loader");
  if (!library)
    return "there is no Vulkan loader: " + error;
  auto getAddress = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      platform::librarySymbol(library, "vkGetInstanceProcAddr"));
  if (!getAddress)
    return "libvulkan.so.1 is no Vulkan loader";
  VkInstance instance = nullptr;
  if (error = createInstance(getAddress, instance); !error.empty())
    return error;
  watch.lap("Vulkan instance");
#define TENON_LOAD(name)                                                                           \
  api.name = reinterpret_cast<PFN_vk##name>(getAddress(instance, "vk" #name));                     \
  if (!api.name)                                                                                   \
    return "the Vulkan loader has no vk" #name;
  TENON_VULKAN_INSTANCE_FUNCTIONS(TENON_LOAD)
#undef TENON_LOAD
  api.GetCooperativeMatrixProperties = reinterpret_cast<PFN_GetCooperativeMatrixProperties>(
      getAddress(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  api.instance = instance;
  return "";
}

const Api *Api::get(std::string &reason) {
  // Never destroyed: buffers may outlive static destructors.
  static auto *api = new Api;
  static auto *wrong = new std::string(loadInstance(*api));
  reason = *wrong;
  return api->instance ? api : nullptr;
}

const char *DeviceApi::load(const Api &api, VkDevice device) {
#define TENON_LOAD(name)                                                                           \
  name = reinterpret_cast<PFN_vk##name>(api.GetDeviceProcAddr(device, "vk" #name));                \
  if (!name)                                                                                       \
    return "vk" #name;
  TENON_VULKAN_DEVICE_FUNCTIONS(TENON_LOAD)
#undef TENON_LOAD
  return nullptr;
}

} // namespace tenon::runtime::vulkan
