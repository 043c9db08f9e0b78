//===- LinesScatter.cpp - Sums of elements of lines by number -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker takes the updates of its lines in order.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/strategies/ScatterOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

/// One task of a scatter, whose lines go together through the updates, in the order in which
/// these lie.
struct ScatterTask {
  KernelFrame &frame;
  ScatterAlongOp op;
  Lines &lines;
  ElementEmitter e;
  SmallVector<LaneIndex> at; ///< in the operands and the result
  Value begin, end;          ///< of the lines
  Value result;
  Value staging; ///< sums of these lines before they are stored; null: `result` holds them

  Value sums() const { return staging ? staging : result; }

  void setRow(Value row) { at[op.getAxis()] = e.uniform(row); }

  /// Where the sum of a row and the line `at` lies.
  SmallVector<LaneIndex> placeOfSum(Value row) {
    if (!staging) {
      setRow(row);
      return at;
    }
    Value column = frame.index(0);
    if (lines.areSideBySide())
      column = frame.builder().create<arith::SubIOp>(frame.loc(), at.back().base, begin);
    return {e.uniform(row), e.uniform(column)};
  }

  /// Rows of the lines, the elements of a row side by side.
  void forEach(Value rows, llvm::function_ref<void(Value row)> visit) {
    emitLoop(frame, frame.index(0), rows, {}, [&](Value row, ValueRange) {
      emitLoop(frame, begin, end, {}, [&](Value column, ValueRange) {
        if (lines.areSideBySide())
          at.back() = e.uniform(column);
        visit(row);
        return Values();
      });
      return Values();
    });
  }

  /// Adds the update of a row to the sum that its id names, if there is one.
  void addUpdate(Value row, Value rows) {
    OpBuilder &b = frame.builder();
    Location loc = frame.loc();
    setRow(row);
    Value id = e.emit(op.getIds(), at);
    id = b.create<arith::IndexCastOp>(loc, b.getIndexType(), id);
    Value known = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, id, rows);
    auto mine = b.create<scf::IfOp>(loc, known, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(mine.thenBlock());
    Value update = e.emit(op.getUpdates(), at);
    auto place = placeOfSum(id);
    e.store(Num(b, loc, e.load(sums(), place)) + Num(b, loc, update), sums(), place);
  }

  void storeSum(Value row) {
    Value sum = e.load(staging, placeOfSum(row));
    setRow(row);
    e.store(sum, result, at);
  }
};

} // namespace

/// Where there are no workers.
static void emitOrdered(KernelFrame &frame, ScatterAlongOp op, Lines &lines) {
  Value y = op.getResult(), updates = op.getUpdates();
  int64_t axis = op.getAxis();
  using Indices = OrderedScatter::Indices;
  auto placeOf = [&](ElementEmitter &e, Indices line, Value number) {
    SmallVector<LaneIndex> place(line);
    place[axis] = e.uniform(number);
    return place;
  };
  auto id = [&](ElementEmitter &e, Indices line, Value number) {
    return e.emit(op.getIds(), placeOf(e, line, number));
  };
  auto update = [&](ElementEmitter &e, Indices line, Value number, Indices) {
    return e.emit(updates, placeOf(e, line, number));
  };
  auto store = [&](ElementEmitter &e, Indices line, Value row, Indices, Value sum) {
    e.store(sum, bufferOf(frame, y), placeOf(e, line, row));
  };
  BodyBuffers &buffers = lines.buffers();
  Type type = ElementEmitter::computeType(getElementTypeOrSelf(y.getType()));
  emitScatter({frame,
               lines,
               buffers,
               buffers.extentOf(updates, axis),
               buffers.extentOf(y, axis),
               {},
               type,
               id,
               update,
               store});
}

void emitScatterAlong(KernelFrame &frame, ScatterAlongOp op) {
  OpBuilder &b = frame.builder();
  int64_t axis = op.getAxis(), width = 64;
  Value y = op.getResult(), updates = op.getUpdates();
  Type element = getElementTypeOrSelf(y.getType()), compute = ElementEmitter::computeType(element);
  Lines lines(frame, updates, axis, width);
  if (!frame.hasWorkers())
    return emitOrdered(frame, op, lines);
  BodyBuffers &buffers = lines.buffers();
  AffineExpr extent = buffers.extentOf(y, axis);
  std::optional<unsigned> staged; // sums in f32 before they are stored in f16
  if (compute != element)
    staged = frame.addWorkerScratch(
        compute, {extent, b.getAffineConstantExpr(lines.areSideBySide() ? width : 1)});
  std::optional<int64_t> work = extentAlong(updates, axis), size = extentAlong(y, axis);
  if (work && size)
    work = *work + *size;
  lines.forEachTask(work, [&](SmallVector<LaneIndex> indices, Value begin, Value end) {
    ScatterTask task{frame,
                     op,
                     lines,
                     ElementEmitter(frame, 1, nullptr, &buffers),
                     indices,
                     begin,
                     end,
                     bufferOf(frame, y),
                     staged ? frame.scratch(*staged) : Value()};
    Value rows = buffers.emit(extent), count = buffers.emit(buffers.extentOf(updates, axis));
    Value zero = splatConstant(b, frame.loc(), compute, 0);
    task.forEach(rows, [&](Value row) { task.e.store(zero, task.sums(), task.placeOfSum(row)); });
    task.forEach(count, [&](Value row) { task.addUpdate(row, rows); });
    if (staged)
      task.forEach(rows, [&](Value row) { task.storeSum(row); });
  });
}

} // namespace tenon::cpu
