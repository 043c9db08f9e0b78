//===- ffi_trace.cpp - Entry points of ops: R's conventions end here
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An R array of dim [a, b, c] is a row-major tensor of shape [c, b, a] with no
// copy. Axes, indices and operand orders are converted in this file and nowhere
// else. Arguments are checked here, in C, where that costs nanoseconds.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <climits>
#include <cmath>
#include <cstring>

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

namespace {

int32_t toScalar(Recorder &r, int32_t id) {
  return r.trace.type(id).rank ? reshape(r, id, nullptr, 0) : id;
}

SEXP unary(int op, SEXP x, bool keepsIntegers) {
  Recorder &r = begin();
  int32_t a = keepsIntegers ? useAny(r, x) : useFloat(r, x);
  if (keepsIntegers && r.trace.type(a).isBool())
    a = cast(r, a, TENON_I32);
  return result(r, call(r, op, {a}));
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
    fail(TENON_ERROR_SHAPE, "%s and %s do not broadcast: extents must be equal or 1, from the "
                            "first axis on",
         shapeText(ta, s, sizeof s), shapeText(tb, t, sizeof t));
  }
  *a = broadcastTo(r, *a, shape);
  *b = broadcastTo(r, *b, shape);
}

SEXP binary(int op, SEXP x, SEXP y, bool toFloat = false) {
  Recorder &r = begin();
  int32_t a, b;
  align(r, x, y, toFloat, &a, &b);
  if (r.trace.type(a).isBool())
    a = cast(r, a, TENON_I32), b = cast(r, b, TENON_I32);
  return result(r, call(r, op, {a, b}));
}

SEXP compare(int predicate, SEXP x, SEXP y) {
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
  return call(r, op, {id, constant(r, 0, type)}, AttrWords().integer(1));
}

SEXP logical(int op, SEXP x, SEXP y) {
  Recorder &r = begin();
  int32_t a = asBool(r, x), b = asBool(r, y);
  Type shape;
  if (!commonShape(r.trace.type(a), r.trace.type(b), shape)) {
    char s[120], t[120];
    fail(TENON_ERROR_SHAPE, "%s and %s do not broadcast",
         shapeText(r.trace.type(a), s, sizeof s), shapeText(r.trace.type(b), t, sizeof t));
  }
  return result(r, call(r, op, {broadcastTo(r, a, shape), broadcastTo(r, b, shape)}));
}

double numberOf(SEXP x, const char *what) {
  double value = Rf_length(x) == 1 ? Rf_asReal(x) : NA_REAL;
  if (ISNAN(value))
    fail(TENON_ERROR_ARGUMENT, "%s: expected a number, got %s", what,
         Rf_length(x) == 1 ? "NA" : "something of another length than 1");
  return value;
}

bool flagOf(SEXP x, const char *what) {
  int value = Rf_length(x) == 1 ? Rf_asLogical(x) : NA_LOGICAL;
  if (value == NA_LOGICAL)
    fail(TENON_ERROR_ARGUMENT, "%s: expected TRUE or FALSE", what);
  return value;
}

/// Whole numbers of an R vector, reversed.
int wholeReversed(SEXP x, const char *what, int64_t *out) {
  int count = Rf_length(x);
  if (TYPEOF(x) != INTSXP && TYPEOF(x) != REALSXP)
    fail(TENON_ERROR_ARGUMENT, "%s: expected whole numbers, got %s", what,
         Rf_type2char(TYPEOF(x)));
  if (count > kMaxRank)
    fail(TENON_ERROR_SHAPE, "%s: expected at most %d axes, got %d", what, kMaxRank, count);
  for (int i = 0; i < count; i++) {
    double value = TYPEOF(x) == REALSXP            ? REAL(x)[i]
                   : INTEGER(x)[i] == NA_INTEGER ? NA_REAL
                                                 : INTEGER(x)[i];
    if (!(std::fabs(value) <= INT_MAX) || value != std::floor(value))
      fail(TENON_ERROR_ARGUMENT, "%s: expected whole numbers below 2^31, got %g", what, value);
    out[count - 1 - i] = int64_t(value);
  }
  return count;
}

/// A 1-based R axis as a row-major one.
int64_t axisOf(SEXP axis, int rank, const char *what) {
  double value = numberOf(axis, what);
  if (value < 1 || value > rank || value != std::floor(value))
    fail(TENON_ERROR_ARGUMENT, "%s: expected an axis from 1 to %d, got %g", what, rank, value);
  return rank - int64_t(value);
}

Type shapeOf(SEXP dim, tenon_dtype dtype, const char *what) {
  Type type;
  type.dtype = dtype;
  type.rank = wholeReversed(dim, what, type.dims);
  double count = 1;
  for (int i = 0; i < type.rank; i++) {
    if (type.dims[i] < 0)
      fail(TENON_ERROR_SHAPE, "%s: expected extents of at least 0, got %lld", what,
           (long long)type.dims[i]);
    count *= double(type.dims[i]);
  }
  if (count > INT_MAX)
    fail(TENON_ERROR_SHAPE, "%s: expected fewer than 2^31 elements, got %.0f", what, count);
  return type;
}

