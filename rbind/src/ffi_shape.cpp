//===- ffi_shape.cpp - Entry points of shape and index ops
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes and indices are converted here from R's: see ffi_elementwise.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <climits>
#include <cmath>

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

namespace {

/// What a list of tensors and numbers has in common: the tensors decide, then numbers
/// adapt to them.
tenon_dtype promoteAll(Recorder &r, SEXP list) {
  PROTECT_INDEX at;
  SEXP common = nullptr; // a value or numbers that stand for all seen so far
  PROTECT_WITH_INDEX(R_NilValue, &at);
  tenon_dtype dtype = defaultDtype;
  for (bool numbers : {false, true})
    for (R_xlen_t i = 0; i < Rf_xlength(list); i++) {
      SEXP x = resolve(VECTOR_ELT(list, i));
      if ((dtypeOf(r, x) < 0) != numbers)
        continue;
      dtype = promote(r, common ? common : x, x, false);
      if (numbers && (!common || dtypeOf(r, common) < 0))
        common = x; // no tensors: the default whatever the numbers are
      else if (!common || dtypeOf(r, common) != dtype)
        REPROTECT(common = newValue(scalarStorage(0, dtype)), at);
    }
  UNPROTECT(1);
  return dtype;
}

} // namespace

extern "C" {

SEXP C_reshape(SEXP x, SEXP dim) {
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  int64_t dims[kMaxRank], count = countOf(r.trace.type(id));
  int rank = wholeReversed(dim, "dim", dims), open = -1;
  for (int i = 0; i < rank; i++)
    if (dims[i] == -1 && open < 0)
      open = i;
    else if (dims[i] < 0)
      fail(TENON_ERROR_SHAPE, "dim: expected extents of at least 0 and at most one -1, got %lld",
           (long long)dims[i]);
  Type to = Type::make(TENON_F64, {});
  to.rank = rank;
  std::copy(dims, dims + rank, to.dims);
  if (open >= 0) {
    to.dims[open] = 1;
    int64_t rest = countOf(to);
    to.dims[open] = dims[open] = rest ? count / rest : 0;
  }
  if (countOf(to) != count) {
    char text[120];
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
  tenon_dtype dtype = promoteAll(r, list);
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
           shapeText(type, s, sizeof s), (long long)(type.rank - at), shapeText(other, t, sizeof t),
           int(i) + 1);
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
  return result(r, call(r, op, {id},
                        AttrWords().list(lo, rank).list(hi, rank).real(numberOf(value, "value"))));
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
  return wide == id && isValue(x) ? x : resultOrInput(r, wide);
}

SEXP C_full(SEXP value, SEXP dim, SEXP dtype) {
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  bool isNaN = TYPEOF(value) == REALSXP && Rf_xlength(value) == 1 && ISNAN(REAL(value)[0]);
  double number = isNaN ? REAL(value)[0] : numberOf(value, "value");
  if (!type.isFloat() && (isNaN || number != std::floor(number)))
    fail(TENON_ERROR_ARGUMENT, "value: expected a whole number for dtype %s, got %g",
         tenon_dtype_name(type.dtype), number);
  return result(r, constant(r, number, type));
}

/// 1, 2, ... along an R axis.
SEXP C_iota(SEXP dim, SEXP axis, SEXP dtype) {
  static const int op = findOp("iota"), add = findOp("add");
  Recorder &r = begin();
  Type type = shapeOf(dim, dtypeFromName(dtype), "dim");
  int64_t at = axisOf(axis, type.rank, "axis");
  int32_t id =
      call(r, op, nullptr, 0, AttrWords().list(type.dims, type.rank).integer(at).dtype(type.dtype));
  return result(r, call(r, add, {id, constant(r, 1, type)}));
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
}
