//===- status.h - From a status to an R condition
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raising jumps over C++ frames: nothing on the way may own memory.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_R_STATUS_H
#define TENON_R_STATUS_H

#include "tenon/runtime.h"

/// Raises tenon_error_<code>; `format` as for printf.
[[noreturn]] void fail(tenon_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Raises what a status says and frees it; nothing when all is well.
void check(tenon_status status);

#endif // TENON_R_STATUS_H
