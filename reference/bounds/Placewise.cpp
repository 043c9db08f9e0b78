//===- Placewise.cpp - Bounds of ops that compute element by element ------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of the operands' errors is seen by evaluating the op again at the ends of
// the operands' intervals. That needs no derivatives and sees jumps: a comparison that
// the errors can turn over, the branch of a select that it chooses.
//
//===----------------------------------------------------------------------===//
#include "reference/bounds/Bounds.h"

using namespace mlir;

namespace tenon::reference {

/// x moved by `scale` times its errors; a logical that is not sure is turned over.
static Array moved(const Array &x, const std::vector<double> &errors, double scale) {
  Array y = x;
  for (int64_t i = 0; i < y.size(); i++) {
    if (errors[i] == 0)
      continue;
    if (y.type.isBool())
      y.integers[i] = !y.integers[i];
    else
      y.set(i, x.at(i) + scale * errors[i]);
  }
  return y;
}

namespace {
/// Evaluates an op with some operands moved, and keeps the largest change of each element.
class Moves {
public:
  Moves(Operation *op, Operands operands, Results results)
      : op(op), operands(operands), results(results) {
    for (const Array &y : results) {
      types.push_back(y.type);
      changes.emplace_back(y.size(), 0.0);
    }
  }

  /// `errors` of each operand; empty ones stay.
  LogicalResult run(ArrayRef<std::vector<double>> errors) {
    SmallVector<unsigned> open;
    for (auto [k, e] : llvm::enumerate(errors))
      if (llvm::any_of(e, [](double error) { return error != 0; }))
        open.push_back(k);
    if (open.size() <= 3)
      return corners(open, errors, changes);
    // One at a time: what they do together is of second order.
    for (unsigned k : open) {
      auto single = changes;
      for (auto &change : single)
        std::fill(change.begin(), change.end(), 0.0);
      if (failed(corners(k, errors, single)))
        return failure();
      for (size_t r = 0; r < changes.size(); r++)
        for (size_t i = 0; i < changes[r].size(); i++)
          changes[r][i] += single[r][i];
    }
    return success();
  }

  std::vector<std::vector<double>> changes; ///< of each result

private:
  /// All combinations of signs; inside, too, for functions that are not monotonic.
  LogicalResult corners(ArrayRef<unsigned> open, ArrayRef<std::vector<double>> errors,
                        std::vector<std::vector<double>> &into) {
    if (open.empty())
      return success();
    for (double scale : {1.0, 0.6})
      for (unsigned signs = 0; signs < 1u << open.size(); signs++) {
        SmallVector<const Array *> here(operands.begin(), operands.end());
        SmallVector<Array, 3> copies;
        copies.reserve(open.size());
        for (auto [bit, k] : llvm::enumerate(open)) {
          copies.push_back(moved(*operands[k], errors[k], signs >> bit & 1 ? scale : -scale));
          here[k] = &copies.back();
        }
        FailureOr<std::vector<Array>> other = evaluateOn(op, here, types);
        if (failed(other))
          return failure();
        for (size_t r = 0; r < into.size(); r++)
          for (size_t i = 0; i < into[r].size(); i++)
            into[r][i] = std::max(into[r][i], distance((*other)[r].at(i), results[r].at(i)));
      }
    return success();
  }

