//===- parameters.cpp - Values whose data can be replaced, and their gradients
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "parameters.h"

#include <cstdio>
#include <cstring>

void nameParam(SEXP param) {
  if (placeOf(param) != 0)
    return;
  static int nextId = 1;
  char key[16];
  snprintf(key, sizeof key, "%d", nextId);
  SEXP cell = cellOf(param);
  SET_VECTOR_ELT(cell, kKey, Rf_install(key));
  SET_VECTOR_ELT(cell, kId, Rf_ScalarInteger(nextId));
  R_SetExternalPtrAddr(param, packPlace(0, nextId++ & int(kPlaceMask)));
}

SEXP parameterOf(SEXP slot) {
  if (TYPEOF(slot) == VECSXP && Rf_xlength(slot) == kOwner + 1)
    slot = VECTOR_ELT(slot, kOwner);
  return isValue(slot) && isParam(slot) ? slot : nullptr;
}

void detach(SEXP param) {
  nameParam(param);
  SEXP cell = cellOf(param);
  SEXP slot = PROTECT(Rf_allocVector(VECSXP, kOwner + 1));
  SET_VECTOR_ELT(slot, kData, VECTOR_ELT(cell, kData));
  SET_VECTOR_ELT(slot, kOwner, param);
  for (Recorder *r : {current, previous})
    for (int32_t i = 0, n = r->trace.numValues(); i < n; i++)
      if (VECTOR_ELT(r->slots, i) == param)
        SET_VECTOR_ELT(r->slots, i, slot);
  R_SetExternalPtrAddr(param, packPlace(0, Rf_asInteger(VECTOR_ELT(cell, kId)) & int(kPlaceMask)));
  UNPROTECT(1);
}

SEXP storageLike(SEXP data, const Type &type, const char *what) {
  data = resolve(data);
  if (isValue(data))
    data = arrayOf(force(data));
  PROTECT(data);
  Type got = arrayType(data);
  if (got.rank < 2 && type.rank == 2)
    got = Type::make(got.dtype, {1, got.rank ? got.dims[0] : 1});
  if (!tenon::infer::sameShape(got, type)) {
    char a[120], b[120];
    fail(TENON_ERROR_SHAPE, "%s: expected %s, got %s", what, shapeText(type, a, sizeof a),
         shapeText(got, b, sizeof b));
  }
  SEXP storage = PROTECT(storageOf(data, type.dtype));
  if (storage == data && Rf_getAttrib(data, R_DimSymbol) == R_NilValue && type.rank) {
    UNPROTECT(1);
    storage = PROTECT(Rf_duplicate(data));
    SEXP dim = PROTECT(dimOf(type));
    Rf_setAttrib(storage, R_DimSymbol, dim);
    UNPROTECT(1);
  } else if (storage != data) { // a vector's storage has its own shape
    SEXP fresh = PROTECT(allocStorage(type));
    memcpy(storageData(fresh), storageData(storage), bytesOf(type));
    UNPROTECT(2);
    PROTECT(storage = fresh);
  }
  UNPROTECT(2);
  return storage;
}

SEXP gradientIn(SEXP env, SEXP param) {
  SEXP name = VECTOR_ELT(cellOf(param), kKey);
#if R_VERSION >= R_Version(4, 5, 0)
  SEXP x = R_getVarEx(name, env, FALSE, R_UnboundValue);
#else
  SEXP x = Rf_findVarInFrame(env, name);
  if (TYPEOF(x) == PROMSXP)
    x = Rf_eval(x, env);
#endif
  return x == R_UnboundValue ? nullptr : x;
}
