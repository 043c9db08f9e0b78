//===- VulkanProgram.h - pipelines of a program -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compute pipeline for each dispatch of each kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANPROGRAM_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANPROGRAM_H

#include "runtime/Stream.h"
#include "runtime/drivers/vulkan/OpenDevice.h"
#include "runtime/drivers/vulkan/SpirvModule.h"

#include <vector>

namespace tenon::runtime::vulkan {

struct Pipeline {
  const tenon_dispatch *dispatch = nullptr;
  uint32_t numWords = 0; ///< of parameters
  VkDescriptorSetLayout bindings = nullptr;
  VkPipelineLayout layout = nullptr;
  VkPipeline pipeline = nullptr;
  bool divisible = false; ///< into dispatches of some of its workgroups each

  bool pushed() const { return numWords <= TENON_MOST_PUSHED_WORDS; }
  uint32_t numBindings() const { return uint32_t(dispatch->num_bindings) + !pushed(); }
};

class VulkanProgram final : public DeviceProgram {
public:
  VulkanProgram(std::shared_ptr<OpenDevice> opened, const tenon_program &program)
      : device(*opened), program(program), opened(std::move(opened)) {}
  ~VulkanProgram() override;
  /// Makes the pipelines; once, of a program that the runtime has checked.
  tenon_status load();
  tenon_status openStream(std::unique_ptr<Stream> &stream) override;

  const std::vector<Pipeline> &pipelinesOf(int64_t kernel) const {
    return pipelines[size_t(kernel)];
  }

  OpenDevice &device;
  const tenon_program &program;

private:
  tenon_status findExtents(const tenon_step *steps, int64_t count);
  tenon_status fail(const tenon_kernel_desc &kernel, const std::string &what) const;
  tenon_status check(const tenon_kernel_desc &kernel, Pipeline &pipeline) const;
  tenon_status createLayouts(Pipeline &pipeline) const;
  tenon_status create(const tenon_kernel_desc &kernel, Pipeline &pipeline) const;
  tenon_status createAll();

  const std::shared_ptr<OpenDevice> opened;
  VkPipelineCache cache = nullptr;
  std::vector<int64_t> numExtents; ///< per kernel; -1 where nothing launches it
  std::vector<std::vector<Pipeline>> pipelines;
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANPROGRAM_H
