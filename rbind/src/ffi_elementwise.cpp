//===- ffi_elementwise.cpp - Entry points of elementwise ops
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An R array of dim [a, b, c] is a row-major tensor of shape [c, b, a] with no
// copy. Axes, indices and operand orders are converted in the ffi_ files of ops and
// nowhere else. Arguments are checked here, in C, where that costs nanoseconds.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <vector>

using tenon::infer::findOp;

namespace {

SEXP unary(int op, SEXP x, bool keepsIntegers) {
  Recorder &r = begin();
  int32_t a = standing(r, x);
  if (a < 0 || !r.trace.type(a).isFloat()) {
    a = keepsIntegers ? useAny(r, x) : useFloat(r, x);
    if (keepsIntegers && r.trace.type(a).isBool())
      a = cast(r, a, TENON_I32);
  }
  return result(r, call(r, op, {a}));
}

/// What most ops get, and what align() would leave alone.
bool alikeFloats(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.isFloat() && tenon::infer::sameShape(a, b);
}

/// Both operands in one dtype and one shape.
void align(Recorder &r, SEXP x, SEXP y, bool toFloat, int32_t *a, int32_t *b) {
  x = resolve(x), y = resolve(y);
  tenon_dtype dtype = promote(r, x, y, toFloat);
  *a = use(r, x, dtype), *b = use(r, y, dtype);
  const Type &ta = r.trace.type(*a), &tb = r.trace.type(*b);
  if (tenon::infer::sameShape(ta, tb))
    return;
  Type shape;
  if (!commonShape(ta, tb, shape)) {
    char s[120], t[120];
    fail(TENON_ERROR_SHAPE,
         "%s and %s do not broadcast: extents must be equal or 1, from the "
         "first axis on",
         shapeText(ta, s, sizeof s), shapeText(tb, t, sizeof t));
  }
  *a = broadcastTo(r, *a, shape);
  *b = broadcastTo(r, *b, shape);
}

SEXP binary(int op, SEXP x, SEXP y, bool toFloat = false) {
  Recorder &r = begin();
  int32_t a = standing(r, x), b = standing(r, y);
  if (a < 0 || b < 0 || !alikeFloats(r.trace.type(a), r.trace.type(b))) {
    align(r, x, y, toFloat, &a, &b);
    if (r.trace.type(a).isBool())
      a = cast(r, a, TENON_I32), b = cast(r, b, TENON_I32);
  }
  return result(r, call(r, op, {a, b}));
}

SEXP compare(Predicate predicate, SEXP x, SEXP y) {
  static const int op = findOp("compare");
  Recorder &r = begin();
  int32_t a, b;
  align(r, x, y, false, &a, &b);
  return result(r, call(r, op, {a, b}, AttrWords().integer(predicate)));
}

int32_t asBool(Recorder &r, SEXP x) {
  x = resolve(x);
  int dtype = dtypeOf(r, x);
  if (dtype == -3)
    return use(r, x, TENON_I1);
  int32_t id = useAny(r, x);
  static const int op = findOp("compare");
  Type type = r.trace.type(id);
  if (type.isBool())
    return id;
  return call(r, op, {id, constant(r, 0, type)}, AttrWords().integer(kNotEqual));
}

SEXP logical(int op, SEXP x, SEXP y) {
  Recorder &r = begin();
  int32_t a = asBool(r, x), b = asBool(r, y);
  Type shape;
  if (!commonShape(r.trace.type(a), r.trace.type(b), shape)) {
    char s[120], t[120];
    fail(TENON_ERROR_SHAPE, "%s and %s do not broadcast", shapeText(r.trace.type(a), s, sizeof s),
         shapeText(r.trace.type(b), t, sizeof t));
  }
  return result(r, call(r, op, {broadcastTo(r, a, shape), broadcastTo(r, b, shape)}));
}

} // namespace

