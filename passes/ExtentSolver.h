//===- ExtentSolver.h - Extents that inference reckons with -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions over symbols as extents of infer::Type, so that the one rule of an op
// (ir/infer) tells extents that are known at run time only, too. Equations that it
// requires are solved for a symbol where that is possible; all else is kept, to be
// checked when the symbols are known.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_EXTENTSOLVER_H
#define TENON_PASSES_EXTENTSOLVER_H

#include "ir/infer/Infer.h"
#include "tenon/artifact.h"

#include "mlir/IR/AffineExpr.h"
#include <string>

namespace tenon {

/// What symbols must fulfil besides the equations that have been solved.
struct ExtentCheck {
  tenon_check_kind kind;
  mlir::AffineExpr left, right;
  std::string what; ///< whose requirement it is

  bool operator==(const ExtentCheck &other) const {
    return kind == other.kind && left == other.left && right == other.right;
  }
};

class ExtentSolver : public infer::ExtentAlgebra {
public:
  explicit ExtentSolver(mlir::MLIRContext *context) : context(context) {}

  /// A new symbol; it never is negative.
  mlir::AffineExpr addSymbol();
  unsigned numSymbols() const { return solutions.size(); }
  /// Between expressions and what stands for them in an infer::Type.
  int64_t extentOf(mlir::AffineExpr expr);
  mlir::AffineExpr exprOf(int64_t extent) const;

  /// The expression without symbols that others determine.
  mlir::AffineExpr resolve(mlir::AffineExpr expr) const;
  bool isFree(unsigned symbol) const;

  /// Named by what is required from here on.
  void setOwner(std::string name) { owner = std::move(name); }
  /// Checks without those that repeat another, resolved.
  llvm::SmallVector<ExtentCheck> openChecks() const;

  bool requireEqual(int64_t a, int64_t b) override;
  bool requireAtLeast(int64_t a, int64_t least) override;
  bool requireMultiple(int64_t a, int64_t of) override;
  int64_t add(int64_t a, int64_t b) override;
  int64_t multiply(int64_t a, int64_t b) override;
  int64_t divide(int64_t a, int64_t by) override;

private:
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  mlir::AffineExpr withSymbol(mlir::AffineExpr expr, unsigned symbol, mlir::AffineExpr value) const;
  bool solve(mlir::AffineExpr difference);

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::AffineExpr> solutions; ///< of each symbol; free ones are their own
  llvm::SmallVector<mlir::AffineExpr> table;     ///< what the numbers stand for
  llvm::DenseMap<mlir::AffineExpr, int64_t> places;
  llvm::SmallVector<ExtentCheck> checks;
  std::string owner;
};

/// A product with constants and symbols in one order, so that equal ones look equal.
mlir::AffineExpr productOf(mlir::AffineExpr a, mlir::AffineExpr b);

} // namespace tenon

#endif // TENON_PASSES_EXTENTSOLVER_H
