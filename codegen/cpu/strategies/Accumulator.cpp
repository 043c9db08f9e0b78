//===- Accumulator.cpp - The running value of a reduction -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/Accumulator.h"

#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/Num.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

static Type elementOf(Operation *op) {
  return ElementEmitter::computeType(getElementTypeOrSelf(op->getOperand(0).getType()));
}

SmallVector<Type, 2> Accumulator::types() const {
  SmallVector<Type, 2> result{elementOf(op)};
  if (isArg())
    result.push_back(frame->builder().getI64Type());
  return result;
}

static Type wide(Type type, int lanes) {
  return lanes == 1 ? type : Type(VectorType::get({lanes}, type));
}

Values Accumulator::start(int lanes) const {
  OpBuilder &b = frame->builder();
  Type element = elementOf(op), type = wide(element, lanes);
  bool least = isa<ReduceMaxOp, ArgmaxOp>(op), most = isa<ReduceMinOp, ArgminOp>(op);
  Values result;
  if (least || most) {
    if (isa<FloatType>(element)) {
      result.push_back(splatConstant(b, frame->loc(), type, least ? -INFINITY : INFINITY));
    } else {
      unsigned width = element.getIntOrFloatBitWidth();
      int64_t limit = int64_t(1) << (width - 1); // least is -limit
      result.push_back(
          splatInteger(b, frame->loc(), type, least ? int64_t(0 - uint64_t(limit)) : limit - 1));
    }
  } else {
    result.push_back(splatConstant(b, frame->loc(), type, isa<ReduceProdOp>(op) ? 1 : 0));
  }
  if (isArg())
    result.push_back(splatInteger(b, frame->loc(), wide(b.getI64Type(), lanes), -1));
  return result;
}

Value Accumulator::combine(Value first, Value second) const {
  Num a(frame->builder(), frame->loc(), first), c(frame->builder(), frame->loc(), second);
  if (isa<ReduceProdOp>(op))
    return a * c;
  if (isa<ReduceMaxOp>(op))
    return select(a.isFloat() && !op->hasAttr(kOfNumbersAttr) ? (c > a) | isNan(c) : c > a, c, a);
  if (isa<ReduceMinOp>(op))
    return select(a.isFloat() ? (c < a) | isNan(c) : c < a, c, a);
  return a + c;
}

Values Accumulator::step(ValueRange carried, Value x, Value index, Value mask) const {
  OpBuilder &b = frame->builder();
  Location loc = frame->loc();
  if (!isArg()) {
    if (mask)
      x = b.create<arith::SelectOp>(loc, mask, x,
                                    start(cast<VectorType>(x.getType()).getNumElements())[0]);
    return {combine(carried[0], x)};
  }
  Num best(b, loc, carried[0]), place(b, loc, carried[1]), next(b, loc, x);
  Num none = place < place.likeInteger(0);
  Num better = isa<ArgmaxOp>(op) ? next > best : next < best;
  Num take = better | (next.isFloat() ? none & (next == next) : none);
  if (mask)
    take = take & take.of(mask);
  return {select(take, next, best), select(take, place.of(index), place)};
}

Values Accumulator::merge(ValueRange first, ValueRange second) const {
  if (!isArg())
    return {combine(first[0], second[0])};
  OpBuilder &b = frame->builder();
  Location loc = frame->loc();
  Num x(b, loc, first[0]), i(b, loc, first[1]), y(b, loc, second[0]), j(b, loc, second[1]);
  Num none = i < i.likeInteger(0), some = j >= j.likeInteger(0);
  Num better = isa<ArgmaxOp>(op) ? y > x : y < x;
  Num take = some & (none | better | ((x == y) & (j < i)));
  return {select(take, y, x), select(take, j, i)};
}

Values Accumulator::horizontal(ValueRange carried) const {
  OpBuilder &b = frame->builder();
  Location loc = frame->loc();
  auto type = dyn_cast<VectorType>(carried[0].getType());
  Values now = llvm::to_vector(carried);
  if (!type)
    return now;
  for (int64_t n = type.getNumElements(); n > 1; n /= 2) {
    Values low, high;
    for (Value v : now) {
      low.push_back(b.create<vector::ExtractStridedSliceOp>(loc, v, 0, n / 2, 1));
      high.push_back(b.create<vector::ExtractStridedSliceOp>(loc, v, n / 2, n / 2, 1));
    }
    now = merge(low, high);
  }
  for (Value &v : now)
    v = b.create<vector::ExtractOp>(loc, v, 0);
  return now;
}

Value Accumulator::finish(ValueRange carried, Value count) const {
  OpBuilder &b = frame->builder();
  if (isArg()) {
    Num i(b, frame->loc(), carried[1]);
    return select(i < i.likeInteger(0), i.likeInteger(0), i);
  }
  if (!isa<ReduceMeanOp>(op))
    return carried[0];
  Num sum(b, frame->loc(), carried[0]);
  if (auto known = constantIndexOf(count))
    return *known > 0 && (*known & (*known - 1)) == 0 ? sum * (1.0 / double(*known))
                                                      : sum / double(*known);
  Value number = b.create<arith::IndexCastOp>(frame->loc(), b.getI64Type(), count);
  number = b.create<arith::SIToFPOp>(frame->loc(), sum.element(), number);
  if (auto vector = dyn_cast<VectorType>(sum.type()))
    number = b.create<vector::BroadcastOp>(frame->loc(), vector, number);
  return sum / sum.of(number);
}

} // namespace tenon::cpu
