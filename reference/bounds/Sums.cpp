//===- Sums.cpp - Bounds of reductions and matrix products ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of |terms| is the op itself on the sizes of its operands.
//
//===----------------------------------------------------------------------===//
#include "reference/bounds/Bounds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tenon::reference {

/// The op's first result, in f64, on other operands.
static FailureOr<Array> inDouble(Operation *op, Operands operands, const Array &like) {
  infer::Type type = like.type;
  type.dtype = TENON_F64;
  FailureOr<std::vector<Array>> results = evaluateOn(op, operands, type);
  if (failed(results))
    return failure();
  return std::move(results->front());
}

static int64_t termsOf(const Array &x, const Array &y) {
  return y.size() ? x.size() / y.size() : 0;
}

int64_t equalTerms(const Array &x, int64_t n) {
  llvm::DenseMap<uint32_t, int64_t> counts; // by bits
  int64_t most = 0;
  for (int64_t i = 0; i < x.size() && most < n; i++)
    if (float value = float(std::fabs(x.at(i))); value != 0)
      most = std::max(most, ++counts[llvm::bit_cast<uint32_t>(value)]);
  return most;
}

LogicalResult boundLinear(Operation *op, Operands operands, unsigned k, Array &y, int64_t terms) {
  Array sizes = magnitudes(*operands[k]), errors = errorsOf(*operands[k]);
  SmallVector<const Array *> here(operands.begin(), operands.end());
  here[k] = &sizes;
  FailureOr<Array> sum = inDouble(op, here, y);
  here[k] = &errors;
  FailureOr<Array> error = inDouble(op, here, y);
  if (failed(sum) || failed(error))
    return failure();
  double eps = ofTerms(bound::kSum, terms, equalTerms(sizes, terms)) * roundingOf(y.type.dtype).eps;
  for (int64_t i = 0; i < y.size(); i++) {
    double own = std::isfinite(sum->reals[i]) ? eps * sum->reals[i] : 0;
    setBound(y, i, error->reals[i] + own);
  }
  return success();
}

LogicalResult boundSum(Operation *op, Operands operands, Results results) {
  return boundLinear(op, operands, 0, results[0], termsOf(*operands[0], results[0]));
}

LogicalResult boundScatterAdd(Operation *op, Operands operands, Results results) {
  const Array &ids = *operands[0];
  if (!isExact(ids)) {
    results[0].errors.assign(results[0].size(), INFINITY);
    return success();
  }
  return boundLinear(op, operands, 1, results[0], ids.size());
}

LogicalResult boundProduct(Operation *op, Operands operands, Results results) {
  Array &y = results[0];
  Array sizes = magnitudes(*operands[0]);
  Array most =
      mapped(*operands[0], [](double value, double error) { return std::fabs(value) + error; });
  // What the products of some of the elements may come to, in any order.
  Array belowOne = mapped(most, [](double value, double) { return std::fmin(value, 1); });
  Array aboveOne = mapped(
      most, [](double value, double) { return std::isfinite(value) ? std::fmax(value, 1) : 1; });
  FailureOr<Array> product = inDouble(op, &sizes, y), largest = inDouble(op, &most, y),
                   least = inDouble(op, &belowOne, y), greatest = inDouble(op, &aboveOne, y);
  if (failed(product) || failed(largest) || failed(least) || failed(greatest))
    return failure();
  Rounding rounding = roundingOf(y.type.dtype);
  double eps = bound::kElementwise * rounding.eps;
  eps *= double(termsOf(*operands[0], y));
  for (int64_t i = 0; i < y.size(); i++) {
    double size = product->reals[i], own = std::isfinite(size) ? eps * size : 0;
    bool vanishes =
        least->reals[i]<rounding.flush, overflows = greatest->reals[i]> rounding.largest;
    if (std::isfinite(size) ? overflows && size != 0 : vanishes)
      own = INFINITY;
    else if (vanishes)
      own += rounding.flush * greatest->reals[i];
    setBound(y, i, distance(largest->reals[i], size) + own);
  }
  return success();
}

LogicalResult boundExtreme(Operation *op, Operands operands, Results results) {
  Array &y = results[0];
  Array above = mapped(*operands[0], [](double value, double error) { return value + error; });
  Array below = mapped(*operands[0], [](double value, double error) { return value - error; });
  FailureOr<Array> high = inDouble(op, &above, y), low = inDouble(op, &below, y);
  if (failed(high) || failed(low))
    return failure();
  // Over no integers: the reference's own limits of the dtype, not infinities.
  bool isEmpty = operands[0]->size() == 0;
  for (int64_t i = 0; !isEmpty && i < y.size(); i++)
    y.errors[i] = std::max(distance(high->reals[i], y.at(i)), distance(low->reals[i], y.at(i)));
  return success();
}

LogicalResult boundArg(Operation *op, Operands operands, Results results) {
  const Array &x = *operands[0];
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt(), row = 0;
  Array &y = results[0];
  forEachLine(x.type, axis, [&](int64_t base, int64_t n, int64_t step) {
    int64_t best = base + int64_t(y.integers[row]) * step;
    for (int64_t i = 0; i < n; i++) {
      int64_t at = base + i * step;
      if (at != best && mayChangeOrder(x, at, best))
        y.errors[row] = INFINITY;
    }
    row++;
  });
  return success();
}

LogicalResult boundMatmul(Operation *op, Operands operands, Results results) {
  const Array &a = *operands[0], &b = *operands[1];
  Array &y = results[0];
  Array sizeA = magnitudes(a), sizeB = magnitudes(b), errorA = errorsOf(a), errorB = errorsOf(b);
  Array mostB = mapped(b, [](double value, double error) { return std::fabs(value) + error; });
  FailureOr<Array> sum = inDouble(op, {&sizeA, &sizeB}, y);
  FailureOr<Array> left = inDouble(op, {&errorA, &mostB}, y);
  FailureOr<Array> right = inDouble(op, {&sizeA, &errorB}, y);
  if (failed(sum) || failed(left) || failed(right))
    return failure();
  int64_t terms = a.type.dim(cast<MatmulOp>(op).getTransposeA() ? -2 : -1);
  int64_t equal = std::min(equalTerms(a, terms), equalTerms(b, terms));
  double eps = ofTerms(bound::kSum, terms, equal) * roundingOf(y.type.dtype).eps;
  for (int64_t i = 0; i < y.size(); i++) {
    double own = std::isfinite(sum->reals[i]) ? eps * sum->reals[i] : 0;
    setBound(y, i, left->reals[i] + right->reals[i] + own);
  }
  return success();
}

} // namespace tenon::reference
