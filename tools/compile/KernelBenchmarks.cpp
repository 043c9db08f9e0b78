//===- KernelBenchmarks.cpp - Each kernel as a program --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/compile/KernelBenchmarks.h"

#include "codegen/Pipelines.h"
#include "codegen/PlannedProgram.h"
#include "codegen/aot/AheadOfTime.h"
#include "passes/InPlace.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tenon {

static llvm::Error failure(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// A module with one function, which is the kernel. Constants that it reads stay constants: they
/// may be indices.
static OwningOpRef<ModuleOp> moduleOf(KernelOp kernel, StringRef name) {
  OpBuilder builder(kernel.getContext());
  Location location = kernel.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  SmallVector<Value> inputs;
  for (Value operand : kernel->getOperands())
    if (!storageOf(operand).getDefiningOp<ConstantOp>() && !llvm::is_contained(inputs, operand))
      inputs.push_back(operand);
  builder.setInsertionPointToStart(module->getBody());
  auto function = builder.create<func::FuncOp>(
      location, name,
      builder.getFunctionType(TypeRange(ValueRange(inputs)), kernel.getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  mapping.map(inputs, block->getArguments());
  for (Value operand : kernel->getOperands()) {
    SmallVector<Operation *> makers; // reshapes, then a constant
    for (Value value = operand; !mapping.contains(value);
         value = value.getDefiningOp()->getOperand(0)) {
      makers.push_back(value.getDefiningOp());
      if (isa<ConstantOp>(makers.back()))
        break;
    }
    for (Operation *maker : llvm::reverse(makers))
      builder.clone(*maker, mapping);
  }
  Operation *clone = builder.clone(*kernel, mapping);
  clone->removeAttr("tenon.slots");
  builder.create<func::ReturnOp>(location, clone->getResults());
  return module;
}

/// Plans the memory of a module whose kernels have been formed.
static LogicalResult plan(ModuleOp module) {
  PassManager pm(module.getContext());
  for (const Phase &phase : phases())
    if (phase.name == "planned")
      phase.build(pm, {});
  return pm.run(module);
}

static llvm::Error writeBenchmark(KernelOp kernel, const aot::Options &options, StringRef folder,
                                  StringRef runtimeFolder) {
  OwningOpRef<ModuleOp> module = moduleOf(kernel, options.prefix);
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  if (failed(plan(*module)))
    return failure("the benchmark of " + options.prefix + " cannot be planned");
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, options.prefix);
  if (llvm::Error error =
          aot::writeFile((path + ".mlir").str(), llvm::ArrayRef(text.data(), text.size())))
    return error;
  auto artifact = aot::compileAheadOfTime({*module->getOps<func::FuncOp>().begin(), {}}, options);
  if (failed(artifact))
    return failure("the benchmark of " + options.prefix + " cannot be compiled");
  llvm::Expected<aot::ObjectBytes> program = artifact->executable(runtimeFolder);
  if (!program)
    return program.takeError();
  return aot::writeFile(path, *program, /*executable=*/true);
}

llvm::Error writeKernelBenchmarks(ArrayRef<func::FuncOp> functions,
                                  const cpu::CompiledKernels &compiled,
                                  const cpu::CpuTarget &target, const cpu::CompileOptions &options,
                                  StringRef folder, StringRef runtimeFolder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return failure(folder + ": " + code.message());
  SmallVector<KernelOp> kernels;
  for (func::FuncOp function : functions)
    llvm::append_range(kernels, kernelsOf(function));
  llvm::DenseSet<unsigned> done;
  for (auto [kernel, code] : llvm::zip_equal(kernels, compiled.kernels)) {
    if (!done.insert(code.object).second)
      continue;
    aot::Options each;
    each.prefix = compiled.objects[code.object].symbol;
    each.targets = {target};
    each.code = options;
    if (llvm::Error error = writeBenchmark(kernel, each, folder, runtimeFolder))
      return error;
  }
  return llvm::Error::success();
}

} // namespace tenon