//===-- Random ops -------------------------------------------------------------===//

/// One R draw seeds all random ops of a trace; their streams number them.
void seedAndStep(Recorder &r) {
  if (r.seed >= 0)
    return;
  SEXP storage;
  if (tracing) {
    storage = R_NilValue; // drawn at every call
  } else {
    GetRNGstate();
    double draw = std::floor(unif_rand() * 9007199254740992.0);
    PutRNGstate();
    storage = scalarStorage(std::fmod(draw, 9e15), TENON_I64);
  }
  r.seed = addInput(r, Type::make(TENON_I64, {}), storage, 0);
  if (r.step < 0)
    r.step = constant(r, 0, Type::make(TENON_I64, {}));
}

//===-- Attention ----------------------------------------------------------------===//

struct Attention {
  int32_t q, k, v, mask;
  double scale;
  bool causal;
};

int32_t attend(Recorder &r, const Attention &a) {
  static const int op = findOp("attention");
  return call(r, op, {a.q, a.k, a.v, a.mask}, AttrWords().real(a.scale).boolean(a.causal));
}

/// A mask in the dtype that attention takes: i1, or float as q's.
int32_t useMask(Recorder &r, SEXP mask, tenon_dtype dtype) {
  mask = resolve(mask);
  int kind = dtypeOf(r, mask);
  if (kind == -3 || kind == TENON_I1)
    return use(r, mask, TENON_I1);
  return use(r, mask, dtype);
}

int32_t transpose(Recorder &r, int32_t id, std::initializer_list<int64_t> permutation) {
  static const int op = findOp("transpose");
  return call(r, op, {id}, AttrWords().list(permutation.begin(), int(permutation.size())));
}

/// [n, h * d] -> [1, h, n, d]
int32_t splitHeads(Recorder &r, int32_t id, int64_t heads) {
  const Type type = r.trace.type(id);
  int64_t dims[] = {1, type.dims[0], heads, type.dims[1] / heads};
  return transpose(r, reshape(r, id, dims, 4), {0, 2, 1, 3});
}

} // namespace

tenon_dtype dtypeFromName(SEXP name) {
  const char *text = TYPEOF(name) == STRSXP && Rf_length(name) == 1 ? CHAR(STRING_ELT(name, 0)) : "";
  for (int dtype = TENON_F64; dtype <= TENON_I1; dtype++)
    if (!strcmp(text, tenon_dtype_name(tenon_dtype(dtype))))
      return tenon_dtype(dtype);
  fail(TENON_ERROR_DTYPE, "expected one of \"f64\", \"f32\", \"f16\", \"bf16\", \"i64\", \"i32\", "
                          "\"i8\", \"i1\", got \"%s\"", text);
}

