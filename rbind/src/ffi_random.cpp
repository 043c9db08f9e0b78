//===- ffi_random.cpp - Entry points of random ops and the seed behind them
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <cmath>

using tenon::infer::findOp;

namespace {

/// One R draw seeds all random ops of a trace; their streams number them.
void seedAndStep(Recorder &r) {
  if (r.seed >= 0)
    return;
  // While a function is traced: drawn at every call.
  SEXP storage = tracing ? R_NilValue : scalarStorage(drawSeed(), TENON_I64);
  r.seed = addInput(r, Type::make(TENON_I64, {}), storage, 0);
  if (r.step < 0)
    r.step = constant(r, 0, Type::make(TENON_I64, {}));
}

} // namespace

double drawSeed() {
  GetRNGstate();
  double draw = std::floor(unif_rand() * 9e15);
  PutRNGstate();
  return draw;
}

extern "C" {

SEXP C_dropout(SEXP x, SEXP rate) {
  static const int op = findOp("dropout");
  Recorder &r = begin();
  double p = numberOf(rate, "rate");
  if (!(p >= 0 && p < 1))
    fail(TENON_ERROR_ARGUMENT, "rate: expected 0 <= rate < 1, got %g", p);
  int32_t id = useFloat(r, x);
  seedAndStep(r);
  return result(r, call(r, op, {id, r.seed, r.step}, AttrWords().real(p).integer(r.stream++)));
}

SEXP C_random(SEXP normal, SEXP dim, SEXP dtype) {
  static const int uniform = findOp("random_uniform"), gauss = findOp("random_normal");
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  seedAndStep(r);
  return result(r,
                call(r, Rf_asLogical(normal) ? gauss : uniform, {r.seed, r.step},
                     AttrWords().list(type.dims, type.rank).integer(r.stream++).dtype(type.dtype)));
}
}
