//===- Elementwise.h - Inference of elementwise ops -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One shape for all operands, by dtype class: floats, numbers, integers, logicals.
// Nothing broadcasts; the front ends insert broadcasts.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_ELEMENTWISE_H
#define TENON_IR_INFER_ELEMENTWISE_H

#include "ir/infer/Infer.h"

namespace tenon::infer {

/// Operands `first`.. have one shape; gives its most precise form in `type`.
inline bool inferSameShape(Call &call, int first, Type &type) {
  type = call.operand(first);
  for (int i = first + 1; i < call.numOperands; i++) {
    const Type &other = call.operand(i);
    char a[120], b[120];
    if (!sameShape(type, other))
      return call.fail("operands need one shape, got %s and %s", print(type, a, sizeof a),
                       print(other, b, sizeof b));
    for (int d = 0; d < type.rank; d++)
      type.dims[d] = refine(type.dims[d], other.dims[d]);
  }
  return true;
}

/// The same, and one dtype.
inline bool inferSame(Call &call, int first, Type &type) {
  if (!inferSameShape(call, first, type))
    return false;
  for (int i = first + 1; i < call.numOperands; i++) {
    char a[120], b[120];
    if (call.operand(i).dtype != type.dtype)
      return call.fail(Fault::Dtype, "operands need one dtype, got %s and %s",
                       print(type, a, sizeof a), print(call.operand(i), b, sizeof b));
  }
  return true;
}

/// `kind` names, with its article, what the operand must be and `fits` says that it is.
inline bool expectKind(Call &call, int i, bool fits, const char *kind) {
  char text[120];
  return fits || call.fail(Fault::Dtype, "operand %d: expected %s tensor, got %s", i, kind,
                           print(call.operand(i), text, sizeof text));
}
inline bool expectFloat(Call &call, int i) {
  return expectKind(call, i, call.operand(i).isFloat(), "a float");
}
inline bool expectNumber(Call &call, int i) {
  return expectKind(call, i, !call.operand(i).isBool(), "a float or integer");
}
inline bool expectInteger(Call &call, int i) {
  return expectKind(call, i, call.operand(i).isInteger(), "an integer");
}
inline bool expectLogical(Call &call, int i) {
  return expectKind(call, i, !call.operand(i).isFloat(), "an i1 or integer");
}

inline bool inferAnyUnary(Call &call) { return call.give(call.operand(0)); }
inline bool inferFloatUnary(Call &call) {
  return expectFloat(call, 0) && call.give(call.operand(0));
}
inline bool inferNumberUnary(Call &call) {
  return expectNumber(call, 0) && call.give(call.operand(0));
}
inline bool inferLogicalUnary(Call &call) {
  return expectLogical(call, 0) && call.give(call.operand(0));
}
inline bool inferNumberBinary(Call &call) {
  Type type;
  return expectNumber(call, 0) && inferSame(call, 0, type) && call.give(type);
}
inline bool inferLogicalBinary(Call &call) {
  Type type;
  return expectLogical(call, 0) && inferSame(call, 0, type) && call.give(type);
}
inline bool inferCompare(Call &call) {
  Type type;
  if (!inferSame(call, 0, type))
    return false;
  type.dtype = TENON_I1;
  return call.give(type);
}
inline bool inferSelect(Call &call) {
  Type shape, type;
  char text[120];
  if (!call.operand(0).isBool())
    return call.fail(Fault::Dtype, "condition: expected an i1 tensor, got %s",
                     print(call.operand(0), text, sizeof text));
  if (!inferSame(call, 1, type) || !inferSameShape(call, 0, shape))
    return false;
  shape.dtype = type.dtype;
  return call.give(shape);
}
inline bool inferCast(Call &call) {
  Type type = call.operand(0);
  type.dtype = tenon_dtype(call.attrs.integer(0));
  return call.give(type);
}
inline bool inferClamp(Call &call) {
  if (call.attrs.real(0) > call.attrs.real(1))
    return call.fail(Fault::Argument, "expected lo <= hi, got lo = %g, hi = %g", call.attrs.real(0),
                     call.attrs.real(1));
  return inferNumberUnary(call);
}

constexpr OpSpec elementwiseOps[] = {
    {"neg", "", 1, 1, inferNumberUnary},      {"abs", "", 1, 1, inferNumberUnary},
    {"sign", "", 1, 1, inferNumberUnary},     {"exp", "", 1, 1, inferFloatUnary},
    {"expm1", "", 1, 1, inferFloatUnary},     {"log", "", 1, 1, inferFloatUnary},
    {"log1p", "", 1, 1, inferFloatUnary},     {"sqrt", "", 1, 1, inferFloatUnary},
    {"rsqrt", "", 1, 1, inferFloatUnary},     {"sin", "", 1, 1, inferFloatUnary},
    {"cos", "", 1, 1, inferFloatUnary},       {"tanh", "", 1, 1, inferFloatUnary},
    {"erf", "", 1, 1, inferFloatUnary},       {"sigmoid", "", 1, 1, inferFloatUnary},
    {"relu", "", 1, 1, inferNumberUnary},     {"silu", "", 1, 1, inferFloatUnary},
    {"softplus", "", 1, 1, inferFloatUnary},  {"gelu", "approximate:b", 1, 1, inferFloatUnary},
    {"floor", "", 1, 1, inferFloatUnary},     {"ceil", "", 1, 1, inferFloatUnary},
    {"round", "", 1, 1, inferFloatUnary},     {"not", "", 1, 1, inferLogicalUnary},
    {"add", "", 2, 2, inferNumberBinary},     {"sub", "", 2, 2, inferNumberBinary},
    {"mul", "", 2, 2, inferNumberBinary},     {"div", "", 2, 2, inferNumberBinary},
    {"pow", "", 2, 2, inferNumberBinary},     {"rem", "", 2, 2, inferNumberBinary},
    {"max", "", 2, 2, inferNumberBinary},     {"min", "", 2, 2, inferNumberBinary},
    {"and", "", 2, 2, inferLogicalBinary},    {"or", "", 2, 2, inferLogicalBinary},
    {"xor", "", 2, 2, inferLogicalBinary},    {"compare", "predicate:e", 2, 2, inferCompare},
    {"select", "", 3, 3, inferSelect},        {"cast", "dtype:t", 1, 1, inferCast},
    {"clamp", "lo:f hi:f", 1, 1, inferClamp}, {"stop_gradient", "", 1, 1, inferAnyUnary},
    {"watch", "", 1, 1, inferFloatUnary},     {"normal_cdf", "", 1, 1, inferFloatUnary},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_ELEMENTWISE_H
