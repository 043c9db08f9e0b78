//===- ffi_linear.cpp - Entry points of matrix products
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are swapped here: see ffi_elementwise.cpp.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

using tenon::infer::findOp;

extern "C" {

/// A %*% B of R: (A B)^T = B^T A^T, and what R calls A is A^T in row-major terms.
SEXP C_matmul(SEXP x, SEXP y, SEXP transposeX, SEXP transposeY) {
  static const int op = findOp("matmul");
  Recorder &r = begin();
  bool tx = flagOf(transposeX, "matmul: transpose_a"),
       ty = flagOf(transposeY, "matmul: transpose_b");
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
}
