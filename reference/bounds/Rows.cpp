//===- Rows.cpp - Bounds of softmax, normalizations and losses ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/bounds/Bounds.h"

using namespace mlir;

namespace tenon::reference {

SoftmaxLine::SoftmaxLine(ArrayRef<double> x, ArrayRef<double> errors, const Rounding &rounding,
                         double c)
    : p(x.size()), pError(x.size()), logP(x.size()), logPError(x.size()) {
  size_t n = x.size();
  double maximum = -INFINITY, eps = rounding.eps;
  bool isSure = true, isNaN = false;
  for (size_t j = 0; j < n; j++) {
    isSure &= std::isfinite(x[j]) || errors[j] == 0;
    isNaN |= std::isnan(x[j]) || x[j] == INFINITY;
    maximum = std::max(maximum, x[j]);
  }
  isMasked = isSure && !isNaN && maximum == -INFINITY;
  if (isMasked || (isSure && isNaN)) // 0 or NaN, without doubt
    return;
  if (!isSure) {
    pError.assign(n, INFINITY), logPError.assign(n, INFINITY);
    logSumError = INFINITY;
    return;
  }
  // An error of x - maximum, and a relative one of its exponential, are one thing.
  std::vector<double> shift(n), low(n), high(n);
  double sum = 0, sumLow = 0, sumHigh = 0;
  for (size_t j = 0; j < n; j++) {
    double d = x[j] - maximum;
    shift[j] = std::isinf(d) ? 0 : errors[j] + eps * (std::fabs(d) + c);
    low[j] = std::exp(d - shift[j]), high[j] = std::exp(d + shift[j]);
    p[j] = std::exp(d);
    sum += p[j], sumLow += low[j], sumHigh += high[j];
  }
  double terms = ofTerms(c, n) * eps, log = std::log(sum);
  double logError =
      std::max(std::log(sumHigh) - log, log - std::log(sumLow)) + terms * (1 + std::fabs(log));
  logSum = maximum + log;
  logSumError = logError + c * eps * (std::fabs(maximum) + std::fabs(log));
  for (size_t j = 0; j < n; j++) {
    double most = high[j] / (high[j] + std::max(0.0, sumLow - low[j]));
    double least = low[j] / (low[j] + std::max(0.0, sumHigh - high[j]));
    if (low[j] == 0)
      least = 0;
    if (high[j] == 0)
      most = 0;
    p[j] /= sum;
    pError[j] =
        std::max(distance(most, p[j]), distance(least, p[j])) + terms * p[j] + rounding.flush;
    logP[j] = x[j] - maximum - log;
    logPError[j] = std::isinf(logP[j]) ? 0 : shift[j] + logError + c * eps * std::fabs(logP[j]);
  }
}

/// The line of an array as it lies.
static SoftmaxLine softmaxLine(const Array &x, int64_t base, int64_t n, int64_t step) {
  std::vector<double> values(n), errors(n);
  for (int64_t i = 0; i < n; i++) {
    values[i] = x.reals[base + i * step];
    errors[i] = x.errors[base + i * step];
  }
  return SoftmaxLine(values, errors, roundingOf(x.type.dtype), bound::kRow);
}

LogicalResult boundSoftmax(Operation *op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  bool isLog = isa<LogSoftmaxOp>(op);
  forEachLine(x.type, axis, [&](int64_t base, int64_t n, int64_t step) {
    SoftmaxLine line = softmaxLine(x, base, n, step);
    for (int64_t i = 0; i < n; i++)
      setBound(y, base + i * step, isLog ? line.logPError[i] : line.pError[i]);
  });
  return success();
}

namespace {
/// A row of a normalization: elements around the mean, or as they are.
struct NormRow {
  std::vector<double> d, dError;
  double inverse, inverseError;

