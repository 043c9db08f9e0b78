//===- LinesSort.cpp - Order of the elements of a line --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements become unsigned integers that compare as the elements do, and are sorted with
// their numbers beside them: a few of them by insertion into a list of those that are
// kept, which most elements do not reach, more by their digits, the last first. Teams have
// a way of their own.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/strategies/LinesOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

/// The most elements that are kept, and the longest lines, that are sorted by insertion.
constexpr int64_t kFewKept = 64, kShortLine = 64;

class LineSorter {
public:
  LineSorter(KernelFrame &frame, SortOp op)
      : frame(frame), b(frame.builder()), loc(frame.loc()), op(op), axis(op.getAxis()),
        lines(frame, op.getX(), axis, 8), element(getElementTypeOrSelf(op.getX().getType())),
        keyType(b.getIntegerType(element.getIntOrFloatBitWidth())),
        digitBits(keyType.getWidth() >= 32 ? 11 : 8) {}

  void emit();

private:
  enum class Way { Insertion, Digits, Either };
  Way way();
  bool keepsSome() { return int64_t(op.getCount()) >= 0; }
  Value at(int64_t number) { return frame.index(number); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value less(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, y);
  }
  Value load(unsigned scratch, Value index) {
    return b.create<memref::LoadOp>(loc, frame.scratch(scratch), index);
  }
  void store(Value x, unsigned scratch, Value index) {
    b.create<memref::StoreOp>(loc, x, frame.scratch(scratch), index);
  }
  Value elementAt(Value i) {
    Value buffer = frame.buffer(cast<BlockArgument>(op.getX()).getArgNumber());
    return b.create<memref::LoadOp>(loc, buffer, indicesAt(i));
  }
  SmallVector<Value> indicesAt(Value i) {
    SmallVector<Value> all = indices;
    all[axis] = i;
    return all;
  }
  Value keyOf(Value x);
  Value digitOf(Value key, Value shift);
  void loop(Value end, llvm::function_ref<void(Value)> body) {
    emitLoop(frame, at(0), end, {}, [&](Value i, ValueRange) {
      body(i);
      return Values();
    });
  }
  void when(Value condition, llvm::function_ref<void()> body) {
    auto branch = b.create<scf::IfOp>(loc, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  void insertAll();
  void sortByDigits();
  Value onePass(Value shift, Value from);
  void give(Value from);
  void giveOne(Value number, Value place);
  void sortByTeams(AffineExpr n);

  KernelFrame &frame;
  OpBuilder &b;
  Location loc;
  SortOp op;
  int64_t axis;
  Lines lines;
  Type element;
  IntegerType keyType;
  int digitBits;
  unsigned keys = 0, numbers = 0, counts = 0; ///< scratch
  Value length, kept;                         ///< of the line, of those of it that are kept
  SmallVector<Value> indices;                 ///< of the line
};

} // namespace

LineSorter::Way LineSorter::way() {
  int64_t n = cast<RankedTensorType>(op.getX().getType()).getDimSize(axis);
  if ((keepsSome() && op.getCount() <= kFewKept) || (!ShapedType::isDynamic(n) && n <= kShortLine))
    return Way::Insertion;
  return ShapedType::isDynamic(n) ? Way::Either : Way::Digits;
}

/// The integer that stands for an element: in the order of unsigned numbers, with both
/// zeros the same and NaN above all.
Value LineSorter::keyOf(Value x) {
  int width = keyType.getWidth();
  auto constant = [&](const APInt &value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(keyType, value));
  };
  Value ones = constant(APInt::getAllOnes(width)), sign = constant(APInt::getSignMask(width));
  Value key, isNaN;
  if (auto real = dyn_cast<FloatType>(element)) {
    Value bits = b.create<arith::BitcastOp>(loc, keyType, x), zero = constant(APInt(width, 0));
    Value magnitude = b.create<arith::AndIOp>(loc, bits, constant(APInt::getSignedMaxValue(width)));
    APInt infinity = APFloat::getInf(real.getFloatSemantics()).bitcastToAPInt();
    isNaN = less(constant(infinity), magnitude);
    Value isZero = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, magnitude, zero);
    bits = b.create<arith::SelectOp>(loc, isZero, zero, bits);
    // Of a negative number all bits turn over, of others that of the sign.
    Value turned = b.create<arith::ShRSIOp>(loc, bits, constant(APInt(width, width - 1)));
    turned = b.create<arith::OrIOp>(loc, turned, sign);
    key = b.create<arith::XOrIOp>(loc, bits, turned);
  } else {
    key = b.create<arith::XOrIOp>(loc, x, sign);
  }
  if (op.getDescending())
    key = b.create<arith::XOrIOp>(loc, key, ones);
  return isNaN ? b.create<arith::SelectOp>(loc, isNaN, ones, key).getResult() : key;
}

