//===- Norm.cpp - Reference of softmax and normalizations -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

/// Maximum of a line and the logarithm of its sum of e^(x - maximum).
static void logSum(const Array &x, int64_t base, int64_t n, int64_t step, double &maximum,
                   double &sum) {
  maximum = -INFINITY;
  Wide wide = 0;
  for (int64_t i = 0; i < n; i++) {
    double value = x.reals[base + i * step];
    if (value != value || value > maximum)
      maximum = value;
    if (maximum != maximum)
      break;
  }
  for (int64_t i = 0; i < n; i++)
    wide += std::exp(x.reals[base + i * step] - maximum);
  sum = double(wide);
}

static LogicalResult softmax(SoftmaxOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  forEachLine(x.type, op.getAxis(), [&](int64_t base, int64_t n, int64_t step) {
    double maximum, sum;
    logSum(x, base, n, step, maximum, sum);
    for (int64_t i = 0; i < n; i++)
      results[0].reals[base + i * step] =
          maximum == -INFINITY ? 0 : std::exp(x.reals[base + i * step] - maximum) / sum;
  });
  return success();
}

static LogicalResult logSoftmax(LogSoftmaxOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  forEachLine(x.type, op.getAxis(), [&](int64_t base, int64_t n, int64_t step) {
    double maximum, sum;
    logSum(x, base, n, step, maximum, sum);
    for (int64_t i = 0; i < n; i++)
      results[0].reals[base + i * step] =
          maximum == -INFINITY ? -INFINITY : x.reals[base + i * step] - maximum - std::log(sum);
  });
  return success();
}

static LogicalResult layerNorm(LayerNormOp op, Operands operands, Results results) {
  const Array &x = *operands[0], *gamma = operands[1], *beta = operands[2];
  double eps = op.getEps().convertToDouble();
  forEachLine(x.type, x.type.rank - 1, [&](int64_t base, int64_t n, int64_t) {
    Wide mean = 0, variance = 0;
    for (int64_t i = 0; i < n; i++)
      mean += x.reals[base + i] / n;
    for (int64_t i = 0; i < n; i++)
      variance += (x.reals[base + i] - mean) * (x.reals[base + i] - mean) / n;
    for (int64_t i = 0; i < n; i++)
      results[0].reals[base + i] = double((x.reals[base + i] - mean) / std::sqrt(variance + eps) *
                                              (gamma ? gamma->reals[i] : 1) +
                                          (beta ? beta->reals[i] : 0));
  });
  return success();
}

static LogicalResult rmsNorm(RmsNormOp op, Operands operands, Results results) {
  const Array &x = *operands[0], *gamma = operands.size() > 1 ? operands[1] : nullptr;
  double eps = op.getEps().convertToDouble();
  forEachLine(x.type, x.type.rank - 1, [&](int64_t base, int64_t n, int64_t) {
    Wide square = 0;
    for (int64_t i = 0; i < n; i++)
      square += Wide(x.reals[base + i]) * x.reals[base + i] / n;
    for (int64_t i = 0; i < n; i++)
      results[0].reals[base + i] =
          double(x.reals[base + i] / std::sqrt(square + eps) * (gamma ? gamma->reals[i] : 1));
  });
  return success();
}

void attachNorm(MLIRContext *context) {
  attachReference<SoftmaxOp, softmax>(context);
  attachReference<LogSoftmaxOp, logSoftmax>(context);
  attachReference<LayerNormOp, layerNorm>(context);
  attachReference<RmsNormOp, rmsNorm>(context);
}

} // namespace tenon::reference
