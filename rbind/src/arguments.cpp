//===- arguments.cpp - Checks and conversions of R arguments
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

namespace {

bool isNumeric(SEXP x) {
  return (TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP) &&
         !Rf_inherits(x, "factor");
}

/// What was given where one number or flag was expected.
const char *described(SEXP x) {
  static char text[80];
  if (Rf_inherits(x, "factor"))
    return "a factor";
  if (Rf_length(x) != 1)
    return "something of another length than 1";
  if (TYPEOF(x) == STRSXP && STRING_ELT(x, 0) != NA_STRING)
    snprintf(text, sizeof text, "\"%.60s\"", CHAR(STRING_ELT(x, 0)));
  else if (isNumeric(x) && !ISNAN(Rf_asReal(x)))
    snprintf(text, sizeof text, "%.15g", Rf_asReal(x));
  else
    snprintf(text, sizeof text, "%s",
             isNumeric(x) || TYPEOF(x) == STRSXP ? "NA" : Rf_type2char(TYPEOF(x)));
  return text;
}

} // namespace

double numberOf(SEXP x, const char *what) {
  double value = Rf_length(x) == 1 && isNumeric(x) ? Rf_asReal(x) : NA_REAL;
  if (ISNAN(value))
    fail(TENON_ERROR_ARGUMENT, "%s: expected a number, got %s", what, described(x));
  return value;
}

bool flagOf(SEXP x, const char *what) {
  double value = Rf_length(x) == 1 && isNumeric(x) ? Rf_asReal(x) : NA_REAL;
  if (value != 0 && value != 1)
    fail(TENON_ERROR_ARGUMENT, "%s: expected TRUE or FALSE, got %s", what, described(x));
  return value != 0;
}

int wholeReversed(SEXP x, const char *what, int64_t *out) {
  int count = Rf_length(x);
  if (TYPEOF(x) != INTSXP && TYPEOF(x) != REALSXP)
    fail(TENON_ERROR_ARGUMENT, "%s: expected whole numbers, got %s", what, Rf_type2char(TYPEOF(x)));
  if (count > kMaxRank)
    fail(TENON_ERROR_SHAPE, "%s: expected at most %d axes, got %d", what, kMaxRank, count);
  for (int i = 0; i < count; i++) {
    double value = TYPEOF(x) == REALSXP          ? REAL(x)[i]
                   : INTEGER(x)[i] == NA_INTEGER ? NA_REAL
                                                 : INTEGER(x)[i];
    if (!(std::fabs(value) <= INT_MAX) || value != std::floor(value))
      fail(TENON_ERROR_ARGUMENT, "%s: expected whole numbers below 2^31, got %g", what, value);
    out[count - 1 - i] = int64_t(value);
  }
  return count;
}

int64_t axisOf(SEXP axis, int rank, const char *what) {
  double value = numberOf(axis, what);
  if (value < 1 || value > rank || value != std::floor(value))
    fail(TENON_ERROR_ARGUMENT, "%s: expected an axis from 1 to %d, got %g", what, rank, value);
  return rank - int64_t(value);
}

Type shapeOf(SEXP dim, tenon_dtype dtype, const char *what) {
  Type type;
  type.dtype = dtype;
  type.rank = wholeReversed(dim, what, type.dims);
  double count = 1;
  for (int i = 0; i < type.rank; i++) {
    if (type.dims[i] < 0)
      fail(TENON_ERROR_SHAPE, "%s: expected extents of at least 0, got %lld", what,
           (long long)type.dims[i]);
    count *= double(type.dims[i]);
  }
  if (count > INT_MAX)
    fail(TENON_ERROR_SHAPE, "%s: expected fewer than 2^31 elements, got %.0f", what, count);
  return type;
}

tenon_dtype dtypeFromName(SEXP name) {
  const char *text =
      TYPEOF(name) == STRSXP && Rf_length(name) == 1 ? CHAR(STRING_ELT(name, 0)) : "";
  for (int dtype = TENON_F64; dtype <= TENON_I1; dtype++)
    if (!strcmp(text, tenon_dtype_name(tenon_dtype(dtype))))
      return tenon_dtype(dtype);
  fail(TENON_ERROR_DTYPE,
       "expected one of \"f64\", \"f32\", \"f16\", \"bf16\", \"i64\", \"i32\", "
       "\"i8\", \"i1\", got \"%s\"",
       text);
}

int32_t useIds(Recorder &r, SEXP ids, int base) {
  static const int sub = findOp("sub");
  ids = resolve(ids);
  int dtype = dtypeOf(r, ids);
  int32_t id = dtype >= 0 ? useAny(r, ids) : use(r, ids, TENON_I32);
  if (!r.trace.type(id).isInteger())
    id = cast(r, id, TENON_I32);
  if (!base)
    return id;
  Type type = r.trace.type(id);
  return call(r, sub, {id, constant(r, base, type)});
}
