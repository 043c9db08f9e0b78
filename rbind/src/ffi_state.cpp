//===- ffi_state.cpp - What R asks of the recorder
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

extern "C" {

/// Is a function being traced, whose values exist for its own program alone?
SEXP C_is_tracing() { return Rf_ScalarLogical(tracing); }

/// Does what x holds depend on when a program runs? A captured tensor is read at every call.
SEXP C_is_undecided(SEXP x) { return Rf_ScalarLogical(isValue(x) && (tracing || !isReadable(x))); }

} // extern "C"
