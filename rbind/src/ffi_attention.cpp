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

} // namespace

extern "C" {

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
}
