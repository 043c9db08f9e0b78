//===- Phases.cpp - The phases of a compilation ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Phases.h"

#include "capi/Job.h"
#include "codegen/Pipelines.h"
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/spirv/SpirvStrategies.h"

#include "mlir/Pass/PassManager.h"

#include <mutex>

using namespace mlir;

namespace tenon {

tenon_status compileError(const Options &options, const Diagnostics &diagnostics,
                          const char *fallback) {
  if (isSet(options.cancelled))
    return cancelledStatus();
  return tenon_status_make(TENON_ERROR_COMPILE, "%s", diagnostics.errors(fallback).c_str());
}

tenon_status runPhases(ModuleOp module, const Options &options, const Diagnostics &diagnostics,
                       StringRef last, function_ref<void(StringRef)> done, bool report) {
  static std::once_flag once;
  std::call_once(once, [] {
    cpu::registerCpuStrategies();
    spirv::registerSpirvStrategies();
  });
  PipelineOptions pipeline;
  pipeline.disabled = options.disabled;
  pipeline.cancelled = options.cancelled;
  pipeline.report = report;
  pipeline.mixedPrecision = options.mixedPrecision;
  pipeline.memoryBudget = options.memoryBudget;
  if (options.device == Options::Device::Vulkan)
    pipeline.target = "vulkan";
  pipeline.lacking = options.lacking;
  for (const Phase &phase : phases()) {
    PassManager pm(module.getContext());
    pm.enableVerifier(false); // every pass's own tests run with it
    phase.build(pm, pipeline);
    if (failed(pm.run(module)))
      return compileError(options, diagnostics, "the program cannot be compiled");
    if (done)
      done(phase.name);
    if (phase.name == last)
      break;
  }
  return nullptr;
}

} // namespace tenon
