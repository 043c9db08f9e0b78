//===- Window.cpp - Elements of sliding windows ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

using Indices = ArrayRef<LaneIndex>;
using OwnedIndices = SmallVector<LaneIndex, 4>;

static AffineExpr constant(MLIRContext *context, int64_t value) {
  return getAffineConstantExpr(value, context);
}

static Value emitWindows(ElementEmitter &e, WindowsOp op, Indices indices) {
  MLIRContext *context = op.getContext();
  size_t windowed = op.getSizes().size(), leading = indices.size() - 2 * windowed;
  OwnedIndices source(indices.take_front(leading));
  for (size_t i = 0; i < windowed; i++) {
    LaneIndex within = indices[leading + i], place = indices[leading + windowed + i];
    source.push_back(e.plus(e.times(place, constant(context, op.getStrides()[i])),
                            e.times(within, constant(context, op.getDilations()[i]))));
  }
  return e.emit(op.getX(), source);
}

namespace {
/// One element of a fold: a loop over the places within a window, which adds what a
/// window with that place here holds, if there is such a window.
class FoldEmitter {
public:
  FoldEmitter(ElementEmitter &e, FoldWindowsOp op, Indices indices)
      : e(e), b(e.builder()), op(op), windowed(op.getExtents().size()),
        leading(indices.size() - windowed), indices(indices), source(indices.take_front(leading)) {
    source.resize(leading + 2 * windowed);
  }

  Value emit() {
    Value zero = e.constantOf(op.getResult(), 0);
    bool vector = e.numLanes() > 1;
    return overPlaces(0, vector ? e.splat(zero) : zero);
  }

private:
  /// `sum` and all that the places of axis `axis` and of those after it add.
  Value overPlaces(size_t axis, Value sum) {
    if (axis == windowed)
      return add(sum);
    Location loc = e.loc();
    int64_t size = cast<RankedTensorType>(op.getX().getType()).getDimSize(leading + axis);
    auto loop = b.create<scf::ForOp>(loc, e.index(0), e.index(size), e.index(1), sum);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value place = loop.getInductionVar();
    source[leading + axis] = e.uniform(place);
    Value reach = b.create<arith::MulIOp>(loc, place, e.index(-op.getDilations()[axis]));
    LaneIndex distance = e.plus(indices[leading + axis], e.uniform(reach));
    // Below 0 a quotient is beyond any extent: it divides unsigned.
    auto [window, rest] =
        e.divide(distance, constant(op.getContext(), op.getStrides()[axis]), /*crosses=*/true);
    source[leading + windowed + axis] = window;
    windows.push_back(window), rests.push_back(rest);
    Value next = overPlaces(axis + 1, loop.getRegionIterArg(0));
    windows.pop_back(), rests.pop_back();
    b.create<scf::YieldOp>(loc, next);
    return loop.getResult(0);
  }

  Value add(Value sum) {
    Location loc = e.loc();
    Value uniform, perLane;
    for (size_t axis = 0; axis < windowed; axis++) {
      Value limit = e.extent(op.getX(), leading + windowed + axis);
      require(uniform, perLane, arith::CmpIPredicate::ult, windows[axis], limit);
      if (op.getStrides()[axis] > 1)
        require(uniform, perLane, arith::CmpIPredicate::eq, rests[axis], e.index(0));
    }
    Value zero = e.constantOf(op.getResult(), 0);
    auto element = [&] { return e.emit(op.getX(), source); };
    auto lanes = [&] { return perLane ? e.guarded(perLane, zero, element) : element(); };
    Value x = uniform ? e.guarded(uniform, zero, lanes) : lanes();
    if (isa<VectorType>(sum.getType()))
      x = e.splat(x);
    return (Num(b, loc, sum) + Num(b, loc, x)).v;
  }

  void require(Value &uniform, Value &perLane, arith::CmpIPredicate predicate, LaneIndex index,
               Value limit) {
    Value x = e.valueOf(index);
    if (isa<VectorType>(x.getType()))
      limit = e.splat(limit);
    Value holds = b.create<arith::CmpIOp>(e.loc(), predicate, x, limit);
    Value &all = isa<VectorType>(holds.getType()) ? perLane : uniform;
    all = all ? b.create<arith::AndIOp>(e.loc(), all, holds) : holds;
  }

  ElementEmitter &e;
  OpBuilder &b;
  FoldWindowsOp op;
  size_t windowed, leading;
  Indices indices;
  OwnedIndices source;
  SmallVector<LaneIndex, 3> windows, rests; ///< of the axes so far
};
} // namespace

void addWindowRules(ElementRules &rules) {
  rules.add<WindowsOp>([](ElementEmitter &e, WindowsOp op, unsigned, Indices indices) {
    return emitWindows(e, op, indices);
  });
  rules.add<FoldWindowsOp>([](ElementEmitter &e, FoldWindowsOp op, unsigned, Indices indices) {
    return FoldEmitter(e, op, indices).emit();
  });
}

} // namespace tenon::cpu
