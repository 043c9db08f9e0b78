//===- Control.cpp - Backward rules of loops and ifs ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/TensorTypes.h"
#include "passes/autodiff/ReverseMode.h"
#include "passes/autodiff/Rule.h"
#include "passes/autodiff/SplitLoop.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;

namespace tenon::autodiff {

namespace {
/// Builds the loop that runs a loop backwards. Its body computes a trip again from
/// the carried values at the trip's start, which the forward loop stacks, and goes
/// back through it. Where the stacks would be large, the loop is split first.
class LoopGradient {
public:
  LoopGradient(LoopOp loop, Incoming &in)
      : loop(loop), in(in), numCarried(loop.getCarried().size()),
        numScanned(loop.getScanned().size()), numInvariant(loop.getInvariant().size()),
        yielded(cast<YieldOp>(loop.getBody().front().getTerminator()).getValues()) {}

  Gradients build();

private:
  LoopOp loop;
  Incoming &in;
  unsigned numCarried, numScanned, numInvariant;
  ValueRange yielded;

  SmallVector<bool> active; ///< carried values that have a gradient
  Block body;
  // Operands of the new loop beside the body's arguments.
  SmallVector<Value> carried, scanned, invariant;

  // Of the body: of values in the old one, its values; what reverse mode starts from; sums of
  // gradients of invariant values.
  IRMapping map;
  SmallVector<Value> ys, seeds, sums;

  bool needs(unsigned operand) const { return in.needed[operand]; }
  bool hasGradient(unsigned operand) const {
    return operand < numCarried ? active[operand] : needs(operand);
  }
  unsigned numOperands() const { return numCarried + numScanned + numInvariant; }
  BlockArgument oldArgument(unsigned operand) { return loop.getBody().getArgument(1 + operand); }
  void findActive();
  void addArguments();
  LogicalResult buildBody();
  void yieldGradients(OpBuilder &builder, ArrayRef<Value> gradients);
  SmallVector<Value> stackResiduals();
  bool isStacked(Value entry) { return llvm::is_contained(yielded.drop_front(numCarried), entry); }
  bool stacksTooMuch();
  Gradients throughSplit();
  SmallVector<unsigned> residualOf; ///< carried index of each residual argument
};
} // namespace

/// A carried value is active when its initial value is, or when a trip makes it from
/// active values: a fixpoint.
void LoopGradient::findActive() {
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody().front())
    ops.push_back(&op);
  for (unsigned i = 0; i < numCarried; i++)
    active.push_back(needs(i));
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Value> xs;
    for (unsigned i = 0; i < numOperands(); i++)
      if (hasGradient(i))
        xs.push_back(oldArgument(i));
    llvm::DenseSet<Value> values = activeValues(ops, xs);
    for (unsigned i = 0; i < numCarried; i++)
      if (!active[i] && values.contains(yielded[i]))
        active[i] = changed = true;
  }
}

/// Arguments: t; gradients of active carried values, sums for invariant ones; the
/// carried values of the trip, scanned values, gradients of stacked values;
/// invariant values.
void LoopGradient::addArguments() {
  auto argument = [&](Value like) { return body.addArgument(like.getType(), loop.getLoc()); };
  map.map(loop.getIndex(), argument(loop.getIndex()));
  for (unsigned i = 0; i < numCarried; i++) {
    if (!active[i])
      continue;
    Value gradient = in.gradients[i];
    carried.push_back(gradient ? gradient : in.splat(loop.getCarried()[i], 0));
    ys.push_back(yielded[i]), seeds.push_back(argument(oldArgument(i)));
  }
  for (unsigned i = 0; i < numInvariant; i++) {
    if (!needs(numCarried + numScanned + i))
      continue;
    carried.push_back(in.splat(loop.getInvariant()[i], 0));
    sums.push_back(argument(loop.getInvariant()[i]));
  }
  for (unsigned i = 0; i < numCarried + numScanned; i++) {
    map.map(oldArgument(i), argument(oldArgument(i)));
    if (i < numCarried)
      residualOf.push_back(i);
    else
      scanned.push_back(loop.getScanned()[i - numCarried]);
  }
  for (unsigned i = numCarried; i < loop.getNumResults(); i++)
    if (Value gradient = in.gradients[i]) {
      scanned.push_back(gradient);
      ys.push_back(yielded[i]), seeds.push_back(argument(yielded[i]));
    }
  for (unsigned i = 0; i < numInvariant; i++) {
    invariant.push_back(loop.getInvariant()[i]);
    map.map(oldArgument(numCarried + numScanned + i), argument(loop.getInvariant()[i]));
  }
}

