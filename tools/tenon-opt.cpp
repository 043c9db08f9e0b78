//===- tenon-opt.cpp - Run passes on MLIR files ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/LowerToLLVM.h"
#include "codegen/cpu/Passes.h"
#include "ir/TenonDialect.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/autodiff/Autodiff.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tenon::TenonDialect>();
  tenon::cpu::registerCpuDialects(registry);
  tenon::registerAutodiffModels(registry);
  mlir::registerTransformsPasses();
  tenon::registerTenonPasses();
  tenon::registerGraphPipelines();
  tenon::cpu::registerTenonCpuPasses();
  tenon::cpu::registerCpuStrategies();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tenon's optimizer driver\n", registry));
}
