//===- tenon-lsp-server.cpp - Editors on MLIR files -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/LowerToLLVM.h"
#include "ir/TenonDialect.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "tenon-lsp-server " TENON_VERSION "\n"; });
  mlir::DialectRegistry registry;
  registry.insert<tenon::TenonDialect>();
  tenon::cpu::registerCpuDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
