//===- Norm.cpp - Random softmaxes and norms ------------------------------===//
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

static bool softmax(Generator &g, StringRef name) {
  Value x = rows(g);
  return g.emit(name, {x}, AttrWords().integer(g.between(0, g.type(x).rank - 1)));
}

static bool norm(Generator &g, StringRef name) {
  Value x = rows(g);
  infer::Type width = infer::Type::make(g.type(x).dtype, {g.type(x).dim(-1)});
  auto fits = [&](Value v) {
    return g.type(v).dtype == width.dtype && infer::sameShape(g.type(v), width);
  };
  SmallVector<Value> operands{x};
  for (int i = 1; i < (name == "layer_norm" ? 3 : 2); i++)
    operands.push_back(g.chance(0.7) ? g.findOr(fits, [&] { return width; }) : Value());
  return g.emit(name, operands, AttrWords().real(g.oneOf({1e-5, 1e-3, 0.1})));
}

void attachNorm(MLIRContext *context) {
  attach<softmax, SoftmaxOp, LogSoftmaxOp>(context);
  attach<norm, LayerNormOp, RmsNormOp>(context);
}

} // namespace tenon::fuzz
