//===- ExtentExpressions.cpp - Extents as expressions ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/ExtentExpressions.h"

#include <numeric>

using namespace mlir;

namespace tenon {

/// The number that stands for the first expression.
constexpr int64_t kFirst = infer::kDynamic + 1;

int64_t ExtentExpressions::extentOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto [it, isNew] = places.try_emplace(expr, kFirst + int64_t(table.size()));
  if (isNew)
    table.push_back(expr);
  return it->second;
}

AffineExpr ExtentExpressions::exprOf(int64_t extent) const {
  if (infer::isNumber(extent))
    return getAffineConstantExpr(extent, context);
  assert(extent != infer::kDynamic && "an extent that nothing tells");
  return table[extent - kFirst];
}

int64_t ExtentExpressions::add(int64_t a, int64_t b) { return extentOf(exprOf(a) + exprOf(b)); }

int64_t ExtentExpressions::multiply(int64_t a, int64_t b) {
  return extentOf(productOf(exprOf(a), exprOf(b)));
}

int64_t ExtentExpressions::divide(int64_t a, int64_t by) {
  return extentOf(exprOf(a).ceilDiv(exprOf(by)));
}

int64_t divisorOfProduct(int64_t a, int64_t b) {
  // Far beyond all tiles; whatever divides a factor divides the product.
  constexpr int64_t most = int64_t(1) << 40;
  return b > 0 && a > most / b ? std::max(a, b) : a * b;
}

int64_t divisorOf(AffineExpr expr, ArrayRef<int64_t> ofSymbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < ofSymbols.size() ? ofSymbols[symbol.getPosition()] : 1;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  int64_t a = divisorOf(binary.getLHS(), ofSymbols), b = divisorOf(binary.getRHS(), ofSymbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod: // a - q * b
    return std::gcd(a, b);
  case AffineExprKind::Mul:
    return divisorOfProduct(a, b);
  default: { // a quotient
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return by && by.getValue() > 0 && a % by.getValue() == 0 ? a / by.getValue() : 1;
  }
  }
}

static void collectFactors(AffineExpr expr, int64_t &constant,
                           SmallVectorImpl<AffineExpr> &factors) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Mul) {
    collectFactors(binary.getLHS(), constant, factors);
    collectFactors(binary.getRHS(), constant, factors);
  } else if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant *= value.getValue();
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

} // namespace tenon
