//===- SymbolicShapes.h - Extents as expressions ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each dynamic extent of an argument of a function is a symbol, unless the ops say
// that others determine it (`tenon.multiple_of` tells what divides it); extents of other values are
// expressions over them, by the ops' own inference (ir/infer). Memory planning, launches and output
// shapes are computed from these at run time.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_SYMBOLICSHAPES_H
#define TENON_PASSES_SYMBOLICSHAPES_H

#include "passes/ExtentSolver.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"

namespace tenon {

/// `tenon.name` of an argument, or its number.
std::string nameOfInput(mlir::func::FuncOp function, unsigned index);

class SymbolicShapes {
public:
  /// Works out the extents of every value of a function, in loops, ifs and kernels too.
  /// Fails with an error at the op whose extents cannot be told.
  static mlir::FailureOr<SymbolicShapes> compute(mlir::func::FuncOp function);

  unsigned numSymbols() const { return symbols; }
  llvm::ArrayRef<mlir::AffineExpr> extents(mlir::Value value) const;
  /// Number of elements, and bytes in the layout of kernels.
  mlir::AffineExpr elements(mlir::Value value) const;
  mlir::AffineExpr bytes(mlir::Value value) const;
  /// What the symbols must fulfil beyond the types of the arguments.
  llvm::ArrayRef<ExtentCheck> checks() const { return required; }
  /// A number that divides the expression, by what is required of the symbols; 0 of 0.
  int64_t divisorOf(mlir::AffineExpr expr) const { return tenon::divisorOf(expr, multiples); }
  /// The dynamic extents of values in order: what a kernel's symbols stand for.
  llvm::SmallVector<mlir::AffineExpr> dynamicExtents(mlir::ValueRange values) const;

private:
  void findMultiples();
  explicit SymbolicShapes(mlir::MLIRContext *context) : context(context) {}

  mlir::MLIRContext *context;
  unsigned symbols = 0;
  llvm::SmallVector<ExtentCheck> required;
  llvm::SmallVector<int64_t> multiples; ///< what divides each symbol
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::AffineExpr, 4>> shapes;
};

} // namespace tenon

#endif // TENON_PASSES_SYMBOLICSHAPES_H
