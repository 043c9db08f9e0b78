//===- Infer.h - Types and shape inference without MLIR ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabulary of shape inference: one function per op gives its result types
// or the reason why there are none. The ODS builders and verifiers and the trace
// recorder of the front end call the same functions. No MLIR, no allocation.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_INFER_H
#define TENON_IR_INFER_INFER_H

#include "tenon/artifact.h"

#include <cstdint>
#include <initializer_list>

namespace tenon::infer {

/// An extent that is known at run time only (MLIR's ShapedType::kDynamic).
constexpr int64_t kDynamic = INT64_MIN;
constexpr int kMaxRank = 8;
constexpr int kMaxResults = 4;

/// Element type and extents of a ranked tensor, row-major.
struct Type {
  tenon_dtype dtype = TENON_F32;
  int rank = 0;
  int64_t dims[kMaxRank] = {};

  static Type make(tenon_dtype dtype, std::initializer_list<int64_t> dims) {
    Type type;
    type.dtype = dtype;
    for (int64_t dim : dims)
      type.dims[type.rank++] = dim;
    return type;
  }
  int64_t dim(int i) const { return dims[i < 0 ? i + rank : i]; }
  bool isFloat() const { return dtype <= TENON_BF16; }
  bool isInteger() const { return dtype >= TENON_I64 && dtype <= TENON_I8; }
  bool isBool() const { return dtype == TENON_I1; }
  bool isScalar() const { return rank == 0; }
};

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

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

namespace detail {
bool agree(int64_t a, int64_t b);
bool reaches(int64_t a, int64_t least);
bool divides(int64_t a, int64_t by);
int64_t add(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
int64_t divide(int64_t a, int64_t by);
} // namespace detail

/// May two extents be the same? Requires it where they are not known.
inline bool compatible(int64_t a, int64_t b) {
  return a == b || (!(isNumber(a) && isNumber(b)) && detail::agree(a, b));
}
/// The more precise of two compatible extents.
inline int64_t refine(int64_t a, int64_t b) {
  return isNumber(a) || b == kDynamic ? a : isNumber(b) || a == kDynamic ? b : a;
}
/// May `a` be `least`, a number, or more?
inline bool atLeast(int64_t a, int64_t least) {
  return isNumber(a) ? a >= least : detail::reaches(a, least);
}
/// May `a` be a multiple of `by`? Of 0 only 0 is one.
inline bool isMultiple(int64_t a, int64_t by) {
  return isNumber(a) && isNumber(by) ? (by == 0 ? a == 0 : a % by == 0) : detail::divides(a, by);
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
bool sameShape(const Type &a, const Type &b);

/// "f32[3,?]": how messages show a type. Writes at most `size` bytes.
const char *print(const Type &type, char *text, int size);

/// A view of a list attribute.
struct List {
  const int64_t *data;
  int size;
  int64_t operator[](int i) const { return data[i]; }
  const int64_t *begin() const { return data; }
  const int64_t *end() const { return data + size; }
};

/// The attributes of a call as 64-bit words in the order of the op's schema.
/// Schema letters: i integer, b bool, f float (the bits of a double), e an enum's
/// value, t a tenon_dtype: one word each; I a list: a count, then the values.
struct Attrs {
  const char *schema; ///< "name:letter name:letter ..."
  const int64_t *words;

  int64_t integer(int index) const;
  double real(int index) const;
  List list(int index) const;
};

/// What an inference function sees and fills.
struct Call {
  const char *op;
  int numOperands;
  const Type *const *operands; ///< null for an absent optional operand
  Attrs attrs;

  int numResults = 0;
  Type results[kMaxResults];
  char message[400];

  const Type &operand(int i) const { return *operands[i]; }
  bool has(int i) const { return i < numOperands && operands[i]; }
  /// Adds a result; always true.
  bool give(const Type &type) {
    results[numResults++] = type;
    return true;
  }
  /// Sets the message; always false.
  bool fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/// One op as the front ends see it. Operands beyond `minOperands` are optional;
/// maxOperands -1 = any number.
struct OpSpec {
  const char *name;   ///< mnemonic without the dialect: "matmul"
  const char *schema; ///< attributes, see Attrs
  int minOperands, maxOperands;
  bool (*infer)(Call &call);
};

/// All ops that can be recorded, in a fixed order: an index is an op id.
int numOps();
const OpSpec &opSpec(int id);
/// Id of a mnemonic, -1 if there is none.
int findOp(const char *name);

/// Checks the operand count and infers. False: `call.message` says why.
bool infer(const OpSpec &spec, Call &call);

/// Number of attributes of a schema; name and letter of one.
int numAttrs(const char *schema);
struct AttrSpec {
  const char *name;
  int nameLength;
  char letter;
};
AttrSpec attrSpec(const char *schema, int index);

} // namespace tenon::infer

#endif // TENON_IR_INFER_INFER_H
