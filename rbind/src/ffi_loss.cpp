//===- ffi_loss.cpp - Entry points of losses
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes are the first R axis, the last row-major one: see ffi_elementwise.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

extern "C" {

/// matrix: the result has dim 1x1, else none.
static SEXP lossResult(Recorder &r, int32_t id, SEXP matrix) {
  int64_t ones[2] = {1, 1};
  return result(r, Rf_asLogical(matrix) ? reshape(r, id, ones, 2) : id);
}

static int32_t meanOf(Recorder &r, int32_t id) {
  static const int op = findOp("reduce_mean");
  int64_t all[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7};
  int rank = r.trace.type(id).rank;
  return rank ? call(r, op, {id}, AttrWords().list(all, rank).boolean(false)) : id;
}

SEXP C_mse(SEXP prediction, SEXP target, SEXP matrix) {
  static const int op = findOp("mse_loss");
  Recorder &r = begin();
  int32_t p = useFloat(r, prediction), t = use(r, target, r.trace.type(p).dtype);
  Type tp = r.trace.type(p), tt = r.trace.type(t), shape;
  char s[120], u[120];
  if (!commonShape(tp, tt, shape) || !tenon::infer::sameShape(shape, tp))
    fail(TENON_ERROR_SHAPE, "mse: expected a target of %s, got %s", shapeText(tp, s, sizeof s),
         shapeText(tt, u, sizeof u));
  return lossResult(r, call(r, op, {p, broadcastTo(r, t, tp)}), matrix);
}

/// Mean over samples of the cross entropy of probabilities, classes down the first axis.
SEXP C_cross_entropy(SEXP prediction, SEXP target, SEXP floor, SEXP matrix) {
  static const int op = findOp("cross_entropy");
  Recorder &r = begin();
  int32_t p = useFloat(r, prediction), t = use(r, target, r.trace.type(p).dtype);
  Type tp = r.trace.type(p), tt = r.trace.type(t);
  if (!tenon::infer::sameShape(tp, tt) || tp.rank < 1) {
    char s[120], u[120];
    fail(TENON_ERROR_SHAPE, "cross entropy: expected a target of %s, got %s",
         shapeText(tp, s, sizeof s), shapeText(tt, u, sizeof u));
  }
  int32_t rows = call(r, op, {p, t}, AttrWords().real(numberOf(floor, "floor")));
  return lossResult(r, meanOf(r, rows), matrix);
}

/// The same from logits; the target is of their shape, or class ids from `base`.
SEXP C_softmax_cross_entropy(SEXP logits, SEXP target, SEXP floor, SEXP base, SEXP matrix) {
  static const int op = findOp("softmax_cross_entropy");
  Recorder &r = begin();
  int32_t x = useFloat(r, logits);
  Type type = r.trace.type(x), rows = type;
  if (type.rank < 1)
    fail(TENON_ERROR_SHAPE, "cross entropy: expected logits with the classes down the first axis, "
                            "got a number");
  rows.rank--;
  target = resolve(target);
  int dtype = dtypeOf(r, target), count = Rf_asInteger(base);
  Type given = isValue(target) ? typeOf(target) : arrayType(target);
  bool soft =
      tenon::infer::sameShape(given, type) && (dtype == -1 || (dtype >= 0 && dtype <= TENON_BF16));
  bool ids = dtype == -2 || (dtype >= TENON_I64 && dtype <= TENON_I8) ||
             (!soft && countOf(given) == countOf(rows));
  if (soft || !ids || countOf(given) != countOf(rows)) {
    char s[120], u[120];
    if (!tenon::infer::sameShape(given, type) || ids)
      fail(TENON_ERROR_SHAPE, "cross entropy: expected a target of %s or %lld class ids, got %s",
           shapeText(type, s, sizeof s), (long long)countOf(rows), shapeText(given, u, sizeof u));
    int32_t t = use(r, target, type.dtype);
    int32_t loss = call(r, op, {x, t}, AttrWords().real(numberOf(floor, "floor")));
    return lossResult(r, meanOf(r, loss), matrix);
  }
  int32_t t = useIds(r, target, count);
  if (!tenon::infer::sameShape(r.trace.type(t), rows))
    t = reshape(r, t, rows.dims, rows.rank);
  int32_t loss = call(r, op, {x, t}, AttrWords().real(numberOf(floor, "floor")));
  return lossResult(r, meanOf(r, loss), matrix);
}
}
