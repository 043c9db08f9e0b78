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
    StringRef name = pass->getArgument(), shortName = name;
    shortName.consume_front("tenon-");
    if (!llvm::is_contained(options.disabled, name) &&
        !llvm::is_contained(options.disabled, shortName)) {
      pm.nest<func::FuncOp>().addPass(std::move(pass));
      addCheckpoint(pm.nest<func::FuncOp>(), options.cancelled);
    }
    return *this;
  }
  Recipe &tidy() { return then(createCanonicalizerPass()).then(createCSEPass()); }

private:
  OpPassManager &pm;
  const GraphOptions &options;
};
} // namespace

void buildInputPhase(OpPassManager &pm, const GraphOptions &options) { Recipe(pm, options).tidy(); }

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
  Recipe recipe(pm, options);
  // Before gradients: they are computed in the types of what they are gradients of.
  if (!options.mixedPrecision.empty())
    recipe.then(createMixedPrecisionPass({options.mixedPrecision})).tidy();
  if (options.mixedPrecision == "f16")
    recipe.then(createScaleLossPass());
  recipe.then(createDeriveBackwardPass())
      .tidy()
      .then(createSimplifyPass())
      .then(createPlanLayoutsPass())
      // Gradients of products and of shared matrices come as transposes and sums.
      .then(createFoldTransposesPass())
      // After derivation: what a gradient needs of an invariant op is hoisted as well.
      .then(createHoistInvariantsPass())
      .then(createPruneLoopsPass())
      .tidy();
}

namespace {
struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  ListOption<std::string> disable{*this, "disable",
                                  llvm::cl::desc("Passes to leave out, by their names")};
  Option<std::string> mixedPrecision{*this, "mixed-precision",
                                     llvm::cl::desc("f16 or bf16: products in it")};
  Option<bool> report{*this, "report", llvm::cl::desc("Remarks at what was not fused"),
                      llvm::cl::init(false)};
};
} // namespace

template <void (*build)(OpPassManager &, const GraphOptions &)>
static void registerPhase(StringRef name, StringRef description) {
  PassPipelineRegistration<PhaseOptions>(
      name, description, [](OpPassManager &pm, const PhaseOptions &options) {
        build(pm, {std::vector<std::string>(options.disable.begin(), options.disable.end()),
                   options.report, options.mixedPrecision});
      });
}

void registerGraphPipelines() {
  registerPhase<buildInputPhase>("tenon-input-phase", "Fold, drop duplicates");
  registerPhase<buildFusedPhase>("tenon-fused-phase", "Fuse attention, losses and norms");
  registerPhase<buildDifferentiatedPhase>("tenon-differentiated-phase",
                                          "Derive gradients and simplify");
}

} // namespace tenon
