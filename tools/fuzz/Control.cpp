//===- Control.cpp - Random gradients, loops, ifs -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;
using tenon::reference::Array;

namespace tenon::fuzz {

/// Slice 0 along the leading axis; zeros where there is none.
static Array firstSlice(const Array &x) {
  infer::Type type = x.type;
  type.rank--;
  std::copy(x.type.dims + 1, x.type.dims + x.type.rank, type.dims);
  Array slice(type);
  for (int64_t i = 0, size = std::min(slice.size(), x.size()); i < size; i++)
    type.isFloat() ? slice.set(i, x.reals[i]) : slice.set(i, x.integers[i]);
  return slice;
}

static bool loop(Generator &g, StringRef) {
  int64_t trips = g.oneOf({0, 1, 2, 3, 5});
  SmallVector<Value> carried, scanned;
  std::vector<std::pair<Type, Array>> arguments;
  OpBuilder &b = g.ops();
  arguments.push_back(
      {RankedTensorType::get({}, b.getI64Type()), Array(infer::Type::make(TENON_I64, {}))});
  for (int64_t i = g.between(1, 2); i > 0; i--) {
    // Loops are static, their gradients are.
    Value x = g.findOr([&](Value v) { return g.type(v).isFloat() && Generator::isStatic(v); },
                       [&] { return g.randomType(g.floatType(), 0, 3); });
    if (!Generator::isStatic(x))
      return false;
    carried.push_back(x);
    arguments.push_back({x.getType(), g.array(x)});
  }
  if (g.chance(0.6)) {
    infer::Type type = g.randomType(g.floatType(), 1, 3);
    type.dims[0] = trips;
    Value x = g.input(type);
    if (!Generator::isStatic(x))
      return false;
    scanned.push_back(x);
    Array slice = firstSlice(g.array(x));
    arguments.push_back({tensorTypeOf(b.getContext(), slice.type), slice});
  }
  Generator::Body body = g.buildBody(arguments, int(g.between(2, 5)));

  // Each carried value becomes a value of its type that the body made, if there is one.
  SmallVector<Value> yielded;
  for (size_t i = 0; i < carried.size(); i++) {
    Value next = body.block->getArgument(1 + i);
    for (Value made : body.made)
      if (made.getType() == next.getType())
        next = made;
    yielded.push_back(next);
  }
  for (Value made : body.made)
    if (made.use_empty() && Generator::isStatic(made) && yielded.size() < 4)
      yielded.push_back(made);
  SmallVector<Type> results;
  for (auto [i, value] : llvm::enumerate(yielded)) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (i >= carried.size())
      shape.insert(shape.begin(), trips);
    results.push_back(type.clone(shape));
  }
  Location loc = b.getUnknownLoc();
  auto op = b.create<LoopOp>(loc, results, carried, scanned, body.captured, trips, g.chance(0.2));
  op.getBody().push_back(body.block.release());
  OpBuilder::atBlockEnd(&op.getBody().front()).create<YieldOp>(loc, yielded);
  return g.keep(op);
}

/// A logical scalar; in a loop often one that depends on the trip or on what is carried.
static Value condition(Generator &g) {
  auto isScalar = [&](Value v) { return g.type(v).rank == 0; };
  if (Value found = g.find([&](Value v) { return isScalar(v) && g.type(v).isBool(); }))
    return found;
  Value number = g.find([&](Value v) { return isScalar(v) && !g.type(v).isBool(); });
  if (number && g.chance(0.7))
    return g.make("compare", {number, g.like(number)}, AttrWords().integer(g.between(0, 5)));
  return g.scalar(TENON_I1, 0, 1);
}

/// Both bodies, of which one is run, get the values that either captured. A result is what
/// they make of its type, or as it came.
static bool branch(Generator &g, StringRef) {
  OpBuilder &b = g.ops();
  Location loc = b.getUnknownLoc();
  Value chooser = condition(g);
  if (!chooser)
    return false;
  SmallVector<Value> used;
  std::vector<std::pair<Type, Array>> arguments;
  for (int64_t i = g.between(1, 2); i > 0; i--) {
    used.push_back(g.findOr([&](Value v) { return g.type(v).isFloat() || g.chance(0.1); },
                            [&] { return g.randomType(g.anyType(), 0, 3); }));
    arguments.push_back({used.back().getType(), g.array(used.back())});
  }
  unsigned numGiven = used.size();
  Generator::Body bodies[2];
  for (Generator::Body &body : bodies)
    body = g.buildBody(arguments, int(g.between(0, 4)));
  for (Generator::Body &body : bodies)
    llvm::append_range(used, body.captured);
  for (auto [i, value] : llvm::enumerate(bodies[0].captured))
    bodies[1].block->insertArgument(numGiven + i, value.getType(), loc);
  for (Value value : bodies[1].captured)
    bodies[0].block->addArgument(value.getType(), loc);

  SmallVector<Value> yielded[2];
  SmallVector<Type> results;
  for (unsigned i = 0; i < numGiven || (i < 3 && g.chance(0.3)); i++) {
    unsigned given = i % numGiven;
    for (int k : {0, 1}) {
      Value result = bodies[k].block->getArgument(given);
      for (Value made : bodies[k].made)
        if (made.getType() == result.getType() && g.chance(0.7) &&
            infer::sameShape(g.type(made), g.type(used[given])))
          result = made;
      yielded[k].push_back(result);
    }
    results.push_back(used[given].getType());
  }
  auto op = b.create<IfOp>(loc, results, chooser, used);
  for (int k : {0, 1}) {
    Region &region = k == 0 ? op.getThenBody() : op.getElseBody();
    region.push_back(bodies[k].block.release());
    OpBuilder::atBlockEnd(&region.front()).create<YieldOp>(loc, yielded[k]);
  }
  return g.keep(op);
}

static bool gradient(Generator &g, StringRef) { return g.differentiate(); }

void attachControl(MLIRContext *context) {
  attach<loop, LoopOp>(context);
  attach<branch, IfOp>(context);
  attach<gradient, GradientOp>(context);
}

} // namespace tenon::fuzz
