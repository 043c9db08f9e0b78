//===- Random.cpp - Reference of random numbers ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include "ir/Philox.h"

using namespace mlir;

namespace tenon::reference {

static LogicalResult uniform(RandomUniformOp op, Operands operands, Results results) {
  uint64_t seed = operands[0]->integers[0], step = operands[1]->integers[0];
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  int bits = philox::uniformBits(type.getFPMantissaWidth());
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].reals[i] = philox::uniform(philox::word(seed, op.getStream(), step, i), bits);
  return success();
}

static LogicalResult normal(RandomNormalOp op, Operands operands, Results results) {
  uint64_t seed = operands[0]->integers[0], step = operands[1]->integers[0];
  bool isDouble = results[0].type.dtype == TENON_F64;
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].reals[i] = philox::normal(seed, op.getStream(), step, i, isDouble);
  return success();
}

static LogicalResult dropout(DropoutOp op, Operands operands, Results results) {
  uint64_t seed = operands[1]->integers[0], step = operands[2]->integers[0];
  double rate = op.getRate().convertToDouble();
  uint32_t threshold = philox::dropoutThreshold(rate);
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].reals[i] = philox::word(seed, op.getStream(), step, i) >= threshold
                              ? operands[0]->reals[i] / (1 - rate)
                              : 0;
  return success();
}

void attachRandom(MLIRContext *context) {
  attachReference<RandomUniformOp, uniform>(context);
  attachReference<RandomNormalOp, normal>(context);
  attachReference<DropoutOp, dropout>(context);
}

} // namespace tenon::reference
