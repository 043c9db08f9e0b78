//===- ScatterOrder.cpp - Sums by number where there are teams ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of the updates are sorted by their rows, those of one row in order, so that
// every element of the table adds up its own updates, in an order that depends on nothing
// else. Sorted ones are cut into pieces: a piece that begins in the middle of a row has the
// sum of what is of that row, and a row with many updates adds these up.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/ScatterOrder.h"

#include "codegen/cpu/Num.h"
#include "codegen/cpu/strategies/LinesOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

/// Sorted updates of a piece, and updates of which every element looks at all.
constexpr int64_t kPiece = 64;

namespace {

class ScatterOrder : OrderedScatter {
public:
  explicit ScatterOrder(const OrderedScatter &scatter) : OrderedScatter(scatter) {}
  void emit();

private:
  using Visit = llvm::function_ref<void(ElementEmitter &, Indices line, Value lineNumber,
                                        Value number, Indices column)>;
  Value load(unsigned scratch, ValueRange at);
  Value rowOf(ElementEmitter &e, Indices line, Value number);
  void forEach(AffineExpr numbers, Visit visit);
  Value add(Value x, Value y);
  void emitDirectly();
  void order();
  void findStarts();
  void sumHeads();
  void sumRows();
  Value sumRange(ElementEmitter &e, Indices line, Value lineNumber, Indices column, Value begin,
                 Value end);
  SmallVector<Value> headAt(Value line, Value piece, Indices column);

  unsigned keys = 0, numbers = 0, starts = 0, heads = 0; ///< scratch
};

} // namespace

Value ScatterOrder::load(unsigned scratch, ValueRange at) {
  return frame.builder().create<memref::LoadOp>(frame.loc(), frame.scratch(scratch), at);
}

Value ScatterOrder::add(Value x, Value y) {
  return Num(frame.builder(), frame.loc(), x) + Num(frame.builder(), frame.loc(), y);
}

/// The row of an update, in 32 bits; of an id out of range the one behind the last.
Value ScatterOrder::rowOf(ElementEmitter &e, Indices line, Value number) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  Value x = id(e, line, number);
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = b.create<arith::ExtSIOp>(loc, b.getI32Type(), x);
  Value end = b.create<arith::IndexCastOp>(loc, x.getType(), buffers.emit(rows));
  Value isThere = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, end);
  x = b.create<arith::SelectOp>(loc, isThere, x, end);
  return x.getType().isInteger(32) ? x : b.create<arith::TruncIOp>(loc, b.getI32Type(), x);
}

/// All columns of so many numbers of each line.
void ScatterOrder::forEach(AffineExpr numbers, Visit visit) {
  SmallVector<AffineExpr> extents{numbers};
  AffineExpr all = numbers;
  for (AffineExpr extent : columns) {
    extents.push_back(extent);
    all = all * extent;
  }
  lines.forEachPiece(all, 1, [&](SmallVector<LaneIndex> line, LinePiece piece) {
    ElementEmitter e(frame, 1, nullptr, &buffers);
    SmallVector<LaneIndex> at;
    for (Value i : delinearize(frame, buffers, piece.number, extents))
      at.push_back(e.uniform(i));
    visit(e, line, piece.line, at.front().base, Indices(at).drop_front());
  });
}

void ScatterOrder::emitDirectly() {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  forEach(rows, [&](ElementEmitter &e, Indices line, Value, Value row, Indices column) {
    Value own = b.create<arith::IndexCastOp>(loc, b.getI32Type(), row);
    Value zero = splatConstant(b, loc, type, 0);
    Value sum = emitLoop(
        frame, frame.index(0), buffers.emit(count), {zero}, [&](Value i, ValueRange before) {
          Value isOwn =
              b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rowOf(e, line, i), own);
          auto branch = b.create<scf::IfOp>(loc, before.getTypes(), isOwn, /*withElse=*/true);
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(branch.thenBlock());
          b.create<scf::YieldOp>(loc, add(before[0], update(e, line, i, column)));
          b.setInsertionPointToStart(branch.elseBlock());
          b.create<scf::YieldOp>(loc, before);
          return Values{branch.getResult(0)};
        })[0];
    store(e, line, row, column, sum);
  });
}

void ScatterOrder::order() {
  OpBuilder &b = frame.builder();
  keys = frame.addSharedScratch(b.getI32Type(), {lines.count(), count});
  numbers = frame.addSharedScratch(b.getI32Type(), {lines.count(), count});
  LineOrder(frame, lines, count, std::nullopt, b.getI32Type())
      .emit(
          [&](Indices line, Value place) {
            ElementEmitter e(frame, 1, nullptr, &buffers);
            return rowOf(e, line, place);
          },
          [&](Indices, Value line, LineOrder::Sorted sorted) {
            SmallVector<Value> at{line, sorted.rank};
            b.create<memref::StoreOp>(frame.loc(), sorted.key, frame.scratch(keys), at);
            b.create<memref::StoreOp>(frame.loc(), sorted.number, frame.scratch(numbers), at);
          });
}

