//===- Loss.cpp - Reference of losses -------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tenon::reference {

static LogicalResult mse(MseLossOp op, Operands operands, Results results) {
  Wide sum = 0;
  for (int64_t i = 0; i < operands[0]->size(); i++) {
    Wide difference = Wide(operands[0]->reals[i]) - operands[1]->reals[i];
    sum += difference * difference;
  }
  results[0].reals[0] = double(sum / operands[0]->size());
  return success();
}

static LogicalResult crossEntropy(CrossEntropyOp op, Operands operands, Results results) {
  double floor = op.getFloor().convertToDouble();
  int64_t classes = operands[0]->type.dim(-1);
  for (int64_t i = 0; i < results[0].size(); i++)
    for (int64_t c = 0; c < classes; c++) {
      double p = std::min(std::max(operands[0]->reals[i * classes + c], floor), 1 - floor);
      results[0].reals[i] -= operands[1]->reals[i * classes + c] * std::log(p);
    }
  return success();
}

static LogicalResult softmaxCrossEntropy(SoftmaxCrossEntropyOp op, Operands operands,
                                         Results results) {
  const Array &x = *operands[0], &target = *operands[1];
  double floor = std::log(op.getFloor().convertToDouble());
  int64_t classes = x.type.dim(-1);
  for (int64_t i = 0; i < results[0].size(); i++) {
    double maximum = -INFINITY;
    Wide sum = 0;
    for (int64_t c = 0; c < classes; c++) {
      double value = x.reals[i * classes + c];
      maximum = std::isnan(value) || value > maximum ? value : maximum;
    }
    for (int64_t c = 0; c < classes; c++)
      sum += std::exp(x.reals[i * classes + c] - maximum);
    for (int64_t c = 0; c < classes; c++) {
      double t =
          target.type.isFloat() ? target.reals[i * classes + c] : double(target.integers[i] == c);
      double logP = x.reals[i * classes + c] - maximum - std::log(double(sum));
      // Where all are masked, all probabilities are 0.
      logP = maximum == -INFINITY ? floor : std::max(logP, floor);
      results[0].reals[i] -= t == 0 ? 0 : t * logP;
    }
  }
  return success();
}

void attachLoss(MLIRContext *context) {
  attachReference<MseLossOp, mse>(context);
  attachReference<CrossEntropyOp, crossEntropy>(context);
  attachReference<SoftmaxCrossEntropyOp, softmaxCrossEntropy>(context);
}

} // namespace tenon::reference
