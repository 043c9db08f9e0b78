//===- LinesOrder.cpp - Lines in order, by teams --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of a line are sorted in the memory of a team by a network (Batcher, "Sorting networks
// and their applications", 1968, in the form that compares upwards only); then several
// sorted runs at a time become one: the place of an element is how many of each run come
// before it. Equal keys stay in the order of their numbers.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/LinesOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

/// The longest tiles: keys of 64 bits and numbers then take 24 KB.
constexpr int64_t kLongestTile = 2048;
/// An axis has fewer elements.
constexpr int64_t kMostElements = int64_t(1) << 31;

LineOrder::LineOrder(KernelFrame &frame, Lines &lines, AffineExpr length,
                     std::optional<int64_t> count, IntegerType key)
    : frame(frame), b(frame.builder()), loc(frame.loc()), lines(lines), length(length),
      count(count), keyType(b.getIntegerType(std::max(32u, key.getWidth()))) {
  constexpr int64_t kLeast = 64;
  auto known = constantOf(length);
  tile =
      known ? std::clamp<int64_t>(llvm::PowerOf2Ceil(*known), kLeast, kLongestTile) : kLongestTile;
  ways = known ? 8 : 16;
}

/// How many of the places of a line hold something, where its runs have this length.
AffineExpr LineOrder::slots(int64_t run) {
  int64_t kept = keptOf(run);
  return kept == run ? length : length.ceilDiv(run) * kept;
}

/// Elements that are kept of run `number`.
Value LineOrder::lengthOf(Value number, int64_t run) {
  Value begin = b.createOrFold<arith::MulIOp>(loc, number, at(run));
  Value rest = b.createOrFold<arith::SubIOp>(loc, lines.buffers().emit(length), begin);
  return b.createOrFold<arith::MinUIOp>(loc, rest, at(keptOf(run)));
}

void LineOrder::loop(Value begin, Value end, llvm::function_ref<void(Value)> body, int64_t step) {
  emitLoop(
      frame, begin, end, {},
      [&](Value i, ValueRange) {
        body(i);
        return Values();
      },
      step);
}

void LineOrder::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = b.create<scf::IfOp>(loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value LineOrder::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.create<arith::CmpIOp>(loc, predicate, x, y);
}

/// Elements with their keys, of the line, at a place.
void LineOrder::store(const Run &runs, Value line, Value place, Value key, Value number) {
  b.create<memref::StoreOp>(loc, key, frame.scratch(runs.keys), ValueRange{line, place});
  b.create<memref::StoreOp>(loc, number, frame.scratch(runs.numbers), ValueRange{line, place});
}

LineOrder::Run LineOrder::addRun(int64_t run) {
  SmallVector<AffineExpr> shape{lines.count(), slots(run)};
  unsigned keys = frame.addSharedScratch(keyType, shape);
  return {keys, frame.addSharedScratch(b.getI32Type(), shape)};
}

