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

#include "ir/infer/Extents.h"
#include "tenon/artifact.h"

#include <initializer_list>
#include <string_view>

namespace tenon::infer {

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

/// False if two shapes differ; requires extents that are not known to be the same.
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
/// value, t a tenon_dtype: one word each; I a list: a count, then the values; s a text: the count
/// of its bytes, then these, filled up to whole words.
struct Attrs {
  const char *schema; ///< "name:letter name:letter ..."
  const int64_t *words;

  int64_t integer(int index) const;
  double real(int index) const;
  List list(int index) const;
  std::string_view text(int index) const;
};

/// How many words of an attribute follow its first one.
inline int64_t wordsBehind(char letter, int64_t first) {
  return letter == 'I' ? first : letter == 's' ? first / 8 + (first % 8 != 0) : 0;
}

/// What an inference complains of.
enum class Fault { Shape, Dtype, Argument };

/// What an inference function sees and fills.
struct Call {
  const char *op;
  int numOperands;
  const Type *const *operands; ///< null for an absent optional operand
  Attrs attrs;

  int numResults = 0;
  Type results[kMaxResults];
  Fault fault = Fault::Shape; ///< of a failure
  char message[400];

  const Type &operand(int i) const { return *operands[i]; }
  bool has(int i) const { return i < numOperands && operands[i]; }
  /// Adds a result; always true.
  bool give(const Type &type) {
    results[numResults++] = type;
    return true;
  }
  /// Sets the message and the fault, which is of the shapes if not given; always false.
  bool fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
  bool fail(Fault fault, const char *format, ...) __attribute__((format(printf, 3, 4)));
};

/// Of two types that ought to be one.
inline Fault faultBetween(const Type &a, const Type &b) {
  return a.dtype != b.dtype ? Fault::Dtype : Fault::Shape;
}

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
