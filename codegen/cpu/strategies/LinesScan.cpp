//===- LinesScan.cpp - Running sums of lines ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker walks a line from end to end, the lanes of a vector lines that lie side by side.
// Where there are no workers long lines are cut into pieces (Blelloch, "Prefix sums and
// their applications", 1990): the sum of each, running sums of these, and the pieces
// again from there on. A piece of a line whose elements lie side by side has a team, and
// goes through its memory.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/strategies/Lines.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

/// Elements of a piece that a member of a team adds up: odd, so that what members read at a
/// time lies in different banks.
constexpr int64_t kEach = 9;
/// Elements of a piece without a team, and lines side by side that are enough without pieces.
constexpr int64_t kAlone = 64, kManyLines = 1 << 14;

class Scan {
public:
  Scan(KernelFrame &frame, CumsumOp op)
      : frame(frame), b(frame.builder()), loc(frame.loc()), op(op), axis(op.getAxis()),
        lanes(frame.target().lanes(
            ElementEmitter::computeType(getElementTypeOrSelf(op.getX().getType())))),
        lines(frame, op.getX(), axis, 4 * lanes), length(extentAlong(op.getX(), axis)) {}

  void emit();

private:
  using Indices = SmallVector<LaneIndex>;
  using Range = std::pair<Value, Value>;
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value mul(Value x, int64_t n) { return b.createOrFold<arith::MulIOp>(loc, x, frame.index(n)); }
  Value sum(Value x, Value y) { return Num(b, loc, x) + Num(b, loc, y); }
  AffineExpr extent() { return lines.buffers().extentOf(op.getX(), axis); }

  /// Sets the index along the axis: places count from where the sums begin.
  void setPlace(ElementEmitter &e, Indices &indices, Value place);
  Value elementAt(ElementEmitter &e, Indices &indices, Value place);
  /// Sums of the places of a range, from `start` on, stored if they are to be.
  Value walk(ElementEmitter &e, Indices &indices, Range range, Value start, bool stores);
  void emitWhole();
  void emitPieces(int64_t team, int64_t piece);
  Range rangeOf(Value piece, int64_t size);
  Value sumOf(Indices indices, Range range, Value member);
  void walkTogether(Indices indices, Range range, Value start, Value member);
  void scanSums(unsigned sums, AffineExpr pieces);

  KernelFrame &frame;
  OpBuilder &b;
  Location loc;
  CumsumOp op;
  int64_t axis;
  int lanes;
  Lines lines;
  std::optional<int64_t> length;
};

} // namespace

void Scan::setPlace(ElementEmitter &e, Indices &indices, Value place) {
  if (op.getReverse()) {
    place = b.create<arith::SubIOp>(loc, lines.buffers().emit(extent()), place);
    place = b.create<arith::SubIOp>(loc, place, frame.index(1));
  }
  indices[axis] = e.uniform(place);
}

Value Scan::elementAt(ElementEmitter &e, Indices &indices, Value place) {
  setPlace(e, indices, place);
  return e.numLanes() > 1 ? e.emitVector(op.getX(), indices) : e.emit(op.getX(), indices);
}

Value Scan::walk(ElementEmitter &e, Indices &indices, Range range, Value start, bool stores) {
  return emitLoop(frame, range.first, range.second, {start}, [&](Value i, ValueRange before) {
    Value after = sum(before[0], elementAt(e, indices, i));
    if (stores)
      e.store(op.getExclusive() ? before[0] : after, bufferOf(frame, op.getResult()), indices);
    return Values{after};
  })[0];
}

