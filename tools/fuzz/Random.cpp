//===- Random.cpp - Random random numbers ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static Value number(Generator &g) { return g.scalar(TENON_I64, 0, 1000); }

static bool distribution(Generator &g, StringRef name) {
  infer::Type type = g.randomType(g.floatType());
  return g.emit(name, {number(g), number(g), {}},
                AttrWords().list(type.dims, type.rank).integer(g.between(0, 3)).dtype(type.dtype));
}

static bool dropout(Generator &g, StringRef name) {
  return g.emit(name, {g.anyFloat(), number(g), number(g)},
                AttrWords().real(g.oneOf({0.0, 0.1, 0.5})).integer(g.between(0, 3)));
}

void attachRandom(MLIRContext *context) {
  attach<distribution, RandomUniformOp, RandomNormalOp>(context);
  attach<dropout, DropoutOp>(context);
}

} // namespace tenon::fuzz
