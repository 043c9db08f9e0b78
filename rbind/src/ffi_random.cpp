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

/// The seed of a random op and its stream. An op that runs by itself draws its seed at once,
/// so that set.seed() governs it whatever is pending. The ops of a traced function share
/// one, which is drawn at every call, and their streams number them.
int32_t seedOf(Recorder &r, int64_t &stream) {
  if (r.step < 0)
    r.step = constant(r, 0, Type::make(TENON_I64, {}));
  const Type type = Type::make(TENON_I64, {});
  stream = tracing ? r.stream++ : 0;
  if (!tracing)
    return addInput(r, type, scalarStorage(drawSeed(), TENON_I64), 0);
  if (r.seed < 0)
    r.seed = addInput(r, type, R_NilValue, 0);
  return r.seed;
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
  int64_t stream;
  int32_t seed = seedOf(r, stream);
  return result(r, call(r, op, {id, seed, r.step}, AttrWords().real(p).integer(stream)));
}

SEXP C_random(SEXP normal, SEXP dim, SEXP dtype) {
  static const int uniform = findOp("random_uniform"), gauss = findOp("random_normal");
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  int64_t stream;
  int32_t seed = seedOf(r, stream);
  return result(r, call(r, Rf_asLogical(normal) ? gauss : uniform, {seed, r.step},
                        AttrWords().list(type.dims, type.rank).integer(stream).dtype(type.dtype)));
}
}
