//===- ExtentSolver.cpp - Equations between extents -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/ExtentSolver.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon {

static std::optional<int64_t> constantOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

AffineExpr ExtentSolver::addSymbol() {
  AffineExpr symbol = getAffineSymbolExpr(solutions.size(), context);
  solutions.push_back(symbol);
  return symbol;
}

AffineExpr ExtentSolver::exprOf(int64_t extent) const {
  return resolve(ExtentExpressions::exprOf(extent));
}

AffineExpr ExtentSolver::resolve(AffineExpr expr) const { return expr.replaceSymbols(solutions); }

bool ExtentSolver::isFree(unsigned symbol) const {
  return solutions[symbol] == getAffineSymbolExpr(symbol, context);
}

AffineExpr ExtentSolver::simplify(AffineExpr expr) const {
  return simplifyAffineExpr(expr, 0, numSymbols());
}

AffineExpr ExtentSolver::withSymbol(AffineExpr expr, unsigned symbol, AffineExpr value) const {
  DenseMap<AffineExpr, AffineExpr> map{{getAffineSymbolExpr(symbol, context), value}};
  return simplify(expr.replace(map));
}

int64_t ExtentSolver::add(int64_t a, int64_t b) {
  return extentOf(simplify(exprOf(a) + exprOf(b)));
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

/// Solves difference = 0 for the youngest symbol that it is linear in, times 1 or -1.
bool ExtentSolver::solve(AffineExpr difference) {
  AffineExpr zero = getAffineConstantExpr(0, context), one = getAffineConstantExpr(1, context);
  for (unsigned symbol = numSymbols(); symbol-- > 0;) {
    if (!difference.isFunctionOfSymbol(symbol))
      continue;
    AffineExpr rest = withSymbol(difference, symbol, zero);
    auto slope = constantOf(simplify(withSymbol(difference, symbol, one) - rest));
    AffineExpr line = rest + getAffineSymbolExpr(symbol, context) * slope.value_or(0);
    if (!slope || (*slope != 1 && *slope != -1) || simplify(difference - line) != zero)
      continue;
    AffineExpr value = simplify(rest * -*slope);
    if (constantOf(value).value_or(0) < 0)
      return false;
    for (AffineExpr &solution : solutions)
      solution = withSymbol(solution, symbol, value);
    return true;
  }
  return false;
}

bool ExtentSolver::requireEqual(int64_t a, int64_t b) {
  AffineExpr x = exprOf(a), y = exprOf(b), difference = simplify(x - y);
  if (auto constant = constantOf(difference))
    return *constant == 0;
  if (!solve(difference))
    checks.push_back({TENON_CHECK_EQUAL, x, y, owner});
  return true;
}

bool ExtentSolver::requireAtLeast(int64_t a, int64_t least) {
  AffineExpr x = exprOf(a);
  if (auto constant = constantOf(x))
    return *constant >= least;
  if (least > 0)
    checks.push_back({TENON_CHECK_AT_LEAST, x, getAffineConstantExpr(least, context), owner});
  return true;
}

bool ExtentSolver::requireMultiple(int64_t a, int64_t of) {
  AffineExpr x = exprOf(a), y = exprOf(of);
  auto divisor = constantOf(y), known = constantOf(x);
  if (known && divisor)
    return *divisor == 0 ? *known == 0 : *known % *divisor == 0;
  if (x != y && !(divisor && *divisor > 0 && x.isMultipleOf(*divisor)))
    checks.push_back({TENON_CHECK_MULTIPLE, x, y, owner});
  return true;
}

SmallVector<ExtentCheck> ExtentSolver::openChecks() const {
  SmallVector<ExtentCheck> open;
  for (const ExtentCheck &check : checks) {
    ExtentCheck resolved{check.kind, resolve(check.left), resolve(check.right), check.what};
    if (!llvm::is_contained(open, resolved))
      open.push_back(resolved);
  }
  return open;
}

} // namespace tenon
