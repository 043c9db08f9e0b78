//===- Expr.h - sizes computed at run time ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and evaluates tenon_expr, the postfix size expressions of a program.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_EXPR_H
#define TENON_RUNTIME_EXPR_H

#include "tenon/artifact.h"

namespace tenon::runtime {

/// Deepest operand stack that an expression may need.
constexpr int64_t maxExprDepth = 64;

/// Values of the symbols, and the number of workers.
struct ExprScope {
  const int64_t *symbols = nullptr;
  int64_t threads = 1;
};

/// Whether the expression is well formed over `numSymbols` symbols: NULL, or
/// the reason why not. An empty expression is well formed and means 0.
const char *checkExpr(const tenon_expr &expr, int64_t numSymbols);

/// Evaluates a well-formed expression: NULL and `value`, or the reason why
/// there is none (overflow, division by less than 1).
const char *evaluateExpr(const tenon_expr &expr, const ExprScope &scope, int64_t &value);

/// Whether the expression is a lone SYMBOL; if so, which.
bool isLoneSymbol(const tenon_expr &expr, int64_t &symbol);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_EXPR_H
