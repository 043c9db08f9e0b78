//===- Patterns.h - Pattern sets of the passes ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewrites of passes apart from the passes, for who wants them together with
// others.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_PATTERNS_H
#define TENON_PASSES_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Transposes of matrices into products, products of batches into one.
void populateFoldTransposesPatterns(mlir::RewritePatternSet &patterns);

/// Fewer and smaller ops with the same meaning (see tenon-simplify).
void populateSimplifyPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_PATTERNS_H
