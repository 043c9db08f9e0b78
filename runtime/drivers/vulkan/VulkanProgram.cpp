//===- VulkanProgram.cpp - pipelines of a program -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device has not is told before the driver sees the module.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanProgram.h"

#include "runtime/Status.h"
#include "runtime/Stopwatch.h"
#include "runtime/ThreadPool.h"
#include "runtime/drivers/vulkan/VulkanStream.h"

#include <algorithm>

namespace tenon::runtime::vulkan {

VulkanProgram::~VulkanProgram() {
  for (const std::vector<Pipeline> &kernel : pipelines)
    for (const Pipeline &each : kernel) {
      device.api.DestroyPipeline(device.device, each.pipeline, nullptr);
      device.api.DestroyPipelineLayout(device.device, each.layout, nullptr);
      device.api.DestroyDescriptorSetLayout(device.device, each.bindings, nullptr);
    }
}

tenon_status VulkanProgram::fail(const tenon_kernel_desc &kernel, const std::string &what) const {
  return tenon_status_make(TENON_ERROR_DEVICE, "kernel '%s' %s (device '%s': %s)",
                           kernel.name ? kernel.name : "", what.c_str(), device.driverName(),
                           device.description());
}

/// How many parameters a kernel has depends on what it is launched with.
tenon_status VulkanProgram::findExtents(const tenon_step *steps, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const tenon_step &step = steps[i];
    if (step.kind == TENON_STEP_LOOP || step.kind == TENON_STEP_IF)
      TENON_TRY(findExtents(step.body, step.num_body));
    if (step.kind == TENON_STEP_IF)
      TENON_TRY(findExtents(step.else_body, step.num_else));
    if (step.kind != TENON_STEP_LAUNCH)
      continue;
    int64_t &extents = numExtents[size_t(step.kernel)];
    if (extents >= 0 && extents != step.num_extents)
      return fail(program.kernels[step.kernel], "is launched with " + std::to_string(extents) +
                                                    " and with " +
                                                    std::to_string(step.num_extents) + " extents");
    extents = step.num_extents;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

tenon_status VulkanProgram::check(const tenon_kernel_desc &kernel, Pipeline &pipeline) const {
  const VkPhysicalDeviceLimits &limits = device.traits.properties.limits;
  const tenon_dispatch &dispatch = *pipeline.dispatch;
  ModuleNeeds needs;
  if (!readModule(static_cast<const uint32_t *>(dispatch.spirv), size_t(dispatch.spirv_bytes) / 4,
                  needs))
    return fail(kernel, "has code that is no SPIR-V");
  for (uint32_t capability : needs.capabilities)
    if (std::string lacking = device.traits.lacks(capability); !lacking.empty())
      return fail(kernel, "needs the capability " + lacking);
  if (uint32_t there = device.traits.subgroup.subgroupSize;
      dispatch.subgroup_size != 0 && dispatch.subgroup_size != int64_t(there))
    return fail(kernel, "was made for subgroups of " + std::to_string(dispatch.subgroup_size) +
                            "; the device's are of " + std::to_string(there));
  if (dispatch.fragments && !device.traits.hasFragments())
    return fail(kernel, "was made for a device of which it is known how cooperative matrices lie "
                        "in registers (the feature \"fragments\")");
  uint64_t size = needs.localSize[0] * needs.localSize[1] * needs.localSize[2];
  const struct {
    const char *what;
    uint64_t wanted, most;
  } amounts[] = {
      {"storage buffers", pipeline.numBindings(), limits.maxPerStageDescriptorStorageBuffers},
      {"bytes of workgroup memory", needs.sharedBytes, limits.maxComputeSharedMemorySize},
      {"invocations in a workgroup", size, limits.maxComputeWorkGroupInvocations},
      {"invocations along x", needs.localSize[0], limits.maxComputeWorkGroupSize[0]},
      {"invocations along y", needs.localSize[1], limits.maxComputeWorkGroupSize[1]},
      {"invocations along z", needs.localSize[2], limits.maxComputeWorkGroupSize[2]},
  };
  for (const auto &amount : amounts)
    if (amount.wanted > amount.most)
      return fail(kernel, "needs " + std::to_string(amount.wanted) + " " + amount.what +
                              "; there are at most " + std::to_string(amount.most));
  if (std::find(needs.shaders.begin(), needs.shaders.end(), dispatch.entry) == needs.shaders.end())
    return fail(kernel, std::string("has no compute shader '") + dispatch.entry + "'");
  pipeline.divisible = !needs.countsGroups && device.mostUnmeasured() < INT64_MAX;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

tenon_status VulkanProgram::createLayouts(Pipeline &pipeline) const {
  std::vector<VkDescriptorSetLayoutBinding> bindings(pipeline.numBindings());
  for (uint32_t i = 0; i < bindings.size(); ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  setInfo.bindingCount = uint32_t(bindings.size());
  setInfo.pBindings = bindings.data();
  TENON_TRY(device.error(
      "no layout of bindings",
      device.api.CreateDescriptorSetLayout(device.device, &setInfo, nullptr, &pipeline.bindings)));
  VkPushConstantRange words{VK_SHADER_STAGE_COMPUTE_BIT, 0, pipeline.numWords * 4};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &pipeline.bindings;
  info.pushConstantRangeCount = pipeline.pushed() && pipeline.numWords > 0;
  info.pPushConstantRanges = &words;
  return device.error(
      "no layout of a pipeline",
      device.api.CreatePipelineLayout(device.device, &info, nullptr, &pipeline.layout));
}

tenon_status VulkanProgram::create(const tenon_kernel_desc &kernel, Pipeline &pipeline) const {
  TENON_TRY(createLayouts(pipeline));
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  code.codeSize = size_t(pipeline.dispatch->spirv_bytes);
  code.pCode = static_cast<const uint32_t *>(pipeline.dispatch->spirv);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = pipeline.dispatch->entry;
  info.layout = pipeline.layout;
  info.flags = pipeline.divisible ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT : 0;
  VkResult result =
      device.api.CreateShaderModule(device.device, &code, nullptr, &info.stage.module);
  if (result == VK_SUCCESS)
    result = device.api.CreateComputePipelines(device.device, cache, 1, &info, nullptr,
                                               &pipeline.pipeline);
  device.api.DestroyShaderModule(device.device, info.stage.module, nullptr);
  if (result != VK_SUCCESS)
    return fail(kernel, "cannot be compiled by the driver: " + resultName(result));
  return device.error("a pipeline", VK_SUCCESS);
}

namespace {
struct Wanted {
  const tenon_kernel_desc *kernel;
  Pipeline *pipeline;
};
} // namespace

/// A driver compiles for up to seconds each, as many at a time as there are threads.
tenon_status VulkanProgram::createAll() {
  std::vector<Wanted> all;
  for (size_t i = 0; i < pipelines.size(); ++i)
    for (Pipeline &pipeline : pipelines[i])
      all.push_back({&program.kernels[i], &pipeline});
  RunControl control;
  tenon_env env{};
  env.runtime = &control;
  env.num_workers = numThreads();
  env.cancelled = control.stopFlag();
  auto create = [&](int64_t i) {
    return this->create(*all[size_t(i)].kernel, *all[size_t(i)].pipeline);
  };
  auto slice = [](tenon_env *env, void *context, int64_t begin, int64_t end, int64_t) {
    auto &control = *static_cast<RunControl *>(env->runtime);
    for (int64_t i = begin; i < end && !control.failed(); ++i)
      control.fail(guarded([&] { return (*static_cast<decltype(create) *>(context))(i); }));
  };
  parallelFor(&env, slice, &create, int64_t(all.size()), 1);
  return control.takeFailure();
}

tenon_status VulkanProgram::load() {
  numExtents.assign(size_t(program.num_kernels), -1);
  pipelines.resize(size_t(program.num_kernels));
  TENON_TRY(findExtents(program.steps, program.num_steps));
  for (int64_t i = 0; i < program.num_kernels; ++i) {
    const tenon_kernel_desc &kernel = program.kernels[i];
    if (kernel.function)
      return fail(kernel, "is code for the processor");
    int64_t extents = numExtents[size_t(i)];
    for (int64_t d = 0; d < kernel.num_dispatches && extents >= 0; ++d) {
      Pipeline &pipeline = pipelines[size_t(i)].emplace_back();
      pipeline.dispatch = &kernel.dispatches[d];
      pipeline.numWords = uint32_t(kernel.dispatches[d].num_bindings + extents);
      TENON_TRY(check(kernel, pipeline));
    }
  }
  Stopwatch watch;
  cache = device.pipelines.use(device.device);
  watch.lap("pipeline cache");
  TENON_TRY(createAll());
  watch.lap("pipelines");
  device.pipelines.keep(device.device);
  watch.lap("pipelines kept");
  return nullptr;
}

tenon_status VulkanProgram::openStream(std::unique_ptr<Stream> &stream) {
  auto opened = std::make_unique<VulkanStream>(*this);
  stream = std::move(opened);
  return nullptr;
}

} // namespace tenon::runtime::vulkan
