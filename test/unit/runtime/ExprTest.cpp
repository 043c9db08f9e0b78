//===- ExprTest.cpp - size expressions ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation, rounding of negative values, and overflow.
//
//===----------------------------------------------------------------------===//
#include "runtime/Expr.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace tenon::runtime;

namespace {

using Code = std::vector<tenon_expr_code>;

/// The value of the code for symbols 10, 3 and 4 threads, or the reason why
/// not.
std::string evaluate(const Code &code) {
  int64_t symbols[] = {10, 3};
  tenon_expr expr{code.data(), int64_t(code.size())};
  if (const char *reason = checkExpr(expr, 2))
    return reason;
  int64_t value = 0;
  if (const char *reason = evaluateExpr(expr, {symbols, 4}, value))
    return reason;
  return std::to_string(value);
}

std::string binary(int64_t a, tenon_expr_op op, int64_t b) {
  return evaluate({{TENON_EXPR_CONST, a}, {TENON_EXPR_CONST, b}, {op, 0}});
}

constexpr int64_t most = INT64_MAX, least = INT64_MIN;

} // namespace

TEST(Expr, Leaves) {
  EXPECT_EQ(evaluate({}), "0");
  EXPECT_EQ(evaluate({{TENON_EXPR_CONST, -7}}), "-7");
  EXPECT_EQ(evaluate({{TENON_EXPR_SYMBOL, 1}}), "3");
  EXPECT_EQ(evaluate({{TENON_EXPR_THREADS, 0}}), "4");
}

TEST(Expr, Arithmetic) {
  EXPECT_EQ(binary(5, TENON_EXPR_ADD, 6), "11");
  EXPECT_EQ(binary(5, TENON_EXPR_SUB, 6), "-1");
  EXPECT_EQ(binary(5, TENON_EXPR_MUL, -6), "-30");
  EXPECT_EQ(binary(5, TENON_EXPR_MAX, 6), "6");
  EXPECT_EQ(binary(5, TENON_EXPR_MIN, 6), "5");
}

TEST(Expr, Rounding) {
  EXPECT_EQ(binary(9, TENON_EXPR_CEILDIV, 4), "3");
  EXPECT_EQ(binary(8, TENON_EXPR_CEILDIV, 4), "2");
  EXPECT_EQ(binary(0, TENON_EXPR_CEILDIV, 4), "0");
  EXPECT_EQ(binary(-9, TENON_EXPR_CEILDIV, 4), "-2");
  EXPECT_EQ(binary(most, TENON_EXPR_CEILDIV, 1), std::to_string(most));
  EXPECT_EQ(binary(65, TENON_EXPR_ALIGN, 64), "128");
  EXPECT_EQ(binary(64, TENON_EXPR_ALIGN, 64), "64");
  EXPECT_EQ(binary(-65, TENON_EXPR_ALIGN, 64), "-64");
}

TEST(Expr, Nesting) {
  // 4 * s0 * s1, then minus max(threads, 100)
  EXPECT_EQ(evaluate({{TENON_EXPR_CONST, 4},
                      {TENON_EXPR_SYMBOL, 0},
                      {TENON_EXPR_MUL, 0},
                      {TENON_EXPR_SYMBOL, 1},
                      {TENON_EXPR_MUL, 0},
                      {TENON_EXPR_THREADS, 0},
                      {TENON_EXPR_CONST, 100},
                      {TENON_EXPR_MAX, 0},
                      {TENON_EXPR_SUB, 0}}),
            "20");
}

TEST(Expr, Overflow) {
  const std::string overflow = "overflows 64 bits";
  EXPECT_EQ(binary(most, TENON_EXPR_ADD, 1), overflow);
  EXPECT_EQ(binary(least, TENON_EXPR_SUB, 1), overflow);
  EXPECT_EQ(binary(most, TENON_EXPR_MUL, 2), overflow);
  EXPECT_EQ(binary(most, TENON_EXPR_ALIGN, 64), overflow);
  EXPECT_EQ(binary(most, TENON_EXPR_ADD, 0), std::to_string(most));
}

TEST(Expr, DivisionByLessThanOne) {
  EXPECT_EQ(binary(1, TENON_EXPR_CEILDIV, 0), "divides by less than 1");
  EXPECT_EQ(binary(least, TENON_EXPR_CEILDIV, -1), "divides by less than 1");
  EXPECT_EQ(binary(1, TENON_EXPR_ALIGN, 0), "divides by less than 1");
}

TEST(Expr, MalformedCode) {
  EXPECT_EQ(evaluate({{TENON_EXPR_ADD, 0}}), "lacks an operand");
  EXPECT_EQ(evaluate({{TENON_EXPR_CONST, 1}, {TENON_EXPR_ADD, 0}}), "lacks an operand");
  EXPECT_EQ(evaluate({{TENON_EXPR_CONST, 1}, {TENON_EXPR_CONST, 1}}), "leaves more than one value");
  EXPECT_EQ(evaluate({{TENON_EXPR_SYMBOL, 2}}), "uses a symbol out of range");
  EXPECT_EQ(evaluate({{TENON_EXPR_SYMBOL, -1}}), "uses a symbol out of range");
  EXPECT_EQ(evaluate({{-1, 0}}), "has an unknown opcode");
  EXPECT_EQ(evaluate({{10, 0}}), "has an unknown opcode");
  tenon_expr none{nullptr, 1}, negative{nullptr, -1};
  EXPECT_STREQ(checkExpr(none, 0), "has no code");
  EXPECT_STREQ(checkExpr(negative, 0), "has no code");
}

TEST(Expr, DepthIsBounded) {
  auto nested = [](int64_t depth) {
    Code code(size_t(depth), {TENON_EXPR_CONST, 1});
    code.insert(code.end(), size_t(depth - 1), {TENON_EXPR_ADD, 0});
    return evaluate(code);
  };
  EXPECT_EQ(nested(maxExprDepth), std::to_string(maxExprDepth));
  EXPECT_EQ(nested(maxExprDepth + 1), "needs too deep a stack");
}

TEST(Expr, LoneSymbol) {
  tenon_expr_code symbol{TENON_EXPR_SYMBOL, 5}, constant{TENON_EXPR_CONST, 5};
  int64_t index = -1;
  EXPECT_TRUE(isLoneSymbol({&symbol, 1}, index));
  EXPECT_EQ(index, 5);
  EXPECT_FALSE(isLoneSymbol({&constant, 1}, index));
  EXPECT_FALSE(isLoneSymbol({nullptr, 0}, index));
}
