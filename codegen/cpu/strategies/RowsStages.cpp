//===- RowsStages.cpp - Rows computed in passes ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A softmax or norm and what is fused with it, one row at a time, so that only the
// first pass over a row reads memory beyond the first cache. Where the last axis is
// kept, as many rows as there are lanes go together.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/strategies/Accumulator.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

/// A sum of e^(x - maximum), scaled as the maximum grows: in the same pass (Milakov and Gimelshein,
/// "Online normalizer calculation for softmax", 2018).
struct ScaledSum {
  Value sum, x;
  size_t maximum; ///< its place in what the pass's reductions carry
};

/// One sweep over the reduced axes.
struct Pass {
  SmallVector<Accumulator> reductions; ///< none in the last pass
  SmallVector<ScaledSum> sums;
  SmallVector<Value> roots; ///< what is computed at every element
  SmallVector<Value> kept;  ///< of that, what later passes load again
};

class Stages {
public:
  explicit Stages(RowsBody &body) : body(body), frame(body.frame) { plan(); }
  void emit();

private:
  /// Of places along the last reduced axis, or where `indices` is if there are none.
  using Visit =
      llvm::function_ref<Values(ArrayRef<LaneIndex> places, Value mask, ValueRange carried)>;

  void plan();
  bool isInRegisters(int64_t members);
  void planKept();
  void emitItem(Value item);
  void shareItems(AffineExpr items, std::optional<int64_t> elements);
  void ifIs(Value condition, llvm::function_ref<void()> emit);
  void emitReductions(ElementEmitter &e, Pass &pass);
  Values emitElements(ElementEmitter &e, Pass &pass, Value mask, ValueRange carried);
  Values emitSums(ElementEmitter &e, Pass &pass, ArrayRef<LaneIndex> places, ValueRange before,
                  ValueRange after);
  void atEach(ArrayRef<LaneIndex> places, llvm::function_ref<void()> emit);
  void emitFullOutputs(ElementEmitter &e);
  Values sweepShared(ElementEmitter &e, Value end, ValueRange inits, Visit visit);
  /// Runs `visit` for all elements of the reduced axes.
  Values sweep(ElementEmitter &e, size_t depth, ValueRange inits, int unroll, ValueRange neutral,
               Visit visit, llvm::function_ref<Values(ValueRange, ValueRange)> merge);
  SmallVector<LaneIndex> keptIndices(ElementEmitter &e);
  int unrollOf(const Pass &pass);
  void prefetchRow();
  void findOwnPlaces();

  RowsBody &body;
  KernelFrame &frame;
  SmallVector<Pass> passes;
  DenseMap<Value, unsigned> scratchOf;
  SmallVector<LaneIndex> indices; ///< into the domain
  Value columnMask;
  int64_t teamSize = 1;         ///< members that share a row
  int64_t apart = 1;            ///< rows side by side that a team has
  Value member;                 ///< of those that share a row
  Value exists;                 ///< does its row, where it may not? Null: it does
  SmallVector<Value> ownPlaces; ///< of a member, along the reduced axis, where these are few
};

/// Two rows of this many bytes, and what is kept of one, fit the first cache.
constexpr int64_t kLongestFetched = 1 << 14;
/// On a GPU: rows side by side that a team takes together, and members that share one.
constexpr int64_t kSideBySide = 8, kSharing = 32;
/// Elements of a row that a member of a team keeps in registers.
constexpr int64_t kMostOwnPlaces = 16;
/// Else how many a member takes at a time, all loads before what needs them.
constexpr int64_t kAtOnce = 8;

} // namespace

/// The maximum that is subtracted below the powers which `op` sums up; null of others.
static ReduceMaxOp maximumBelow(Operation *op) {
  auto power = isa<ReduceSumOp>(op) ? op->getOperand(0).getDefiningOp<ExpOp>() : ExpOp();
  if (!power || !power->hasAttr(kNonPositiveAttr))
    return {};
  auto shifted = power->getOperand(0).getDefiningOp<SubOp>();
  auto spread = shifted ? shifted->getOperand(1).getDefiningOp<BroadcastOp>() : BroadcastOp();
  auto finite = spread ? spread->getOperand(0).getDefiningOp<SelectOp>() : SelectOp();
  auto maximum = finite ? finite->getOperand(2).getDefiningOp<ReduceMaxOp>() : ReduceMaxOp();
  return maximum && maximum->getOperand(0) == shifted->getOperand(0) ? maximum : ReduceMaxOp();
}

