//===- Extents.h - Extents that may be unknown or expressions ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What inference asks of extents and reckons with them: numbers, extents that are
// known at run time only, and expressions of whoever puts an algebra in force.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_EXTENTS_H
#define TENON_IR_INFER_EXTENTS_H

#include <cstdint>

namespace tenon::infer {

/// An extent that is known at run time only (MLIR's ShapedType::kDynamic).
constexpr int64_t kDynamic = INT64_MIN;

/// Gives extents a meaning that are neither numbers nor kDynamic: while one is in
/// force, numbers just above kDynamic stand for expressions of its own. What inference
/// finds to hold for numbers, it requires of expressions.
class ExtentAlgebra {
public:
  virtual ~ExtentAlgebra() = default;
  /// False if it cannot hold.
  virtual bool requireEqual(int64_t a, int64_t b) = 0;
  virtual bool requireAtLeast(int64_t a, int64_t least) = 0;
  virtual bool requireMultiple(int64_t a, int64_t of) = 0;
  virtual int64_t add(int64_t a, int64_t b) = 0;
  virtual int64_t multiply(int64_t a, int64_t b) = 0;
  /// Rounded up.
  virtual int64_t divide(int64_t a, int64_t by) = 0;

  /// In force in this thread, null by default.
  static ExtentAlgebra *current();
  /// Puts one in force for the length of a scope.
  class Scope {
  public:
    explicit Scope(ExtentAlgebra *algebra);
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    ExtentAlgebra *before;
  };
};

/// Expressions lie far from every number that occurs, negative ones included.
inline bool isNumber(int64_t extent) { return extent > INT64_MIN / 2; }

namespace detail { // of extents that are not both numbers
bool requireEqual(int64_t a, int64_t b);
bool requireAtLeast(int64_t a, int64_t least);
bool requireMultiple(int64_t a, int64_t by);
int64_t add(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
int64_t divide(int64_t a, int64_t by);
} // namespace detail

/// False if two extents are not the same; requires it of those that are not known.
inline bool requireEqual(int64_t a, int64_t b) {
  return a == b || (!(isNumber(a) && isNumber(b)) && detail::requireEqual(a, b));
}
/// The more precise of two extents that are the same.
inline int64_t refine(int64_t a, int64_t b) {
  return isNumber(a) || b == kDynamic ? a : isNumber(b) || a == kDynamic ? b : a;
}
/// The same for `a` being `least`, a number, or more.
inline bool requireAtLeast(int64_t a, int64_t least) {
  return isNumber(a) ? a >= least : detail::requireAtLeast(a, least);
}
/// The same for `a` being a multiple of `by`. Of 0 only 0 is one.
inline bool requireMultiple(int64_t a, int64_t by) {
  return isNumber(a) && isNumber(by) ? (by == 0 ? a == 0 : a % by == 0)
                                     : detail::requireMultiple(a, by);
}
/// a + b and a * b in `result`, kDynamic where unknown; false if they exceed 2^63 - 1.
inline bool add(int64_t a, int64_t b, int64_t &result) {
  if (isNumber(a) && isNumber(b))
    return !__builtin_add_overflow(a, b, &result);
  result = detail::add(a, b);
  return true;
}
inline bool multiply(int64_t a, int64_t b, int64_t &result) {
  if (isNumber(a) && isNumber(b))
    return !__builtin_mul_overflow(a, b, &result);
  result = a == 0 || b == 0 ? 0 : detail::multiply(a, b);
  return true;
}
/// The quotient, rounded up; kDynamic where unknown.
inline int64_t ceilDivide(int64_t a, int64_t by) {
  return isNumber(a) && isNumber(by) ? a / by + (a % by > 0) : detail::divide(a, by);
}

} // namespace tenon::infer

#endif // TENON_IR_INFER_EXTENTS_H
