//===- Optimizer.cpp - Reference of optimizer steps -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

static LogicalResult sgd(SgdOp op, Operands operands, Results results) {
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].reals[i] = operands[0]->reals[i] - operands[2]->reals[0] * operands[1]->reals[i];
  return success();
}

static LogicalResult momentum(MomentumOp op, Operands operands, Results results) {
  double mu = op.getMu().convertToDouble(), lr = operands[3]->reals[0];
  for (int64_t i = 0; i < results[0].size(); i++) {
    double v = mu * operands[2]->reals[i] + operands[1]->reals[i];
    results[0].reals[i] = operands[0]->reals[i] - lr * v;
    results[1].reals[i] = v;
  }
  return success();
}

static LogicalResult adam(AdamOp op, Operands operands, Results results) {
  double b1 = op.getBeta1().convertToDouble(), b2 = op.getBeta2().convertToDouble();
  double eps = op.getEps().convertToDouble(), decay = op.getWeightDecay().convertToDouble();
  double lr = operands[4]->reals[0], t = double(operands[5]->integers[0]);
  for (int64_t i = 0; i < results[0].size(); i++) {
    double p = operands[0]->reals[i], g = operands[1]->reals[i];
    double m = b1 * operands[2]->reals[i] + (1 - b1) * g;
    double v = b2 * operands[3]->reals[i] + (1 - b2) * g * g;
    double step = m / (1 - std::pow(b1, t)) / (std::sqrt(v / (1 - std::pow(b2, t))) + eps);
    // No decay is no term, not 0 times what may be infinite.
    results[0].reals[i] = p - lr * (decay == 0 ? step : decay * p + step);
    results[1].reals[i] = m;
    results[2].reals[i] = v;
  }
  return success();
}

static LogicalResult lossScale(LossScaleOp, Operands operands, Results results) {
  results[0].reals = operands[0]->reals;
  return success();
}

void attachOptimizer(MLIRContext *context) {
  attachReference<SgdOp, sgd>(context);
  attachReference<LossScaleOp, lossScale>(context);
  attachReference<MomentumOp, momentum>(context);
  attachReference<AdamOp, adam>(context);
}

} // namespace tenon::reference