/// Are a row's elements few enough to be in the registers of those who share it?
bool Stages::isInRegisters(int64_t members) {
  auto length = constantOf(body.extents.back());
  return body.domain.axes.size() == 1 && length && *length % members == 0 &&
         *length <= kMostOwnPlaces * members;
}

void Stages::plan() {
  // Rows that no registers hold are read again by each pass.
  int64_t members = frame.teams() && body.domain.lastIsReduced()
                        ? frame.teams()->sizeFor(constantOf(body.extents.back()))
                        : 1;
  bool isLong = members > 1 && !isInRegisters(members);
  DenseMap<Value, unsigned> depth;
  for (Operation &op : body.kernel.getBody().front()) {
    unsigned deepest = 0;
    for (Value operand : op.getOperands())
      deepest = std::max(deepest, depth.lookup(operand));
    bool reduces = reducedAxes(&op).has_value();
    if (ReduceMaxOp maximum = isLong ? maximumBelow(&op) : ReduceMaxOp()) {
      deepest = depth.lookup(maximum->getResult(0)) - 1;
      size_t place = 0;
      for (const Accumulator &a : passes[deepest].reductions) {
        if (a.reduction() == maximum)
          break;
        place += a.width();
      }
      passes[deepest].sums.push_back({op.getResult(0), maximum->getOperand(0), place});
    } else if (reduces) {
      if (passes.size() <= deepest)
        passes.resize(deepest + 1);
      passes[deepest].reductions.emplace_back(frame, &op);
      passes[deepest].roots.push_back(op.getOperand(0));
    }
    for (Value result : op.getResults())
      depth[result] = deepest + reduces;
  }
  Pass last;
  for (const RowsBody::Output &output : body.outputs)
    if (output.form == Form::Full)
      last.roots.push_back(output.value);
  if (!last.roots.empty())
    passes.push_back(std::move(last));
  planKept();
}

/// The ops that a pass computes, down to `stop`.
static void collectCone(Value value, const SmallPtrSetImpl<Operation *> &stop,
                        SmallPtrSetImpl<Operation *> &cone) {
  Operation *op = value.getDefiningOp();
  if (!op || reducedAxes(op) || !cone.insert(op).second || stop.contains(op))
    return;
  for (Value operand : op->getOperands())
    collectCone(operand, stop, cone);
}

void Stages::planKept() {
  if (!frame.hasWorkers())
    return; // nothing is near: computing again takes less than loading
  SmallPtrSet<Operation *, 8> candidates, none;
  DenseMap<Operation *, unsigned> firstPass;
  for (auto [number, pass] : llvm::enumerate(passes)) {
    SmallPtrSet<Operation *, 16> cone;
    for (Value root : pass.roots)
      collectCone(root, none, cone);
    for (Operation *op : cone) {
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      if (!isExpensive(op) || type.getShape() != ArrayRef(body.domain.shape))
        continue;
      if (!firstPass.try_emplace(op, number).second)
        candidates.insert(op);
    }
  }
  // Only those that later passes reach without going through another one.
  SmallPtrSet<Operation *, 8> used;
  for (auto [number, pass] : llvm::enumerate(passes)) {
    SmallPtrSet<Operation *, 16> cone;
    for (Value root : pass.roots)
      collectCone(root, candidates, cone);
    for (Operation *op : cone)
      if (candidates.contains(op) && firstPass[op] < number)
        used.insert(op);
  }
  for (Operation &op : body.kernel.getBody().front()) {
    if (!used.contains(&op))
      continue;
    Value value = op.getResult(0);
    passes[firstPass[&op]].kept.push_back(value);
    SmallVector<AffineExpr> shape;
    for (int64_t axis : body.domain.axes)
      shape.push_back(body.extents[axis]);
    if (!body.domain.lastIsReduced())
      shape.push_back(getAffineConstantExpr(body.lanes, op.getContext()));
    Type type = ElementEmitter::computeType(getElementTypeOrSelf(value.getType()));
    scratchOf[value] = frame.addWorkerScratch(type, shape);
  }
}

