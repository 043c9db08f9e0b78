//===- Linear.cpp - Random products of matrices ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static bool matmul(Generator &g, StringRef name) {
  Value a = g.findOr([&](Value v) { return g.type(v).isFloat() && g.type(v).rank >= 2; },
                     [&] { return g.randomType(g.floatType(), 2); });
  bool transposeA = g.chance(0.3), transposeB = g.chance(0.3);
  infer::Type wanted = g.type(a);
  int rank = wanted.rank;
  int64_t inner = wanted.dims[transposeA ? rank - 2 : rank - 1];
  wanted.dims[transposeB ? rank - 1 : rank - 2] = inner;
  int columns = transposeB ? rank - 2 : rank - 1;
  wanted.dims[columns] = g.extent();
  auto fits = [&](Value v) {
    infer::Type other = g.type(v);
    if (other.dtype != wanted.dtype || other.rank != rank)
      return false;
    other.dims[columns] = wanted.dims[columns];
    return infer::sameShape(other, wanted);
  };
  return g.emit(name, {a, g.findOr(fits, [&] { return wanted; })},
                AttrWords().boolean(transposeA).boolean(transposeB));
}

void attachLinear(MLIRContext *context) { attach<matmul, MatmulOp>(context); }

} // namespace tenon::fuzz
