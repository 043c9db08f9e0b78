//===- arguments.h - Checks and conversions of R arguments
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what R code gives to numbers, axes and types in the order of Tenon, or an R
// error that names the argument. Axes and extents are reversed here on their way
// in.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_R_ARGUMENTS_H
#define TENON_R_ARGUMENTS_H

#include "recorder.h"

/// As the op "compare" counts them.
enum Predicate { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// A number that is not NA; `what` names it in the error.
double numberOf(SEXP x, const char *what);
bool flagOf(SEXP x, const char *what);
/// Whole numbers of an R vector, reversed; returns how many.
int wholeReversed(SEXP x, const char *what, int64_t *out);
/// A 1-based R axis as a row-major one.
int64_t axisOf(SEXP axis, int rank, const char *what);
/// An R dim as a type.
Type shapeOf(SEXP dim, tenon_dtype dtype, const char *what);
/// Ids as whole numbers from 0; `base` is what the first one is called in R.
int32_t useIds(Recorder &r, SEXP ids, int base);

/// As result(), also of R numbers that no op has changed: a tensor of their storage.
inline SEXP resultOrInput(Recorder &r, int32_t id) {
  return r.trace.definingNode(id) < 0 ? newValue(VECTOR_ELT(r.slots, id)) : result(r, id);
}

#endif // TENON_R_ARGUMENTS_H