int Stages::unrollOf(const Pass &pass) {
  SmallPtrSet<Operation *, 16> cone, none;
  for (Value root : pass.roots)
    collectCone(root, none, cone);
  for (Operation *op : cone)
    if (isExpensive(op))
      return 1;
  if (body.extents.empty())
    return 1;
  auto extent = constantOf(body.extents.back());
  bool isLong = !extent || *extent >= 4 * body.lanes;
  return cone.size() <= 8 && isLong && !pass.reductions.empty() ? 4 : 1;
}

void Stages::atEach(ArrayRef<LaneIndex> places, llvm::function_ref<void()> emit) {
  if (places.empty())
    return emit();
  for (const LaneIndex &place : places) {
    indices[body.domain.axes.back()] = place;
    emit();
  }
}

/// A member's places along the last reduced axis, as far apart as there are members.
Values Stages::sweepShared(ElementEmitter &e, Value end, ValueRange inits, Visit visit) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  auto visitFrom = [&](Value first, int64_t count, ValueRange carried) {
    SmallVector<LaneIndex> places;
    for (int64_t i = 0; i < count; i++)
      places.push_back(
          e.uniform(b.createOrFold<arith::AddIOp>(loc, first, frame.index(i * teamSize))));
    return visit(places, nullptr, carried);
  };
  auto known = constantIndexOf(end);
  if (!ownPlaces.empty()) {
    // The same places in each pass: what one computes there the next ones find in registers.
    SmallVector<LaneIndex> places;
    for (Value place : ownPlaces)
      places.push_back(e.uniform(place));
    return visit(places, nullptr, inits);
  }
  int64_t step = kAtOnce * teamSize;
  bool isWhole = frame.isMultiple(end, step);
  Value stop = isWhole ? end : frame.index(known ? *known / step * step : 0);
  if (!known && !isWhole)
    stop = b.create<arith::SubIOp>(
        loc, end, b.create<arith::RemUIOp>(loc, end, frame.index(step)).getResult());
  Values carried = llvm::to_vector(inits);
  if (!known || *known >= step)
    carried = emitLoop(
        frame, member, stop, carried,
        [&](Value first, ValueRange carried) { return visitFrom(first, kAtOnce, carried); }, step);
  if (isWhole)
    return carried;
  return emitLoop(
      frame, b.createOrFold<arith::AddIOp>(loc, stop, member), end, carried,
      [&](Value first, ValueRange carried) { return visitFrom(first, 1, carried); }, teamSize);
}

Values Stages::sweep(ElementEmitter &e, size_t depth, ValueRange inits, int unroll,
                     ValueRange neutral, Visit visit,
                     llvm::function_ref<Values(ValueRange, ValueRange)> merge) {
  ArrayRef<int64_t> axes = body.domain.axes;
  if (depth == axes.size()) // only where the last axis is kept, or nothing is reduced
    return visit({}, columnMask, inits);
  int64_t axis = axes[depth];
  Value end = body.buffers->emit(body.extents[axis]);
  if (member && depth + 1 == axes.size())
    return sweepShared(e, end, inits, visit);
  if (depth + 1 == axes.size() && body.domain.lastIsReduced())
    return emitVectorLoop(
        frame, body.lanes, frame.index(0), end, inits,
        [&](LaneIndex at, Value mask, ValueRange carried) {
          e.setMask(mask);
          Values next = visit(at, mask, carried);
          e.setMask(nullptr);
          return next;
        },
        unroll, neutral, merge);
  return emitLoop(frame, frame.index(0), end, inits, [&](Value i, ValueRange carried) {
    indices[axis] = e.uniform(i);
    return sweep(e, depth + 1, carried, unroll, neutral, visit, merge);
  });
}

/// Where a kept value lies in its scratch.
SmallVector<LaneIndex> Stages::keptIndices(ElementEmitter &e) {
  SmallVector<LaneIndex> place;
  for (int64_t axis : body.domain.axes)
    place.push_back(indices[axis]);
  if (!body.domain.lastIsReduced())
    place.push_back({frame.index(0), 1, nullptr, body.lanes});
  return place;
}

/// The second pass over a row, which finds it in the first cache, asks for the next row and,
/// unless it stores much itself, for what the last pass writes.
void Stages::prefetchRow() {
  if (!body.domain.lastIsReduced() || body.domain.axes.size() != 1) // of a scalar none is
    return;
  auto length = constantOf(body.extents.back());
  if (!length || !isLarge(body, body.full))
    return;
  Type type = getElementTypeOrSelf(body.full.getType());
  int64_t row = *length * elementBytes(type);
  if (row > kLongestFetched)
    return;
  for (BlockArgument argument : body.kernel.getBody().getArguments())
    if (isAlong(body, argument, body.full))
      prefetch(frame, body.buffers->buffer(argument.getArgNumber()), indices, row, body.lanes);
  if (!passes[1].kept.empty())
    return;
  for (const RowsBody::Output &output : body.outputs)
    if (output.form == Form::Full)
      prefetch(frame, body.buffers->buffer(output.buffer), indices, 0, body.lanes,
               /*isWrite=*/true);
}

