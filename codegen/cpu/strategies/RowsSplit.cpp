//===- RowsSplit.cpp - Reductions of many elements to few -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first reduced axis is cut into pieces of a size that only the shape decides. Each
// piece leaves a partial result in shared scratch, and these are combined in order:
// the same bits at any number of threads.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/strategies/Accumulator.h"
#include "codegen/cpu/strategies/RowsEmit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

class Split {
public:
  explicit Split(RowsBody &body);
  void emit();

private:
  using Indices = SmallVector<LaneIndex>;
  void emitPiece(Value piece);
  void emitApart();
  /// All kept indices but those of the last axis where it is a vector of lanes.
  void forEachRow(ElementEmitter &e, Indices &indices, llvm::function_ref<void()> visit);
  Values reduce(ElementEmitter &e, Indices &indices, size_t depth, Value begin, Value end,
                ValueRange inits, ArrayRef<LaneIndex> strips, ArrayRef<Value> masks,
                Value member = nullptr);
  Values step(ElementEmitter &e, ArrayRef<LaneIndex> indices, Value mask, ValueRange carried);
  /// One partial result, by the members of a team where there is one.
  void emitPartial(ArrayRef<Value> at, ArrayRef<Value> range, Value member);
  /// Runs `emit` where there is no team, or in its first member.
  void once(Value member, llvm::function_ref<void()> emit);
  Values merge(ValueRange a, ValueRange b);
  Indices partialAt(Value piece, ArrayRef<LaneIndex> indices);
  void combine(ElementEmitter &e, Indices &indices, Value member = nullptr);
  void emitCombined();

  RowsBody &body;
  KernelFrame &frame;
  bool rowwise;
  int64_t piece;     ///< indices of the first reduced axis
  AffineExpr pieces; ///< how many
  SmallVector<Accumulator> reductions;
  Values neutral;                 ///< what sums over nothing are
  SmallVector<unsigned> partials; ///< scratch of each carried value
  SmallVector<int64_t> kept;
  int64_t teamSize = 1;
};

/// On a GPU: elements of a piece that a team shares, and indices of one that a single
/// invocation computes: enough pieces to fill a large one.
constexpr int64_t kTeamElements = 1 << 13, kAloneIndices = 256;

} // namespace

Split::Split(RowsBody &body)
    : body(body), frame(body.frame), rowwise(body.domain.lastIsReduced()),
      kept(body.domain.keptAxes()) {
  int64_t first = body.domain.axes.front();
  AffineExpr step = getAffineConstantExpr(1, body.kernel.getContext());
  for (auto [axis, extent] : llvm::enumerate(body.extents))
    if (int64_t(axis) != first)
      step = step * extent;
  piece = sliceOf(constantOf(step));
  int64_t others = std::max<int64_t>(constantOf(step).value_or(1), 1);
  if (!frame.hasWorkers())
    piece = rowwise ? std::max<int64_t>(kTeamElements / others, 1) : kAloneIndices;
  else if (rowwise && body.domain.axes.size() == 1) // pieces of whole vectors
    piece = std::max<int64_t>(llvm::alignTo(piece, 4 * body.lanes), 4 * body.lanes);
  pieces = body.extents[first].ceilDiv(piece);
  SmallVector<AffineExpr> shape{pieces};
  for (int64_t axis : kept)
    shape.push_back(body.extents[axis]);
  if (rowwise && frame.teams())
    teamSize = frame.teams()->sizeFor(kTeamElements);
  for (Operation *op : body.reductions) {
    reductions.emplace_back(frame, op);
    for (Type type : reductions.back().types())
      partials.push_back(frame.addSharedScratch(type, shape));
  }
}

Values Split::merge(ValueRange a, ValueRange b) {
  Values joined;
  for (Accumulator &r : reductions) {
    llvm::append_range(joined, r.merge(a.take_front(r.width()), b.take_front(r.width())));
    a = a.drop_front(r.width());
    b = b.drop_front(r.width());
  }
  return joined;
}

Values Split::step(ElementEmitter &e, ArrayRef<LaneIndex> indices, Value mask, ValueRange carried) {
  OpBuilder &b = frame.builder();
  Values next;
  for (Accumulator &r : reductions) {
    Value x = e.emitVector(r.reduction()->getOperand(0), indices), place;
    if (r.isArg()) {
      place = e.splat(e.valueOf(indices[(*reducedAxes(r.reduction()))[0]]));
      place = b.create<arith::IndexCastOp>(frame.loc(),
                                           withElement(place.getType(), b.getI64Type()), place);
    }
    llvm::append_range(next, r.step(carried.take_front(r.width()), x, place, mask));
    carried = carried.drop_front(r.width());
  }
  return next;
}