  NormRow(const Array &x, int64_t base, int64_t n, bool isCentered, double epsilon, double eps) {
    double c = bound::kRow, terms = ofTerms(c, n) * eps, mean = 0, meanError = 0;
    for (int64_t i = 0; isCentered && i < n; i++) {
      mean += x.reals[base + i] / n;
      meanError += (x.errors[base + i] + terms * std::fabs(x.reals[base + i])) / n;
    }
    double square = 0, squareError = 0;
    for (int64_t i = 0; i < n; i++) {
      double value = x.reals[base + i] - mean;
      double error = x.errors[base + i] + meanError + (isCentered ? c * eps * std::fabs(value) : 0);
      d.push_back(value), dError.push_back(error);
      square += value * value / n;
      squareError += (2 * std::fabs(value) * error + error * error + terms * value * value) / n;
    }
    inverse = 1 / std::sqrt(square + epsilon);
    double least = std::max(0.0, square - squareError);
    inverseError = std::max(1 / std::sqrt(least + epsilon) - inverse,
                            inverse - 1 / std::sqrt(square + squareError + epsilon)) +
                   c * eps * inverse;
  }
};
} // namespace

LogicalResult boundNorm(Operation *op, Operands operands, Results results) {
  const Array &x = *operands[0];
  const Array *gamma = operands.size() > 1 ? operands[1] : nullptr;
  const Array *beta = operands.size() > 2 ? operands[2] : nullptr;
  Array &y = results[0];
  double eps = roundingOf(x.type.dtype).eps;
  double epsilon = op->getAttrOfType<FloatAttr>("eps").getValueAsDouble();
  forEachLine(x.type, x.type.rank - 1, [&](int64_t base, int64_t n, int64_t) {
    NormRow row(x, base, n, isa<LayerNormOp>(op), epsilon, eps);
    for (int64_t i = 0; i < n; i++) {
      double d = std::fabs(row.d[i]), g = gamma ? std::fabs(gamma->reals[i]) : 1;
      double b = beta ? std::fabs(beta->reals[i]) : 0, unit = d * row.inverse;
      double error = d * row.inverseError + (row.inverse + row.inverseError) * row.dError[i];
      error = (g + errorAt(gamma, i)) * error + unit * errorAt(gamma, i) + errorAt(beta, i);
      setBound(y, base + i, error + bound::kRow * eps * (unit * g + b));
    }
  });
  return success();
}

LogicalResult boundMse(Operation *, Operands operands, Results results) {
  const Array &p = *operands[0], &t = *operands[1];
  double eps = roundingOf(p.type.dtype).eps, n = double(p.size()), error = 0;
  double terms = ofTerms(bound::kSum, p.size()) * eps;
  for (int64_t i = 0; i < p.size(); i++) {
    double d = std::fabs(p.reals[i] - t.reals[i]), e = p.errors[i] + t.errors[i] + eps * d;
    error += (2 * d * e + e * e + terms * d * d) / n;
  }
  setBound(results[0], 0, error);
  return success();
}

LogicalResult boundCrossEntropy(Operation *op, Operands operands, Results results) {
  const Array &p = *operands[0], &t = *operands[1];
  double floor = op->getAttrOfType<FloatAttr>("floor").getValueAsDouble();
  double eps = roundingOf(p.type.dtype).eps;
  int64_t classes = p.type.dim(-1);
  double terms = ofTerms(bound::kRow, classes) * eps;
  // 1 - floor is rounded to the dtype that computes.
  auto clampedLog = [&](double x) { return std::log(std::min(std::max(x, floor), 1 - floor)); };
  for (int64_t i = 0; i < results[0].size(); i++) {
    double error = 0;
    for (int64_t c = 0; c < classes; c++) {
      int64_t at = i * classes + c;
      double x = p.reals[at], e = p.errors[at] + (x > 0.5 ? eps : 0), log = clampedLog(x);
      double logError =
          std::max(distance(clampedLog(x + e), log), distance(clampedLog(x - e), log));
      error += std::fabs(t.reals[at]) * (logError + terms * std::fabs(log) + eps) +
               t.errors[at] * (std::fabs(log) + logError);
    }
    setBound(results[0], i, error);
  }
  return success();
}

LogicalResult boundSoftmaxCrossEntropy(Operation *op, Operands operands, Results results) {
  const Array &x = *operands[0], &target = *operands[1];
  double floor = std::log(op->getAttrOfType<FloatAttr>("floor").getValueAsDouble());
  double eps = roundingOf(x.type.dtype).eps;
  int64_t classes = x.type.dim(-1);
  double terms = ofTerms(bound::kRow, classes) * eps;
  bool isSoft = target.type.isFloat();
  for (int64_t i = 0; i < results[0].size(); i++) {
    SoftmaxLine line = softmaxLine(x, i * classes, classes, 1);
    double error = 0;
    for (int64_t c = 0; c < classes; c++) {
      double t = isSoft ? target.reals[i * classes + c] : double(target.integers[i] == c);
      double tError = isSoft ? target.errors[i * classes + c] : target.errors[i] != 0;
      double logP = std::fabs(std::max(line.logP[c], floor));
      if (t != 0)
        error += std::fabs(t) * (line.logPError[c] + (std::isfinite(logP) ? terms * logP : 0));
      if (tError != 0)
        error += tError * (logP + line.logPError[c]);
    }
    setBound(results[0], i, error);
  }
  return success();
}

} // namespace tenon::reference
