//===- RowsScatter.cpp - Sums of rows by number ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice owns a range of rows of the table and takes, in order, all updates that go
// there. The ids are read once for each slice; the updates once. Where there are no workers
// ScatterOrder has another way.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "codegen/cpu/strategies/ScatterOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

class Scatter {
public:
  Scatter(RowsBody &body, ScatterAddOp op);
  void emit();

private:
  /// A loop nest over the axes behind the row, lanes along the last.
  void forEachColumn(ElementEmitter &e, llvm::function_ref<void(ArrayRef<LaneIndex>)> visit);
  void emitRows(Value begin, Value end);
  void emitOrdered();
  Value table() { return staged ? frame.scratch(*staged) : body.buffers->buffer(output); }

  RowsBody &body;
  KernelFrame &frame;
  ScatterAddOp op;
  unsigned output;
  int64_t idRank;
  SmallVector<AffineExpr> ids, columns;
  std::optional<unsigned> staged; ///< sums in f32 before they are stored in f16
};

} // namespace

static constexpr int64_t kSlices = 8;

Scatter::Scatter(RowsBody &body, ScatterAddOp op)
    : body(body), frame(body.frame), op(op), output(body.outputs.front().buffer),
      idRank(cast<RankedTensorType>(op.getIds().getType()).getRank()) {
  auto updates = cast<RankedTensorType>(op.getUpdates().getType());
  for (int64_t i = 0; i < updates.getRank(); i++)
    (i < idRank ? ids : columns).push_back(body.buffers->extentOf(op.getUpdates(), i));
  Type element = updates.getElementType(), compute = ElementEmitter::computeType(element);
  if (compute != element && frame.hasWorkers()) {
    SmallVector<AffineExpr> shape{body.buffers->extentOf(op.getResult(), 0)};
    llvm::append_range(shape, columns);
    staged = frame.addSharedScratch(compute, shape);
  }
}

void Scatter::forEachColumn(ElementEmitter &e,
                            llvm::function_ref<void(ArrayRef<LaneIndex>)> visit) {
  SmallVector<LaneIndex> indices(columns.size());
  std::function<void(size_t)> nest = [&](size_t depth) {
    if (depth == columns.size())
      return visit(indices);
    Value end = body.buffers->emit(columns[depth]);
    if (depth + 1 == columns.size()) {
      emitVectorLoop(frame, e.numLanes(), frame.index(0), end, {},
                     [&](LaneIndex at, Value mask, ValueRange) {
                       indices[depth] = at;
                       e.setMask(mask);
                       visit(indices);
                       e.setMask(nullptr);
                       return Values();
                     });
      return;
    }
    emitLoop(frame, frame.index(0), end, {}, [&](Value i, ValueRange) {
      indices[depth] = e.uniform(i);
      nest(depth + 1);
      return Values();
    });
  };
  nest(0);
}

void Scatter::emitRows(Value begin, Value end) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  ElementEmitter e(frame, columns.empty() ? 1 : body.lanes, nullptr, body.buffers.get());
  Type type = ElementEmitter::computeType(getElementTypeOrSelf(op.getUpdates().getType()));
  auto placed = [&](Value row, ArrayRef<LaneIndex> column) {
    SmallVector<LaneIndex> place{e.uniform(row)};
    llvm::append_range(place, column);
    return place;
  };
  emitLoop(frame, begin, end, {}, [&](Value row, ValueRange) {
    forEachColumn(e, [&](ArrayRef<LaneIndex> column) {
      e.store(e.splat(splatConstant(b, loc, type, 0)), table(), placed(row, column));
    });
    return Values();
  });
  AffineExpr count = getAffineConstantExpr(1, op.getContext());
  for (AffineExpr extent : ids)
    count = count * extent;
  emitLoop(frame, frame.index(0), body.buffers->emit(count), {}, [&](Value number, ValueRange) {
    SmallVector<LaneIndex> at;
    for (Value i : delinearize(frame, *body.buffers, number, ids))
      at.push_back(e.uniform(i));
    Value id = b.create<arith::IndexCastOp>(loc, b.getIndexType(), e.emit(op.getIds(), at));
    Value above = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, id, begin);
    Value below = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, id, end);
    auto mine = b.create<scf::IfOp>(loc, b.create<arith::AndIOp>(loc, above, below),
                                    /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(mine.thenBlock());
    forEachColumn(e, [&](ArrayRef<LaneIndex> column) {
      SmallVector<LaneIndex> from = at;
      llvm::append_range(from, column);
      Value update = e.emitVector(op.getUpdates(), from);
      Value sum = e.load(table(), placed(id, column));
      e.store(Num(b, loc, e.splat(sum)) + Num(b, loc, update), table(), placed(id, column));
    });
    return Values();
  });
  if (!staged)
    return;
  emitLoop(frame, begin, end, {}, [&](Value row, ValueRange) {
    forEachColumn(e, [&](ArrayRef<LaneIndex> column) {
      e.store(e.load(table(), placed(row, column)), body.buffers->buffer(output),
              placed(row, column));
    });
    return Values();
  });
}

