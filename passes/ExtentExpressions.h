//===- ExtentExpressions.h - Extents as expressions -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions over symbols as extents of infer::Type, so that the one rule of an op
// (ir/infer) tells extents that are known at run time only, too.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_EXTENTEXPRESSIONS_H
#define TENON_PASSES_EXTENTEXPRESSIONS_H

#include "ir/infer/Infer.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"

namespace tenon {

/// `tenon.multiple_of` on an argument: for each axis a number, at most this, that divides its
/// extent.
constexpr llvm::StringLiteral kMultipleOf = "tenon.multiple_of";
constexpr int64_t kMostMultiple = int64_t(1) << 30;
/// On a planned kernel: for each dynamic extent of its operands, then results, what divides it;
/// 0 of an extent that is 0.
constexpr llvm::StringLiteral kMultiples = "tenon.multiples";

/// Takes what is required of extents to hold.
class ExtentExpressions : public infer::ExtentAlgebra {
public:
  explicit ExtentExpressions(mlir::MLIRContext *context) : context(context) {}

  /// Between expressions and what stands for them in an infer::Type.
  int64_t extentOf(mlir::AffineExpr expr);
  virtual mlir::AffineExpr exprOf(int64_t extent) const;

  bool requireEqual(int64_t, int64_t) override { return true; }
  bool requireAtLeast(int64_t, int64_t) override { return true; }
  bool requireMultiple(int64_t, int64_t) override { return true; }
  int64_t add(int64_t a, int64_t b) override;
  int64_t multiply(int64_t a, int64_t b) override;
  int64_t divide(int64_t a, int64_t by) override;

protected:
  mlir::MLIRContext *context;

private:
  llvm::SmallVector<mlir::AffineExpr> table; ///< what the numbers stand for
  llvm::DenseMap<mlir::AffineExpr, int64_t> places;
};

/// A number that divides an expression over symbols, given one for each of these; 0 of 0, which
/// everything divides.
int64_t divisorOf(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> ofSymbols);
/// That of a product, from those of its factors.
int64_t divisorOfProduct(int64_t a, int64_t b);

/// A product with constants and symbols in one order, so that equal ones look equal.
mlir::AffineExpr productOf(mlir::AffineExpr a, mlir::AffineExpr b);

} // namespace tenon

#endif // TENON_PASSES_EXTENTEXPRESSIONS_H