extern "C" {

//===-- Elementwise ---------------------------------------------------------------===//

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
  return done == id && isValue(x) ? x : result(r, done);
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

/// R's x %% y has the sign of y: x - y * floor(x / y).
SEXP C_mod(SEXP x, SEXP y) {
  static const int div = findOp("div"), floor = findOp("floor"), mul = findOp("mul"),
                   sub = findOp("sub");
  Recorder &r = begin();
  int32_t a, b;
  align(r, x, y, true, &a, &b);
  int32_t whole = call(r, floor, {call(r, div, {a, b})});
  return result(r, call(r, sub, {a, call(r, mul, {b, whole})}));
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

SEXP C_eq(SEXP x, SEXP y) { return compare(0, x, y); }
SEXP C_ne(SEXP x, SEXP y) { return compare(1, x, y); }
SEXP C_lt(SEXP x, SEXP y) { return compare(2, x, y); }
SEXP C_le(SEXP x, SEXP y) { return compare(3, x, y); }
SEXP C_gt(SEXP x, SEXP y) { return compare(4, x, y); }
SEXP C_ge(SEXP x, SEXP y) { return compare(5, x, y); }
SEXP C_and(SEXP x, SEXP y) {
  static const int op = findOp("and");
  return logical(op, x, y);
}
SEXP C_or(SEXP x, SEXP y) {
  static const int op = findOp("or");
  return logical(op, x, y);
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
  return result(r, call(r, op, {broadcastTo(r, c, shape), broadcastTo(r, a, shape),
                                broadcastTo(r, b, shape)}));
}

//===-- Products --------------------------------------------------------------------===//

/// A %*% B of R: (A B)^T = B^T A^T, and what R calls A is A^T in row-major terms.
SEXP C_matmul(SEXP x, SEXP y, SEXP transposeX, SEXP transposeY) {
  static const int op = findOp("matmul");
  Recorder &r = begin();
  bool tx = flagOf(transposeX, "matmul: transpose_a"), ty = flagOf(transposeY, "matmul: transpose_b");
  x = resolve(x), y = resolve(y);
  tenon_dtype dtype = promote(r, x, y, true);
  int32_t a = use(r, x, dtype), b = use(r, y, dtype);
  if (r.trace.type(a).rank == 1 && !tx) { // as R: a vector on the left is a row if that fits
    const Type &ta = r.trace.type(a), &tb = r.trace.type(b);
    int64_t inner = tb.rank < 2 ? (tb.rank ? tb.dims[0] : 1) : tb.dim(ty ? -2 : -1);
    int64_t row[2] = {ta.dims[0], 1};
    if (ta.dims[0] == inner)
      a = reshape(r, a, row, 2);
  }
  a = asMatrix(r, a), b = asMatrix(r, b);
  Type ta = r.trace.type(a), tb = r.trace.type(b);
  int64_t inner = ta.dim(tx ? -1 : -2), innerB = tb.dim(ty ? -2 : -1);
  if (inner != innerB) {
    char s[120], t[120];
    fail(TENON_ERROR_SHAPE, "matmul: %s%s times %s%s does not conform: inner extents %lld and %lld",
         shapeText(ta, s, sizeof s), tx ? " transposed" : "", shapeText(tb, t, sizeof t),
         ty ? " transposed" : "", (long long)inner, (long long)innerB);
  }
  if (ta.rank != tb.rank) { // the smaller one is shared by the whole batch
    Type &small = ta.rank < tb.rank ? ta : tb, &large = ta.rank < tb.rank ? tb : ta;
    int32_t &id = ta.rank < tb.rank ? a : b;
    Type shape = large;
    shape.dims[shape.rank - 1] = small.dim(-1), shape.dims[shape.rank - 2] = small.dim(-2);
    for (int i = 3; i <= small.rank; i++)
      if (small.dim(-i) != large.dim(-i) && small.dim(-i) != 1)
        fail(TENON_ERROR_SHAPE, "matmul: batch extents differ: %lld and %lld",
             (long long)small.dim(-i), (long long)large.dim(-i));
    id = broadcastTo(r, id, shape);
  }
  return result(r, call(r, op, {b, a}, AttrWords().boolean(ty).boolean(tx)));
}

SEXP C_is_tensor(SEXP x, SEXP y) { return Rf_ScalarLogical(isValue(x) || isValue(y)); }

//===-- Reductions ------------------------------------------------------------------===//

/// which: 0 sum, 1 mean, 2 max, 3 min, 4 prod; axes NULL = all; keep: extents 1 stay.
SEXP C_reduce(SEXP x, SEXP which, SEXP axes, SEXP keep) {
  static const int ops[] = {findOp("reduce_sum"), findOp("reduce_mean"), findOp("reduce_max"),
                            findOp("reduce_min"), findOp("reduce_prod")};
  Recorder &r = begin();
  int kind = Rf_asInteger(which);
  int32_t id = kind == 1 ? useFloat(r, x) : useAny(r, x);
  if (r.trace.type(id).isBool())
    id = cast(r, id, TENON_I32);
  int64_t list[kMaxRank];
  int rank = r.trace.type(id).rank, count = rank;
  if (axes == R_NilValue) {
    for (int i = 0; i < rank; i++)
      list[i] = i;
  } else {
    count = wholeReversed(axes, "axes", list);
    for (int i = 0; i < count; i++) {
      if (list[i] < 1 || list[i] > rank)
        fail(TENON_ERROR_ARGUMENT, "axes: expected axes from 1 to %d, got %lld", rank,
             (long long)list[i]);
      list[i] = rank - list[i];
    }
  }
  bool kept = flagOf(keep, "keep");
  return result(r, call(r, ops[kind], {id}, AttrWords().list(list, count).boolean(kept)));
}

/// A reduction of a matrix that stays one: dim NULL -> 1x1, 1 -> [nrow, 1], 2 -> [1, ncol].
SEXP C_ag_reduce(SEXP x, SEXP which, SEXP dim) {
  static const int ops[] = {findOp("reduce_sum"), findOp("reduce_mean"), findOp("reduce_max")};
  Recorder &r = begin();
  int32_t id = asMatrix(r, useFloat(r, x));
  int64_t both[2] = {0, 1}, columns = 0, rows = 1;
  AttrWords attrs;
  if (dim == R_NilValue)
    attrs.list(both, 2);
  else {
    double d = numberOf(dim, "dim");
    if (d != 1 && d != 2)
      fail(TENON_ERROR_ARGUMENT, "dim: expected NULL, 1 or 2, got %g", d);
    attrs.list(d == 1 ? &columns : &rows, 1);
  }
  return result(r, call(r, ops[Rf_asInteger(which)], {id}, attrs.boolean(true)));
}

/// Index of the extreme along an R axis, counted from `base`.
SEXP C_arg(SEXP x, SEXP least, SEXP axis, SEXP base) {
  static const int argmax = findOp("argmax"), argmin = findOp("argmin"), add = findOp("add");
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  if (r.trace.type(id).dims[at] == 0)
    fail(TENON_ERROR_SHAPE, "axis: expected an extent of at least 1, got 0");
  id = call(r, Rf_asLogical(least) ? argmin : argmax, {id}, AttrWords().integer(at));
  if (Rf_asInteger(base)) {
    Type type = r.trace.type(id);
    id = call(r, add, {id, constant(r, Rf_asInteger(base), type)});
  }
  return result(r, id);
}

//===-- Softmax and norms ------------------------------------------------------------===//

SEXP C_softmax(SEXP x, SEXP axis, SEXP logarithm) {
  static const int softmax = findOp("softmax"), logSoftmax = findOp("log_softmax");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    id = asMatrix(r, id);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  return result(r, call(r, Rf_asLogical(logarithm) ? logSoftmax : softmax, {id},
                        AttrWords().integer(at)));
}

/// A scale or shift of a norm, as many as the first R axis of x has elements.
static int32_t normParameter(Recorder &r, SEXP p, const Type &x, const char *what) {
  if (p == R_NilValue)
    return -1;
  int32_t id = use(r, p, x.dtype);
  const Type &type = r.trace.type(id);
  if (countOf(type) != x.dim(-1)) {
    char text[120];
    fail(TENON_ERROR_SHAPE, "%s: expected %lld elements, one per feature, got %s", what,
         (long long)x.dim(-1), shapeText(type, text, sizeof text));
  }
  int64_t dims[1] = {x.dim(-1)};
  return type.rank == 1 ? id : reshape(r, id, dims, 1);
}

SEXP C_layer_norm(SEXP x, SEXP gamma, SEXP beta, SEXP eps) {
  static const int op = findOp("layer_norm");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    fail(TENON_ERROR_SHAPE, "layer_norm: expected at least one axis, got a number");
  Type type = r.trace.type(id);
  int32_t g = normParameter(r, gamma, type, "gamma"), b = normParameter(r, beta, type, "beta");
  return result(r, call(r, op, {id, g, b}, AttrWords().real(numberOf(eps, "eps"))));
}

SEXP C_rms_norm(SEXP x, SEXP gamma, SEXP eps) {
  static const int op = findOp("rms_norm");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    fail(TENON_ERROR_SHAPE, "rms_norm: expected at least one axis, got a number");
  Type type = r.trace.type(id);
  return result(r, call(r, op, {id, normParameter(r, gamma, type, "gamma")},
                        AttrWords().real(numberOf(eps, "eps"))));
}

//===-- Shapes ----------------------------------------------------------------------===//

SEXP C_dim(SEXP x) {
  Type type = typeOf(x);
  return type.rank ? dimOf(type) : R_NilValue;
}
SEXP C_dtype(SEXP x) { return Rf_mkString(tenon_dtype_name(typeOf(x).dtype)); }

SEXP C_reshape(SEXP x, SEXP dim) {
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  int64_t dims[kMaxRank], rest = 1, count = countOf(r.trace.type(id));
  int rank = wholeReversed(dim, "dim", dims), open = -1;
  for (int i = 0; i < rank; i++)
    if (dims[i] == -1 && open < 0)
      open = i;
    else if (dims[i] < 0)
      fail(TENON_ERROR_SHAPE, "dim: expected extents of at least 0 and at most one -1, got %lld",
           (long long)dims[i]);
    else
      rest *= dims[i];
  if (open >= 0)
    dims[open] = rest ? count / rest : 0;
  if ((open >= 0 ? rest * dims[open] : rest) != count) {
    char text[120];
    Type to = Type::make(TENON_F64, {});
    to.rank = rank;
    std::copy(dims, dims + rank, to.dims);
    fail(TENON_ERROR_SHAPE, "dim: expected a shape of %lld elements, got %s", (long long)count,
         shapeText(to, text, sizeof text));
  }
  return result(r, reshape(r, id, dims, rank));
}

SEXP C_aperm(SEXP x, SEXP perm) {
  static const int op = findOp("transpose");
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  if (r.trace.type(id).rank < 2 && perm == R_NilValue)
    id = asMatrix(r, id);
  int rank = r.trace.type(id).rank;
  int64_t list[kMaxRank];
  if (perm == R_NilValue) {
    for (int i = 0; i < rank; i++)
      list[i] = rank - 1 - i;
  } else {
    int count = wholeReversed(perm, "perm", list);
    unsigned seen = 0;
    for (int i = 0; i < count; i++) {
      bool fits = count == rank && list[i] >= 1 && list[i] <= rank && !(seen >> list[i] & 1);
      if (!fits)
        fail(TENON_ERROR_ARGUMENT, "perm: expected each of 1 to %d once", rank);
      seen |= 1u << list[i];
      list[i] = rank - list[i];
    }
    if (count != rank)
      fail(TENON_ERROR_ARGUMENT, "perm: expected each of 1 to %d once", rank);
  }
  return result(r, call(r, op, {id}, AttrWords().list(list, rank)));
}

/// Per R axis: offset from 0, size, stride.
SEXP C_slice(SEXP x, SEXP offsets, SEXP sizes, SEXP strides) {
  static const int op = findOp("slice");
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  const Type &type = r.trace.type(id);
  int64_t o[kMaxRank], n[kMaxRank], s[kMaxRank];
  int count = wholeReversed(offsets, "offsets", o);
  if (count != type.rank || wholeReversed(sizes, "sizes", n) != count ||
      wholeReversed(strides, "strides", s) != count)
    fail(TENON_ERROR_ARGUMENT, "slice: expected an offset, size and stride for each of %d axes",
         type.rank);
  for (int i = 0; i < count; i++) {
    int64_t last = o[i] + (n[i] - 1) * s[i];
    if (o[i] < 0 || n[i] < 0 || s[i] < 1 || (n[i] && last >= type.dims[i]))
      fail(TENON_ERROR_SHAPE, "slice: axis %d: expected elements from 1 to %lld, got %lld to %lld",
           count - i, (long long)type.dims[i], (long long)o[i] + 1, (long long)last + 1);
  }
  return result(r, call(r, op, {id}, AttrWords().list(o, count).list(n, count).list(s, count)));
}

SEXP C_concat(SEXP list, SEXP axis) {
  static const int op = findOp("concat");
  static std::vector<int32_t> ids;
  Recorder &r = begin();
  R_xlen_t count = Rf_xlength(list);
  if (count == 0)
    fail(TENON_ERROR_ARGUMENT, "concat: expected at least one tensor, got none");
  noThrow([&] { ids.assign(size_t(count), 0); });
  SEXP first = resolve(VECTOR_ELT(list, 0));
  tenon_dtype dtype = promote(r, first, first, false);
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP x = resolve(VECTOR_ELT(list, i));
    int kind = dtypeOf(r, x);
    if (kind >= 0)
      dtype = i && dtypeOf(r, first) >= 0 ? tenon_dtype(std::min<int>(dtype, kind)) : tenon_dtype(kind);
    if (dtypeOf(r, first) < 0 && kind >= 0)
      first = x;
  }
  for (R_xlen_t i = 0; i < count; i++)
    ids[size_t(i)] = use(r, VECTOR_ELT(list, i), dtype);
  Type type = r.trace.type(ids[0]);
  int64_t at = axisOf(axis, type.rank, "axis");
  for (R_xlen_t i = 1; i < count; i++) {
    Type other = r.trace.type(ids[size_t(i)]);
    bool fits = other.rank == type.rank;
    for (int d = 0; fits && d < type.rank; d++)
      fits = d == at || other.dims[d] == type.dims[d];
    char s[120], t[120];
    if (!fits)
      fail(TENON_ERROR_SHAPE, "concat: expected %s but for axis %lld, got %s in element %d",
           shapeText(type, s, sizeof s), (long long)(type.rank - at),
           shapeText(other, t, sizeof t), int(i) + 1);
  }
  return result(r, call(r, op, ids.data(), int(count), AttrWords().integer(at)));
}

SEXP C_pad(SEXP x, SEXP low, SEXP high, SEXP value) {
  static const int op = findOp("pad");
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  int64_t lo[kMaxRank], hi[kMaxRank];
  int rank = r.trace.type(id).rank;
  if (wholeReversed(low, "low", lo) != rank || wholeReversed(high, "high", hi) != rank)
    fail(TENON_ERROR_ARGUMENT, "pad: expected low and high for each of %d axes", rank);
  return result(r, call(r, op, {id}, AttrWords().list(lo, rank).list(hi, rank)
                                         .real(numberOf(value, "value"))));
}

SEXP C_broadcast(SEXP x, SEXP dim) {
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  Type type = r.trace.type(id), shape = shapeOf(dim, type.dtype, "dim"), both;
  if (!commonShape(type, shape, both) || !tenon::infer::sameShape(both, shape)) {
    char s[120], t[120];
    fail(TENON_ERROR_SHAPE, "broadcast: %s does not broadcast to %s", shapeText(type, s, sizeof s),
         shapeText(shape, t, sizeof t));
  }
  int32_t wide = broadcastTo(r, id, shape);
  x = resolve(x);
  return wide == id && isValue(x) ? x : result(r, wide);
}

SEXP C_full(SEXP value, SEXP dim, SEXP dtype) {
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  return result(r, constant(r, Rf_asReal(value), type));
}

/// 1, 2, ... along an R axis.
SEXP C_iota(SEXP dim, SEXP axis, SEXP dtype) {
  static const int op = findOp("iota"), add = findOp("add");
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  int64_t at = axisOf(axis, type.rank, "axis");
  int32_t id = call(r, op, nullptr, 0,
                    AttrWords().list(type.dims, type.rank).integer(at).dtype(type.dtype));
  return result(r, call(r, add, {id, constant(r, 1, type)}));
}

/// Ids as whole numbers from 0; `base` is what the first one is called in R.
static int32_t useIds(Recorder &r, SEXP ids, int base) {
  static const int sub = findOp("sub");
  ids = resolve(ids);
  int dtype = dtypeOf(r, ids);
  int32_t id = dtype >= 0 ? useAny(r, ids) : use(r, ids, TENON_I32);
  if (!r.trace.type(id).isInteger())
    id = cast(r, id, TENON_I32);
  if (!base)
    return id;
  Type type = r.trace.type(id);
  return call(r, sub, {id, constant(r, base, type)});
}

/// Slices of the table's last R axis by number: [d..., n] and ids [i...] -> [d..., i...].
SEXP C_gather(SEXP table, SEXP ids, SEXP base) {
  static const int op = findOp("gather");
  Recorder &r = begin();
  int32_t t = useAny(r, table), i = useIds(r, ids, Rf_asInteger(base));
  if (r.trace.type(t).rank < 1)
    fail(TENON_ERROR_SHAPE, "table: expected at least one axis, got a number");
  return result(r, call(r, op, {t, i}));
}

SEXP C_one_hot(SEXP ids, SEXP depth, SEXP base, SEXP dtype) {
  static const int op = findOp("one_hot");
  Recorder &r = begin();
  int32_t i = useIds(r, ids, Rf_asInteger(base));
  double n = numberOf(depth, "depth");
  if (n < 0 || n > INT_MAX)
    fail(TENON_ERROR_ARGUMENT, "depth: expected 0 or more, got %g", n);
  return result(r, call(r, op, {i}, AttrWords().integer(int64_t(n)).dtype(dtypeFromName(dtype))));
}

//===-- Random ----------------------------------------------------------------------===//

SEXP C_dropout(SEXP x, SEXP rate) {
  static const int op = findOp("dropout");
  Recorder &r = begin();
  double p = numberOf(rate, "rate");
  if (!(p >= 0 && p < 1))
    fail(TENON_ERROR_ARGUMENT, "rate: expected 0 <= rate < 1, got %g", p);
  int32_t id = useFloat(r, x);
  seedAndStep(r);
  return result(r, call(r, op, {id, r.seed, r.step}, AttrWords().real(p).integer(r.stream++)));
}

SEXP C_random(SEXP normal, SEXP dim, SEXP dtype) {
  static const int uniform = findOp("random_uniform"), gauss = findOp("random_normal");
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  seedAndStep(r);
  return result(r, call(r, Rf_asLogical(normal) ? gauss : uniform, {r.seed, r.step},
                        AttrWords().list(type.dims, type.rank).integer(r.stream++)
                            .dtype(type.dtype)));
}

//===-- Losses ----------------------------------------------------------------------===//

/// matrix: the result has dim 1x1, else none.
static SEXP lossResult(Recorder &r, int32_t id, SEXP matrix) {
  int64_t ones[2] = {1, 1};
  return result(r, Rf_asLogical(matrix) ? reshape(r, id, ones, 2) : id);
}

static int32_t meanOf(Recorder &r, int32_t id) {
  static const int op = findOp("reduce_mean");
  int64_t all[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7};
  int rank = r.trace.type(id).rank;
  return rank ? call(r, op, {id}, AttrWords().list(all, rank).boolean(false)) : id;
}

SEXP C_mse(SEXP prediction, SEXP target, SEXP matrix) {
  static const int op = findOp("mse_loss");
  Recorder &r = begin();
  int32_t p = useFloat(r, prediction), t = use(r, target, r.trace.type(p).dtype);
  Type tp = r.trace.type(p), tt = r.trace.type(t), shape;
  char s[120], u[120];
  if (!commonShape(tp, tt, shape) || !tenon::infer::sameShape(shape, tp))
    fail(TENON_ERROR_SHAPE, "mse: expected a target of %s, got %s", shapeText(tp, s, sizeof s),
         shapeText(tt, u, sizeof u));
  return lossResult(r, call(r, op, {p, broadcastTo(r, t, tp)}), matrix);
}

/// Mean over samples of the cross entropy of probabilities, classes down the first axis.
SEXP C_cross_entropy(SEXP prediction, SEXP target, SEXP floor, SEXP matrix) {
  static const int op = findOp("cross_entropy");
  Recorder &r = begin();
  int32_t p = useFloat(r, prediction), t = use(r, target, r.trace.type(p).dtype);
  Type tp = r.trace.type(p), tt = r.trace.type(t);
  if (!tenon::infer::sameShape(tp, tt) || tp.rank < 1) {
    char s[120], u[120];
    fail(TENON_ERROR_SHAPE, "cross entropy: expected a target of %s, got %s",
         shapeText(tp, s, sizeof s), shapeText(tt, u, sizeof u));
  }
  int32_t rows = call(r, op, {p, t}, AttrWords().real(numberOf(floor, "floor")));
  return lossResult(r, meanOf(r, rows), matrix);
}

/// The same from logits; the target is of their shape, or class ids from `base`.
SEXP C_softmax_cross_entropy(SEXP logits, SEXP target, SEXP floor, SEXP base, SEXP matrix) {
  static const int op = findOp("softmax_cross_entropy");
  Recorder &r = begin();
  int32_t x = useFloat(r, logits);
  Type type = r.trace.type(x), rows = type;
  if (type.rank < 1)
    fail(TENON_ERROR_SHAPE, "cross entropy: expected logits with the classes down the first axis, "
                            "got a number");
  rows.rank--;
  target = resolve(target);
  int dtype = dtypeOf(r, target), count = Rf_asInteger(base);
  Type given = isValue(target) ? typeOf(target) : arrayType(target);
  bool soft = tenon::infer::sameShape(given, type) && (dtype == -1 || (dtype >= 0 && dtype <= TENON_BF16));
  bool ids = dtype == -2 || (dtype >= TENON_I64 && dtype <= TENON_I8) ||
             (!soft && countOf(given) == countOf(rows));
  if (soft || !ids || countOf(given) != countOf(rows)) {
    char s[120], u[120];
    if (!tenon::infer::sameShape(given, type) || ids)
      fail(TENON_ERROR_SHAPE, "cross entropy: expected a target of %s or %lld class ids, got %s",
           shapeText(type, s, sizeof s), (long long)countOf(rows), shapeText(given, u, sizeof u));
    int32_t t = use(r, target, type.dtype);
    int32_t loss = call(r, op, {x, t}, AttrWords().real(numberOf(floor, "floor")));
    return lossResult(r, meanOf(r, loss), matrix);
  }
  int32_t t = useIds(r, target, count);
  if (!tenon::infer::sameShape(r.trace.type(t), rows))
    t = reshape(r, t, rows.dims, rows.rank);
  int32_t loss = call(r, op, {x, t}, AttrWords().real(numberOf(floor, "floor")));
  return lossResult(r, meanOf(r, loss), matrix);
}

//===-- Attention -------------------------------------------------------------------===//

/// q [d, n, heads, batch], k and v likewise; mask [keys, queries, heads or 1, batch or 1].
SEXP C_attention(SEXP q, SEXP k, SEXP v, SEXP mask, SEXP scale, SEXP causal) {
  Recorder &r = begin();
  q = resolve(q), k = resolve(k), v = resolve(v);
  int dtype = dtypeOf(r, q);
  tenon_dtype type = dtype >= 0 && dtype <= TENON_BF16 ? tenon_dtype(dtype) : promote(r, k, v, true);
  SEXP given[3] = {q, k, v};
  const char *names[3] = {"q", "k", "v"};
  int32_t ids[3];
  int rank = 4;
  for (int i = 0; i < 3; i++) {
    ids[i] = use(r, given[i], type);
    Type t = r.trace.type(ids[i]);
    char text[120];
    if (t.rank < 2 || t.rank > 4)
      fail(TENON_ERROR_SHAPE, "attention: expected %s of [d, n, heads, batch], got %s", names[i],
           shapeText(t, text, sizeof text));
    if (i == 0)
      rank = t.rank;
    int64_t dims[4] = {1, 1, t.dim(-2), t.dim(-1)};
    for (int a = 3; a <= t.rank; a++)
      dims[4 - a] = t.dim(-a);
    if (t.rank < 4)
      ids[i] = reshape(r, ids[i], dims, 4);
  }
  Attention a = {ids[0], ids[1], ids[2], -1, 0, flagOf(causal, "causal")};
  Type tq = r.trace.type(a.q), tk = r.trace.type(a.k), tv = r.trace.type(a.v);
  if (tq.dims[3] != tk.dims[3] || tk.dims[2] != tv.dims[2] || tk.dims[1] != tv.dims[1] ||
      tq.dims[0] != tk.dims[0] || tq.dims[0] != tv.dims[0] || !tk.dims[1] ||
      tq.dims[1] % tk.dims[1]) {
    char s[120], t[120], u[120];
    fail(TENON_ERROR_SHAPE, "attention: q %s, k %s, v %s do not conform: expected q [d, n, h, b], "
                            "k [d, m, g, b], v [e, m, g, b] with h a multiple of g",
         shapeText(tq, s, sizeof s), shapeText(tk, t, sizeof t), shapeText(tv, u, sizeof u));
  }
  a.scale = scale == R_NilValue ? 1 / std::sqrt(double(tq.dims[3])) : numberOf(scale, "scale");
  if (mask != R_NilValue) {
    a.mask = useMask(r, mask, type);
    Type tm = r.trace.type(a.mask);
    int64_t dims[4] = {1, 1, tm.rank > 1 ? tm.dim(-2) : 1, tm.rank ? tm.dim(-1) : 1};
    for (int i = 3; i <= tm.rank; i++)
      dims[4 - i] = tm.dim(-i);
    char text[120];
    if (tm.rank > 4 || dims[3] != tk.dims[2] || dims[2] != tq.dims[2] ||
        (dims[1] != 1 && dims[1] != tq.dims[1]) || (dims[0] != 1 && dims[0] != tq.dims[0]))
      fail(TENON_ERROR_SHAPE, "attention: expected a mask of [%lld keys, %lld queries, 1 or %lld "
                              "heads, 1 or %lld], got %s",
           (long long)tk.dims[2], (long long)tq.dims[2], (long long)tq.dims[1],
           (long long)tq.dims[0], shapeText(tm, text, sizeof text));
    if (tm.rank < 4)
      a.mask = reshape(r, a.mask, dims, 4);
  }
  int32_t out = attend(r, a);
  if (rank < 4) {
    Type to = r.trace.type(out);
    out = reshape(r, out, to.dims + 4 - rank, rank);
  }
  return result(r, out);
}

/// q [d_model, n], k and v [d_model, m]: heads are groups of rows.
SEXP C_flash_attention(SEXP q, SEXP k, SEXP v, SEXP heads, SEXP scale, SEXP mask, SEXP causal) {
  Recorder &r = begin();
  q = resolve(q), k = resolve(k), v = resolve(v);
  tenon_dtype dtype = promote(r, q, promote(r, k, v, true) <= TENON_BF16 && isValue(k) ? k : v, true);
  Attention a = {asMatrix(r, use(r, q, dtype)), asMatrix(r, use(r, k, dtype)),
                 asMatrix(r, use(r, v, dtype)), -1, 0, flagOf(causal, "causal")};
  Type tq = r.trace.type(a.q), tk = r.trace.type(a.k), tv = r.trace.type(a.v);
  int64_t model = tq.dims[1];
  double h = numberOf(heads, "n_heads");
  if (tk.dims[1] != model || tv.dims[1] != model)
    fail(TENON_ERROR_SHAPE, "ag_flash_attention: q, k and v must share d_model (their rows), got "
                            "%lld, %lld and %lld rows", (long long)model, (long long)tk.dims[1],
         (long long)tv.dims[1]);
  if (h < 1 || h != std::floor(h) || h > INT_MAX || model % int64_t(h))
    fail(TENON_ERROR_ARGUMENT, "ag_flash_attention: n_heads must divide d_model, got n_heads %g and "
                               "d_model %lld", h, (long long)model);
  if (tk.dims[0] != tv.dims[0])
    fail(TENON_ERROR_SHAPE, "ag_flash_attention: k and v must have the same sequence length (their "
                            "columns), got %lld and %lld", (long long)tk.dims[0],
         (long long)tv.dims[0]);
  if (mask != R_NilValue && a.causal)
    fail(TENON_ERROR_ARGUMENT, "ag_flash_attention: give either `mask` or `causal`, not both");
  int64_t width = model / int64_t(h);
  a.scale = scale == R_NilValue ? 1 / std::sqrt(double(width)) : numberOf(scale, "scale");
  if (mask != R_NilValue) {
    SEXP m = resolve(mask);
    Type tm = isValue(m) ? typeOf(m)
              : TYPEOF(m) == REALSXP || TYPEOF(m) == INTSXP || TYPEOF(m) == LGLSXP ? arrayType(m)
                                                                                 : Type();
    if (tm.rank != 2)
      fail(TENON_ERROR_SHAPE, "ag_flash_attention: needs `mask` to be a matrix, keys in rows and "
                              "queries in columns");
    if (tm.dims[1] != tk.dims[0] || tm.dims[0] != tq.dims[0])
      fail(TENON_ERROR_SHAPE, "ag_flash_attention: `mask` must be [seq_kv, seq_q] = [%lld, %lld] "
                              "(keys index rows, queries columns), got [%lld, %lld]",
           (long long)tk.dims[0], (long long)tq.dims[0], (long long)tm.dims[1],
           (long long)tm.dims[0]);
    int64_t dims[4] = {1, 1, tq.dims[0], tk.dims[0]};
    a.mask = reshape(r, useMask(r, m, dtype), dims, 4);
  }
  a.q = splitHeads(r, a.q, int64_t(h));
  a.k = splitHeads(r, a.k, int64_t(h));
  a.v = splitHeads(r, a.v, int64_t(h));
  int64_t dims[2] = {tq.dims[0], model};
  return result(r, reshape(r, transpose(r, attend(r, a), {0, 2, 1, 3}), dims, 2));
}

//===-- Optimizer steps on tensors ---------------------------------------------------===//

/// list(p) for kind 0, list(p, v) for 1, list(p, m, v) for 2.
SEXP C_update(SEXP kind, SEXP p, SEXP g, SEXP m, SEXP v, SEXP lr, SEXP step, SEXP constants) {
  static const int sgd = findOp("sgd"), momentum = findOp("momentum"), adam = findOp("adam");
  Recorder &r = begin();
  int which = Rf_asInteger(kind);
  int32_t ip = useFloat(r, p);
  tenon_dtype dtype = r.trace.type(ip).dtype;
  int32_t ig = use(r, g, dtype), rate = toScalar(r, use(r, lr, dtype));
  double *c = REAL(constants);
  int32_t id;
  if (which == 0)
    id = call(r, sgd, {ip, ig, rate});
  else if (which == 1)
    id = call(r, momentum, {ip, ig, use(r, m, dtype), rate}, AttrWords().real(c[0]));
  else
    id = call(r, adam, {ip, ig, use(r, m, dtype), use(r, v, dtype), rate,
                        toScalar(r, use(r, step, TENON_I64))},
              AttrWords().real(c[0]).real(c[1]).real(c[2]).real(c[3]));
  SEXP list = PROTECT(Rf_allocVector(VECSXP, which + 1));
  for (int i = 0; i <= which; i++)
    SET_VECTOR_ELT(list, i, result(r, id + i));
  UNPROTECT(1);
  return list;
}

//===-- Reading ---------------------------------------------------------------------===//

SEXP C_array(SEXP x) {
  x = resolve(x);
  expectValue(x, "as.array");
  return arrayOf(force(x));
}

SEXP C_matrix(SEXP x) {
  x = resolve(x);
  expectValue(x, "as.matrix");
  return matrixOf(force(x));
}

/// The default dtype; sets it unless NULL is given. Returns the one before.
SEXP C_default_dtype(SEXP dtype) {
  const char *before = tenon_dtype_name(defaultDtype);
  if (dtype != R_NilValue) {
    tenon_dtype type = dtypeFromName(dtype);
    if (type > TENON_BF16)
      fail(TENON_ERROR_DTYPE, "expected a float type, got \"%s\"", tenon_dtype_name(type));
    defaultDtype = type;
  }
  return Rf_mkString(before);
}
}
