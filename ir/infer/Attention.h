//===- Attention.h - Inference of attention ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and its gradient check the same geometry; what the one gives, the other
// takes back.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_INFER_ATTENTION_H
#define TENON_IR_INFER_ATTENTION_H

#include "ir/infer/Elementwise.h"

namespace tenon::infer {

/// The statistics of a row are kept in at least single precision.
inline tenon_dtype accumulatorType(tenon_dtype dtype) {
  return dtype == TENON_F64 ? TENON_F64 : TENON_F32;
}

/// q[b,h,n,d] k[b,g,m,d] v[b,g,m,e], h a multiple of g; mask, operand 3, is
/// i1 or float [b or 1, h or 1, n, m].
inline bool checkAttention(Call &call) {
  const Type &q = call.operand(0), &k = call.operand(1), &v = call.operand(2);
  char x[120], y[120], z[120];
  print(q, x, sizeof x), print(k, y, sizeof y), print(v, z, sizeof z);
  if (!expectFloat(call, 0))
    return false;
  if (q.dtype != k.dtype || q.dtype != v.dtype)
    return call.fail(Fault::Dtype, "q, k, v need one dtype, got %s, %s and %s", x, y, z);
  if (q.rank != 4 || k.rank != 4 || v.rank != 4)
    return call.fail("expected q[b,h,n,d], k[b,g,m,d], v[b,g,m,e], got %s, %s and %s", x, y, z);
  if (!requireEqual(q.dims[0], k.dims[0]) || !requireEqual(q.dims[0], v.dims[0]))
    return call.fail("batch extents differ: q %s, k %s, v %s", x, y, z);
  if (!requireEqual(k.dims[1], v.dims[1]))
    return call.fail("k and v need the same heads, got %s and %s", y, z);
  int64_t h = q.dims[1], g = k.dims[1];
  if (!requireMultiple(h, g))
    return call.fail("query heads must be a multiple of key heads, got %s and %s", x, y);
  if (!requireEqual(q.dims[3], k.dims[3]))
    return call.fail("head widths of q and k differ: %s and %s", x, y);
  if (!requireEqual(k.dims[2], v.dims[2]))
    return call.fail("k and v need the same number of keys, got %s and %s", y, z);
  if (call.has(3)) {
    const Type &mask = call.operand(3);
    bool fits = mask.rank == 4 && (mask.isFloat() || mask.isBool()) &&
                (mask.dims[0] == 1 || requireEqual(mask.dims[0], q.dims[0])) &&
                (mask.dims[1] == 1 || requireEqual(mask.dims[1], h)) &&
                requireEqual(mask.dims[2], q.dims[2]) && requireEqual(mask.dims[3], k.dims[2]);
    if (!fits)
      return call.fail(
          "mask: expected i1 or float [b or 1, h or 1, n, m] for q %s and k %s, got %s", x, y,
          print(mask, z, sizeof z));
  }
  return true;
}

inline Type attentionOutput(const Call &call) {
  Type o = call.operand(0);
  o.dims[3] = call.operand(2).dims[3];
  return o;
}
inline Type attentionLse(const Call &call) {
  Type lse = call.operand(0);
  lse.rank = 3;
  lse.dtype = accumulatorType(lse.dtype);
  return lse;
}

inline bool inferAttention(Call &call) {
  return checkAttention(call) && call.give(attentionOutput(call)) && call.give(attentionLse(call));
}

/// q k v mask? o lse do -> dq dk dv, and dmask when `mask_grad`. Six operands are
/// those without the mask.
inline bool inferAttentionGrad(Call &call) {
  const Type *all[7];
  for (int i = 0; i < 7; i++)
    all[i] = call.numOperands == 7 ? call.operands[i]
             : i == 3              ? nullptr
                                   : call.operands[i - (i > 3)];
  call.operands = all;
  call.numOperands = 7;
  if (!checkAttention(call))
    return false;
  Type o = attentionOutput(call), lse = attentionLse(call);
  char a[120], b[120];
  for (int i = 4; i < 7; i++) {
    const Type &expected = i == 5 ? lse : o;
    if (call.operand(i).dtype != expected.dtype || !sameShape(call.operand(i), expected))
      return call.fail(faultBetween(call.operand(i), expected), "operand %d: expected %s, got %s",
                       i, print(expected, a, sizeof a), print(call.operand(i), b, sizeof b));
  }
  for (int i = 0; i < 3; i++)
    call.give(call.operand(i));
  if (!call.attrs.integer(2))
    return true;
  if (!call.has(3) || !call.operand(3).isFloat())
    return call.fail(Fault::Dtype, "mask_grad needs a float mask");
  return call.give(call.operand(3));
}

constexpr OpSpec attentionOps[] = {
    {"attention", "scale:f causal:b", 3, 4, inferAttention},
    {"attention_grad", "scale:f causal:b mask_grad:b", 6, 7, inferAttentionGrad},
};

} // namespace tenon::infer

#endif // TENON_IR_INFER_ATTENTION_H
