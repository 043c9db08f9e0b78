//===- TraceCheck.h - Is a trace well formed? -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace comes from outside: every index in it is checked before anything
// follows it. No MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_FRONTEND_TRACECHECK_H
#define TENON_FRONTEND_TRACECHECK_H

#include "ir/infer/Infer.h"
#include "tenon/compiler.h"

#include <string>

namespace tenon {

/// Checks indices, ids, dtypes and ranks, definitions before uses, and that the
/// words of every node fit its schema; afterwards all of the trace may be read.
/// Quick: done on every call, before the cache is asked. False: `message` says
/// what is wrong, and `code` what kind of error it is.
bool checkTrace(const tenon_trace &trace, tenon_code &code, std::string &message);

/// Infers each node again and compares with the types the trace declares: what
/// a miss adds to `checkTrace`.
bool checkTraceTypes(const tenon_trace &trace, tenon_code &code, std::string &message);

/// The type of a value of a trace that was checked.
infer::Type traceType(const tenon_trace_value &value);

} // namespace tenon

#endif // TENON_FRONTEND_TRACECHECK_H
