//===- ffi_model.cpp - Entry points of norms, random ops, losses, attention, updates
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features are the first R axis, the last row-major one: see ffi_trace.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <climits>
#include <cmath>
#include <cstring>

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

namespace {

int32_t toScalar(Recorder &r, int32_t id) {
  return r.trace.type(id).rank ? reshape(r, id, nullptr, 0) : id;
}

//===-- Random ops -------------------------------------------------------------===//

/// One R draw seeds all random ops of a trace; their streams number them.
void seedAndStep(Recorder &r) {
  if (r.seed >= 0)
    return;
  // While a function is traced: drawn at every call.
  SEXP storage = tracing ? R_NilValue : scalarStorage(drawSeed(), TENON_I64);
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

double drawSeed() {
  GetRNGstate();
  double draw = std::floor(unif_rand() * 9e15);
  PutRNGstate();
  return draw;
}

extern "C" {

//===-- Softmax and norms ------------------------------------------------------------===//

SEXP C_softmax(SEXP x, SEXP axis, SEXP logarithm) {
  static const int softmax = findOp("softmax"), logSoftmax = findOp("log_softmax");
  Recorder &r = begin();
  int32_t id = useFloat(r, x);
  if (r.trace.type(id).rank == 0)
    id = asMatrix(r, id);
  int64_t at = axisOf(axis, r.trace.type(id).rank, "axis");
  return result(
      r, call(r, Rf_asLogical(logarithm) ? logSoftmax : softmax, {id}, AttrWords().integer(at)));
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
  return result(r,
                call(r, Rf_asLogical(normal) ? gauss : uniform, {r.seed, r.step},
                     AttrWords().list(type.dims, type.rank).integer(r.stream++).dtype(type.dtype)));
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
  bool soft =
      tenon::infer::sameShape(given, type) && (dtype == -1 || (dtype >= 0 && dtype <= TENON_BF16));
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
  tenon_dtype type =
      dtype >= 0 && dtype <= TENON_BF16 ? tenon_dtype(dtype) : promote(r, k, v, true);
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
    fail(TENON_ERROR_SHAPE,
         "attention: q %s, k %s, v %s do not conform: expected q [d, n, h, b], "
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
      fail(TENON_ERROR_SHAPE,
           "attention: expected a mask of [%lld keys, %lld queries, 1 or %lld "
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
/// Scores [keys, queries] with -Inf where the key comes after the query, in the terms
/// in which the compiler knows a causal mask.
SEXP C_causal(SEXP scores) {
  static const int iota = findOp("iota"), compare = findOp("compare"), select = findOp("select");
  Recorder &r = begin();
  int32_t x = asMatrix(r, useFloat(r, scores));
  Type type = r.trace.type(x), scalar = Type::make(type.dtype, {});
  auto count = [&](int64_t axis) {
    return call(r, iota, nullptr, 0,
                AttrWords().list(type.dims, type.rank).integer(axis).dtype(TENON_I32));
  };
  int32_t query = count(0), key = count(1);
  int32_t visible = call(r, compare, {key, query}, AttrWords().integer(3)); // le
  int32_t hidden = broadcastTo(r, constant(r, -HUGE_VAL, scalar), type);
  return result(r, call(r, select, {visible, x, hidden}));
}

SEXP C_flash_attention(SEXP q, SEXP k, SEXP v, SEXP heads, SEXP scale, SEXP mask, SEXP causal) {
  Recorder &r = begin();
  q = resolve(q), k = resolve(k), v = resolve(v);
  tenon_dtype dtype =
      promote(r, q, promote(r, k, v, true) <= TENON_BF16 && isValue(k) ? k : v, true);
  Attention a = {asMatrix(r, use(r, q, dtype)),
                 asMatrix(r, use(r, k, dtype)),
                 asMatrix(r, use(r, v, dtype)),
                 -1,
                 0,
                 flagOf(causal, "causal")};
  Type tq = r.trace.type(a.q), tk = r.trace.type(a.k), tv = r.trace.type(a.v);
  int64_t model = tq.dims[1];
  double h = numberOf(heads, "n_heads");
  if (tk.dims[1] != model || tv.dims[1] != model)
    fail(TENON_ERROR_SHAPE,
         "ag_flash_attention: q, k and v must share d_model (their rows), got "
         "%lld, %lld and %lld rows",
         (long long)model, (long long)tk.dims[1], (long long)tv.dims[1]);
  if (h < 1 || h != std::floor(h) || h > INT_MAX || model % int64_t(h))
    fail(TENON_ERROR_ARGUMENT,
         "ag_flash_attention: n_heads must divide d_model, got n_heads %g and "
         "d_model %lld",
         h, (long long)model);
  if (tk.dims[0] != tv.dims[0])
    fail(TENON_ERROR_SHAPE,
         "ag_flash_attention: k and v must have the same sequence length (their "
         "columns), got %lld and %lld",
         (long long)tk.dims[0], (long long)tv.dims[0]);
  if (mask != R_NilValue && a.causal)
    fail(TENON_ERROR_ARGUMENT, "ag_flash_attention: give either `mask` or `causal`, not both");
  int64_t width = model / int64_t(h);
  a.scale = scale == R_NilValue ? 1 / std::sqrt(double(width)) : numberOf(scale, "scale");
  if (mask != R_NilValue) {
    SEXP m = resolve(mask);
    Type tm = isValue(m)                                                           ? typeOf(m)
              : TYPEOF(m) == REALSXP || TYPEOF(m) == INTSXP || TYPEOF(m) == LGLSXP ? arrayType(m)
                                                                                   : Type();
    if (tm.rank != 2)
      fail(TENON_ERROR_SHAPE, "ag_flash_attention: needs `mask` to be a matrix, keys in rows and "
                              "queries in columns");
    if (tm.dims[1] != tk.dims[0] || tm.dims[0] != tq.dims[0])
      fail(TENON_ERROR_SHAPE,
           "ag_flash_attention: `mask` must be [seq_kv, seq_q] = [%lld, %lld] "
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
    id = call(
        r, adam,
        {ip, ig, use(r, m, dtype), use(r, v, dtype), rate, toScalar(r, use(r, step, TENON_I64))},
        AttrWords().real(c[0]).real(c[1]).real(c[2]).real(c[3]));
  SEXP list = PROTECT(Rf_allocVector(VECSXP, which + 1));
  for (int i = 0; i <= which; i++)
    SET_VECTOR_ELT(list, i, result(r, id + i));
  UNPROTECT(1);
  return list;
}
}
