//===- Validate.h - checks of a program -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything about a program that can be wrong before its inputs are known.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_VALIDATE_H
#define TENON_RUNTIME_VALIDATE_H

#include "tenon/runtime.h"

namespace tenon::runtime {

/// NULL for a well-formed program; the other parts of the runtime rely on it.
tenon_status validateProgram(const tenon_program &program);

/// Highest rank of a port, and deepest nesting of loops.
constexpr int64_t maxRank = 32;
constexpr int64_t maxLoopDepth = 32; ///< of loops and ifs

} // namespace tenon::runtime

#endif // TENON_RUNTIME_VALIDATE_H
