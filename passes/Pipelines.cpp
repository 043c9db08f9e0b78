//===- Pipelines.cpp - The phases before kernels are formed ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tenon {

/// Adds passes over functions, but for those that the options leave out.
namespace {
class Recipe {
public:
  Recipe(OpPassManager &pm, const GraphOptions &options) : pm(pm), options(options) {}

  Recipe &then(std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(options.disable, pass->getArgument().str()))
      pm.nest<func::FuncOp>().addPass(std::move(pass));
    return *this;
  }
  Recipe &tidy() { return then(createCanonicalizerPass()).then(createCSEPass()); }

private:
  OpPassManager &pm;
  const GraphOptions &options;
};
} // namespace

void buildInputPhase(OpPassManager &pm, const GraphOptions &options) {
  Recipe(pm, options).tidy();
}

void buildFusedPhase(OpPassManager &pm, const GraphOptions &options) {
  FuseAttentionPassOptions attention{options.report};
  FuseCrossEntropyPassOptions crossEntropy{options.report};
  FuseNormsPassOptions norms{options.report};
  // Before gradients are derived: one op has one fused gradient. Attention first: it
  // takes a softmax that nothing else may have taken.
  Recipe(pm, options)
      .then(createFuseAttentionPass(attention))
      .then(createFuseCrossEntropyPass(crossEntropy))
      .then(createFuseNormsPass(norms))
      .tidy();
}

void buildDifferentiatedPhase(OpPassManager &pm, const GraphOptions &options) {
  Recipe(pm, options)
      .then(createDeriveBackwardPass())
      .tidy()
      .then(createSimplifyPass())
      // Gradients of products and of shared matrices come as transposes and sums.
      .then(createFoldTransposesPass())
      // After derivation: what a gradient needs of an invariant op is hoisted as well.
      .then(createHoistInvariantsPass())
      .then(createPruneLoopsPass())
      .tidy();
}

static constexpr struct {
  llvm::StringLiteral name;
  void (*build)(OpPassManager &, const GraphOptions &);
} phases[] = {{"input", buildInputPhase},
              {"fused", buildFusedPhase},
              {"differentiated", buildDifferentiatedPhase}};

ArrayRef<StringRef> graphPhases() {
  static const StringRef names[] = {phases[0].name, phases[1].name, phases[2].name};
  return names;
}

bool buildGraphPhase(OpPassManager &pm, StringRef phase, const GraphOptions &options) {
  for (const auto &each : phases)
    if (each.name == phase) {
      each.build(pm, options);
      return true;
    }
  return false;
}

void registerGraphPipelines() {
  PassPipelineRegistration<GraphOptions>("tenon-input-phase", "Fold, drop duplicates",
                                         buildInputPhase);
  PassPipelineRegistration<GraphOptions>("tenon-fused-phase", "Fuse attention, losses and norms",
                                         buildFusedPhase);
  PassPipelineRegistration<GraphOptions>("tenon-differentiated-phase",
                                         "Derive gradients and simplify",
                                         buildDifferentiatedPhase);
}

} // namespace tenon
