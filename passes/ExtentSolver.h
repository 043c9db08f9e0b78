//===- ExtentSolver.h - Equations between extents ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations that inference requires of extents are solved for a symbol where that is
// possible; all else is kept, to be checked when the symbols are known.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_EXTENTSOLVER_H
#define TENON_PASSES_EXTENTSOLVER_H

#include "passes/ExtentExpressions.h"
#include "tenon/artifact.h"

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

/// Solves the equations that are required, and keeps what else is.
class ExtentSolver : public ExtentExpressions {
public:
  using ExtentExpressions::ExtentExpressions;

  /// A new symbol; it never is negative.
  mlir::AffineExpr addSymbol();
  unsigned numSymbols() const { return solutions.size(); }

  /// Resolved.
  mlir::AffineExpr exprOf(int64_t extent) const override;
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

private:
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  mlir::AffineExpr withSymbol(mlir::AffineExpr expr, unsigned symbol, mlir::AffineExpr value) const;
  bool solve(mlir::AffineExpr difference);

  llvm::SmallVector<mlir::AffineExpr>
      solutions; ///< by symbol: what it equals, itself if it is free
  llvm::SmallVector<ExtentCheck> checks;
  std::string owner;
};

} // namespace tenon

#endif // TENON_PASSES_EXTENTSOLVER_H
