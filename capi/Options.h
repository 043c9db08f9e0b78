//===- Options.h - Compile options, checked ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tenon_compile_options in the compiler's terms: defaults filled in, names checked,
// so that nobody behind this looks at strings of the caller.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_OPTIONS_H
#define TENON_CAPI_OPTIONS_H

#include "frontend/TraceToIR.h"
#include "passes/Checkpoint.h"
#include "tenon/compiler.h"

#include <string>
#include <vector>

namespace tenon {

struct Options {
  /// VulkanOrCpu: what runs first; ahead of time only.
  enum class Device { Cpu, Vulkan, VulkanOrCpu, Reference, ReferenceBounds };
  Device device = Device::Cpu;
  std::string march = "native";
  std::string gpuFeatures;
  std::vector<std::string> lacking; ///< element types that the GPU does not have
  int64_t optLevel = 2;
  std::vector<std::string> disabled; ///< names of passes without "tenon-"
  bool sanitize = false;
  int64_t memoryBudget = 0;   ///< bytes; 0: no limit
  std::string mixedPrecision; ///< "", "f16" or "bf16"
  TraceLoop loop;
  std::string diskName;                  ///< in the disk cache; empty: not kept there
  const CancelFlag *cancelled = nullptr; ///< of the job, if it can be cancelled
};

/// Whose devices run what is compiled with these options in the process.
inline const char *driverOf(const Options &options) {
  return options.device == Options::Device::Vulkan ? "vulkan" : "cpu";
}

/// From what the caller gave, which may be null.
tenon_status readOptions(const tenon_compile_options *given, Options &options,
                         bool aheadOfTime = false);

} // namespace tenon

#endif // TENON_CAPI_OPTIONS_H