extern "C" {

#define UNARY(name, keepsIntegers)                                                                 \
  SEXP C_##name(SEXP x) {                                                                          \
    static const int op = findOp(#name);                                                           \
    return unary(op, x, keepsIntegers);                                                            \
  }
UNARY(neg, true)
UNARY(abs, true)
UNARY(sign, true)
UNARY(relu, true)
UNARY(exp, false)
UNARY(expm1, false)
UNARY(log, false)
UNARY(log1p, false)
UNARY(sqrt, false)
UNARY(rsqrt, false)
UNARY(sin, false)
UNARY(cos, false)
UNARY(tanh, false)
UNARY(erf, false)
UNARY(sigmoid, false)
UNARY(silu, false)
UNARY(softplus, false)
UNARY(floor, false)
UNARY(ceil, false)
UNARY(round, false)
UNARY(stop_gradient, true)
#undef UNARY

SEXP C_not(SEXP x) {
  static const int op = findOp("not");
  Recorder &r = begin();
  return result(r, call(r, op, {asBool(r, x)}));
}

SEXP C_gelu(SEXP x, SEXP approximate) {
  static const int op = findOp("gelu");
  Recorder &r = begin();
  bool flag = flagOf(approximate, "gelu: approximate");
  return result(r, call(r, op, {useFloat(r, x)}, AttrWords().boolean(flag)));
}

SEXP C_clamp(SEXP x, SEXP lo, SEXP hi) {
  static const int op = findOp("clamp");
  Recorder &r = begin();
  double low = numberOf(lo, "clamp: lo"), high = numberOf(hi, "clamp: hi");
  return result(r, call(r, op, {useFloat(r, x)}, AttrWords().real(low).real(high)));
}

SEXP C_cast(SEXP x, SEXP dtype) {
  Recorder &r = begin();
  tenon_dtype type = dtypeFromName(dtype);
  int32_t id = useAny(r, x), done = cast(r, id, type);
  x = resolve(x);
  return done == id && isValue(x) ? x : resultOrInput(r, done);
}

#define BINARY(name, toFloat)                                                                      \
  SEXP C_##name(SEXP x, SEXP y) {                                                                  \
    static const int op = findOp(#name);                                                           \
    return binary(op, x, y, toFloat);                                                              \
  }
BINARY(add, false)
BINARY(sub, false)
BINARY(mul, false)
BINARY(div, true)
BINARY(max, false)
BINARY(min, false)
#undef BINARY

/// Whether an operand is known to be R numbers without an infinite one.
static bool allFinite(SEXP x) {
  if (TYPEOF(x) != REALSXP)
    return TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP;
  const double *at = REAL(x);
  return std::none_of(at, at + Rf_xlength(x), [](double value) { return std::isinf(value); });
}

/// value <predicate> bound, elementwise.
static int32_t compareTo(Recorder &r, int32_t value, Predicate predicate, double bound) {
  static const int compare = findOp("compare");
  return call(r, compare, {value, constant(r, bound, r.trace.type(value))},
              AttrWords().integer(predicate));
}

/// Whether no two elements have opposite signs.
static int32_t signsAgree(Recorder &r, int32_t a, int32_t b) {
  static const int mul = findOp("mul"), sign = findOp("sign");
  return compareTo(r, call(r, mul, {call(r, sign, {a}), call(r, sign, {b})}), kGreaterEqual, 0);
}

/// R's x %/% y: the quotient rounded down. Where it vanishes (y is infinite or much
/// larger than x) its sign still counts: -5 %/% Inf is -1.
static int32_t floorQuotient(Recorder &r, int32_t a, int32_t b) {
  static const int div = findOp("div"), floor = findOp("floor"), select = findOp("select");
  int32_t quotient = call(r, div, {a, b});
  const Type type = r.trace.type(a); // a copy: recording moves types
  int32_t vanished =
      call(r, select, {signsAgree(r, a, b), constant(r, 0, type), constant(r, -1, type)});
  return call(r, select, {compareTo(r, quotient, kEqual, 0), vanished, call(r, floor, {quotient})});
}

SEXP C_floor_div(SEXP x, SEXP y) {
  Recorder &r = begin();
  int32_t a, b;
  x = resolve(x), y = resolve(y);
  align(r, x, y, true, &a, &b);
  return result(r, floorQuotient(r, a, b));
}

/// R's x %% y has the sign of y: x - y * (x %/% y); by an infinite y it is x where the
/// signs agree, else y.
SEXP C_mod(SEXP x, SEXP y) {
  static const int mul = findOp("mul"), sub = findOp("sub"), abs = findOp("abs"),
                   both = findOp("and"), select = findOp("select");
  Recorder &r = begin();
  int32_t a, b;
  x = resolve(x), y = resolve(y);
  align(r, x, y, true, &a, &b);
  int32_t rest = call(r, sub, {a, call(r, mul, {b, floorQuotient(r, a, b)})});
  if (allFinite(y))
    return result(r, rest);
  int32_t special = call(r, both,
                         {compareTo(r, call(r, abs, {a}), kLess, HUGE_VAL),
                          compareTo(r, call(r, abs, {b}), kEqual, HUGE_VAL)});
  int32_t infinite = call(r, select, {signsAgree(r, a, b), a, b});
  return result(r, call(r, select, {special, infinite, rest}));
}

/// A constant exponent is part of the program: small ones become products.
SEXP C_pow(SEXP x, SEXP y) {
  static const int pow = findOp("pow"), mul = findOp("mul"), sqrt = findOp("sqrt");
  y = resolve(y);
  if (isValue(y) || Rf_length(y) != 1 || (TYPEOF(y) != REALSXP && TYPEOF(y) != INTSXP))
    return binary(pow, x, y, true);
  double exponent = numberOf(y, "^");
  Recorder &r = begin();
  int32_t a = useFloat(r, x);
  if (exponent == 2)
    return result(r, call(r, mul, {a, a}));
  if (exponent == 0.5)
    return result(r, call(r, sqrt, {a}));
  if (exponent == 3)
    return result(r, call(r, mul, {call(r, mul, {a, a}), a}));
  Type shape = r.trace.type(a), scalar = Type::make(shape.dtype, {});
  return result(r, call(r, pow, {a, broadcastTo(r, constant(r, exponent, scalar), shape)}));
}

SEXP C_eq(SEXP x, SEXP y) { return compare(kEqual, x, y); }
SEXP C_ne(SEXP x, SEXP y) { return compare(kNotEqual, x, y); }
SEXP C_lt(SEXP x, SEXP y) { return compare(kLess, x, y); }
SEXP C_le(SEXP x, SEXP y) { return compare(kLessEqual, x, y); }
SEXP C_gt(SEXP x, SEXP y) { return compare(kGreater, x, y); }
SEXP C_ge(SEXP x, SEXP y) { return compare(kGreaterEqual, x, y); }
SEXP C_and(SEXP x, SEXP y) {
  static const int op = findOp("and");
  return logical(op, x, y);
}
SEXP C_or(SEXP x, SEXP y) {
  static const int op = findOp("or");
  return logical(op, x, y);
}

/// Values of two branches in pairs, as nodes next to each other: they become one op.
SEXP C_if(SEXP condition, SEXP yes, SEXP no, SEXP places) {
  static const int op = findOp("if");
  static std::vector<int32_t> ids;
  Recorder &r = begin();
  int32_t c = asBool(r, condition);
  char s[120], t[120];
  if (!r.trace.type(c).isScalar())
    fail(TENON_ERROR_SHAPE, "tenon_if: test: expected one logical, got dim %s",
         shapeText(r.trace.type(c), s, sizeof s));
  ids.clear();
  for (R_xlen_t i = 0; i < Rf_xlength(yes); i++) {
    SEXP x = resolve(VECTOR_ELT(yes, i)), y = resolve(VECTOR_ELT(no, i));
    int dx = dtypeOf(r, x), dy = dtypeOf(r, y);
    bool adapts = dx != dy && (dx < 0 || dy < 0); // numbers, as in arithmetic
    tenon_dtype dtype = adapts ? promote(r, x, y, false) : TENON_F64;
    int32_t a = adapts ? use(r, x, dtype) : useAny(r, x);
    int32_t b = adapts ? use(r, y, dtype) : useAny(r, y);
    const Type &first = r.trace.type(a), &second = r.trace.type(b);
    if (first.dtype != second.dtype || !tenon::infer::sameShape(first, second))
      fail(first.dtype != second.dtype ? TENON_ERROR_DTYPE : TENON_ERROR_SHAPE,
           "tenon_if: no%s: expected %s of dim %s as yes has, got %s of dim %s",
           CHAR(STRING_ELT(places, i)), tenon_dtype_name(first.dtype),
           shapeText(first, s, sizeof s), tenon_dtype_name(second.dtype),
           shapeText(second, t, sizeof t));
    append(ids, a), append(ids, b);
  }
  SEXP list = PROTECT(Rf_allocVector(VECSXP, Rf_xlength(yes)));
  for (R_xlen_t i = 0; i < Rf_xlength(yes); i++)
    SET_VECTOR_ELT(list, i,
                   result(r, call(r, op, {c, ids[size_t(2 * i)], ids[size_t(2 * i + 1)]})));
  UNPROTECT(1);
  return list;
}

SEXP C_where(SEXP condition, SEXP x, SEXP y) {
  static const int op = findOp("select");
  Recorder &r = begin();
  int32_t a, b, c = asBool(r, condition);
  align(r, x, y, false, &a, &b);
  Type shape, inner = r.trace.type(a);
  if (!commonShape(r.trace.type(c), inner, shape)) {
    char s[120], t[120];
    fail(TENON_ERROR_SHAPE, "where: condition %s and values %s do not broadcast",
         shapeText(r.trace.type(c), s, sizeof s), shapeText(inner, t, sizeof t));
  }
  return result(
      r,
      call(r, op, {broadcastTo(r, c, shape), broadcastTo(r, a, shape), broadcastTo(r, b, shape)}));
}
}
