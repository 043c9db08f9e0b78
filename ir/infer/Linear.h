//===- Linear.h - Inference of matrix products ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, or of batches of them with equal leading extents.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_LINEAR_H
#define TENON_IR_INFER_LINEAR_H

#include "ir/infer/Elementwise.h"

namespace tenon::infer {

inline bool inferMatmul(Call &call) {
  const Type &a = call.operand(0), &b = call.operand(1);
  bool ta = call.attrs.integer(0), tb = call.attrs.integer(1);
  char x[120], y[120]; // printed on failure only: recording an op takes less time than that
  if (!expectFloat(call, 0) || !expectFloat(call, 1))
    return false;
  if (a.dtype != b.dtype)
    return call.fail(Fault::Dtype, "operands need one dtype, got %s and %s", print(a, x, sizeof x),
                     print(b, y, sizeof y));
  if (a.rank < 2 || a.rank != b.rank)
    return call.fail("expected two tensors of one rank, at least 2, got %s and %s",
                     print(a, x, sizeof x), print(b, y, sizeof y));
  Type type = a;
  for (int i = 0; i < a.rank - 2; i++) {
    if (!requireEqual(a.dims[i], b.dims[i]))
      return call.fail("batch axis %d: expected equal extents, got %s and %s", i,
                       print(a, x, sizeof x), print(b, y, sizeof y));
    type.dims[i] = refine(a.dims[i], b.dims[i]);
  }
  int64_t m = a.dim(ta ? -1 : -2), k = a.dim(ta ? -2 : -1);
  int64_t kb = b.dim(tb ? -1 : -2), n = b.dim(tb ? -2 : -1);
  if (!requireEqual(k, kb))
    return call.fail("inner extents differ: %lld of %s%s and %lld of %s%s", (long long)k,
                     print(a, x, sizeof x), ta ? " transposed" : "", (long long)kb,
                     print(b, y, sizeof y), tb ? " transposed" : "");
  type.dims[type.rank - 2] = m;
  type.dims[type.rank - 1] = n;
  return call.give(type);
}

constexpr OpSpec linearOps[] = {
    {"matmul", "transpose_a:b transpose_b:b", 2, 2, inferMatmul},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_LINEAR_H
