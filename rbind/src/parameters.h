//===- parameters.h - Values whose data can be replaced, and their gradients
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter is a cell: the recorder refers to the data it had when it was used,
// whatever becomes of it later.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_R_PARAMETERS_H
#define TENON_R_PARAMETERS_H

#include "recorder.h"

inline SEXP cellOf(SEXP param) { return R_ExternalPtrProtected(param); }
/// Gives a parameter that comes from a file an id of this session.
void nameParam(SEXP param);
/// The parameter behind an input of the trace, or null.
SEXP parameterOf(SEXP slot);
/// What was recorded reads the data that a parameter had then: its slots get an owned
/// copy of the reference, and its next use is a new input.
void detach(SEXP param);
/// Data or a gradient that the user gives for a parameter, as storage of its type; a
/// vector is a column.
SEXP storageLike(SEXP data, const Type &type, const char *what);
/// A parameter's gradient in an environment that backward() returned, or null.
SEXP gradientIn(SEXP env, SEXP param);

#endif // TENON_R_PARAMETERS_H
