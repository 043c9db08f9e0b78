//===- Expr.cpp - sizes computed at run time ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack machine over int64 that reports overflow.
//
//===----------------------------------------------------------------------===//
#include "runtime/Expr.h"

using namespace tenon::runtime;

const char *tenon::runtime::checkExpr(const tenon_expr &expr, int64_t numSymbols) {
  if (expr.length < 0 || (expr.length > 0 && !expr.code))
    return "has no code";
  if (expr.length == 0)
    return nullptr;
  int64_t depth = 0;
  for (int64_t i = 0; i < expr.length; ++i) {
    const tenon_expr_code &code = expr.code[i];
    if (code.op < TENON_EXPR_CONST || code.op > TENON_EXPR_MIN)
      return "has an unknown opcode";
    if (code.op == TENON_EXPR_SYMBOL && (code.value < 0 || code.value >= numSymbols))
      return "uses a symbol out of range";
    if (code.op <= TENON_EXPR_THREADS) {
      if (++depth > maxExprDepth)
        return "needs too deep a stack";
    } else if (--depth < 1) {
      return "lacks an operand";
    }
  }
  return depth == 1 ? nullptr : "leaves more than one value";
}

/// Applies a binary operation to a and b into a.
static const char *apply(int64_t op, int64_t &a, int64_t b) {
  static const char *const overflow = "overflows 64 bits";
  switch (op) {
  case TENON_EXPR_ADD:
    return __builtin_add_overflow(a, b, &a) ? overflow : nullptr;
  case TENON_EXPR_SUB:
    return __builtin_sub_overflow(a, b, &a) ? overflow : nullptr;
  case TENON_EXPR_MUL:
    return __builtin_mul_overflow(a, b, &a) ? overflow : nullptr;
  case TENON_EXPR_CEILDIV:
  case TENON_EXPR_ALIGN: {
    if (b < 1)
      return "divides by less than 1";
    // Truncation is already the ceiling for negative values.
    int64_t quotient = a / b + (a % b > 0);
    if (op == TENON_EXPR_CEILDIV) {
      a = quotient;
      return nullptr;
    }
    return __builtin_mul_overflow(quotient, b, &a) ? overflow : nullptr;
  }
  case TENON_EXPR_MAX:
    a = a > b ? a : b;
    return nullptr;
  default: // TENON_EXPR_MIN, the only one left
    a = a < b ? a : b;
    return nullptr;
  }
}

const char *tenon::runtime::evaluateExpr(const tenon_expr &expr, const ExprScope &scope,
                                         int64_t &value) {
  int64_t stack[maxExprDepth];
  int64_t depth = 0;
  for (int64_t i = 0; i < expr.length; ++i) {
    const tenon_expr_code &code = expr.code[i];
    switch (code.op) {
    case TENON_EXPR_CONST:
      stack[depth++] = code.value;
      break;
    case TENON_EXPR_SYMBOL:
      stack[depth++] = scope.symbols[code.value];
      break;
    case TENON_EXPR_THREADS:
      stack[depth++] = scope.threads;
      break;
    default:
      --depth;
      if (const char *reason = apply(code.op, stack[depth - 1], stack[depth]))
        return reason;
    }
  }
  value = depth > 0 ? stack[0] : 0;
  return nullptr;
}

bool tenon::runtime::isLoneSymbol(const tenon_expr &expr, int64_t &symbol) {
  if (expr.length != 1 || expr.code[0].op != TENON_EXPR_SYMBOL)
    return false;
  symbol = expr.code[0].value;
  return true;
}