  Operation *op;
  Operands operands;
  Results results;
  SmallVector<infer::Type> types;
};
} // namespace

/// The operands' errors, widened by `relative` times the size of a float element.
static std::vector<std::vector<double>> errorsOfOperands(Operands operands, double relative) {
  std::vector<std::vector<double>> errors(operands.size());
  for (auto [k, x] : llvm::enumerate(operands)) {
    if (!x)
      continue;
    errors[k] = x->errors;
    for (int64_t i = 0; relative && x->type.isFloat() && i < x->size(); i++)
      if (std::isfinite(x->reals[i]))
        errors[k][i] += relative * std::fabs(x->reals[i]);
  }
  return errors;
}

/// Results with changes by the operands and `c` roundings of their own.
static LogicalResult boundPlaces(Operation *op, Operands operands, Results results, double c,
                                 double relative) {
  Moves moves(op, operands, results);
  if (failed(moves.run(errorsOfOperands(operands, relative))))
    return failure();
  for (size_t r = 0; r < results.size(); r++) {
    Array &y = results[r];
    double eps = c * roundingOf(y.type.dtype).eps;
    for (int64_t i = 0; i < y.size(); i++) {
      double size = std::fabs(y.at(i)), own = std::isfinite(size) ? eps * size : 0;
      if (c == 0)
        y.errors[i] = moves.changes[r][i];
      else
        setBound(y, i, moves.changes[r][i] + own);
    }
  }
  return success();
}

LogicalResult boundView(Operation *op, Operands operands, Results results) {
  return boundPlaces(op, operands, results, 0, 0);
}

LogicalResult boundElementwise(Operation *op, Operands operands, Results results) {
  return boundPlaces(op, operands, results, bound::kElementwise, 0);
}

/// Within the ends of a divisor's interval may lie its pole, within those of a quotient a
/// whole number, where a remainder jumps by the divisor.
LogicalResult boundQuotient(Operation *op, Operands operands, Results results) {
  if (failed(boundElementwise(op, operands, results)))
    return failure();
  const Array &a = *operands[0], &b = *operands[1];
  std::vector<double> &errors = results[0].errors;
  for (int64_t i = 0; i < b.size(); i++) {
    double low = std::fabs(b.at(i)) - b.errors[i], high = std::fabs(b.at(i)) + b.errors[i];
    if (b.errors[i] != 0 && low <= 0)
      errors[i] = INFINITY;
    else if (isa<RemOp>(op) && std::floor((std::fabs(a.at(i)) - a.errors[i]) / high) !=
                                   std::floor((std::fabs(a.at(i)) + a.errors[i]) / low))
      errors[i] = std::max(errors[i], high);
    // Of a quotient that f64 does not have whole, the remainder has the error of a.
    if (double quotient = std::fabs(a.at(i) / b.at(i)); isa<RemOp>(op) && quotient >= 0x1p53)
      errors[i] =
          std::isinf(quotient) ? INFINITY : std::max(errors[i], std::fabs(a.at(i)) * 0x1p-52);
  }
  return success();
}

/// Of a wave 1 and -1 may lie between the ends of an interval.
LogicalResult boundWave(Operation *op, Operands operands, Results results) {
  if (failed(boundElementwise(op, operands, results)))
    return failure();
  const Array &x = *operands[0];
  Array &y = results[0];
  double eps = bound::kElementwise * roundingOf(y.type.dtype).eps,
         crest = isa<SinOp>(op) ? 0.25 : 0;
  for (int64_t i = 0; i < y.size(); i++) {
    double low = (x.at(i) - x.errors[i]) / (2 * M_PI), high = (x.at(i) + x.errors[i]) / (2 * M_PI);
    if (x.errors[i] == 0 || !std::isfinite(y.at(i)))
      continue;
    for (auto [place, value] : {std::pair(crest, 1.0), {crest + 0.5, -1.0}})
      if (std::floor(low - place) != std::floor(high - place))
        y.errors[i] = std::max(y.errors[i], std::fabs(value - y.at(i)) + eps);
  }
  return success();
}

/// Tails come from a difference of terms: of 1, or of x with its gate.
LogicalResult boundTailed(Operation *op, Operands operands, Results results) {
  if (failed(boundElementwise(op, operands, results)))
    return failure();
  const Array &x = *operands[0];
  Array &y = results[0];
  double eps = bound::kElementwise * roundingOf(y.type.dtype).eps;
  for (int64_t i = 0; i < y.size(); i++) {
    double terms = isa<NormalCdfOp>(op) ? 1 : std::fabs(x.reals[i]);
    if (std::isfinite(terms))
      y.errors[i] += eps * terms;
  }
  return success();
}

/// Several terms an element: each operand counts with a rounding of its own.
LogicalResult boundUpdate(Operation *op, Operands operands, Results results) {
  double eps = bound::kUpdate * roundingOf(results[0].type.dtype).eps;
  return boundPlaces(op, operands, results, bound::kUpdate, eps);
}

/// The corrections 1 - beta^t of the first steps are differences of numbers near 1.
LogicalResult boundAdam(Operation *op, Operands operands, Results results) {
  if (failed(boundUpdate(op, operands, results)))
    return failure();
  auto adam = cast<AdamOp>(op);
  double t = double(operands[5]->integers[0]), decay = adam.getWeightDecay().convertToDouble();
  auto lost = [&](const APFloat &beta) {
    double power = std::pow(beta.convertToDouble(), t);
    return power / (1 - power);
  };
  double relative = lost(adam.getBeta1()) + lost(adam.getBeta2()) / 2;
  relative *= bound::kUpdate * roundingOf(results[0].type.dtype).eps;
  for (int64_t i = 0; i < results[0].size(); i++) {
    double p = operands[0]->reals[i], step = std::fabs(results[0].reals[i] - p);
    step += std::fabs(decay * operands[4]->reals[0] * p);
    if (std::isfinite(step) && step != 0)
      results[0].errors[i] += relative * step;
  }
  return success();
}

/// Between the ends of the intervals lies equality, too.
LogicalResult boundCompare(Operation *op, Operands operands, Results results) {
  if (failed(boundPlaces(op, operands, results, 0, 0)))
    return failure();
  auto predicate = cast<CompareOp>(op).getPredicate();
  if (predicate != Predicate::eq && predicate != Predicate::ne)
    return success();
  const Array &a = *operands[0], &b = *operands[1];
  for (int64_t i = 0; i < a.size(); i++) {
    // What is equal in double is taken to be one value computed once: the element that is
    // the maximum, or a constant.
    double d = distance(a.at(i), b.at(i));
    results[0].errors[i] = d != 0 && d <= a.errors[i] + b.errors[i] ? 1 : 0;
  }
  return success();
}

LogicalResult boundRandom(Operation *op, Operands operands, Results results) {
  Array &y = results[0];
  double eps = bound::kRandom * roundingOf(y.type.dtype).eps;
  double radius = isa<RandomNormalOp>(op) ? bound::kNormalRadius : 0;
  for (int64_t i = 0; i < y.size(); i++)
    setBound(y, i, eps * (radius + std::fabs(y.at(i))));
  return success();
}

LogicalResult boundGather(Operation *op, Operands operands, Results results) {
  if (failed(boundPlaces(op, operands, results, 0, 0)))
    return failure();
  const Array &ids = *operands[1];
  int64_t width = ids.size() ? results[0].size() / ids.size() : 0;
  for (int64_t i = 0; i < ids.size(); i++)
    if (ids.errors[i] != 0) // any row
      std::fill_n(results[0].errors.begin() + i * width, width, INFINITY);
  return success();
}

} // namespace tenon::reference
