//===- RowsApart.cpp - Elementwise kernels where there are no workers -----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a GPU neighbours compute neighbours, several each: in blocks, or, where a transpose
// moves the contiguous axis, in square tiles that turn in the team's memory.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/elements/Random.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

/// Elements of a team's block, and how many each member computes: as far apart as there are
/// members, so that neighbours read neighbours, all loads before the stores.
constexpr int64_t kBlockMembers = 256, kBlockEach = 4, kBlock = kBlockMembers * kBlockEach;
/// Fewer are computed one by one: blocks would leave much of a GPU idle.
constexpr int64_t kFewElements = 1 << 18;
/// Rows and columns of a tile that turns, and rows that the members of a team take at a time.
constexpr int64_t kTurned = 32, kTurnedRows = kBlockMembers / kTurned;

/// A line of a tile in memory, so that columns lie in different banks.
constexpr int64_t kTurnedLine = kTurned + 1;

static SmallVector<LaneIndex> uniform(ElementEmitter &e, ArrayRef<Value> place) {
  SmallVector<LaneIndex> indices;
  for (Value i : place)
    indices.push_back(e.uniform(i));
  return indices;
}

/// Words of random numbers in a team's memory: those of equal place in their four lie together, and
/// so far from the next ones that members who read neighbours find them in different banks.
constexpr int64_t kWordLine = kBlockMembers + 8;

/// Words of random numbers come by four, one for each of four neighbours: each member draws four,
/// and finds those of its places in the team's memory.
static void drawWords(RowsBody &body, ElementEmitter &e, ArrayRef<AffineExpr> extents, Value block,
                      Value member, ArrayRef<SmallVector<LaneIndex>> places) {
  KernelFrame &frame = body.frame;
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  constexpr size_t kMostDrawn = 3; // share the team's memory
  SmallVector<Operation *> ops;
  auto hasExtents = [&](Value value) {
    return rankOf(value) == int64_t(extents.size()) &&
           llvm::all_of(llvm::enumerate(extents), [&](auto extent) {
             return body.buffers->extentOf(value, extent.index()) == extent.value();
           });
  };
  for (Operation &op : body.kernel.getBody().front())
    if (drawsOneWord(&op) && hasExtents(op.getResult(0)) && ops.size() < kMostDrawn)
      ops.push_back(&op);
  if (ops.empty())
    return;

  static_assert(kBlockEach == 4);
  auto add = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); };
  auto times = [&](Value x, int64_t y) {
    return b.createOrFold<arith::MulIOp>(loc, x, frame.index(y));
  };
  auto memory = [&](size_t op) {
    return frame.teams()->shared(unsigned(op), b.getI32Type(), kBlockEach * kWordLine);
  };
  Value number = add(times(block, kBlockMembers), member);
  for (auto [i, op] : llvm::enumerate(ops))
    for (auto [place, word] : llvm::enumerate(emitDrawnBlock(e, op, number)))
      b.create<memref::StoreOp>(loc, word, memory(i),
                                add(frame.index(int64_t(place) * kWordLine), member));
  frame.teams()->barrier();
  Value four = frame.index(kBlockEach);
  Value own = add(times(b.create<arith::RemUIOp>(loc, member, four), kWordLine),
                  b.create<arith::DivUIOp>(loc, member, four));
  for (auto [i, op] : llvm::enumerate(ops)) {
    Values words;
    for (int64_t each = 0; each < kBlockEach; each++)
      words.push_back(b.create<memref::LoadOp>(
          loc, memory(i), add(own, frame.index(each * (kBlockMembers / kBlockEach)))));
    e.bind(op->getResult(0), [&e, op = op, words,
                              places = llvm::to_vector(places)](ArrayRef<LaneIndex> at) {
      auto *found = llvm::find_if(places, [&](auto &place) { return ArrayRef(place) == at; });
      return found == places.end() ? Value() // elsewhere: through a view
                                   : emitOfWord(e, op, words[found - places.begin()], at);
    });
  }
}

