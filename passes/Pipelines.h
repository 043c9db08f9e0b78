//===- Pipelines.h - The phases before kernels are formed -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to a program whatever the target. A target's own phases follow
// (codegen/Pipelines.h).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_PIPELINES_H
#define TENON_PASSES_PIPELINES_H

#include "passes/Checkpoint.h"

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tenon {

struct GraphOptions {
  /// Passes to leave out, by their names; "tenon-" may be missing.
  std::vector<std::string> disabled;
  /// Remarks at what was not fused.
  bool report = false;
  /// "f16" or "bf16": products of f32 values are computed in it; "": in f32.
  std::string mixedPrecision;
  /// If given, looked at after each pass: see addCheckpoint.
  const CancelFlag *cancelled = nullptr;
};

// Each phase follows the one before and works on a module of functions.

/// "input": the program as given, folded, without duplicates.
void buildInputPhase(mlir::OpPassManager &pm, const GraphOptions &options);
/// "fused": attention, losses and norms as one op each.
void buildFusedPhase(mlir::OpPassManager &pm, const GraphOptions &options);
/// "differentiated": no gradient op is left; what derivation leaves behind is
/// simplified, and layouts are folded into products.
void buildDifferentiatedPhase(mlir::OpPassManager &pm, const GraphOptions &options);

/// Makes them pipelines of tenon-opt: --tenon-input-phase, --tenon-fused-phase and
/// --tenon-differentiated-phase, each alone.
void registerGraphPipelines();

} // namespace tenon

#endif // TENON_PASSES_PIPELINES_H
