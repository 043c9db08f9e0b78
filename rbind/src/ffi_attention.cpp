//===- ffi_attention.cpp - Entry points of attention
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes are converted here from R's: see ffi_elementwise.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <climits>
#include <cmath>

using tenon::infer::findOp;

namespace {

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

/// Of a value or R array before it is used.
Type givenType(SEXP x) { return isValue(x) ? typeOf(x) : arrayType(x); }

/// A value of up to four axes with leading ones of extent 1.
int32_t withFourAxes(Recorder &r, int32_t id) {
  const Type type = r.trace.type(id);
  int64_t dims[4] = {1, 1, 1, 1};
  for (int i = 1; i <= type.rank; i++)
    dims[4 - i] = type.dim(-i);
  return type.rank < 4 ? reshape(r, id, dims, 4) : id;
}

int32_t useHeads(Recorder &r, SEXP x, tenon_dtype dtype, const char *name) {
  int32_t id = use(r, x, dtype);
  Type type = r.trace.type(id);
  char text[120];
  if (type.rank < 2 || type.rank > 4)
    fail(TENON_ERROR_SHAPE, "attention: expected %s of [d, n, heads, batch], got %s", name,
         shapeText(type, text, sizeof text));
  return withFourAxes(r, id);
}

void checkConform(const Type &q, const Type &k, const Type &v) {
  if (q.dims[3] == k.dims[3] && k.dims[2] == v.dims[2] && k.dims[1] == v.dims[1] &&
      q.dims[0] == k.dims[0] && q.dims[0] == v.dims[0] && k.dims[1] && q.dims[1] % k.dims[1] == 0)
    return;
  char s[120], t[120], u[120];
  fail(TENON_ERROR_SHAPE,
       "attention: q %s, k %s, v %s do not conform: expected q [d, n, h, b], "
       "k [d, m, g, b], v [e, m, g, b] with h a multiple of g",
       shapeText(q, s, sizeof s), shapeText(k, t, sizeof t), shapeText(v, u, sizeof u));
}

/// A mask for q and k of four axes.
int32_t useHeadsMask(Recorder &r, SEXP mask, tenon_dtype dtype, const Type &q, const Type &k) {
  int32_t id = useMask(r, mask, dtype);
  Type given = r.trace.type(id);
  if (given.rank <= 4) {
    id = withFourAxes(r, id);
    Type m = r.trace.type(id);
    if (m.dims[3] == k.dims[2] && m.dims[2] == q.dims[2] &&
        (m.dims[1] == 1 || m.dims[1] == q.dims[1]) && (m.dims[0] == 1 || m.dims[0] == q.dims[0]))
      return id;
  }
  char text[120];
  fail(TENON_ERROR_SHAPE,
       "attention: expected a mask of [%lld keys, %lld queries, 1 or %lld "
       "heads, 1 or %lld], got %s",
       (long long)k.dims[2], (long long)q.dims[2], (long long)q.dims[1], (long long)q.dims[0],
       shapeText(given, text, sizeof text));
}

/// The mask of C_flash_attention, for queries and keys in rows of q and k.
int32_t useMatrixMask(Recorder &r, SEXP mask, tenon_dtype dtype, const Type &q, const Type &k) {
  SEXP m = resolve(mask);
  bool isArray = TYPEOF(m) == REALSXP || TYPEOF(m) == INTSXP || TYPEOF(m) == LGLSXP;
  Type given = isValue(m) || isArray ? givenType(m) : Type();
  if (given.rank != 2)
    fail(TENON_ERROR_SHAPE, "ag_flash_attention: needs `mask` to be a matrix, keys in rows and "
                            "queries in columns");
  if (given.dims[1] != k.dims[0] || given.dims[0] != q.dims[0])
    fail(TENON_ERROR_SHAPE,
         "ag_flash_attention: `mask` must be [seq_kv, seq_q] = [%lld, %lld] "
         "(keys index rows, queries columns), got [%lld, %lld]",
         (long long)k.dims[0], (long long)q.dims[0], (long long)given.dims[1],
         (long long)given.dims[0]);
  return withFourAxes(r, useMask(r, m, dtype));
}

} // namespace

extern "C" {

/// q [d, n, heads, batch], k and v likewise; mask [keys, queries, heads or 1, batch or 1].
SEXP C_attention(SEXP q, SEXP k, SEXP v, SEXP mask, SEXP scale, SEXP causal) {
  Recorder &r = begin();
  q = resolve(q), k = resolve(k), v = resolve(v);
  int given = dtypeOf(r, q);
  tenon_dtype dtype =
      given >= 0 && given <= TENON_BF16 ? tenon_dtype(given) : promote(r, k, v, true);
  Attention a = {
      useHeads(r, q, dtype, "q"), useHeads(r, k, dtype, "k"), useHeads(r, v, dtype, "v"), -1, 0,
      flagOf(causal, "causal")};
  Type tq = r.trace.type(a.q), tk = r.trace.type(a.k);
  checkConform(tq, tk, r.trace.type(a.v));
  a.scale = scale == R_NilValue ? 1 / std::sqrt(double(tq.dims[3])) : numberOf(scale, "scale");
  if (mask != R_NilValue)
    a.mask = useHeadsMask(r, mask, dtype, tq, tk);
  int32_t out = attend(r, a);
  if (int rank = givenType(q).rank; rank < 4) {
    Type to = r.trace.type(out);
    out = reshape(r, out, to.dims + 4 - rank, rank);
  }
  return result(r, out);
}

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
  int32_t visible = call(r, compare, {key, query}, AttrWords().integer(kLessEqual));
  int32_t hidden = broadcastTo(r, constant(r, -HUGE_VAL, scalar), type);
  return result(r, call(r, select, {visible, x, hidden}));
}

/// q [d_model, n], k and v [d_model, m]: heads are groups of rows.
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
  if (mask != R_NilValue)
    a.mask = useMatrixMask(r, mask, dtype, tq, tk);
  a.q = splitHeads(r, a.q, int64_t(h));
  a.k = splitHeads(r, a.k, int64_t(h));
  a.v = splitHeads(r, a.v, int64_t(h));
  int64_t dims[2] = {tq.dims[0], model};
  return result(r, reshape(r, transpose(r, attend(r, a), {0, 2, 1, 3}), dims, 2));
}
}