/// The outputs at the places of `extents`, in blocks.
static void emitBlocks(RowsBody &body, ArrayRef<RowsBody::Output> outputs,
                       ArrayRef<AffineExpr> extents, AffineExpr count) {
  KernelFrame &frame = body.frame;
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  auto placeOf = [&](ElementEmitter &e, Value number) {
    return uniform(e, delinearize(frame, *body.buffers, number, extents));
  };
  Value end = body.buffers->emit(count);
  auto whole = [&](Value block, Value member, Value first) {
    ElementEmitter e(frame, 1, nullptr, body.buffers.get());
    SmallVector<SmallVector<LaneIndex>> places;
    Values values;
    for (int64_t i = 0; i < kBlockEach; i++) {
      Value number = b.createOrFold<arith::AddIOp>(loc, first, frame.index(i * kBlockMembers));
      places.push_back(placeOf(e, number));
    }
    drawWords(body, e, extents, block, member, places);
    for (ArrayRef<LaneIndex> place : places)
      for (const RowsBody::Output &output : outputs)
        values.push_back(e.emit(output.value, place));
    ArrayRef<Value> next(values);
    for (ArrayRef<LaneIndex> indices : places)
      for (const RowsBody::Output &output : outputs) {
        e.store(next.front(), body.buffers->buffer(output.buffer), indices);
        next = next.drop_front();
      }
  };
  auto part = [&](Value first) {
    emitLoop(
        frame, first, end, {},
        [&](Value number, ValueRange) {
          ElementEmitter e(frame, 1, nullptr, body.buffers.get());
          emitOutputs(body, e, outputs, placeOf(e, number));
          return Values();
        },
        kBlockMembers);
  };
  frame.teams()->forEach(
      body.buffers->emit(count.ceilDiv(kBlock)), kBlockMembers, [&](Value block, Value member) {
        Value start = b.createOrFold<arith::MulIOp>(loc, block, frame.index(kBlock));
        Value first = b.create<arith::AddIOp>(loc, start, member);
        auto known = constantOf(count);
        if (known && *known % kBlock == 0)
          return whole(block, member, first);
        Value rest = b.create<arith::SubIOp>(loc, end, start);
        Value isWhole =
            b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, rest, frame.index(kBlock));
        auto branch = b.create<scf::IfOp>(loc, isWhole, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        whole(block, member, first);
        b.setInsertionPointToStart(branch.elseBlock());
        part(first);
      });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {

/// The transposes whose results have the outputs' shape and go along another axis in memory.
struct Turns {
  SmallVector<TransposeOp> ops;
  int64_t axis = -1; ///< of the results: the last of the operands
};

class TurningTiles {
public:
  TurningTiles(RowsBody &body, ArrayRef<RowsBody::Output> outputs, ArrayRef<AffineExpr> extents,
               Turns &turns)
      : body(body), frame(body.frame), b(frame.builder()), loc(frame.loc()), outputs(outputs),
        extents(extents), turns(turns), last(int64_t(extents.size()) - 1) {}
  void emit();

private:
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  /// The place in the outputs that is so far from the tile's first one.
  SmallVector<Value> placeAt(Value alongAxis, Value alongLast);
  void ifInside(ArrayRef<Value> place, llvm::function_ref<void()> emit);
  void emitTile(ArrayRef<Value> tile, Value member);

  RowsBody &body;
  KernelFrame &frame;
  OpBuilder &b;
  Location loc;
  ArrayRef<RowsBody::Output> outputs;
  ArrayRef<AffineExpr> extents;
  Turns &turns;
  int64_t last;
  SmallVector<Value> start;
};

} // namespace

static Turns turnsOf(RowsBody &body, ArrayRef<RowsBody::Output> outputs) {
  Turns turns;
  auto shape = cast<RankedTensorType>(outputs.front().value.getType()).getShape();
  for (Operation &op : body.kernel.getBody().front()) {
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!transpose)
      continue;
    auto type = cast<RankedTensorType>(transpose.getResult().getType());
    ArrayRef<int64_t> order = transpose.getPermutation();
    int64_t axis = llvm::find(order, type.getRank() - 1) - order.begin();
    bool isOther = turns.axis >= 0 && axis != turns.axis;
    if (type.getShape() != shape || axis == type.getRank() - 1 || isOther ||
        type.getElementType().isInteger(1))
      continue;
    turns.axis = axis;
    turns.ops.push_back(transpose);
  }
  return turns;
}

SmallVector<Value> TurningTiles::placeAt(Value alongAxis, Value alongLast) {
  SmallVector<Value> place = start;
  place[turns.axis] = add(place[turns.axis], alongAxis);
  place[last] = add(place[last], alongLast);
  return place;
}

