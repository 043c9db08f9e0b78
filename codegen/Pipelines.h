//===- Pipelines.h - The phases of compilation ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilation does to a module before code is generated, phase by phase: the
// recipe that the C API and the tools follow.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_PIPELINES_H
#define TENON_CODEGEN_PIPELINES_H

#include "passes/Checkpoint.h"

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tenon {

struct PipelineOptions {
  /// For whose kernel strategies: "cpu" or "vulkan".
  std::string target = "cpu";
  /// Element types that the target's device does not have: kernels of them are placed on the CPU.
  std::vector<std::string> lacking;
  /// Passes to leave out, by their names without "tenon-".
  std::vector<std::string> disabled;
  /// Emit remarks that say why something was left alone.
  bool report = false;
  /// Most bytes that intermediate values may take; values are computed again to keep to it. 0: no
  /// limit.
  int64_t memoryBudget = 0;
  /// "f16" or "bf16": products of f32 values are computed in it; "": in f32.
  std::string mixedPrecision;
  /// If given, phases fail once it is set.
  const CancelFlag *cancelled = nullptr;
};

/// A phase leaves a module that the next one takes.
struct Phase {
  llvm::StringRef name;    ///< as `--compile-to` has it
  llvm::StringRef summary; ///< what has been done when it is over
  void (*build)(mlir::OpPassManager &pm, const PipelineOptions &options);
};

/// Names of the passes that may be left out, without "tenon-".
std::vector<std::string> optionalPasses();

/// What is wrong with names of passes to leave out: "" if each is one that a phase can
/// do without.
std::string checkDisabled(llvm::ArrayRef<std::string> names);

/// All phases in order: input, fused, differentiated, ...
llvm::ArrayRef<Phase> phases();

} // namespace tenon

#endif // TENON_CODEGEN_PIPELINES_H
