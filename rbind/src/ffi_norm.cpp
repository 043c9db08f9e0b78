//===- ffi_norm.cpp - Entry points of softmax and norms
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features are the first R axis, the last row-major one: see ffi_elementwise.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

using tenon::infer::findOp;

extern "C" {

SEXP C_softmax(SEXP x, SEXP axis, SEXP logarithm) {
  static const int softmax = findOp("softmax"), logSoftmax = findOp("log_softmax");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    id = asMatrix(r, id);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  return result(
      r, call(r, Rf_asLogical(logarithm) ? logSoftmax : softmax, {id}, AttrWords().integer(at)));
}

/// A scale or shift of a norm, as many as the first R axis of x has elements.
static int32_t normParameter(Recorder &r, SEXP p, const Type &x, const char *what) {
  if (p == R_NilValue)
    return -1;
  int32_t id = use(r, p, x.dtype);
  const Type &type = r.trace.type(id);
  if (countOf(type) != x.dim(-1)) {
    char text[120];
    fail(TENON_ERROR_SHAPE, "%s: expected %lld elements, one per feature, got %s", what,
         (long long)x.dim(-1), shapeText(type, text, sizeof text));
  }
  int64_t dims[1] = {x.dim(-1)};
  return type.rank == 1 ? id : reshape(r, id, dims, 1);
}

SEXP C_layer_norm(SEXP x, SEXP gamma, SEXP beta, SEXP eps) {
  static const int op = findOp("layer_norm");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    fail(TENON_ERROR_SHAPE, "layer_norm: expected at least one axis, got a number");
  Type type = r.trace.type(id);
  int32_t g = normParameter(r, gamma, type, "gamma"), b = normParameter(r, beta, type, "beta");
  return result(r, call(r, op, {id, g, b}, AttrWords().real(numberOf(eps, "eps"))));
}

SEXP C_rms_norm(SEXP x, SEXP gamma, SEXP eps) {
  static const int op = findOp("rms_norm");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    fail(TENON_ERROR_SHAPE, "rms_norm: expected at least one axis, got a number");
  Type type = r.trace.type(id);
  return result(r, call(r, op, {id, normParameter(r, gamma, type, "gamma")},
                        AttrWords().real(numberOf(eps, "eps"))));
}
}
