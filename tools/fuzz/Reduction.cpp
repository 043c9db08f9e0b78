//===- Reduction.cpp - Random reductions ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static bool reduce(Generator &g, StringRef name) {
  Value x = name == "reduce_mean" ? g.anyFloat() : g.anyNumber();
  SmallVector<int64_t> axes;
  for (int axis = 0; axis < g.type(x).rank; axis++)
    if (g.chance(0.5))
      axes.push_back(axis);
  return g.emit(name, {x}, AttrWords().list(axes.data(), int(axes.size())).boolean(g.chance(0.4)));
}

static bool argument(Generator &g, StringRef name) {
  Value x = g.anyNumber();
  int rank = g.type(x).rank;
  int64_t axis = rank > 0 ? g.between(0, rank - 1) : 0;
  return rank > 0 && g.type(x).dims[axis] > 0 && g.emit(name, {x}, AttrWords().integer(axis));
}

void attachReduction(MLIRContext *context) {
  attach<reduce, ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>(context);
  attach<argument, ArgmaxOp, ArgminOp>(context);
}

} // namespace tenon::fuzz