void Scan::emitWhole() {
  lines.forEachTask(length, [&](Indices indices, Value begin, Value end) {
    Range all{frame.index(0), lines.buffers().emit(extent())};
    auto walkAll = [&](int width, Value mask) {
      ElementEmitter e(frame, width, mask, &lines.buffers());
      Value zero = e.constantOf(op.getResult(), 0);
      walk(e, indices, all, width > 1 ? e.splat(zero) : zero, true);
    };
    if (!lines.areSideBySide())
      return walkAll(1, nullptr);
    emitVectorLoop(frame, lanes, begin, end, {}, [&](LaneIndex at, Value mask, ValueRange) {
      indices.back() = at;
      walkAll(lanes, mask);
      return Values();
    });
  });
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Scan::Range Scan::rangeOf(Value piece, int64_t size) {
  Value begin = mul(piece, size), end = add(begin, frame.index(size));
  return {begin, b.createOrFold<arith::MinUIOp>(loc, end, lines.buffers().emit(extent()))};
}

Value Scan::sumOf(Indices indices, Range range, Value member) {
  ElementEmitter e(frame, 1, nullptr, &lines.buffers());
  Value zero = e.constantOf(op.getResult(), 0);
  if (!member)
    return walk(e, indices, range, zero, false);
  int64_t team = frame.teams()->size();
  Value own = emitLoop(
      frame, add(range.first, member), range.second, {zero},
      [&](Value i, ValueRange before) { return Values{sum(before[0], elementAt(e, indices, i))}; },
      team)[0];
  return frame.teams()->combine(
      own, [&](ValueRange x, ValueRange y) { return Values{sum(x[0], y[0])}; })[0];
}

/// A piece through the team's memory: members load and store neighbours, and add up what lies
/// together.
void Scan::walkTogether(Indices indices, Range range, Value start, Value member) {
  Teams &teams = *frame.teams();
  ElementEmitter e(frame, 1, nullptr, &lines.buffers());
  Value zero = e.constantOf(op.getResult(), 0);
  Value memory = teams.shared(1, zero.getType(), teams.size() * kEach);
  auto load = [&](Value at) { return b.create<memref::LoadOp>(loc, memory, at).getResult(); };
  auto places = [&](llvm::function_ref<void(Value)> visit) { // in memory, of neighbours
    Value count = b.create<arith::SubIOp>(loc, range.second, range.first);
    emitLoop(
        frame, member, count, {},
        [&](Value at, ValueRange) {
          visit(at);
          return Values();
        },
        teams.size());
  };
  // What is behind the end changes no sum that is stored.
  for (int64_t i = 0; i < kEach; i++)
    b.create<memref::StoreOp>(loc, zero, memory, add(member, frame.index(i * teams.size())));
  places([&](Value at) {
    b.create<memref::StoreOp>(loc, elementAt(e, indices, add(range.first, at)), memory, at);
  });
  teams.barrier();
  Value first = mul(member, kEach), own = zero;
  for (int64_t i = 0; i < kEach; i++)
    own = sum(own, load(add(first, frame.index(i))));
  Value before = teams.before(
      own, zero, [&](ValueRange x, ValueRange y) { return Values{sum(x[0], y[0])}; })[0];
  Value now = sum(start, before);
  for (int64_t i = 0; i < kEach; i++) {
    Value at = add(first, frame.index(i)), next = sum(now, load(at));
    b.create<memref::StoreOp>(loc, op.getExclusive() ? now : next, memory, at);
    now = next;
  }
  teams.barrier();
  places([&](Value at) {
    setPlace(e, indices, add(range.first, at));
    e.store(load(at), bufferOf(frame, op.getResult()), indices);
  });
}

/// Makes of the sums of pieces the sums of those before each.
void Scan::scanSums(unsigned sums, AffineExpr pieces) {
  int64_t team = frame.teams()->sizeFor(constantOf(pieces));
  lines.forEachPiece(getAffineConstantExpr(1, b.getContext()), team, [&](Indices, LinePiece all) {
    ElementEmitter e(frame, 1, nullptr, &lines.buffers());
    Value zero = e.constantOf(op.getResult(), 0);
    Range range{frame.index(0), lines.buffers().emit(pieces)};
    auto walkSums = [&](Value start, bool stores) {
      return emitLoop(frame, range.first, range.second, {start}, [&](Value i, ValueRange before) {
        Value memory = frame.scratch(sums);
        Value next = sum(before[0], b.create<memref::LoadOp>(loc, memory, ValueRange{i, all.line}));
        if (stores)
          b.create<memref::StoreOp>(loc, before[0], memory, ValueRange{i, all.line});
        return Values{next};
      })[0];
    };
    if (!all.member)
      return void(walkSums(zero, true));
    Value part = lines.buffers().emit(pieces.ceilDiv(team)), end = range.second;
    range.first = b.create<arith::MulIOp>(loc, all.member, part);
    range.first = b.create<arith::MinUIOp>(loc, range.first, end);
    range.second = b.create<arith::MinUIOp>(loc, add(range.first, part), end);
    Value before =
        frame.teams()->before(walkSums(zero, false), zero, [&](ValueRange x, ValueRange y) {
          return Values{sum(x[0], y[0])};
        })[0];
    walkSums(before, true);
  });
}

void Scan::emitPieces(int64_t team, int64_t piece) {
  AffineExpr pieces = extent().ceilDiv(piece);
  std::optional<unsigned> sums;
  if (constantOf(pieces) != 1) {
    ElementEmitter e(frame, 1);
    sums =
        frame.addSharedScratch(e.constantOf(op.getResult(), 0).getType(), {pieces, lines.count()});
    lines.forEachPiece(pieces, team, [&](Indices indices, LinePiece part) {
      Value total = sumOf(indices, rangeOf(part.number, piece), part.member);
      // All members have it: it does not matter which one is last.
      b.create<memref::StoreOp>(loc, total, frame.scratch(*sums),
                                ValueRange{part.number, part.line});
    });
    scanSums(*sums, pieces);
  }
  lines.forEachPiece(pieces, team, [&](Indices indices, LinePiece part) {
    ElementEmitter e(frame, 1, nullptr, &lines.buffers());
    Value start = e.constantOf(op.getResult(), 0);
    if (sums)
      start =
          b.create<memref::LoadOp>(loc, frame.scratch(*sums), ValueRange{part.number, part.line});
    Range range = rangeOf(part.number, piece);
    if (part.member)
      walkTogether(indices, range, start, part.member);
    else
      walk(e, indices, range, start, true);
  });
}

void Scan::emit() {
  if (!frame.teams())
    return emitWhole();
  if (lines.areSideBySide()) {
    bool areMany = constantOf(lines.count()).value_or(0) >= kManyLines;
    return areMany || (length && *length <= kAlone) ? emitWhole() : emitPieces(1, kAlone);
  }
  constexpr int64_t kLeast = 32, kMost = 256;
  if (length && *length <= kLeast)
    return emitWhole();
  int64_t team =
      length ? std::clamp<int64_t>(llvm::PowerOf2Ceil((*length + kEach - 1) / kEach), kLeast, kMost)
             : kMost;
  emitPieces(team, team * kEach);
}

void emitCumsum(KernelFrame &frame, CumsumOp op) { Scan(frame, op).emit(); }

} // namespace tenon::cpu
