//===- ffi_jit.cpp - Entry points of compiled functions: making and calling one
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "jit.h"

using namespace jit;

namespace {

bool differentiating() { return gradDepth > 0 || current->tapeOpen; }

/// An argument of a function that is simply called: R arrays are tensors there too.
SEXP inlineArgument(SEXP x) {
  x = resolve(x);
  if (isValue(x))
    return x;
  if (TYPEOF(x) == VECSXP) {
    SEXP list = PROTECT(Rf_shallow_duplicate(x));
    for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
      SET_VECTOR_ELT(list, i, inlineArgument(VECTOR_ELT(x, i)));
    UNPROTECT(1);
    return list;
  }
  if (x == R_NilValue || isStatic(x))
    return x;
  SEXP storage = PROTECT(storageOfArray(x));
  if (TYPEOF(storage) == REALSXP)
    storage = storageOf(storage, defaultDtype);
  SEXP value = newValue(storage);
  UNPROTECT(1);
  return value;
}

SEXP inlineArguments(SEXP self, SEXP args) {
  SEXP list = PROTECT(Rf_shallow_duplicate(args));
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++)
    if (!contains(VECTOR_ELT(self, kStaticArgs), i))
      SET_VECTOR_ELT(list, i, inlineArgument(VECTOR_ELT(args, i)));
  UNPROTECT(1);
  return list;
}

/// A loop is one program, which the trace of gradients does not look into.
void refuseTaped(SEXP entry) {
  SEXP captures = VECTOR_ELT(R_ExternalPtrProtected(entry), kCaptures);
  bool taped = false;
  for (const Leaf &leaf : scratch.leaves)
    taped |= isDifferentiated(leaf.object);
  for (R_xlen_t k = 0; k < Rf_xlength(captures); k++)
    taped |= isDifferentiated(VECTOR_ELT(captures, k));
  if (taped)
    fail(TENON_ERROR_ARGUMENT,
         "loop: gradients do not flow through compile_loop(): take them inside "
         "its step with grad() or value_and_grad(), write the steps as an R "
         "loop, or pass tenon_stop_gradient() of what needs none");
}

SEXP callEntry(void *data) {
  SEXP self = static_cast<SEXP *>(data)[0], args = static_cast<SEXP *>(data)[1];
  bool loop = tripsOf(self) > 0;
  noThrow([] { scratch.signature.reserve(256), scratch.leaves.reserve(64); });
  walkArguments(self, args);
  int device = Rf_asInteger(VECTOR_ELT(self, kDevice));
  if (device >= 0 && device != deviceNumber) { // what was pending has been computed where it was
    scratch.deviceBefore = deviceNumber;
    switchDevice(device);
    walkArguments(self, args);
  }
  SEXP entry = findEntry(self);
  if (!entry) {
    SEXP make = PROTECT(Rf_lang3(Rf_install("trace_call"), self, args));
    Rf_eval(make, packageEnv);
    UNPROTECT(1);
    walkArguments(self, args);
    entry = findEntry(self);
    if (!entry)
      fail(TENON_ERROR_ARGUMENT, "the arguments changed while the function was traced");
  }
  if (loop && differentiating())
    refuseTaped(entry);
  return runEntry(entry);
}

} // namespace

extern "C" {

/// `device`: NULL for that of the session.
SEXP C_function(SEXP f, SEXP donate, SEXP fixed, SEXP count, SEXP device) {
  const char *names[] = {"f", "donate", "entries", "trips", "static", "device", ""}; // FunctionSlot
  SEXP self = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(self, kFunction, f);
  SET_VECTOR_ELT(self, kDonate, donate);
  SET_VECTOR_ELT(self, kEntries, Rf_allocVector(VECSXP, 1));
  SET_VECTOR_ELT(self, kTrips, count);
  SET_VECTOR_ELT(self, kStaticArgs, fixed);
  int number = device == R_NilValue ? -1 : deviceFromName(CHAR(STRING_ELT(device, 0)));
  SET_VECTOR_ELT(self, kDevice, Rf_ScalarInteger(number));
  UNPROTECT(1);
  return self;
}

/// The hot path of jit and compile_loop.
SEXP C_call(SEXP self, SEXP args) {
  bool loop = tripsOf(self) > 0;
  if (tracing || (differentiating() && !loop)) { // a program would hide what is in it
    SEXP given = PROTECT(tracing ? args : inlineArguments(self, args));
    SEXP inlined = PROTECT(Rf_lang3(Rf_install("call_inline"), self, given));
    SEXP out = Rf_eval(inlined, packageEnv);
    UNPROTECT(2);
    return out;
  }
  SEXP data[] = {self, args};
  enter();
  return R_ExecWithCleanup(callEntry, data, leave, nullptr);
}
}
