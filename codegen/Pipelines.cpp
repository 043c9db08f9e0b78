//===- Pipelines.cpp - The phases of compilation --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/Pipelines.h"

#include "passes/Passes.h"
#include "passes/Pipelines.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace tenon {

/// A phase of the graph, which passes/ has the recipe of.
template <void (*build)(OpPassManager &, const GraphOptions &)>
static void graphPhase(OpPassManager &pm, const PipelineOptions &options) {
  build(pm,
        GraphOptions{options.disabled, options.report, options.mixedPrecision, options.cancelled});
}

static void buildKernelsPhase(OpPassManager &pm, const PipelineOptions &options) {
  ExpandAttentionPassOptions attention;
  GatherWindowsPassOptions windows;
  FormKernelsPassOptions kernels;
  attention.target = windows.target = kernels.target = options.target;
  attention.report = windows.report = kernels.report = options.report;
  pm.addNestedPass<func::FuncOp>(createExpandAttentionPass(attention));
  pm.addNestedPass<func::FuncOp>(createGatherWindowsPass(windows));
  pm.addNestedPass<func::FuncOp>(createFormKernelsPass(kernels));
  if (options.target != "cpu") // every kernel of whose is there
    pm.addNestedPass<func::FuncOp>(createPlacePass({options.target, options.lacking}));
  addCheckpoint(pm.nest<func::FuncOp>(), options.cancelled);
}

static void buildPlannedPhase(OpPassManager &pm, const PipelineOptions &options) {
  if (options.memoryBudget > 0)
    pm.addNestedPass<func::FuncOp>(createRematerializePass({options.memoryBudget}));
  PlanMemoryPassOptions memory;
  memory.budget = options.memoryBudget;
  memory.target = options.target;
  pm.addNestedPass<func::FuncOp>(createPlanMemoryPass(memory));
  addCheckpoint(pm.nest<func::FuncOp>(), options.cancelled);
}

/// All phases as one textual pipeline, but for the passes that are left out.
static std::string textOf(ArrayRef<std::string> disabled) {
  OpPassManager pm(ModuleOp::getOperationName());
  PipelineOptions options;
  options.disabled.assign(disabled.begin(), disabled.end());
  for (const Phase &phase : phases())
    phase.build(pm, options);
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}

/// The names in a textual pipeline, options and anchors ("func.func(") left out.
static std::set<std::string> passesIn(StringRef text) {
  std::set<std::string> names;
  while (!text.empty()) {
    size_t end = text.find_first_of("(){},");
    StringRef name = text.take_front(end);
    StringRef rest = text.drop_front(std::min(end, text.size()));
    if (!name.empty() && !rest.starts_with("("))
      names.insert(name.str());
    text = rest.starts_with("{") ? rest.drop_front(rest.find('}')) : rest;
    text = text.drop_front();
  }
  return names;
}

std::vector<std::string> optionalPasses() {
  std::string all = textOf({});
  std::vector<std::string> optional;
  for (const std::string &name : passesIn(all)) {
    StringRef shortName = name;
    shortName.consume_front("tenon-");
    if (textOf(name) != all && !llvm::is_contained(optional, shortName))
      optional.push_back(shortName.str());
  }
  return optional;
}

std::string checkDisabled(ArrayRef<std::string> names) {
  if (names.empty())
    return "";
  std::string all = textOf({});
  auto unknown = llvm::find_if(names, [&](const std::string &name) { return textOf(name) == all; });
  if (unknown == names.end())
    return "";
  return "no pass '" + *unknown + "' can be left out, expected some of " +
         llvm::join(optionalPasses(), ", ");
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