/// Takes one vector of elements into the reductions of a pass, and stores what later passes
/// load again.
Values Stages::emitElements(ElementEmitter &e, Pass &pass, Value mask, ValueRange carried) {
  OpBuilder &b = frame.builder();
  if (&pass == &passes.front() + 1 && !mask)
    prefetchRow();
  Values next, elements;
  for (Value root : pass.roots)
    elements.push_back(e.emitVector(root, indices));
  for (Value value : pass.kept)
    e.store(e.emit(value, indices), frame.scratch(scratchOf[value]), keptIndices(e));
  bool rowwise = body.domain.lastIsReduced();
  for (auto [a, x] : llvm::zip(pass.reductions, elements)) {
    Value place;
    if (a.isArg()) {
      LaneIndex along = indices[(*reducedAxes(a.reduction()))[0]];
      place = e.splat(e.valueOf(along));
      place = b.create<arith::IndexCastOp>(frame.loc(),
                                           withElement(place.getType(), b.getI64Type()), place);
    }
    llvm::append_range(next,
                       a.step(carried.take_front(a.width()), x, place, rowwise ? mask : Value()));
    carried = carried.drop_front(a.width());
  }
  return next;
}

/// What is subtracted from x for a maximum: of -inf alone it is 0, so that nothing is NaN.
static Num finiteOf(KernelFrame &frame, Value maximum) {
  Num x(frame.builder(), frame.loc(), maximum);
  return select(x == -INFINITY, x.like(0), x);
}
static Num powerOf(Num finite, Value x) {
  return finite.of(emitExpNonPositive(*finite.b, finite.loc, finite.of(x) - finite));
}

static Values mergeAll(KernelFrame &frame, const Pass &pass, ValueRange first, ValueRange second) {
  Values joined;
  ValueRange x = first, y = second;
  for (const Accumulator &a : pass.reductions) {
    llvm::append_range(joined, a.merge(x.take_front(a.width()), y.take_front(a.width())));
    x = x.drop_front(a.width());
    y = y.drop_front(a.width());
  }
  for (const ScaledSum &sum : pass.sums) {
    Num finite = finiteOf(frame, joined[sum.maximum]);
    auto scaled = [&](Value own, Value maximum) {
      return finite.of(own) * powerOf(finite, maximum);
    };
    joined.push_back(scaled(x.front(), first[sum.maximum]) +
                     scaled(y.front(), second[sum.maximum]));
    x = x.drop_front();
    y = y.drop_front();
  }
  return joined;
}

/// What the pass's sums are, after these places were taken into its reductions.
Values Stages::emitSums(ElementEmitter &e, Pass &pass, ArrayRef<LaneIndex> places,
                        ValueRange before, ValueRange after) {
  Values sums;
  ValueRange old = before.take_back(pass.sums.size());
  for (const ScaledSum &sum : pass.sums) {
    Num finite = finiteOf(frame, after[sum.maximum]);
    std::optional<Num> added;
    atEach(places, [&] {
      Num power = powerOf(finite, e.emit(sum.x, indices));
      added = added ? *added + power : power;
    });
    sums.push_back(finite.of(old.front()) * powerOf(finite, before[sum.maximum]) + *added);
    old = old.drop_front();
  }
  return sums;
}

