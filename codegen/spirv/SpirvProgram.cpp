//===- SpirvProgram.cpp - A planned function as GPU code ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/SpirvProgram.h"

#include "codegen/PlannedProgram.h"
#include "codegen/cpu/KernelFrame.h"
#include "codegen/spirv/CustomKernel.h"
#include "codegen/spirv/SpirvStrategies.h"
#include "passes/KernelDevice.h"
#include "passes/SymbolicShapes.h"

using namespace mlir;

namespace tenon::spirv {

llvm::Expected<SpirvFeatures> readFeatures(StringRef names) {
  SpirvFeatures features;
  SmallVector<StringRef> words;
  names.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    word = word.trim();
    if (word == "cooperative-matrix")
      features.cooperativeMatrix = true;
    else if (word == "fragments")
      features.fragments = features.cooperativeMatrix = features.shuffle = true;
    else if (word == "shuffle")
      features.shuffle = true;
    else if (word == "preserve")
      features.preserved = {16, 32, 64};
    else if (word == "debug-info")
      features.debugInfo = true;
    else
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "expected some of cooperative-matrix, fragments, shuffle, "
                                     "preserve and debug-info, got '" +
                                         word + "'");
  }
  return features;
}

static int64_t numExtents(KernelOp kernel) {
  int64_t count = 0;
  for (Type type : kernel->getOperandTypes())
    count += cast<RankedTensorType>(type).getNumDynamicDims();
  for (Type type : kernel->getResultTypes())
    count += cast<RankedTensorType>(type).getNumDynamicDims();
  return count;
}

static LogicalResult compile(KernelOp kernel, const SpirvFeatures &features, bool wantsTexts,
                             CompiledKernel &result) {
  const KernelStrategy *strategy = spirvStrategies().find(kernel.getStrategy());
  if (!strategy)
    return kernel.emitError() << "unknown kernel strategy '" << kernel.getStrategy() << "'";
  if (auto custom = customOf(kernel))
    return compileCustom(kernel, *custom, result);
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  SpirvFrame frame(*module, kernel, features);
  if (failed(static_cast<const cpu::CpuStrategy *>(strategy)->emit(frame)))
    return failure();
  frame.finish();
  SmallVector<DispatchCode> dispatches;
  if (failed(frame.cut(dispatches)))
    return failure();
  for (DispatchCode &dispatch : dispatches) {
    auto &compiled = result.dispatches.emplace_back();
    compiled.groups = dispatch.groups;
    if (failed(toSpirv(dispatch.function, features, dispatch.size, numExtents(kernel), wantsTexts,
                       compiled.module)))
      return kernel.emitError() << "kernel '" << kernelName(kernel) << "' (" << kernel.getStrategy()
                                << ") cannot be compiled for a GPU";
  }
  result.scratch = frame.scratchBytes();
  result.usesFragments = frame.usesFragments;
  return success();
}

FailureOr<std::vector<CompiledKernel>>
compileKernels(ArrayRef<KernelOp> kernels, const SpirvFeatures &features, bool wantsTexts) {
  for (KernelOp kernel : kernels)
    if (StringRef reason = placementReason(kernel); !reason.empty())
      return kernel.emitError() << "kernel '" << kernelName(kernel)
                                << "' is placed on the CPU, and "
                                << "a program runs on one device: " << reason;
  std::vector<CompiledKernel> result(kernels.size());
  if (kernels.empty())
    return result;
  DialectRegistry registry;
  registerSpirvDialects(registry);
  MLIRContext *context = KernelOp(kernels.front()).getContext();
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  for (auto [kernel, compiled] : llvm::zip(kernels, result))
    if (failed(compile(kernel, features, wantsTexts, compiled)))
      return failure();
  return result;
}

FailureOr<std::unique_ptr<Program>> buildSpirvProgram(func::FuncOp function,
                                                      const SpirvFeatures &features) {
  FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
  if (failed(shapes))
    return failure();
  FailureOr<std::vector<CompiledKernel>> compiled =
      compileKernels(kernelsOf(function), features, /*wantsTexts=*/false);
  if (failed(compiled))
    return failure();
  SmallVector<KernelCode> codes;
  for (const CompiledKernel &kernel : *compiled) {
    KernelCode &code = codes.emplace_back();
    code.scratchShared = kernel.scratch;
    for (const CompiledKernel::Dispatch &dispatch : kernel.dispatches)
      code.dispatches.push_back(
          {dispatch.module.words, dispatch.module.entry, dispatch.module.bindings, dispatch.groups,
           kMostGroups, dispatch.grid, dispatch.module.subgroupSize, kernel.usesFragments});
  }
  return buildProgram(function, *shapes, codes);
}

} // namespace tenon::spirv
