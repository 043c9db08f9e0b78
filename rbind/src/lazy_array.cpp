//===- lazy_array.cpp - Gradients that R sees as matrices
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ALTREP double vector: data1 = the value, data2 = the doubles once R has looked
// inside.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <R_ext/Altrep.h>
#include <R_ext/Rdynload.h>

namespace {

R_altrep_class_t lazyClass;

SEXP look(SEXP lazy) {
  SEXP seen = R_altrep_data2(lazy);
  if (seen != R_NilValue)
    return seen;
  SEXP storage = force(R_altrep_data1(lazy));
  SEXP array =
      PROTECT(TYPEOF(storage) == REALSXP ? storage : Rf_coerceVector(arrayOf(storage), REALSXP));
  R_set_altrep_data2(lazy, array);
  UNPROTECT(1);
  return array;
}

R_xlen_t lazyLength(SEXP lazy) {
  SEXP seen = R_altrep_data2(lazy);
  return seen != R_NilValue ? Rf_xlength(seen) : R_xlen_t(countOf(typeOf(R_altrep_data1(lazy))));
}
void *lazyData(SEXP lazy, Rboolean writable) { // R turns its collector off around this
  SEXP seen = look(lazy);
  if (writable && MAYBE_SHARED(seen)) { // the value or a pending reader holds it too
    seen = PROTECT(Rf_duplicate(seen));
    R_set_altrep_data2(lazy, seen);
    UNPROTECT(1);
  }
  return REAL(seen);
}
const void *lazyDataOrNull(SEXP lazy) {
  SEXP seen = R_altrep_data2(lazy);
  return seen != R_NilValue ? REAL(seen) : nullptr;
}
double lazyElement(SEXP lazy, R_xlen_t i) { return REAL(look(lazy))[i]; }

} // namespace

SEXP lazyArray(SEXP value) {
  SEXP dim = PROTECT(dimOf(typeOf(value)));
  SEXP lazy = PROTECT(R_new_altrep(lazyClass, value, R_NilValue));
  if (Rf_xlength(dim))
    Rf_setAttrib(lazy, R_DimSymbol, dim);
  UNPROTECT(2);
  return lazy;
}

bool isLazyArray(SEXP x) { return ALTREP(x) && R_altrep_inherits(x, lazyClass); }

void initLazyArrays(DllInfo *dll) {
  lazyClass = R_make_altreal_class("tenon_lazy", "tenon", dll);
  R_set_altrep_Length_method(lazyClass, lazyLength);
  R_set_altvec_Dataptr_method(lazyClass, lazyData);
  R_set_altvec_Dataptr_or_null_method(lazyClass, lazyDataOrNull);
  R_set_altreal_Elt_method(lazyClass, lazyElement);
}

extern "C" SEXP C_lazy(SEXP value) { return isValue(value) ? lazyArray(value) : value; }
