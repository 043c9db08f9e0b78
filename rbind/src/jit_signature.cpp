//===- jit_signature.cpp - From a call's arguments to its signature
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "jit.h"

#include <algorithm>

using namespace jit;

namespace {

constexpr int kMaxDepth = 8;
Scratch outer[kMaxDepth];
int depth; // of calls that are running

enum Mark : uint64_t { kTensorMark = 1, kListMark, kNullMark, kStaticMark };

uint64_t word(Mark mark, uint64_t low) { return uint64_t(mark) << 56 | low; }

bool hasNA(SEXP x) {
  const int *at = INTEGER(x);
  for (R_xlen_t i = 0, n = Rf_xlength(x); i < n; i++)
    if (at[i] == NA_INTEGER)
      return true;
  return false;
}

} // namespace

Scratch jit::scratch;

void jit::initScratch() {
  R_PreserveObject(scratch.keep = Rf_allocVector(VECSXP, 1));
  for (Scratch &each : outer)
    R_PreserveObject(each.keep = Rf_allocVector(VECSXP, 1));
}

void jit::enter() {
  if (depth == kMaxDepth)
    fail(TENON_ERROR_ARGUMENT, "compiled functions call each other more than %d deep", kMaxDepth);
  if (depth > 0)
    std::swap(scratch, outer[depth - 1]);
  depth++;
}

void jit::leave(void *) {
  SET_VECTOR_ELT(scratch.keep, 0, R_NilValue);
  if (scratch.deviceBefore >= 0)
    switchDevice(scratch.deviceBefore);
  scratch.deviceBefore = -1;
  if (--depth > 0)
    std::swap(scratch, outer[depth - 1]);
}

void jit::keepAlive(SEXP x) {
  SEXP cell = PROTECT(Rf_cons(x, VECTOR_ELT(scratch.keep, 0)));
  SET_VECTOR_ELT(scratch.keep, 0, cell);
  UNPROTECT(1);
}

bool jit::isStatic(SEXP x) {
  switch (TYPEOF(x)) {
  case REALSXP:
    return false;
  case INTSXP:
    return Rf_inherits(x, "factor");
  case LGLSXP:
    return Rf_xlength(x) == 1 && Rf_getAttrib(x, R_DimSymbol) == R_NilValue;
  default:
    return true;
  }
}

SEXP jit::storageOfArray(SEXP x) {
  if (TYPEOF(x) == LGLSXP)
    return storageOf(x, TENON_I1);
  bool isFloat = TYPEOF(x) == REALSXP || hasNA(x);
  if (isFloat && deviceNumber == kVulkan)
    return storageOf(x, isLow(defaultDtype) ? TENON_F32 : defaultDtype); // a GPU may have no f64
  return isFloat && TYPEOF(x) == INTSXP ? Rf_coerceVector(x, REALSXP) : x;
}

bool jit::contains(SEXP positions, R_xlen_t i) {
  const int *begin = INTEGER(positions), *end = begin + Rf_xlength(positions);
  return std::find(begin, end, int(i) + 1) != end;
}

static void addLeaf(SEXP object, SEXP storage, bool donated) {
  Type type = storageType(storage);
  append(scratch.signature, word(kTensorMark, uint64_t(type.dtype) << 8 | uint64_t(type.rank)));
  for (int i = 0; i < type.rank; i++)
    append(scratch.signature, uint64_t(type.dims[i]));
  append(scratch.leaves, {object, storage, donated});
}

static void walk(SEXP x, bool donated) {
  x = resolve(x);
  if (isValue(x)) {
    addLeaf(x, force(x), donated);
  } else if (TYPEOF(x) == VECSXP) {
    R_xlen_t count = Rf_xlength(x);
    SEXP names = Rf_getAttrib(x, R_NamesSymbol);
    append(scratch.signature, word(kListMark, uint64_t(count) << 1 | (names != R_NilValue)));
    for (R_xlen_t i = 0; i < count; i++) {
      if (names != R_NilValue)
        append(scratch.signature, uint64_t(uintptr_t(STRING_ELT(names, i))));
      walk(VECTOR_ELT(x, i), donated);
    }
  } else if (x == R_NilValue) {
    append(scratch.signature, word(kNullMark, 0));
  } else if (isStatic(x)) {
    append(scratch.signature, word(kStaticMark, 0));
    append(scratch.statics, x);
  } else {
    SEXP storage = storageOfArray(x);
    if (storage != x)
      keepAlive(storage);
    expand(storage);
    addLeaf(x, storage, donated);
  }
}

void jit::walkArguments(SEXP self, SEXP args) {
  scratch.signature.clear(), scratch.leaves.clear(), scratch.statics.clear();
  SET_VECTOR_ELT(scratch.keep, 0, R_NilValue);
  SEXP donate = VECTOR_ELT(self, kDonate), names = Rf_getAttrib(args, R_NamesSymbol);
  SEXP fixed = VECTOR_ELT(self, kStaticArgs);
  append(scratch.signature, uint64_t(deviceNumber) << 8 | uint64_t(defaultDtype));
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++) {
    append(scratch.signature, names == R_NilValue ? 0 : uint64_t(uintptr_t(STRING_ELT(names, i))));
    if (contains(fixed, i)) {
      append(scratch.signature, word(kStaticMark, 1));
      append(scratch.statics, VECTOR_ELT(args, i));
    } else {
      walk(VECTOR_ELT(args, i), contains(donate, i));
    }
  }
}
