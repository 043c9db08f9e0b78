//===- Cost.h - What a kernel costs -----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work and traffic as expressions of extents, for reports and profiles.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_COST_H
#define TENON_PASSES_COST_H

#include "passes/SymbolicShapes.h"

namespace tenon {

/// Attaches CostOpInterface to the ops whose cost their traits do not tell.
void registerCostModels(mlir::DialectRegistry &registry);

/// Floating point operations of the ops in a region: by CostOpInterface; else none of what moves
/// elements, one per element that a reduction takes in, one per element of any other result.
mlir::AffineExpr flopsOf(mlir::Region &region, const SymbolicShapes &shapes);

/// Compulsory traffic of an op: its operands and results, once each.
mlir::AffineExpr bytesOf(mlir::Operation *op, const SymbolicShapes &shapes);

} // namespace tenon

#endif // TENON_PASSES_COST_H