/// Binds the results of a pass's reductions, and what it keeps, for the passes that follow.
void Stages::emitReductions(ElementEmitter &e, Pass &pass) {
  Values inits;
  for (Accumulator &a : pass.reductions)
    llvm::append_range(inits, a.start(body.lanes));
  for (const ScaledSum &sum : pass.sums)
    inits.push_back(frame.constant(getElementTypeOrSelf(sum.x.getType()), 0));
  auto merge = [&](ValueRange first, ValueRange second) {
    return mergeAll(frame, pass, first, second);
  };
  Values sums = sweep(
      e, 0, inits, unrollOf(pass), inits,
      [&](ArrayRef<LaneIndex> places, Value mask, ValueRange carried) {
        Values next = llvm::to_vector(carried.drop_back(pass.sums.size()));
        atEach(places, [&] { next = emitElements(e, pass, mask, next); });
        llvm::append_range(next, emitSums(e, pass, places, carried, next));
        return next;
      },
      merge);

  if (member)
    sums = frame.teams()->combine(sums, merge, apart);

  AffineExpr count = getAffineConstantExpr(1, body.kernel.getContext());
  for (int64_t axis : body.domain.axes)
    count = count * body.extents[axis];
  ValueRange rest(sums);
  for (Accumulator &a : pass.reductions) {
    Values own = llvm::to_vector(rest.take_front(a.width()));
    rest = rest.drop_front(a.width());
    if (body.domain.lastIsReduced())
      own = a.horizontal(own);
    e.bind(a.reduction()->getResult(0), a.finish(own, body.buffers->emit(count)));
  }
  for (auto [sum, value] : llvm::zip(pass.sums, rest))
    e.bind(sum.sum, value);
  for (Value value : pass.kept)
    e.bind(value, [this, &e, value](ArrayRef<LaneIndex> at) -> Value {
      if (at != ArrayRef<LaneIndex>(indices)) // read elsewhere, through a view
        return nullptr;
      return e.load(frame.scratch(scratchOf[value]), keptIndices(e));
    });
}

void Stages::emitFullOutputs(ElementEmitter &e) {
  SmallVector<RowsBody::Output> outputs;
  for (const RowsBody::Output &output : body.outputs)
    if (output.form == Form::Full)
      outputs.push_back(output);
  sweep(e, 0, {}, 1, {},
        [&](ArrayRef<LaneIndex> places, Value, ValueRange) {
          // An output may lie in the storage of an operand: all loads come before the stores.
          SmallVector<SmallVector<LaneIndex>> at;
          Values values;
          atEach(places, [&] {
            at.push_back(indices);
            for (const RowsBody::Output &output : outputs)
              values.push_back(e.emit(output.value, indices));
          });
          ArrayRef<Value> next(values);
          for (ArrayRef<LaneIndex> place : at)
            for (const RowsBody::Output &output : outputs) {
              e.store(next.front(), body.buffers->buffer(output.buffer), place);
              next = next.drop_front();
            }
          return Values();
        },
        {});
}

void Stages::emitItem(Value item) {
  OpBuilder &b = frame.builder();
  bool rowwise = body.domain.lastIsReduced();
  ElementEmitter e(frame, body.lanes, nullptr, body.buffers.get());
  SmallVector<int64_t> keptAxes = body.domain.keptAxes();
  SmallVector<AffineExpr> kept;
  for (int64_t axis : keptAxes)
    kept.push_back(body.extents[axis]);
  AffineExpr last = body.extents.empty() ? AffineExpr() : body.extents.back();
  if (!rowwise && !kept.empty())
    kept.back() = last.ceilDiv(apart > 1 ? apart : body.lanes);
  SmallVector<Value> at = delinearize(frame, *body.buffers, item, kept);
  exists = nullptr;
  if (apart > 1) {
    Location loc = frame.loc();
    Value end = body.buffers->emit(last);
    Value column = b.createOrFold<arith::MulIOp>(loc, at.back(), frame.index(apart));
    column = b.create<arith::AddIOp>(
        loc, column, b.create<arith::RemUIOp>(loc, member, frame.index(apart)).getResult());
    exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, column, end);
    // Members of none go along with the last one, for barriers wait for all.
    at.back() = b.create<arith::MinUIOp>(loc, column,
                                         b.createOrFold<arith::SubIOp>(loc, end, frame.index(1)));
    member = b.create<arith::DivUIOp>(loc, member, frame.index(apart));
  }
  indices.assign(body.extents.size(), e.uniform(frame.index(0)));
  for (auto [axis, i] : llvm::zip(keptAxes, at))
    indices[axis] = e.uniform(i);
  columnMask = nullptr;
  if (!rowwise && !kept.empty()) {
    Value first = b.createOrFold<arith::MulIOp>(frame.loc(), at.back(), frame.index(body.lanes));
    indices.back() = {first, 1, nullptr, body.lanes};
    if (!frame.isMultiple(last, body.lanes)) {
      Value left = b.create<arith::SubIOp>(frame.loc(), body.buffers->emit(last), first);
      columnMask = laneMask(frame, body.lanes, left);
    }
    e.setMask(columnMask);
  }

  SmallVector<LaneIndex> start = indices;
  for (Pass &pass : passes) {
    if (pass.reductions.empty())
      continue;
    emitReductions(e, pass);
    indices = start;
  }
  SmallVector<RowsBody::Output> rows, rowsKept;
  for (const RowsBody::Output &output : body.outputs)
    if (output.form == Form::Row)
      rows.push_back(output);
    else if (output.form == Form::RowKept)
      rowsKept.push_back(output);
  SmallVector<LaneIndex> row;
  for (int64_t axis : keptAxes)
    row.push_back(indices[axis]);
  Value isFirst;
  if (member && rows.size() + rowsKept.size() > 0) {
    isFirst =
        b.create<arith::CmpIOp>(frame.loc(), arith::CmpIPredicate::eq, member, frame.index(0));
    if (exists)
      isFirst = b.create<arith::AndIOp>(frame.loc(), isFirst, exists);
  }
  ifIs(isFirst, [&] {
    emitOutputs(body, e, rows, row);
    emitOutputs(body, e, rowsKept, indices);
  });
  if (passes.back().reductions.empty())
    ifIs(exists, [&] { emitFullOutputs(e); });
}

