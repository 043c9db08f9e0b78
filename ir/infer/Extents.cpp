//===- Extents.cpp - Extents that may be unknown or expressions -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/infer/Extents.h"

namespace tenon::infer {

static thread_local ExtentAlgebra *algebra = nullptr;

ExtentAlgebra *ExtentAlgebra::current() { return algebra; }
ExtentAlgebra::Scope::Scope(ExtentAlgebra *next) : before(algebra) { algebra = next; }
ExtentAlgebra::Scope::~Scope() { algebra = before; }

// Called where one of the two is no number.
namespace detail {
static bool unknown(int64_t a, int64_t b) { return a == kDynamic || b == kDynamic; }
bool requireEqual(int64_t a, int64_t b) {
  return unknown(a, b) || (algebra && algebra->requireEqual(a, b));
}
bool requireAtLeast(int64_t a, int64_t least) {
  return a == kDynamic || (algebra && algebra->requireAtLeast(a, least));
}
bool requireMultiple(int64_t a, int64_t by) {
  return unknown(a, by) || (algebra && algebra->requireMultiple(a, by));
}
int64_t add(int64_t a, int64_t b) {
  return unknown(a, b) || !algebra ? kDynamic : algebra->add(a, b);
}
int64_t multiply(int64_t a, int64_t b) {
  return unknown(a, b) || !algebra ? kDynamic : algebra->multiply(a, b);
}
int64_t divide(int64_t a, int64_t by) {
  return unknown(a, by) || !algebra ? kDynamic : algebra->divide(a, by);
}
} // namespace detail

} // namespace tenon::infer