LogicalResult LoopGradient::buildBody() {
  addArguments();
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointToEnd(&body);
  for (Operation &op : loop.getBody().front().without_terminator())
    builder.clone(op, map);
  for (Value &y : ys)
    y = map.lookup(y);
  SmallVector<Value> xs;
  for (unsigned i = 0; i < numOperands(); i++)
    if (hasGradient(i))
      xs.push_back(map.lookup(oldArgument(i)));
  FailureOr<SmallVector<Value>> gradients = reverseMode(builder, opsUpTo(builder), ys, seeds, xs);
  if (failed(gradients))
    return failure();
  yieldGradients(builder, *gradients);
  eraseDeadOps(body);
  return success();
}

/// Results: gradients of active carried values, sums for invariant ones; gradients of
/// scanned values.
void LoopGradient::yieldGradients(OpBuilder &builder, ArrayRef<Value> gradients) {
  Emit emit(builder, loop.getLoc());
  SmallVector<Value> carriedOut, stackedOut;
  auto next = gradients.begin();
  auto sum = sums.begin();
  for (unsigned i = 0; i < numOperands(); i++) {
    if (!hasGradient(i))
      continue;
    Value gradient = *next++;
    if (i >= numCarried + numScanned) {
      carriedOut.push_back(gradient ? emit.add(*sum, gradient) : *sum);
      ++sum;
    } else {
      if (!gradient)
        gradient = emit.splat(map.lookup(oldArgument(i)), 0);
      (i < numCarried ? carriedOut : stackedOut).push_back(gradient);
    }
  }
  carriedOut.append(stackedOut);
  builder.create<YieldOp>(loop.getLoc(), carriedOut);
}

/// Stacks of the carried values in `residualOf`, from the forward loop or from a
/// copy of it that stacks them too and takes its place.
SmallVector<Value> LoopGradient::stackResiduals() {
  SmallVector<Value> extra;
  SmallVector<unsigned> places;
  for (unsigned i : residualOf) {
    Value entry = oldArgument(i);
    unsigned at = numCarried;
    while (at < yielded.size() && yielded[at] != entry)
      at++;
    if (at == yielded.size()) {
      at += llvm::find(extra, entry) - extra.begin();
      extra.push_back(entry);
    }
    places.push_back(at);
  }
  LoopOp source = loop;
  if (!extra.empty()) {
    SmallVector<mlir::Type> types(loop.getResultTypes());
    for (Value value : extra) {
      SmallVector<int64_t> shape{int64_t(loop.getTrips())};
      llvm::append_range(shape, tensorType(value).getShape());
      types.push_back(tensorType(value).clone(shape));
    }
    OpBuilder builder(loop);
    source = builder.create<LoopOp>(loop.getLoc(), types, loop.getCarried(), loop.getScanned(),
                                    loop.getInvariant(), loop.getTrips(), loop.getReverse());
    source->setAttrs(loop->getAttrs());
    IRMapping map;
    loop.getBody().cloneInto(&source.getBody(), map);
    Operation *yield = source.getBody().front().getTerminator();
    for (Value value : extra)
      yield->insertOperands(yield->getNumOperands(), map.lookup(value));
    // The old loop stays, without users, until dead ops are erased: others still
    // hold its results.
    loop->replaceAllUsesWith(source->getResults().take_front(loop.getNumResults()));
  }
  SmallVector<Value> stacks;
  for (unsigned place : places)
    stacks.push_back(source->getResult(place));
  return stacks;
}

/// Do the stacks that are made for the gradient alone take more than caches hold? An extent that is
/// known at run time only counts as a batch of common size.
bool LoopGradient::stacksTooMuch() {
  constexpr int64_t kFewTrips = 16, kMostBytes = 16 << 20, kUnknownExtent = 256;
  int64_t trips = int64_t(loop.getTrips());
  if (trips < kFewTrips || loop.getReverse() || isPartOfSplit(loop) || !canSplit(loop))
    return false;
  double bytes = 0;
  for (unsigned i : residualOf) {
    RankedTensorType type = tensorType(oldArgument(i));
    double size = elementBytes(type.getElementType());
    for (int64_t extent : type.getShape())
      size *= double(ShapedType::isDynamic(extent) ? kUnknownExtent : extent);
    if (!isStacked(oldArgument(i)))
      bytes += size;
  }
  return bytes * double(trips) > kMostBytes;
}

/// Gradients of the operands through loops of about as many trips inside a loop.
Gradients LoopGradient::throughSplit() {
  Operation *before = loop->getPrevNode();
  auto length = int64_t(std::ceil(std::sqrt(double(loop.getTrips()))));
  SmallVector<Value> results = splitLoop(loop, length);
  OpBuilder builder(loop);
  SmallVector<Operation *> ops = opsUpTo(builder, before);
  loop->replaceAllUsesWith(results); // it stays until dead ops are erased
  SmallVector<unsigned> places;
  for (auto [result, gradient] : llvm::zip(results, in.gradients))
    if (gradient)
      ys.push_back(result), seeds.push_back(gradient);
  llvm::SetVector<Value> xs; // a value that enters twice has its whole gradient at the first
  for (unsigned i = 0; i < numOperands(); i++)
    if (needs(i) && xs.insert(loop->getOperand(i)))
      places.push_back(i);
  FailureOr<SmallVector<Value>> found = reverseMode(in.builder, ops, ys, seeds, xs.getArrayRef());
  if (failed(found))
    return failure();
  SmallVector<Value> gradients(numOperands());
  for (auto [place, gradient] : llvm::zip(places, *found))
    gradients[place] = gradient;
  return gradients;
}

