//===- Pipelines.h - The phases before kernels are formed -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_PIPELINES_H
#define TENON_PASSES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
}

namespace tenon {

struct GraphOptions : mlir::PassPipelineOptions<GraphOptions> {
  ListOption<std::string> disable{
      *this, "disable", llvm::cl::desc("Passes to leave out, by their flags (tenon-...)")};
  Option<bool> report{*this, "report", llvm::cl::desc("Remarks at what was not fused"),
                      llvm::cl::init(false)};
};

// Each phase follows the one before and works on a module of functions.

/// "input": the program as given, folded, without duplicates.
void buildInputPhase(mlir::OpPassManager &pm, const GraphOptions &options);
/// "fused": attention, losses and norms as one op each.
void buildFusedPhase(mlir::OpPassManager &pm, const GraphOptions &options);
/// "differentiated": no gradient op is left; what derivation leaves behind is
/// simplified, and layouts are folded into products.
void buildDifferentiatedPhase(mlir::OpPassManager &pm, const GraphOptions &options);

/// Names of the phases in order, for --compile-to and dumps.
llvm::ArrayRef<llvm::StringRef> graphPhases();
/// Adds one of them; false if there is no such phase.
bool buildGraphPhase(mlir::OpPassManager &pm, llvm::StringRef phase, const GraphOptions &options);

/// Makes them pipelines of tenon-opt: --tenon-input-phase, --tenon-fused-phase and
/// --tenon-differentiated-phase, each alone.
void registerGraphPipelines();

} // namespace tenon

#endif // TENON_PASSES_PIPELINES_H
