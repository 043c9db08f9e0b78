//===- Dialects.h - What contexts of unit tests know ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that differentiate programs and evaluate them by the interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_UNIT_DIALECTS_H
#define TENON_TEST_UNIT_DIALECTS_H

#include "ir/TenonOps.h"
#include "passes/autodiff/Autodiff.h"
#include "reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::test {

/// The dialects of programs, with backward rules and reference models.
inline mlir::DialectRegistry programDialects() {
  mlir::DialectRegistry registry;
  registry.insert<TenonDialect, mlir::func::FuncDialect>();
  registerAutodiffModels(registry);
  reference::registerReferenceModels(registry);
  return registry;
}

} // namespace tenon::test

#endif // TENON_TEST_UNIT_DIALECTS_H