Gradients LoopGradient::build() {
  findActive();
  if (failed(buildBody()))
    return failure();

  // Arguments after t and the carried ones: drop those that nothing reads.
  unsigned at = 1 + carried.size();
  auto prune = [&](auto &operands) {
    for (unsigned i = 0; i < operands.size();) {
      if (!body.getArgument(at).use_empty()) {
        i++, at++;
        continue;
      }
      body.eraseArgument(at);
      operands.erase(operands.begin() + i);
    }
  };
  prune(residualOf);
  prune(scanned);
  prune(invariant);
  if (stacksTooMuch()) {
    ys.clear(), seeds.clear();
    return throughSplit();
  }

  SmallVector<Value> slices = stackResiduals();
  slices.append(scanned);
  SmallVector<mlir::Type> types;
  for (Value value : carried)
    types.push_back(value.getType());
  for (unsigned i = 0; i < numScanned; i++)
    if (needs(numCarried + i))
      types.push_back(loop.getScanned()[i].getType());
  auto result = in.builder.create<LoopOp>(loop.getLoc(), types, carried, slices, invariant,
                                          loop.getTrips(), !loop.getReverse());
  result.getBody().push_back(new Block);
  Block &target = result.getBody().front();
  for (BlockArgument argument : body.getArguments())
    argument.replaceAllUsesWith(target.addArgument(argument.getType(), argument.getLoc()));
  target.getOperations().splice(target.end(), body.getOperations());

  SmallVector<Value> gradients(loop->getNumOperands());
  unsigned next = 0;
  for (unsigned i = 0; i < numCarried; i++)
    if (active[i])
      gradients[i] = result.getResult(next++);
  for (unsigned i = numCarried + numScanned; i < gradients.size(); i++)
    if (needs(i))
      gradients[i] = result.getResult(next++);
  for (unsigned i = numCarried; i < numCarried + numScanned; i++)
    if (needs(i))
      gradients[i] = result.getResult(next++);
  return gradients;
}

static Gradients backwardLoop(LoopOp op, Incoming &in) { return LoopGradient(op, in).build(); }

/// One body of the gradient of an if: the old body again, then back through it. Arguments are the
/// used values, then the gradients of results that have one.
static LogicalResult buildBranch(IfOp op, bool isThen, Incoming &in, Block &body) {
  Block &old = op.getBranch(isThen);
  Location loc = op.getLoc();
  IRMapping map;
  SmallVector<Value> ys, seeds, xs;
  for (BlockArgument argument : old.getArguments())
    map.map(argument, body.addArgument(argument.getType(), loc));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&body);
  for (Operation &each : old.without_terminator())
    builder.clone(each, map);
  for (auto [y, gradient] : llvm::zip(old.getTerminator()->getOperands(), in.gradients))
    if (gradient) {
      ys.push_back(map.lookup(y));
      seeds.push_back(body.addArgument(gradient.getType(), loc));
    }
  for (BlockArgument argument : old.getArguments())
    if (in.needed[1 + argument.getArgNumber()])
      xs.push_back(map.lookup(argument));
  FailureOr<SmallVector<Value>> gradients = reverseMode(builder, opsUpTo(builder), ys, seeds, xs);
  if (failed(gradients))
    return failure();
  Emit emit(builder, loc);
  for (auto [x, gradient] : llvm::zip(xs, *gradients))
    if (!gradient)
      gradient = emit.splat(x, 0);
  builder.create<YieldOp>(loc, *gradients);
  eraseDeadOps(body);
  return success();
}

static Gradients backwardIf(IfOp op, Incoming &in) {
  SmallVector<Value> used(op.getUsed());
  for (Value gradient : in.gradients)
    if (gradient)
      used.push_back(gradient);
  SmallVector<mlir::Type> types;
  for (auto [i, value] : llvm::enumerate(op.getUsed()))
    if (in.needed[1 + i])
      types.push_back(value.getType());
  auto result = in.builder.create<IfOp>(op.getLoc(), types, op.getCondition(), used);
  if (failed(buildBranch(op, true, in, result.getThenBody().emplaceBlock())) ||
      failed(buildBranch(op, false, in, result.getElseBody().emplaceBlock())))
    return failure();
  SmallVector<Value> gradients(op->getNumOperands());
  unsigned next = 0;
  for (unsigned i = 1; i < gradients.size(); i++)
    if (in.needed[i])
      gradients[i] = result->getResult(next++);
  return gradients;
}

void attachControlRules(MLIRContext *context) {
  attachRule<LoopOp, backwardLoop>(context);
  attachRule<IfOp, backwardIf>(context);
}

} // namespace tenon::autodiff