void TurningTiles::ifInside(ArrayRef<Value> place, llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  for (int64_t axis : {turns.axis, last}) {
    auto known = constantOf(extents[axis]);
    if (known && *known % kTurned == 0)
      continue;
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, place[axis],
                                           body.buffers->emit(extents[axis]));
    b.setInsertionPointToStart(b.create<scf::IfOp>(loc, inside, /*withElse=*/false).thenBlock());
  }
  emit();
}

void TurningTiles::emitTile(ArrayRef<Value> tile, Value member) {
  start = llvm::to_vector(tile);
  for (int64_t axis : {turns.axis, last})
    start[axis] = b.createOrFold<arith::MulIOp>(loc, start[axis], frame.index(kTurned));
  Value fast = b.create<arith::RemUIOp>(loc, member, frame.index(kTurned));
  Value slow = b.create<arith::DivUIOp>(loc, member, frame.index(kTurned));
  auto memory = [&](size_t number) {
    Type type = getElementTypeOrSelf(turns.ops[number].getResult().getType());
    return frame.teams()->shared(unsigned(number), ElementEmitter::computeType(type),
                                 kTurned * kTurnedLine);
  };
  auto placeIn = [&](Value row, Value column) {
    return add(b.createOrFold<arith::MulIOp>(loc, row, frame.index(kTurnedLine)), column);
  };
  for (int64_t first = 0; first < kTurned; first += kTurnedRows) {
    Value row = add(slow, frame.index(first));
    SmallVector<Value> place = placeAt(fast, row); // along the operands' last axis
    ifInside(place, [&] {
      ElementEmitter e(frame, 1, nullptr, body.buffers.get());
      for (auto [number, op] : llvm::enumerate(turns.ops)) {
        SmallVector<LaneIndex> indices(place.size());
        for (auto [i, axis] : llvm::enumerate(op.getPermutation()))
          indices[axis] = e.uniform(place[i]);
        b.create<memref::StoreOp>(loc, e.emit(op.getX(), indices), memory(number),
                                  placeIn(row, fast));
      }
    });
  }
  frame.teams()->barrier();
  for (int64_t first = 0; first < kTurned; first += kTurnedRows) {
    Value row = add(slow, frame.index(first));
    SmallVector<Value> place = placeAt(row, fast);
    ifInside(place, [&] {
      ElementEmitter e(frame, 1, nullptr, body.buffers.get());
      SmallVector<LaneIndex> indices = uniform(e, place);
      for (auto [number, op] : llvm::enumerate(turns.ops)) {
        Value x = b.create<memref::LoadOp>(loc, memory(number), placeIn(fast, row));
        e.bind(op.getResult(), [x, indices](ArrayRef<LaneIndex> at) {
          return at == ArrayRef(indices) ? x : Value(); // elsewhere: through a view
        });
      }
      emitOutputs(body, e, outputs, indices);
    });
  }
}

void TurningTiles::emit() {
  SmallVector<AffineExpr> tiles(extents);
  AffineExpr count = getAffineConstantExpr(1, b.getContext());
  for (auto [axis, extent] : llvm::enumerate(tiles)) {
    if (int64_t(axis) == turns.axis || int64_t(axis) == last)
      extent = extent.ceilDiv(kTurned);
    count = count * extent;
  }
  frame.teams()->forEach(body.buffers->emit(count), kBlockMembers, [&](Value tile, Value member) {
    emitTile(delinearize(frame, *body.buffers, tile, tiles), member);
  });
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

void emitApart(RowsBody &body, ArrayRef<RowsBody::Output> outputs, ArrayRef<AffineExpr> extents) {
  AffineExpr count = getAffineConstantExpr(1, body.kernel.getContext());
  for (AffineExpr extent : extents)
    count = count * extent;
  auto known = constantOf(count);
  if (known && *known < kFewElements)
    return emitPoints(body.frame, *body.buffers, extents,
                      [&](ElementEmitter &e, ArrayRef<LaneIndex> indices) {
                        emitOutputs(body, e, outputs, indices);
                      });
  Turns turns = turnsOf(body, outputs);
  constexpr size_t kMostTurns = 2; // their tiles share the team's memory
  if (!turns.ops.empty() && turns.ops.size() <= kMostTurns)
    return TurningTiles(body, outputs, extents, turns).emit();
  emitBlocks(body, outputs, extents, count);
}

} // namespace tenon::cpu
