//===- SplitLoop.cpp - Loops in a loop instead of a long one --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/SplitLoop.h"

#include "passes/Emit.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenon::autodiff {

static constexpr StringLiteral kPartAttr = "tenon.part";

bool isPartOfSplit(LoopOp loop) { return loop->hasAttr(kPartAttr); }

bool canSplit(LoopOp loop) {
  auto slicesReshape = [](Value stack) {
    ArrayRef<int64_t> slice = tensorType(stack).getShape().drop_front();
    auto open = llvm::count_if(slice, [](int64_t e) { return ShapedType::isDynamic(e); });
    return open == 0 || (open == 1 && !llvm::is_contained(slice, 0));
  };
  return llvm::all_of(loop.getScanned(), slicesReshape) &&
         llvm::all_of(loop.getResults().drop_front(loop.getCarried().size()), slicesReshape);
}

namespace {
class LoopSplitter {
public:
  explicit LoopSplitter(LoopOp loop)
      : loop(loop), numCarried(loop.getCarried().size()), readsIndex(!loop.getIndex().use_empty()) {
  }

  SmallVector<Value> run(int64_t length);

private:
  /// Types of the results with other leading axes of what is stacked.
  SmallVector<mlir::Type> resultTypes(ArrayRef<int64_t> leading);
  /// `trips` trips, the first of which is number `first` (null: 0) of the loop.
  LoopOp part(OpBuilder &builder, ValueRange carried, ValueRange scanned, ValueRange invariant,
              Value first, int64_t trips);
  LoopOp outerLoop(ValueRange scanned, int64_t trips, int64_t length);

  LoopOp loop;
  unsigned numCarried;
  bool readsIndex;
};
} // namespace

static LoopOp makeLoop(OpBuilder &builder, Location loc, TypeRange types, ValueRange carried,
                       ValueRange scanned, ValueRange invariant, int64_t trips) {
  auto result = builder.create<LoopOp>(loc, types, carried, scanned, invariant, uint64_t(trips),
                                       /*reverse=*/false);
  result->setAttr(kPartAttr, builder.getUnitAttr());
  return result;
}

static SmallVector<int64_t> withLeading(ArrayRef<int64_t> leading, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(leading);
  llvm::append_range(result, shape);
  return result;
}

/// `count` slices along the leading axis, from `first` on.
static Value slices(Emit &emit, Value x, int64_t first, int64_t count) {
  SmallVector<int64_t> sizes(tensorType(x).getShape()), offsets(sizes.size()),
      ones(sizes.size(), 1);
  if (sizes[0] == count)
    return x;
  offsets[0] = first;
  sizes[0] = count;
  return emit.make<SliceOp>(x, offsets, sizes, ones);
}

SmallVector<mlir::Type> LoopSplitter::resultTypes(ArrayRef<int64_t> leading) {
  SmallVector<mlir::Type> types(loop.getResultTypes());
  for (mlir::Type &type : MutableArrayRef(types).drop_front(numCarried)) {
    auto tensor = cast<RankedTensorType>(type);
    type = tensor.clone(withLeading(leading, tensor.getShape().drop_front()));
  }
  return types;
}

LoopOp LoopSplitter::part(OpBuilder &builder, ValueRange carried, ValueRange scanned,
                          ValueRange invariant, Value first, int64_t trips) {
  SmallVector<Value> used(invariant);
  if (first)
    used.push_back(first);
  LoopOp result =
      makeLoop(builder, loop.getLoc(), resultTypes(trips), carried, scanned, used, trips);
  IRMapping map;
  loop.getBody().cloneInto(&result.getBody(), map);
  if (!first)
    return result;
  Block &body = result.getBody().front();
  BlockArgument base = body.addArgument(first.getType(), loop.getLoc());
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  auto trip = inside.create<AddOp>(loop.getLoc(), result.getIndex(), base);
  result.getIndex().replaceAllUsesExcept(trip, trip);
  return result;
}

/// Each trip of it is `length` of the loop's.
LoopOp LoopSplitter::outerLoop(ValueRange scanned, int64_t trips, int64_t length) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  LoopOp outer = makeLoop(builder, loc, resultTypes({trips, length}), loop.getCarried(), scanned,
                          loop.getInvariant(), trips);
  Block &body = outer.getBody().emplaceBlock();
  Value index = body.addArgument(loop.getIndex().getType(), loc);
  auto arguments = [&](ValueRange like, unsigned dropped) {
    SmallVector<Value> values;
    for (Value value : like) {
      RankedTensorType type = tensorType(value);
      values.push_back(body.addArgument(type.clone(type.getShape().drop_front(dropped)), loc));
    }
    return values;
  };
  SmallVector<Value> carried = arguments(loop.getCarried(), 0), slices = arguments(scanned, 1),
                     invariant = arguments(loop.getInvariant(), 0);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  Value first = readsIndex ? Emit(inside, loc).scale(index, double(length)) : Value();
  LoopOp inner = part(inside, carried, slices, invariant, first, length);
  inside.create<YieldOp>(loc, inner.getResults());
  return outer;
}

SmallVector<Value> LoopSplitter::run(int64_t length) {
  OpBuilder builder(loop);
  Emit emit(builder, loop.getLoc());
  int64_t trips = int64_t(loop.getTrips()), outerTrips = trips / length,
          whole = outerTrips * length, rest = trips - whole;
  SmallVector<Value> heads, tails;
  for (Value x : loop.getScanned()) {
    ArrayRef<int64_t> slice = tensorType(x).getShape().drop_front();
    heads.push_back(
        emit.reshape(slices(emit, x, 0, whole), withLeading({outerTrips, length}, slice)));
    if (rest)
      tails.push_back(slices(emit, x, whole, rest));
  }
  LoopOp outer = outerLoop(heads, outerTrips, length), last;
  if (rest) {
    Value first = readsIndex ? emit.scalar(builder.getI64Type(), double(whole)) : Value();
    last = part(builder, outer.getResults().take_front(numCarried), tails, loop.getInvariant(),
                first, rest);
  }
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(outer.getResults())) {
    if (i < numCarried) {
      results.push_back(rest ? last->getResult(i) : value);
      continue;
    }
    Value stacked =
        emit.reshape(value, withLeading(whole, tensorType(value).getShape().drop_front(2)));
    if (rest)
      stacked = emit.make<ConcatOp>(ValueRange{stacked, last->getResult(i)}, uint64_t(0));
    results.push_back(stacked);
  }
  return results;
}

SmallVector<Value> splitLoop(LoopOp loop, int64_t length) { return LoopSplitter(loop).run(length); }

} // namespace tenon::autodiff
