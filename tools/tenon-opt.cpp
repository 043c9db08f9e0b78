//===- tenon-opt.cpp - Run passes on MLIR files ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/LowerToLLVM.h"
#include "codegen/cpu/Passes.h"
#include "codegen/spirv/SpirvStrategies.h"
#include "ir/TenonDialect.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/autodiff/Autodiff.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

/// Leaves help and version. Options that libraries have registered by now are those of
/// LLVM's code generators; MLIR's and Tenon's follow in MlirOptMain.
static void hideOptionsOfLlvm() {
  auto isGeneric = [](llvm::cl::OptionCategory *category) {
    return category->getName() == "Generic Options";
  };
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (llvm::none_of(option.second->Categories, isGeneric))
      option.second->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  hideOptionsOfLlvm();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "tenon-opt " TENON_VERSION "\n"; });
  mlir::DialectRegistry registry;
  registry.insert<tenon::TenonDialect>();
  tenon::cpu::registerCpuDialects(registry);
  tenon::registerAutodiffModels(registry);
  mlir::registerTransformsPasses();
  tenon::registerTenonPasses();
  tenon::registerGraphPipelines();
  tenon::cpu::registerTenonCpuPasses();
  tenon::cpu::registerCpuStrategies();
  tenon::spirv::registerSpirvStrategies();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tenon's optimizer driver\n", registry));
}
