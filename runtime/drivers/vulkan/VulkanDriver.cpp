//===- VulkanDriver.cpp - GPUs, through Vulkan ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the devices: discrete ones first, then integrated ones, then others, and
// processors last.
//
//===----------------------------------------------------------------------===//
#include "runtime/DriverRegistry.h"
#include "runtime/Status.h"
#include "runtime/Stopwatch.h"
#include "runtime/drivers/vulkan/VulkanDevice.h"

#include <utility>
#include <vector>

namespace tenon::runtime {
namespace {

using namespace vulkan;

int rank(const Traits &traits) {
  switch (traits.properties.deviceType) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 3;
  default:
    return 2;
  }
}

class VulkanDriver final : public Driver {
public:
  const char *name() const override { return "vulkan"; }
  int64_t deviceCount() const override { return int64_t(found().devices.size()); }
  std::string whyNone() const override { return found().reason; }
  tenon_status open(int64_t index, std::unique_ptr<Device> &device) override {
    auto opened = std::make_unique<VulkanDevice>(*found().api, found().devices[size_t(index)]);
    TENON_TRY(opened->reopen());
    device = std::move(opened);
    return nullptr;
  }

private:
  struct Found {
    const Api *api = nullptr;
    std::vector<Traits> devices;
    std::string reason;
  };

  static Found search() {
    Found found;
    found.api = Api::get(found.reason);
    if (!found.api)
      return found;
    Stopwatch watch;
    uint32_t count = 0;
    VkResult result = found.api->EnumeratePhysicalDevices(found.api->instance, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    if (result == VK_SUCCESS)
      result = found.api->EnumeratePhysicalDevices(found.api->instance, &count, devices.data());
    if (result != VK_SUCCESS) {
      found.reason = "the Vulkan loader finds no driver: " + resultName(result);
      return found;
    }
    devices.resize(count);
    watch.lap("Vulkan's devices");
    for (VkPhysicalDevice device : devices)
      if (Traits traits = readTraits(*found.api, device); traits.usable())
        found.devices.push_back(traits);
    watch.lap("what they can do");
    // Those of one rank in the order of the loader.
    for (size_t i = 1; i < found.devices.size(); ++i)
      for (size_t j = i; j > 0 && rank(found.devices[j]) < rank(found.devices[j - 1]); --j)
        std::swap(found.devices[j], found.devices[j - 1]);
    if (found.devices.empty())
      found.reason = count ? "no device has Vulkan 1.2, timeline semaphores and a compute queue"
                           : "there is no Vulkan device";
    return found;
  }

  /// Looked for when first asked.
  static const Found &found() {
    static auto *result = new Found(search());
    return *result;
  }
};

} // namespace

Driver &vulkanDriver() {
  static auto *driver = new VulkanDriver;
  return *driver;
}

} // namespace tenon::runtime