/// Over the reduced axes from `depth` on, of which the first runs from `begin` to `end`.
/// `strips` are the vectors of the last axis that go together, where it is kept.
Values Split::reduce(ElementEmitter &e, Indices &indices, size_t depth, Value begin, Value end,
                     ValueRange inits, ArrayRef<LaneIndex> strips, ArrayRef<Value> masks,
                     Value member) {
  OpBuilder &b = frame.builder();
  ArrayRef<int64_t> axes = body.domain.axes;
  if (depth == axes.size()) {
    Values next;
    size_t width = inits.size() / strips.size();
    for (auto [i, strip] : llvm::enumerate(strips)) {
      indices.back() = strip;
      e.setMask(masks[i]);
      llvm::append_range(next, step(e, indices, nullptr, inits.slice(i * width, width)));
    }
    e.setMask(nullptr);
    return next;
  }
  int64_t axis = axes[depth];
  if (depth > 0) {
    begin = frame.index(0);
    end = body.buffers->emit(body.extents[axis]);
  }
  if (member && depth + 1 == axes.size())
    return emitLoop(
        frame, b.createOrFold<arith::AddIOp>(frame.loc(), begin, member), end, inits,
        [&](Value i, ValueRange carried) {
          indices[axis] = e.uniform(i);
          return step(e, indices, nullptr, carried);
        },
        teamSize);
  if (rowwise && depth + 1 == axes.size())
    return emitVectorLoop(
        frame, body.lanes, begin, end, inits,
        [&](LaneIndex at, Value mask, ValueRange carried) {
          indices[axis] = at;
          e.setMask(mask);
          Values next = step(e, indices, mask, carried);
          e.setMask(nullptr);
          return next;
        },
        4, neutral, [&](ValueRange a, ValueRange b) { return merge(a, b); });
  if (!frame.hasWorkers() && depth + 1 == axes.size()) // several loads at a time
    return emitVectorLoop(
        frame, 1, begin, end, inits,
        [&](LaneIndex at, Value, ValueRange carried) {
          indices[axis] = at;
          return reduce(e, indices, depth + 1, nullptr, nullptr, carried, strips, masks, member);
        },
        8, neutral, [&](ValueRange a, ValueRange b) { return merge(a, b); });
  return emitLoop(frame, begin, end, inits, [&](Value i, ValueRange carried) {
    indices[axis] = e.uniform(i);
    return reduce(e, indices, depth + 1, nullptr, nullptr, carried, strips, masks, member);
  });
}

void Split::forEachRow(ElementEmitter &e, Indices &indices, llvm::function_ref<void()> visit) {
  ArrayRef<int64_t> axes(kept);
  if (!rowwise)
    axes = axes.drop_back();
  if (axes.empty())
    return visit();
  SmallVector<AffineExpr> extents;
  AffineExpr count = getAffineConstantExpr(1, body.kernel.getContext());
  for (int64_t axis : axes) {
    extents.push_back(body.extents[axis]);
    count = count * extents.back();
  }
  emitLoop(frame, frame.index(0), body.buffers->emit(count), {}, [&](Value row, ValueRange) {
    SmallVector<Value> at = delinearize(frame, *body.buffers, row, extents);
    for (auto [axis, i] : llvm::zip(axes, at))
      indices[axis] = e.uniform(i);
    visit();
    return Values();
  });
}

/// Of a partial result.
Split::Indices Split::partialAt(Value piece, ArrayRef<LaneIndex> indices) {
  Indices place{LaneIndex{piece, 0, nullptr, 1}};
  for (int64_t axis : kept)
    place.push_back(indices[axis]);
  return place;
}