/// Runs `emit` where the condition holds, which may be null.
void Stages::ifIs(Value condition, llvm::function_ref<void()> emit) {
  OpBuilder &b = frame.builder();
  OpBuilder::InsertionGuard guard(b);
  if (condition)
    b.setInsertionPointToStart(
        b.create<scf::IfOp>(frame.loc(), condition, /*withElse=*/false).thenBlock());
  emit();
}

void Stages::findOwnPlaces() {
  ownPlaces.clear();
  if (isInRegisters(teamSize))
    for (int64_t first = 0; first < *constantOf(body.extents.back()); first += teamSize)
      ownPlaces.push_back(
          frame.builder().createOrFold<arith::AddIOp>(frame.loc(), member, frame.index(first)));
}

/// Has teams share rows, if that is worth it.
void Stages::shareItems(AffineExpr items, std::optional<int64_t> elements) {
  if (body.domain.lastIsReduced()) {
    teamSize = frame.teams()->sizeFor(constantOf(body.extents.back()));
  } else if (!body.domain.axes.empty()) {
    // Enough rows fill a GPU by themselves.
    constexpr int64_t kEnough = 1 << 15, kShort = 64;
    bool areShort = elements && *elements <= kShort;
    if (areShort || constantOf(items).value_or(0) >= kEnough)
      return;
    teamSize = kSharing;
    apart = kSideBySide;
    AffineExpr last = body.extents.back();
    items = getAffineConstantExpr(1, body.kernel.getContext());
    for (int64_t axis : body.domain.keptAxes())
      items = items *
              (axis + 1 == int64_t(body.extents.size()) ? last.ceilDiv(apart) : body.extents[axis]);
  }
  if (teamSize > 1)
    frame.teams()->forEach(body.buffers->emit(items), teamSize * apart,
                           [&](Value item, Value member) {
                             this->member = member;
                             if (body.domain.lastIsReduced())
                               findOwnPlaces();
                             emitItem(item);
                           });
}

void Stages::emit() {
  bool rowwise = body.domain.lastIsReduced();
  AffineExpr items = getAffineConstantExpr(1, body.kernel.getContext());
  AffineExpr elements = items;
  for (auto [axis, extent] : llvm::enumerate(body.extents)) {
    if (body.domain.isReduced(axis))
      elements = elements * extent;
    else if (!rowwise && axis + 1 == body.extents.size())
      items = items * extent.ceilDiv(body.lanes);
    else
      items = items * extent;
  }
  auto perItem = constantOf(elements);
  if (perItem && !rowwise)
    perItem = *perItem * body.lanes;
  if (frame.teams())
    shareItems(items, constantOf(elements));
  if (teamSize > 1)
    return;
  forEachSlice(frame, body.buffers->emit(items), sliceOf(perItem), {},
               [&](Value begin, Value end, ValueRange) {
                 emitLoop(frame, begin, end, {}, [&](Value item, ValueRange) {
                   emitItem(item);
                   return Values();
                 });
               });
}

void emitStages(RowsBody &body) { Stages(body).emit(); }

} // namespace tenon::cpu
