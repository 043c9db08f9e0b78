//===- Attention.cpp - Random attention -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

namespace {
struct Heads {
  Value q, k, v, mask;
  AttrWords attrs;
};
} // namespace

static Heads heads(Generator &g) {
  Heads h;
  h.q = g.findOr([&](Value v) { return g.type(v).isFloat() && g.type(v).rank == 4; },
                 [&] {
                   infer::Type type = g.randomType(g.floatType(), 4);
                   type.dims[0] = g.between(1, 2);
                   type.dims[1] = g.oneOf({1, 2, 4});
                   return type;
                 });
  const infer::Type q = g.type(h.q);
  infer::Type k = q;
  k.dims[1] = q.dims[1] % 2 == 0 && g.chance(0.4) ? q.dims[1] / 2 : q.dims[1];
  k.dims[2] = g.chance(0.5) ? q.dims[2] : g.extent();
  infer::Type v = k;
  v.dims[3] = g.chance(0.7) ? k.dims[3] : g.extent();
  auto valueOf = [&](const infer::Type &type) {
    return g.findOr(
        [&](Value x) { return g.type(x).dtype == type.dtype && infer::sameShape(g.type(x), type); },
        [&] { return type; });
  };
  h.k = valueOf(k);
  h.v = valueOf(v);
  if (g.chance(0.4)) {
    infer::Type mask = q;
    // An extent that is known at run time is that of q.
    mask.dims[0] = !g.isAllDynamic() && g.chance(0.5) ? 1 : q.dims[0];
    mask.dims[1] = !g.isAllDynamic() && g.chance(0.5) ? 1 : q.dims[1];
    mask.dims[3] = k.dims[2];
    mask.dtype = g.typeOf({TENON_I1, q.dtype});
    h.mask = g.input(mask);
  }
  h.attrs.real(g.oneOf({0.125, 0.5, 1.0})).boolean(g.chance(0.4));
  return h;
}

static bool attention(Generator &g, StringRef name) {
  Heads h = heads(g);
  return g.emit(name, {h.q, h.k, h.v, h.mask}, h.attrs);
}

static bool attentionGrad(Generator &g, StringRef name) {
  Heads h = heads(g);
  Value o = g.make("attention", {h.q, h.k, h.v, h.mask}, h.attrs);
  if (!o)
    return false;
  Value lse = o.getDefiningOp()->getResult(1);
  bool maskGrad = h.mask && g.type(h.mask).isFloat() && g.chance(0.5);
  SmallVector<Value> operands{h.q, h.k, h.v};
  if (h.mask)
    operands.push_back(h.mask);
  operands.append({o, lse, g.like(o)});
  return g.emit(name, operands, h.attrs.boolean(maskGrad));
}

void attachAttention(MLIRContext *context) {
  attach<attention, AttentionOp>(context);
  attach<attentionGrad, AttentionGradOp>(context);
}

} // namespace tenon::fuzz
