//===- Pipelines.cpp - The phases of compilation --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tenon {

/// Adds a pass over functions unless it is disabled.
static void add(OpPassManager &pm, const PipelineOptions &options, std::unique_ptr<Pass> pass) {
  StringRef name = pass->getArgument();
  name.consume_front("tenon-");
  if (!llvm::is_contained(options.disabled, name))
    pm.addNestedPass<func::FuncOp>(std::move(pass));
}

static void simplify(OpPassManager &pm, const PipelineOptions &options) {
  add(pm, options, createCanonicalizerPass());
  add(pm, options, createCSEPass());
}

static void buildInputPhase(OpPassManager &pm, const PipelineOptions &options) {
  simplify(pm, options);
}

static void buildFusePhase(OpPassManager &pm, const PipelineOptions &options) {
  add(pm, options, createFuseAttentionPass());
  simplify(pm, options);
}

static void buildDifferentiatePhase(OpPassManager &pm, const PipelineOptions &options) {
  // After fusion, so that a fused op's own backward rule is taken.
  add(pm, options, createDeriveBackwardPass());
  simplify(pm, options);
}

ArrayRef<Phase> phases() {
  static const Phase all[] = {
      {"input", "read, simplified", buildInputPhase},
      {"fused", "patterns have become fused ops", buildFusePhase},
      {"differentiated", "gradients have become ops", buildDifferentiatePhase},
  };
  return all;
}

} // namespace tenon