void Split::emitPiece(Value number) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  ElementEmitter e(frame, body.lanes, nullptr, body.buffers.get());
  Value begin = b.create<arith::MulIOp>(loc, number, frame.index(piece));
  Value end = b.create<arith::AddIOp>(loc, begin, frame.index(piece));
  end = b.create<arith::MinUIOp>(loc, end,
                                 body.buffers->emit(body.extents[body.domain.axes.front()]));
  Indices indices(body.extents.size(), e.uniform(frame.index(0)));
  neutral.clear();
  for (Accumulator &r : reductions)
    llvm::append_range(neutral, r.start(body.lanes));

  auto store = [&](ValueRange values) {
    for (auto [id, value] : llvm::zip(partials, values))
      e.store(value, frame.scratch(id), partialAt(number, indices));
  };
  if (rowwise) {
    forEachRow(e, indices, [&] {
      Values sums = reduce(e, indices, 0, begin, end, neutral, {}, {}), scalars;
      ValueRange rest(sums);
      for (Accumulator &r : reductions) {
        llvm::append_range(scalars, r.horizontal(rest.take_front(r.width())));
        rest = rest.drop_front(r.width());
      }
      store(scalars);
    });
    return;
  }
  // Several vectors of a row together are whole cache lines, one after the other.
  auto width = constantOf(body.extents.back());
  int64_t together = width ? std::clamp<int64_t>((*width + body.lanes - 1) / body.lanes, 1, 8) : 4;
  bool masked = !width || *width % (together * body.lanes);
  Value last = body.buffers->emit(body.extents.back());
  forEachRow(e, indices, [&] {
    AffineExpr strips = body.extents.back().ceilDiv(together * body.lanes);
    emitLoop(frame, frame.index(0), body.buffers->emit(strips), {}, [&](Value s, ValueRange) {
      SmallVector<LaneIndex> vectors;
      SmallVector<Value> masks;
      Values all;
      Value first = b.create<arith::MulIOp>(loc, s, frame.index(together * body.lanes));
      for (int64_t v = 0; v < together; v++) {
        Value at = b.createOrFold<arith::AddIOp>(loc, first, frame.index(v * body.lanes));
        vectors.push_back({at, 1, nullptr, body.lanes});
        masks.push_back(masked ? laneMask(frame, body.lanes, b.create<arith::SubIOp>(loc, last, at))
                               : Value());
        llvm::append_range(all, neutral);
      }
      Values sums = reduce(e, indices, 0, begin, end, all, vectors, masks);
      for (int64_t v = 0; v < together; v++) {
        indices.back() = vectors[v];
        e.setMask(masks[v]);
        store(ValueRange(sums).slice(v * neutral.size(), neutral.size()));
      }
      e.setMask(nullptr);
      return Values();
    });
  });
}

/// The results at one place of the kept axes.
void Split::combine(ElementEmitter &e, Indices &indices, Value member) {
  Values inits;
  for (Accumulator &r : reductions)
    llvm::append_range(inits, r.start(e.numLanes()));
  auto visit = [&](Value p, ValueRange carried) {
    Values next;
    for (unsigned id : partials)
      next.push_back(e.load(frame.scratch(id), partialAt(p, indices)));
    return merge(carried, next);
  };
  Values sums;
  if (frame.hasWorkers() || member)
    sums = emitLoop(frame, member ? member : frame.index(0), body.buffers->emit(pieces), inits,
                    visit, teamSize);
  else // several loads at a time
    sums = emitVectorLoop(
        frame, 1, frame.index(0), body.buffers->emit(pieces), inits,
        [&](LaneIndex at, Value, ValueRange carried) { return visit(at.base, carried); }, 8, inits,
        [&](ValueRange a, ValueRange b) { return merge(a, b); });
  if (member)
    sums = frame.teams()->combine(sums, [&](ValueRange a, ValueRange b) { return merge(a, b); });
  AffineExpr count = getAffineConstantExpr(1, body.kernel.getContext());
  for (int64_t axis : body.domain.axes)
    count = count * body.extents[axis];
  ValueRange rest(sums);
  for (Accumulator &r : reductions) {
    e.bind(r.reduction()->getResult(0),
           r.finish(rest.take_front(r.width()), body.buffers->emit(count)));
    rest = rest.drop_front(r.width());
  }
  SmallVector<RowsBody::Output> rows, rowsKept;
  for (const RowsBody::Output &output : body.outputs)
    (output.form == Form::Row ? rows : rowsKept).push_back(output);
  Indices row;
  for (int64_t axis : kept)
    row.push_back(indices[axis]);
  once(member, [&] {
    emitOutputs(body, e, rows, row);
    emitOutputs(body, e, rowsKept, indices);
  });
}

