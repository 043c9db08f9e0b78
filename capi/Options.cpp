//===- Options.cpp - Compile options, checked -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Options.h"

#include "codegen/Pipelines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tenon {

tenon_status readOptions(const tenon_compile_options *given, Options &options, bool aheadOfTime) {
  if (!given)
    return nullptr;
  llvm::StringRef device = given->device ? given->device : "cpu";
  if (device == "vulkan")
    options.device = Options::Device::Vulkan;
  else if (aheadOfTime && (device == "vulkan,cpu" || device == "cpu,vulkan"))
    options.device = Options::Device::VulkanOrCpu;
  else if (device == "reference")
    options.device = Options::Device::Reference;
  else if (device == "reference-bounds")
    options.device = Options::Device::ReferenceBounds;
  else if (device != "cpu")
    return tenon_status_make(TENON_ERROR_DEVICE,
                             "expected \"cpu\", \"vulkan\", \"reference\" or "
                             "\"reference-bounds\", got \"%s\"",
                             given->device);
  if (given->march)
    options.march = given->march;
  if (given->gpu_features) {
    if (!aheadOfTime || !device.contains("vulkan"))
      return tenon_status_make(TENON_ERROR_ARGUMENT,
                               "gpu_features: expected NULL but for code for \"vulkan\" ahead of "
                               "time, got \"%s\"",
                               given->gpu_features);
    options.gpuFeatures = given->gpu_features;
  }
  if (given->opt_level < 0 || given->opt_level > 3)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "opt_level: expected 0 to 3, got %lld",
                             (long long)given->opt_level);
  options.optLevel = given->opt_level;
  if (given->loop_trips < 0 || given->loop_state < 0 || given->loop_invariant < 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "loop: expected counts of at least 0, got %lld trips, %lld carried, "
                             "%lld invariant",
                             (long long)given->loop_trips, (long long)given->loop_state,
                             (long long)given->loop_invariant);
  options.loop = {given->loop_trips, given->loop_state, given->loop_invariant};
  if (given->memory_budget < 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "memory_budget: expected at least 0 bytes, got %lld",
                             (long long)given->memory_budget);
  options.memoryBudget = given->memory_budget;
  options.mixedPrecision = given->mixed_precision ? given->mixed_precision : "";
  if (given->mixed_precision && options.mixedPrecision != "f16" && options.mixedPrecision != "bf16")
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "mixed_precision: expected NULL, \"f16\" or \"bf16\", got \"%s\"",
                             given->mixed_precision);
  options.sanitize = given->sanitize != 0;
  if (options.sanitize && device.contains("vulkan"))
    return tenon_status_make(TENON_ERROR_ARGUMENT, "sanitize: expected device \"cpu\", got \"%s\"",
                             given->device);
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(given->disable ? given->disable : "").split(names, ',', -1, false);
  for (llvm::StringRef name : names)
    options.disabled.push_back(name.trim().str());
  if (std::string wrong = checkDisabled(options.disabled); !wrong.empty())
    return tenon_status_make(TENON_ERROR_ARGUMENT, "disable: %s", wrong.c_str());
  return nullptr;
}

} // namespace tenon

void tenon_compile_options_init(tenon_compile_options *options) {
  if (!options)
    return;
  *options = {};
  options->opt_level = 2;
}