void Scatter::emitOrdered() {
  Lines one(frame);
  using Indices = OrderedScatter::Indices;
  auto placeOf = [&](ElementEmitter &e, Value number) {
    SmallVector<LaneIndex> at;
    for (Value i : delinearize(frame, *body.buffers, number, ids))
      at.push_back(e.uniform(i));
    return at;
  };
  auto id = [&](ElementEmitter &e, Indices, Value number) {
    return e.emit(op.getIds(), placeOf(e, number));
  };
  auto update = [&](ElementEmitter &e, Indices, Value number, Indices column) {
    SmallVector<LaneIndex> at = placeOf(e, number);
    llvm::append_range(at, column);
    return e.emit(op.getUpdates(), at);
  };
  auto store = [&](ElementEmitter &e, Indices, Value row, Indices column, Value sum) {
    SmallVector<LaneIndex> at{e.uniform(row)};
    llvm::append_range(at, column);
    e.store(sum, body.buffers->buffer(output), at);
  };
  AffineExpr count = getAffineConstantExpr(1, op.getContext());
  for (AffineExpr extent : ids)
    count = count * extent;
  Type type = ElementEmitter::computeType(getElementTypeOrSelf(op.getUpdates().getType()));
  AffineExpr rows = body.buffers->extentOf(op.getResult(), 0);
  emitScatter({frame, one, *body.buffers, count, rows, columns, type, id, update, store});
}

void Scatter::emit() {
  if (!frame.hasWorkers())
    return emitOrdered();
  AffineExpr rows = body.buffers->extentOf(op.getResult(), 0);
  auto rowCount = constantOf(rows);
  AffineExpr work = getAffineConstantExpr(1, op.getContext());
  for (const auto &list : {ids, columns})
    for (AffineExpr extent : list)
      work = work * extent;
  auto updates = constantOf(work);
  if (rowCount && updates && *updates <= kSliceElements)
    return emitRows(frame.index(0), frame.index(*rowCount));
  Value count = body.buffers->emit(rows);
  Value chunk = body.buffers->emit(rows.ceilDiv(kSlices));
  chunk = frame.builder().create<arith::MaxUIOp>(frame.loc(), chunk, frame.index(1));
  frame.parallelFor(count, chunk, {},
                    [&](Value begin, Value end, ValueRange) { emitRows(begin, end); });
}

LogicalResult emitScatter(RowsBody &body) {
  for (Operation &op : body.kernel.getBody().front())
    if (auto scatter = dyn_cast<ScatterAddOp>(op)) {
      if (body.outputs.size() != 1 || body.outputs[0].value != scatter.getResult())
        return body.frame.kernel().emitOpError("expected a kernel of scatter_add that yields it "
                                               "and nothing else");
      Scatter(body, scatter).emit();
      return success();
    }
  llvm_unreachable("there is a scatter_add");
}

} // namespace tenon::cpu