/// Where each row begins among the sorted, and behind the last where that one ends.
void ScatterOrder::findStarts() {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  starts = frame.addSharedScratch(b.getIndexType(), {lines.count(), rows + 1});
  lines.forEachPiece(rows + 1, 1, [&](Indices, LinePiece piece) {
    Value row = b.create<arith::IndexCastOp>(loc, b.getI32Type(), piece.number);
    Type index = b.getIndexType();
    auto search = b.create<scf::WhileOp>(loc, TypeRange{index, index},
                                         ValueRange{frame.index(0), buffers.emit(count)});
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&search.getBefore(), {}, {index, index}, {loc, loc});
    Value more = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, before->getArgument(0),
                                         before->getArgument(1));
    b.create<scf::ConditionOp>(loc, more, before->getArguments());
    Block *after = b.createBlock(&search.getAfter(), {}, {index, index}, {loc, loc});
    Value begin = after->getArgument(0), end = after->getArgument(1);
    Value middle = b.create<arith::AddIOp>(loc, begin, end);
    middle = b.create<arith::ShRUIOp>(loc, middle, frame.index(1));
    Value isBelow = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                            load(keys, {piece.line, middle}), row);
    Value next = b.create<arith::AddIOp>(loc, middle, frame.index(1));
    Value from = b.create<arith::SelectOp>(loc, isBelow, next, begin);
    Value to = b.create<arith::SelectOp>(loc, isBelow, end, middle);
    b.create<scf::YieldOp>(loc, ValueRange{from, to});
    b.setInsertionPointAfter(search);
    b.create<memref::StoreOp>(loc, search.getResult(0), frame.scratch(starts),
                              ValueRange{piece.line, piece.number});
  });
}

/// The sum of sorted updates, all of one row.
Value ScatterOrder::sumRange(ElementEmitter &e, Indices line, Value lineNumber, Indices column,
                             Value begin, Value end) {
  OpBuilder &b = frame.builder();
  Value zero = splatConstant(b, frame.loc(), type, 0);
  return emitLoop(frame, begin, end, {zero}, [&](Value i, ValueRange sum) {
    Value number =
        b.create<arith::IndexCastOp>(frame.loc(), b.getIndexType(), load(numbers, {lineNumber, i}));
    return Values{add(sum[0], update(e, line, number, column))};
  })[0];
}

SmallVector<Value> ScatterOrder::headAt(Value line, Value piece, Indices column) {
  SmallVector<Value> at{line, piece};
  for (const LaneIndex &index : column)
    at.push_back(index.base);
  return at;
}

/// Of each piece what is of the row that the piece before ends with.
void ScatterOrder::sumHeads() {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  SmallVector<AffineExpr> shape{lines.count(), count.ceilDiv(kPiece)};
  llvm::append_range(shape, columns);
  heads = frame.addSharedScratch(type, shape);
  forEach(count.ceilDiv(kPiece),
          [&](ElementEmitter &e, Indices line, Value lineNumber, Value piece, Indices column) {
            Value begin = b.createOrFold<arith::MulIOp>(loc, piece, frame.index(kPiece));
            Value end = b.createOrFold<arith::AddIOp>(loc, begin, frame.index(kPiece));
            Value row = b.create<arith::IndexCastOp>(loc, b.getIndexType(),
                                                     load(keys, {lineNumber, begin}));
            // Of those behind the last row nobody asks.
            row = b.create<arith::MinUIOp>(
                loc, row, b.createOrFold<arith::SubIOp>(loc, buffers.emit(rows), frame.index(1)));
            Value next = b.create<arith::AddIOp>(loc, row, frame.index(1));
            end = b.create<arith::MinUIOp>(loc, end, load(starts, {lineNumber, next}));
            Value isInside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                                     load(starts, {lineNumber, row}), begin);
            auto branch = b.create<scf::IfOp>(loc, isInside, /*withElse=*/false);
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(branch.thenBlock());
            b.create<memref::StoreOp>(loc, sumRange(e, line, lineNumber, column, begin, end),
                                      frame.scratch(heads), headAt(lineNumber, piece, column));
          });
}

void ScatterOrder::sumRows() {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  forEach(rows, [&](ElementEmitter &e, Indices line, Value lineNumber, Value row, Indices column) {
    Value next = b.createOrFold<arith::AddIOp>(loc, row, frame.index(1));
    Value begin = load(starts, {lineNumber, row}), end = load(starts, {lineNumber, next});
    Value piece = b.create<arith::DivUIOp>(loc, begin, frame.index(kPiece));
    piece = b.create<arith::AddIOp>(loc, piece, frame.index(1));
    Value stop = b.create<arith::MulIOp>(loc, piece, frame.index(kPiece));
    stop = b.create<arith::MinUIOp>(loc, stop, end);
    Value sum = sumRange(e, line, lineNumber, column, begin, stop);
    Value pieces = b.create<arith::CeilDivUIOp>(loc, end, frame.index(kPiece));
    sum = emitLoop(frame, piece, pieces, {sum}, [&](Value i, ValueRange before) {
      return Values{add(before[0], load(heads, headAt(lineNumber, i, column)))};
    })[0];
    store(e, line, row, column, sum);
  });
}

void ScatterOrder::emit() {
  if (constantOf(rows) == 0)
    return;
  if (constantOf(count).value_or(kPiece + 1) <= kPiece)
    return emitDirectly();
  order();
  findStarts();
  sumHeads();
  sumRows();
}

void emitScatter(const OrderedScatter &scatter) { ScatterOrder(scatter).emit(); }

} // namespace tenon::cpu
