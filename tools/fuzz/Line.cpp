//===- Line.cpp - Random ops along one axis -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

static Value withAxes(Generator &g) {
  return g.findOr([&](Value v) { return g.type(v).rank > 0 && !g.type(v).isBool(); },
                  [&] { return g.randomType(g.numberType(), 1); });
}

static bool cumsum(Generator &g, StringRef name) {
  Value x = withAxes(g);
  return g.emit(name, {x},
                AttrWords()
                    .integer(g.between(0, g.type(x).rank - 1))
                    .boolean(g.chance(0.3))
                    .boolean(g.chance(0.3)));
}

static bool sort(Generator &g, StringRef name) {
  Value x = withAxes(g);
  int64_t axis = g.between(0, g.type(x).rank - 1);
  int64_t count = g.chance(0.5) ? -1 : g.between(0, g.type(x).dims[axis]);
  return g.emit(name, {x}, AttrWords().integer(axis).integer(count).boolean(g.chance(0.5)));
}

static bool gatherAlong(Generator &g, StringRef name) {
  Value x = g.findOr([&](Value v) { return g.type(v).rank > 0; },
                     [&] { return g.randomType(g.anyType(), 1); });
  infer::Type ids = g.type(x);
  int64_t axis = g.between(0, ids.rank - 1), extent = ids.dims[axis];
  if (extent == 0)
    return false;
  ids.dims[axis] = g.extent();
  if (!g.isSmall(ids))
    return false;
  return g.emit(name, {x, g.ids(extent, ids)}, AttrWords().integer(axis));
}

static bool scatterAlong(Generator &g, StringRef name) {
  Value updates = withAxes(g);
  int64_t extent = g.oneOf({1, 2, 5, 17});
  Value ids = g.ids(extent, g.type(updates));
  return g.emit(name, {ids, updates, {}},
                AttrWords().integer(g.between(0, g.type(updates).rank - 1)).integer(extent));
}

void attachLine(MLIRContext *context) {
  attach<cumsum, CumsumOp>(context);
  attach<sort, SortOp>(context);
  attach<gatherAlong, GatherAlongOp>(context);
  attach<scatterAlong, ScatterAlongOp>(context);
}

} // namespace tenon::fuzz
