//===- EvaluateSize.h - Sizes of kernels in unit tests ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels tell scratch sizes as expressions; tests that call a kernel without a
// program evaluate them here.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_UNIT_CODEGEN_EVALUATESIZE_H
#define TENON_TEST_UNIT_CODEGEN_EVALUATESIZE_H

#include "mlir/IR/AffineExpr.h"

namespace tenon::test {

/// The value of a size for these extents, without the runtime.
inline int64_t evaluateSize(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents) {
  if (auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return extents[symbol.getPosition()];
  auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluateSize(binary.getLHS(), extents);
  int64_t rhs = evaluateSize(binary.getRHS(), extents);
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Add:
    return lhs + rhs;
  case mlir::AffineExprKind::Mul:
    return lhs * rhs;
  case mlir::AffineExprKind::CeilDiv:
    return (lhs + rhs - 1) / rhs;
  default:
    llvm_unreachable("no program can say this size");
  }
}

} // namespace tenon::test

#endif // TENON_TEST_UNIT_CODEGEN_EVALUATESIZE_H