/// The kept ones so far stand in order from place 1 on; place 0 holds the least of all
/// keys, at which a search ends.
void LineSorter::insertAll() {
  Value one = at(1), least = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(keyType, 0));
  store(least, keys, at(0));
  loop(length, [&](Value i) {
    Value key = keyOf(elementAt(i));
    Value isFull = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, i, kept);
    Value end = b.create<arith::SelectOp>(loc, isFull, kept, add(i, one));
    // Until it is full, what stands at the end is not looked at.
    Value goesIn = less(key, load(keys, kept));
    Value isOpen = b.create<arith::XOrIOp>(loc, isFull, splatInteger(b, loc, b.getI1Type(), 1));
    when(b.create<arith::OrIOp>(loc, goesIn, isOpen), [&] {
      auto move = b.create<scf::WhileOp>(loc, TypeRange{b.getIndexType()}, ValueRange{end});
      Block *before = b.createBlock(&move.getBefore(), {}, {b.getIndexType()}, {loc});
      Value place = before->getArgument(0), previous = load(keys, sub(place, one));
      b.create<scf::ConditionOp>(loc, less(key, previous), ValueRange{place});
      Block *after = b.createBlock(&move.getAfter(), {}, {b.getIndexType()}, {loc});
      place = after->getArgument(0);
      Value left = sub(place, one);
      store(load(keys, left), keys, place);
      store(load(numbers, left), numbers, place);
      b.create<scf::YieldOp>(loc, left);
      b.setInsertionPointAfter(move);
      store(key, keys, move.getResult(0));
      store(b.create<arith::IndexCastOp>(loc, b.getI32Type(), i), numbers, move.getResult(0));
    });
  });
  give(one);
}

Value LineSorter::digitOf(Value key, Value shift) {
  Value digit = b.create<arith::ShRUIOp>(loc, key, shift);
  if (digitBits < int(keyType.getWidth()))
    digit = b.create<arith::AndIOp>(
        loc, digit,
        b.create<arith::ConstantOp>(loc, b.getIntegerAttr(keyType, (1 << digitBits) - 1)));
  return b.create<arith::IndexCastUIOp>(loc, b.getIndexType(), digit);
}

/// Brings those that start at `from` in the order of one digit: where they start then.
/// Stays where all have the same.
Value LineSorter::onePass(Value shift, Value from) {
  Type i32 = b.getI32Type();
  Value zero = splatInteger(b, loc, i32, 0), one = splatInteger(b, loc, i32, 1);
  Value to = sub(length, from);
  loop(at(int64_t(1) << digitBits), [&](Value d) { store(zero, counts, d); });
  loop(length, [&](Value i) {
    Value digit = digitOf(load(keys, add(from, i)), shift);
    store(b.create<arith::AddIOp>(loc, load(counts, digit), one), counts, digit);
  });
  Value first = load(counts, digitOf(load(keys, from), shift));
  Value all = b.create<arith::IndexCastOp>(loc, i32, length);
  Value isOne = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, first, all);
  auto branch = b.create<scf::IfOp>(loc, TypeRange{b.getIndexType()}, isOne, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(loc, from);
  b.setInsertionPointToStart(branch.elseBlock());
  emitLoop(frame, at(0), at(int64_t(1) << digitBits), {zero}, [&](Value d, ValueRange sum) {
    Value count = load(counts, d);
    store(sum[0], counts, d);
    return Values{b.create<arith::AddIOp>(loc, sum[0], count)};
  });
  loop(length, [&](Value i) {
    Value key = load(keys, add(from, i)), digit = digitOf(key, shift), place = load(counts, digit);
    store(b.create<arith::AddIOp>(loc, place, one), counts, digit);
    place = add(to, b.create<arith::IndexCastOp>(loc, b.getIndexType(), place));
    store(key, keys, place);
    store(load(numbers, add(from, i)), numbers, place);
  });
  b.create<scf::YieldOp>(loc, to);
  return branch.getResult(0);
}

