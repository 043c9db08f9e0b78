//===- Pipelines.cpp - The phases of compilation --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/Pipelines.h"

#include "passes/Passes.h"
#include "passes/Pipelines.h"

using namespace mlir;

namespace tenon {

/// A phase of the graph, which passes/ has the recipe of.
template <void (*build)(OpPassManager &, const GraphOptions &)>
static void graphPhase(OpPassManager &pm, const PipelineOptions &options) {
  build(pm, GraphOptions{options.disabled, options.report});
}

static void buildKernelsPhase(OpPassManager &pm, const PipelineOptions &options) {
  FormKernelsPassOptions kernels;
  kernels.report = options.report;
  pm.addNestedPass<func::FuncOp>(createFormKernelsPass(kernels));
}

static void buildPlannedPhase(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createPlanMemoryPass());
}

ArrayRef<Phase> phases() {
  static const Phase all[] = {
      {"input", "read, simplified", graphPhase<buildInputPhase>},
      {"fused", "patterns have become fused ops", graphPhase<buildFusedPhase>},
      {"differentiated", "gradients have become ops", graphPhase<buildDifferentiatedPhase>},
      {"kernels", "ops are grouped into kernels", buildKernelsPhase},
      {"planned", "values have places in memory", buildPlannedPhase},
  };
  return all;
}

} // namespace tenon
