//===- OwnedTrace.h - A trace that owns its tables --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces are given as pointers that hold for one call; what is kept is copied here.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_OWNEDTRACE_H
#define TENON_CAPI_OWNEDTRACE_H

#include "tenon/compiler.h"

#include <vector>

namespace tenon {

/// A trace that owns its tables.
struct OwnedTrace {
  int32_t numInputs = 0;
  std::vector<tenon_trace_value> values;
  std::vector<tenon_trace_node> nodes;
  std::vector<int32_t> operands, outputs, donates;
  std::vector<int64_t> words, multiples;

  OwnedTrace() = default;
  explicit OwnedTrace(const tenon_trace &trace);
  tenon_trace view() const;
};

} // namespace tenon

#endif // TENON_CAPI_OWNEDTRACE_H
