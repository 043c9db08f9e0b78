//===- ffi_line.cpp - Entry points of ops along one axis
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <climits>

using tenon::infer::findOp;

/// x as numbers with at least one axis: logicals are i32.
static int32_t useLines(Recorder &r, SEXP x, const char *what) {
  int32_t id = useAny(r, x);
  if (r.trace.type(id).isBool())
    id = cast(r, id, TENON_I32);
  if (r.trace.type(id).rank == 0)
    fail(TENON_ERROR_SHAPE, "%s: expected at least one axis, got a number", what);
  return id;
}

/// Positions from 0 as they are called in R.
static int32_t fromOne(Recorder &r, int32_t id) {
  static const int add = findOp("add");
  Type type = r.trace.type(id);
  return call(r, add, {id, constant(r, 1, type)});
}

extern "C" {

SEXP C_cumsum(SEXP x, SEXP axis, SEXP exclusive, SEXP reverse) {
  static const int op = findOp("cumsum");
  Recorder &r = begin();
  bool without = flagOf(exclusive, "cumsum: exclusive"), back = flagOf(reverse, "cumsum: reverse");
  int32_t id = useLines(r, x, "cumsum");
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  return result(r, call(r, op, {id}, AttrWords().integer(at).boolean(without).boolean(back)));
}

/// `k` NULL: all. `what`: 0 the values, 1 where they were, 2 a list of both.
SEXP C_sort(SEXP x, SEXP axis, SEXP k, SEXP descending, SEXP what) {
  static const int op = findOp("sort");
  Recorder &r = begin();
  bool falling = flagOf(descending, "sort: descending");
  int32_t id = useLines(r, x, "sort");
  const Type &type = r.trace.type(id);
  int64_t at = axisOf(axis, type.rank, "axis"), count = -1;
  if (type.dims[at] > INT_MAX)
    fail(TENON_ERROR_SHAPE, "sort: expected at most 2147483647 elements along the axis, got %lld",
         (long long)type.dims[at]);
  if (k != R_NilValue) {
    double number = numberOf(k, "k");
    if (number < 0 || number > double(type.dims[at]) || number != double(int64_t(number)))
      fail(TENON_ERROR_ARGUMENT, "k: expected a whole number from 0 to %lld, got %g",
           (long long)type.dims[at], number);
    count = int64_t(number);
  }
  id = call(r, op, {id}, AttrWords().integer(at).integer(count).boolean(falling));
  if (Rf_asInteger(what) == 0)
    return result(r, id);
  if (Rf_asInteger(what) == 1)
    return result(r, fromOne(r, id + 1));
  int32_t places = fromOne(r, id + 1);
  SEXP list = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(list, 0, result(r, id));
  SET_VECTOR_ELT(list, 1, result(r, places));
  UNPROTECT(1);
  return list;
}

SEXP C_gather_along(SEXP x, SEXP ids, SEXP axis) {
  static const int op = findOp("gather_along");
  Recorder &r = begin();
  int32_t id = useAny(r, x), places = useIds(r, ids, 1);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  return result(r, call(r, op, {id, places}, AttrWords().integer(at)));
}

SEXP C_scatter_along(SEXP ids, SEXP updates, SEXP extent, SEXP axis) {
  static const int op = findOp("scatter_along");
  Recorder &r = begin();
  double number = numberOf(extent, "extent");
  if (number < 0 || number != double(int64_t(number)))
    fail(TENON_ERROR_ARGUMENT, "extent: expected a whole number of at least 0, got %g", number);
  int32_t id = useLines(r, updates, "scatter_along"), places = useIds(r, ids, 1);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  return result(r, call(r, op, {places, id}, AttrWords().integer(at).integer(int64_t(number))));
}

} // extern "C"
