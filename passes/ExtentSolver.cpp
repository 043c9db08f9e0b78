//===- ExtentSolver.cpp - Extents that inference reckons with -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/ExtentSolver.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon {

/// The number that stands for the first expression.
constexpr int64_t kFirst = infer::kDynamic + 1;

static std::optional<int64_t> constantOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static void collectFactors(AffineExpr expr, int64_t &constant,
                           SmallVectorImpl<AffineExpr> &factors) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Mul) {
    collectFactors(binary.getLHS(), constant, factors);
    collectFactors(binary.getRHS(), constant, factors);
  } else if (auto value = constantOf(expr)) {
    constant *= *value;
  } else {
    factors.push_back(expr);
  }
}

AffineExpr productOf(AffineExpr a, AffineExpr b) {
  int64_t constant = 1;
  SmallVector<AffineExpr> factors;
  collectFactors(a, constant, factors);
  collectFactors(b, constant, factors);
  if (factors.empty() || constant == 0)
    return getAffineConstantExpr(constant, a.getContext());
  auto rank = [](AffineExpr factor) {
    auto symbol = dyn_cast<AffineSymbolExpr>(factor);
    return symbol ? symbol.getPosition() : ~0u;
  };
  llvm::stable_sort(factors, [&](AffineExpr x, AffineExpr y) { return rank(x) < rank(y); });
  AffineExpr product = factors.front();
  for (AffineExpr factor : ArrayRef(factors).drop_front())
    product = product * factor;
  return product * constant;
}

AffineExpr ExtentSolver::addSymbol() {
  AffineExpr symbol = getAffineSymbolExpr(solutions.size(), context);
  solutions.push_back(symbol);
  return symbol;
}

int64_t ExtentSolver::extentOf(AffineExpr expr) {
  if (auto value = constantOf(expr))
    return *value;
  auto [it, isNew] = places.try_emplace(expr, kFirst + int64_t(table.size()));
  if (isNew)
    table.push_back(expr);
  return it->second;
}

AffineExpr ExtentSolver::exprOf(int64_t extent) const {
  if (infer::isNumber(extent))
    return getAffineConstantExpr(extent, context);
  assert(extent != infer::kDynamic && "an extent that nothing tells");
  return resolve(table[extent - kFirst]);
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

int64_t ExtentSolver::multiply(int64_t a, int64_t b) {
  return extentOf(productOf(exprOf(a), exprOf(b)));
}

int64_t ExtentSolver::divide(int64_t a, int64_t by) {
  return extentOf(exprOf(a).ceilDiv(exprOf(by)));
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
