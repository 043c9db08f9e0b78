//===- Loss.cpp - Random losses -------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static Value rows(Generator &g) {
  return g.findOr([&](Value v) { return g.type(v).isFloat() && g.type(v).rank > 0; },
                  [&] { return g.randomType(g.floatType(), 1); });
}

static bool mse(Generator &g, StringRef name) {
  Value x = g.anyFloat();
  return g.emit(name, {x, g.like(x)});
}

/// Probabilities beside x, as a target or a prediction.
static Value probabilities(Generator &g, Value x) {
  return g.make("softmax", {x}, AttrWords().integer(g.type(x).rank - 1));
}

static bool crossEntropy(Generator &g, StringRef name) {
  Value x = rows(g), p = probabilities(g, x), target = p ? probabilities(g, g.like(x)) : Value();
  // So small that 1 - floor is 1: the op that softmax and loss are fused to has no upper limit.
  return target && g.emit(name, {p, target}, AttrWords().real(1e-30));
}

static bool softmaxCrossEntropy(Generator &g, StringRef name) {
  Value x = rows(g), target;
  infer::Type ids = g.type(x);
  int64_t classes = ids.dims[--ids.rank];
  ids.dtype = g.typeOf({TENON_I32, TENON_I64, TENON_I8});
  if (classes > 0 && g.chance(0.6))
    target = g.input(ids, 0, double(std::min<int64_t>(classes - 1, INT8_MAX)));
  else
    target = probabilities(g, g.like(x));
  return target && g.emit(name, {x, target}, AttrWords().real(g.oneOf({0.0, 1e-12})));
}

void attachLoss(MLIRContext *context) {
  attach<mse, MseLossOp>(context);
  attach<crossEntropy, CrossEntropyOp>(context);
  attach<softmaxCrossEntropy, SoftmaxCrossEntropyOp>(context);
}

} // namespace tenon::fuzz