/// Sorts what is in the team's memory, of which `used` places hold something.
void LineOrder::sortTile(Value member, Value used) {
  Teams &teams = *frame.teams();
  Value keys = teams.shared(0, keyType, tile), numbers = teams.shared(1, b.getI32Type(), tile);
  int64_t most = llvm::Log2_64(tile);
  Value stages = at(most);
  if (!constantOf(length)) {
    stages = at(0);
    for (int64_t i = 0; i < most; i++) {
      Value more = compare(arith::CmpIPredicate::ugt, used, at(int64_t(1) << i));
      stages = b.create<arith::SelectOp>(loc, more, at(i + 1), stages);
    }
  }
  Value one = at(1);
  Value pairs = b.create<arith::ShLIOp>(loc, one, stages);
  pairs = b.create<arith::ShRUIOp>(loc, pairs, one);
  loop(at(0), stages, [&](Value stage) {
    loop(at(0), b.create<arith::AddIOp>(loc, stage, one), [&](Value step) {
      Value shift = b.create<arith::SubIOp>(loc, stage, step);
      Value distance = b.create<arith::ShLIOp>(loc, one, shift);
      Value isFirst = compare(arith::CmpIPredicate::eq, step, at(0));
      teams.barrier();
      loop(
          member, pairs,
          [&](Value pair) {
            // The first step compares a half with the other one turned around.
            Value block = b.create<arith::ShRUIOp>(loc, pair, shift);
            Value begin = b.create<arith::ShLIOp>(
                loc, block, b.create<arith::AddIOp>(loc, shift, one).getResult());
            Value within = b.create<arith::SubIOp>(
                loc, pair, b.create<arith::ShLIOp>(loc, block, shift).getResult());
            Value low = b.create<arith::AddIOp>(loc, begin, within);
            Value turned = b.create<arith::SubIOp>(
                loc, b.create<arith::SubIOp>(loc, distance, one).getResult(), within);
            Value high = b.create<arith::SelectOp>(loc, isFirst, turned, within);
            high = b.create<arith::AddIOp>(loc, high, distance);
            high = b.create<arith::AddIOp>(loc, begin, high);
            Value k = b.create<memref::LoadOp>(loc, keys, low);
            Value l = b.create<memref::LoadOp>(loc, keys, high);
            Value m = b.create<memref::LoadOp>(loc, numbers, low);
            Value n = b.create<memref::LoadOp>(loc, numbers, high);
            when(isBefore(l, k, compare(arith::CmpIPredicate::ult, n, m)), [&] {
              b.create<memref::StoreOp>(loc, l, keys, low);
              b.create<memref::StoreOp>(loc, k, keys, high);
              b.create<memref::StoreOp>(loc, n, numbers, low);
              b.create<memref::StoreOp>(loc, m, numbers, high);
            });
          },
          teams.size());
    });
  });
  teams.barrier();
}

void LineOrder::emitTiles(const Run *to, Key keyAt, Give give) {
  int64_t team = std::min<int64_t>(tile / 2, 256);
  lines.forEachPiece(length.ceilDiv(tile), team, [&](Indices indices, LinePiece piece) {
    Teams &teams = *frame.teams();
    Value keys = teams.shared(0, keyType, tile), numbers = teams.shared(1, b.getI32Type(), tile);
    Value begin = b.createOrFold<arith::MulIOp>(loc, piece.number, at(tile));
    Value rest = b.createOrFold<arith::SubIOp>(loc, lines.buffers().emit(length), begin);
    Value used = b.createOrFold<arith::MinUIOp>(loc, rest, at(tile));
    Value last = b.create<arith::ConstantOp>(
        loc, b.getIntegerAttr(keyType, APInt::getAllOnes(keyType.getWidth())));
    loop(
        piece.member, at(tile),
        [&](Value i) {
          Value place = b.createOrFold<arith::AddIOp>(loc, begin, i);
          b.create<memref::StoreOp>(loc, b.create<arith::IndexCastOp>(loc, b.getI32Type(), place),
                                    numbers, i);
          b.create<memref::StoreOp>(loc, last, keys, i);
          when(compare(arith::CmpIPredicate::ult, i, used), [&] {
            Value key = keyAt(indices, place);
            if (key.getType() != keyType)
              key = b.create<arith::ExtUIOp>(loc, keyType, key);
            b.create<memref::StoreOp>(loc, key, keys, i);
          });
        },
        team);
    sortTile(piece.member, used);
    loop(
        piece.member, lengthOf(piece.number, tile),
        [&](Value i) {
          Value key = b.create<memref::LoadOp>(loc, keys, i);
          Value number = b.create<memref::LoadOp>(loc, numbers, i);
          if (!to)
            return give(indices, piece.line, {i, key, number});
          Value first = b.createOrFold<arith::MulIOp>(loc, piece.number, at(keptOf(tile)));
          store(*to, piece.line, b.createOrFold<arith::AddIOp>(loc, first, i), key, number);
        },
        team);
  });
}

