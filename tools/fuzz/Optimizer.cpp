//===- Optimizer.cpp - Random optimizer steps -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static bool sgd(Generator &g, StringRef name) {
  Value w = g.anyFloat();
  return g.emit(name, {w, g.like(w), g.scalar(g.type(w).dtype, 0.01, 0.5)});
}

static bool momentum(Generator &g, StringRef name) {
  Value w = g.anyFloat();
  return g.emit(name, {w, g.like(w), g.like(w), g.scalar(g.type(w).dtype, 0.01, 0.5)},
                AttrWords().real(0.9));
}

static bool adam(Generator &g, StringRef name) {
  Value w = g.anyFloat(), v = g.positive(w);
  return v && g.emit(name,
                     {w, g.like(w), g.like(w), v, g.scalar(g.type(w).dtype, 0.01, 0.5),
                      g.scalar(TENON_I64, 1, 100)},
                     AttrWords().real(0.9).real(0.99).real(1e-6).real(g.oneOf({0.0, 0.1})));
}

static bool lossScale(Generator &g, StringRef name) {
  return g.emit(name, {g.input(infer::Type::make(TENON_F32, {2}), 1, 8)},
                AttrWords().integer(g.between(1, 4)));
}

void attachOptimizer(MLIRContext *context) {
  attach<sgd, SgdOp>(context);
  attach<momentum, MomentumOp>(context);
  attach<adam, AdamOp>(context);
  attach<lossScale, LossScaleOp>(context);
}

} // namespace tenon::fuzz
