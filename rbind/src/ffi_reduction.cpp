//===- ffi_reduction.cpp - Entry points of reductions
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes are converted here from R's: see ffi_elementwise.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <cstring>

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

extern "C" {

/// The op of "sum", "mean", "max", "min" or "prod".
static int reductionOf(SEXP which) {
  static const struct {
    const char *name;
    int op;
  } known[] = {{"sum", findOp("reduce_sum")},
               {"mean", findOp("reduce_mean")},
               {"max", findOp("reduce_max")},
               {"min", findOp("reduce_min")},
               {"prod", findOp("reduce_prod")}};
  const char *name = CHAR(STRING_ELT(which, 0));
  for (auto &each : known)
    if (!strcmp(each.name, name))
      return each.op;
  fail(TENON_ERROR_ARGUMENT, "expected a reduction, got \"%s\"", name);
}

/// axes NULL = all; keep: extents 1 stay.
SEXP C_reduce(SEXP x, SEXP which, SEXP axes, SEXP keep) {
  static const int mean = findOp("reduce_mean");
  int op = reductionOf(which);
  Recorder &r = begin();
  int32_t id = op == mean ? useFloat(r, x) : useAny(r, x);
  if (r.trace.type(id).isBool())
    id = cast(r, id, TENON_I32);
  int64_t list[kMaxRank];
  int rank = r.trace.type(id).rank, count = rank;
  if (axes == R_NilValue) {
    for (int i = 0; i < rank; i++)
      list[i] = i;
  } else {
    count = wholeReversed(axes, "axes", list);
    for (int i = 0; i < count; i++) {
      if (list[i] < 1 || list[i] > rank)
        fail(TENON_ERROR_ARGUMENT, "axes: expected axes from 1 to %d, got %lld", rank,
             (long long)list[i]);
      list[i] = rank - list[i];
    }
  }
  bool kept = flagOf(keep, "keep");
  return result(r, call(r, op, {id}, AttrWords().list(list, count).boolean(kept)));
}

/// A reduction of a matrix that stays one: dim NULL -> 1x1, 1 -> [nrow, 1], 2 -> [1, ncol].
SEXP C_ag_reduce(SEXP x, SEXP which, SEXP dim) {
  int op = reductionOf(which);
  Recorder &r = begin();
  int32_t id = asMatrix(r, useFloat(r, x));
  int64_t both[2] = {0, 1}, columns = 0, rows = 1;
  AttrWords attrs;
  if (dim == R_NilValue)
    attrs.list(both, 2);
  else {
    double d = numberOf(dim, "dim");
    if (d != 1 && d != 2)
      fail(TENON_ERROR_ARGUMENT, "dim: expected NULL, 1 or 2, got %g", d);
    attrs.list(d == 1 ? &columns : &rows, 1);
  }
  return result(r, call(r, op, {id}, attrs.boolean(true)));
}

/// Index of the extreme along an R axis, counted from `base`.
SEXP C_arg(SEXP x, SEXP least, SEXP axis, SEXP base) {
  static const int argmax = findOp("argmax"), argmin = findOp("argmin"), add = findOp("add");
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  if (r.trace.type(id).dims[at] == 0)
    fail(TENON_ERROR_SHAPE, "axis: expected an extent of at least 1, got 0");
  id = call(r, Rf_asLogical(least) ? argmin : argmax, {id}, AttrWords().integer(at));
  if (Rf_asInteger(base)) {
    Type type = r.trace.type(id);
    id = call(r, add, {id, constant(r, Rf_asInteger(base), type)});
  }
  return result(r, id);
}
}