/// Two halves of scratch take turns.
void LineSorter::sortByDigits() {
  Value isThere = less(at(0), length);
  when(isThere, [&] {
    loop(length, [&](Value i) {
      store(keyOf(elementAt(i)), keys, i);
      store(b.create<arith::IndexCastOp>(loc, b.getI32Type(), i), numbers, i);
    });
    int64_t passes = (keyType.getWidth() + digitBits - 1) / digitBits;
    Values from = emitLoop(frame, at(0), at(passes), {at(0)}, [&](Value pass, ValueRange from) {
      Value shift = b.create<arith::MulIOp>(loc, pass, at(digitBits));
      return Values{onePass(b.create<arith::IndexCastOp>(loc, keyType, shift), from[0])};
    });
    give(from[0]);
  });
}

/// Writes the results: numbers stand in order from place `from` on.
void LineSorter::give(Value from) {
  loop(kept, [&](Value i) { giveOne(load(numbers, add(from, i)), i); });
}

void LineSorter::giveOne(Value number, Value place) {
  if (Value places = bufferOf(frame, op.getIndices()))
    b.create<memref::StoreOp>(loc, number, places, indicesAt(place));
  if (Value values = bufferOf(frame, op.getValues())) {
    Value x = elementAt(b.create<arith::IndexCastOp>(loc, b.getIndexType(), number));
    b.create<memref::StoreOp>(loc, x, values, indicesAt(place));
  }
}

void LineSorter::sortByTeams(AffineExpr n) {
  auto setLine = [&](ArrayRef<LaneIndex> line) {
    indices.clear();
    for (const LaneIndex &index : line)
      indices.push_back(index.base);
  };
  std::optional<int64_t> count;
  if (keepsSome())
    count = int64_t(op.getCount());
  LineOrder(frame, lines, n, count, keyType)
      .emit(
          [&](ArrayRef<LaneIndex> line, Value place) {
            setLine(line);
            return keyOf(elementAt(place));
          },
          [&](ArrayRef<LaneIndex> line, Value, LineOrder::Sorted sorted) {
            setLine(line);
            giveOne(sorted.number, sorted.rank);
          });
}

void LineSorter::emit() {
  BodyBuffers &buffers = lines.buffers();
  AffineExpr n = buffers.extentOf(op.getX(), axis), count = n;
  if (keepsSome())
    count = b.getAffineConstantExpr(op.getCount());
  if (constantOf(count) == 0)
    return;
  constexpr int64_t kLeastShared = 33;
  if (frame.teams() && constantOf(n).value_or(kLeastShared) >= kLeastShared)
    return sortByTeams(n);
  AffineExpr room = way() == Way::Insertion ? count + 1 : n * 2 + 1;
  keys = frame.addWorkerScratch(keyType, {room});
  numbers = frame.addWorkerScratch(b.getI32Type(), {room});
  if (way() != Way::Insertion)
    counts = frame.addWorkerScratch(b.getI32Type(), {b.getAffineConstantExpr(1 << digitBits)});
  std::optional<int64_t> work = constantOf(n);
  if (work)
    *work *= 8; // about as many times what moving an element takes
  lines.forEachTask(work, [&](SmallVector<LaneIndex> task, Value begin, Value end) {
    length = buffers.emit(n);
    kept = buffers.emit(count);
    emitLoop(frame, begin, end, {}, [&](Value column, ValueRange) {
      indices.clear();
      for (const LaneIndex &index : task)
        indices.push_back(index.base);
      if (lines.areSideBySide())
        indices.back() = column;
      if (way() == Way::Insertion) {
        insertAll();
      } else if (way() == Way::Digits) {
        sortByDigits();
      } else {
        Value isShort = less(length, at(kShortLine + 1));
        auto branch = b.create<scf::IfOp>(loc, isShort, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        insertAll();
        b.setInsertionPointToStart(branch.elseBlock());
        sortByDigits();
      }
      return Values();
    });
  });
}

void emitSort(KernelFrame &frame, SortOp op) { LineSorter(frame, op).emit(); }

} // namespace tenon::cpu