void Split::emitCombined() {
  int lanes = rowwise ? 1 : body.lanes;
  auto inRange = [&](Value begin, Value end) {
    ElementEmitter e(frame, lanes, nullptr, body.buffers.get());
    Indices indices(body.extents.size(), e.uniform(frame.index(0)));
    forEachRow(e, indices, [&] {
      if (rowwise)
        return combine(e, indices);
      emitVectorLoop(frame, lanes, begin, end, {}, [&](LaneIndex at, Value mask, ValueRange) {
        indices.back() = at;
        e.setMask(mask);
        combine(e, indices);
        e.setMask(nullptr);
        return Values();
      });
    });
  };
  if (rowwise)
    return inRange(nullptr, nullptr);
  auto number = constantOf(pieces);
  int64_t slice = llvm::alignTo(sliceOf(number ? *number : 16), body.lanes);
  forEachSlice(frame, body.buffers->emit(body.extents.back()), slice, {},
               [&](Value begin, Value end, ValueRange) { inRange(begin, end); });
}

//===----------------------------------------------------------------------===//
// Without workers: every partial result is an iteration
//===----------------------------------------------------------------------===//

void Split::once(Value member, llvm::function_ref<void()> emit) {
  OpBuilder &b = frame.builder();
  OpBuilder::InsertionGuard guard(b);
  if (member) {
    Value isFirst =
        b.create<arith::CmpIOp>(frame.loc(), arith::CmpIPredicate::eq, member, frame.index(0));
    auto branch = b.create<scf::IfOp>(frame.loc(), isFirst, /*withElse=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  emit();
}

void Split::emitPartial(ArrayRef<Value> at, ArrayRef<Value> range, Value member) {
  ElementEmitter e(frame, 1, nullptr, body.buffers.get());
  Indices indices(body.extents.size(), e.uniform(frame.index(0)));
  for (auto [axis, i] : llvm::zip(kept, at.drop_front()))
    indices[axis] = e.uniform(i);
  neutral.clear();
  for (Accumulator &r : reductions)
    llvm::append_range(neutral, r.start(1));
  SmallVector<LaneIndex> strips{indices.back()};
  Values sums = reduce(e, indices, 0, range[0], range[1], neutral, strips, Value(), member);
  if (member)
    sums = frame.teams()->combine(sums, [&](ValueRange a, ValueRange b) { return merge(a, b); });
  once(member, [&] {
    for (auto [id, value] : llvm::zip(partials, sums))
      e.store(value, frame.scratch(id), partialAt(at[0], indices));
  });
}

void Split::emitApart() {
  OpBuilder &b = frame.builder();
  SmallVector<AffineExpr> extents{pieces};
  AffineExpr places = getAffineConstantExpr(1, body.kernel.getContext());
  for (int64_t axis : kept) {
    extents.push_back(body.extents[axis]);
    places = places * body.extents[axis];
  }
  Value whole = body.buffers->emit(body.extents[body.domain.axes.front()]);
  auto partial = [&](Value item, Value member) {
    SmallVector<Value> at = delinearize(frame, *body.buffers, item, extents);
    Value begin = b.create<arith::MulIOp>(frame.loc(), at[0], frame.index(piece));
    Value end = b.create<arith::AddIOp>(frame.loc(), begin, frame.index(piece));
    end = b.create<arith::MinUIOp>(frame.loc(), end, whole);
    emitPartial(at, {begin, end}, member);
  };
  auto combined = [&](Value item, Value member) {
    ElementEmitter e(frame, 1, nullptr, body.buffers.get());
    Indices indices(body.extents.size(), e.uniform(frame.index(0)));
    auto at = delinearize(frame, *body.buffers, item, ArrayRef(extents).drop_front());
    for (auto [axis, i] : llvm::zip(kept, at))
      indices[axis] = e.uniform(i);
    combine(e, indices, member);
  };
  auto forEach = [&](AffineExpr count, llvm::function_ref<void(Value, Value)> emit) {
    if (teamSize > 1)
      return frame.teams()->forEach(body.buffers->emit(count), teamSize, emit);
    frame.parallelFor(body.buffers->emit(count), frame.index(1), {},
                      [&](Value begin, Value, ValueRange) { emit(begin, nullptr); });
  };
  forEach(pieces * places, partial);
  forEach(places, combined);
}

void Split::emit() {
  if (!frame.hasWorkers())
    return emitApart();
  frame.parallelFor(body.buffers->emit(pieces), frame.index(1), {},
                    [&](Value begin, Value end, ValueRange) {
                      emitLoop(frame, begin, end, {}, [&](Value number, ValueRange) {
                        emitPiece(number);
                        return Values();
                      });
                    });
  emitCombined();
}

void emitSplit(RowsBody &body) { Split(body).emit(); }

} // namespace tenon::cpu
