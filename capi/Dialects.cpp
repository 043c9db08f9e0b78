//===- Dialects.cpp - What the compiler's contexts know -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Dialects.h"

#include "ir/TenonDialect.h"
#include "passes/Cost.h"
#include "passes/autodiff/Autodiff.h"
#include "reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

const mlir::DialectRegistry &compilerDialects() {
  static const mlir::DialectRegistry *const instance = [] {
    auto *all = new mlir::DialectRegistry;
    all->insert<TenonDialect, mlir::func::FuncDialect>();
    registerAutodiffModels(*all);
    registerCostModels(*all);
    reference::registerReferenceModels(*all);
    return all;
  }();
  return *instance;
}

} // namespace tenon
