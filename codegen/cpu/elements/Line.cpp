//===- Line.cpp - Elements of lines by number -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementRules.h"

using namespace mlir;

namespace tenon::cpu {

static Value emitGatherAlong(ElementEmitter &e, GatherAlongOp op, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  Value id = e.emit(op.getIds(), indices);
  id = b.create<arith::IndexCastOp>(e.loc(), withElement(id.getType(), b.getIndexType()), id);
  bool perLane = isa<VectorType>(id.getType());
  SmallVector<LaneIndex, 4> source(indices);
  source[op.getAxis()] = perLane ? LaneIndex{nullptr, 0, id, 1} : e.uniform(id);
  Value extent = e.extent(op.getX(), op.getAxis());
  // Below 0 it is beyond any extent: compared unsigned.
  Value known = b.create<arith::CmpIOp>(e.loc(), arith::CmpIPredicate::ult, id,
                                        perLane ? e.splat(extent) : extent);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getType()));
  Value missing = e.constantOf(op.getResult(), isFloat ? NAN : 0);
  return e.guarded(known, missing, [&] { return e.emit(op.getX(), source); });
}

void addLineRules(ElementRules &rules) {
  rules.add<GatherAlongOp>(
      [](ElementEmitter &e, GatherAlongOp op, unsigned, ArrayRef<LaneIndex> indices) {
        return emitGatherAlong(e, op, indices);
      });
}

} // namespace tenon::cpu
