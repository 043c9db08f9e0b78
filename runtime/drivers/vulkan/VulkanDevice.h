//===- VulkanDevice.h - a Vulkan device -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For good, however often it is lost and opened again.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANDEVICE_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANDEVICE_H

#include "runtime/Device.h"
#include "runtime/drivers/vulkan/OpenDevice.h"

namespace tenon::runtime::vulkan {

class VulkanDevice final : public Device {
public:
  VulkanDevice(const Api &api, const Traits &traits)
      : Device("vulkan"), instance(api), traits(traits), names(traits.featureNames()) {}

  const char *description() const override { return traits.properties.deviceName; }
  const char *features() const override { return names.c_str(); }
  const char *kind() const override { return traits.kind(); }
  void memoryState(int64_t &total, int64_t &free) const override;
  bool hostMemory() const override { return false; }
  tenon_status write(void *target, const void *source, int64_t bytes) override;
  tenon_status read(void *target, const void *source, int64_t bytes) override;
  tenon_status copy(void *target, const void *source, int64_t bytes) override;
  tenon_status load(const tenon_program &program, std::unique_ptr<DeviceProgram> &loaded) override;

  tenon_status reopen() override;
  /// What was opened is of no use any more.
  void lose(const OpenDevice &device);

  const Api &instance;
  const Traits traits;

protected:
  int64_t mostBytes() const override;
  void *allocateBlock(int64_t bytes) override;
  void releaseBlock(void *block, int64_t bytes) override;

private:
  std::shared_ptr<OpenDevice> opened() const;
  tenon_status use(std::shared_ptr<OpenDevice> &device);

  const std::string names;
  std::mutex opening;                  ///< one thread at a time
  mutable std::mutex lock;             ///< guards what follows
  std::shared_ptr<OpenDevice> current; ///< null before it is opened, and when it was lost
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANDEVICE_H