/// How many of a run's elements come before one of run `own`.
Value LineOrder::countBefore(Value keys, Value line, Value key, Value own, Value other,
                             int64_t run) {
  Value end = lengthOf(other, run);
  Value first = b.createOrFold<arith::MulIOp>(loc, other, at(keptOf(run)));
  Value isEarlier = compare(arith::CmpIPredicate::ult, other, own);
  int64_t steps = llvm::Log2_64(keptOf(run)) + 1;
  Value half = at(int64_t(1) << (steps - 1));
  return emitLoop(frame, at(0), at(steps), {at(0)}, [&](Value i, ValueRange known) {
    Value next =
        b.create<arith::AddIOp>(loc, known[0], b.create<arith::ShRUIOp>(loc, half, i).getResult());
    Value isThere = compare(arith::CmpIPredicate::ule, next, end);
    Value last = b.create<arith::SelectOp>(loc, isThere, next, end);
    last = b.create<arith::SubIOp>(loc, b.create<arith::AddIOp>(loc, first, last), at(1));
    Value found = b.create<memref::LoadOp>(loc, keys, ValueRange{line, last});
    Value takes = b.create<arith::AndIOp>(loc, isThere, isBefore(found, key, isEarlier));
    return Values{b.create<arith::SelectOp>(loc, takes, next, known[0])};
  })[0];
}

/// Makes one run of several.
void LineOrder::emitMerge(const Run &from, int64_t run, const Run *to, Give give) {
  lines.forEachPiece(slots(run), 1, [&](Indices indices, LinePiece piece) {
    int64_t kept = keptOf(run), next = keptOf(run * ways);
    Value own = b.createOrFold<arith::DivUIOp>(loc, piece.number, at(kept));
    Value place = b.createOrFold<arith::RemUIOp>(loc, piece.number, at(kept));
    when(compare(arith::CmpIPredicate::ult, place, lengthOf(own, run)), [&] {
      Value keys = frame.scratch(from.keys);
      SmallVector<Value> here{piece.line, piece.number};
      Value key = b.create<memref::LoadOp>(loc, keys, here);
      Value number = b.create<memref::LoadOp>(loc, frame.scratch(from.numbers), here);
      Value group = b.createOrFold<arith::DivUIOp>(loc, own, at(ways));
      Value first = b.createOrFold<arith::MulIOp>(loc, group, at(ways));
      Value end = b.createOrFold<arith::AddIOp>(loc, first, at(ways));
      end = b.createOrFold<arith::MinUIOp>(loc, end, lines.buffers().emit(length.ceilDiv(run)));
      Value rank = emitLoop(frame, first, end, {place}, [&](Value other, ValueRange rank) {
        Value isOther = compare(arith::CmpIPredicate::ne, other, own);
        auto branch = b.create<scf::IfOp>(loc, rank.getTypes(), isOther, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        Value more = countBefore(keys, piece.line, key, own, other, run);
        b.create<scf::YieldOp>(loc, b.create<arith::AddIOp>(loc, rank[0], more).getResult());
        b.setInsertionPointToStart(branch.elseBlock());
        b.create<scf::YieldOp>(loc, rank);
        return Values{branch.getResult(0)};
      })[0];
      when(compare(arith::CmpIPredicate::ult, rank, at(next)), [&] {
        if (!to)
          return give(indices, piece.line, {rank, key, number});
        first = b.createOrFold<arith::MulIOp>(loc, group, at(next));
        store(*to, piece.line, b.createOrFold<arith::AddIOp>(loc, first, rank), key, number);
      });
    });
  });
}

void LineOrder::emit(Key keyAt, Give give) {
  int64_t most = constantOf(length).value_or(kMostElements);
  if (most <= tile)
    return emitTiles(nullptr, keyAt, give);
  Run from = addRun(tile);
  std::optional<Run> to;
  emitTiles(&from, keyAt, give);
  int64_t run = tile;
  for (; run * ways < most; run *= ways) {
    if (!to)
      to = addRun(run * ways);
    emitMerge(from, run, &*to, give);
    std::swap(from, *to);
  }
  emitMerge(from, run, nullptr, give);
}

} // namespace tenon::cpu
