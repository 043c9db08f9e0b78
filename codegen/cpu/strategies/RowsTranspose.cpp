//===- RowsTranspose.cpp - Elements in another order than they lie --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a transpose moves the contiguous axis, one side would go through memory element
// by element. Instead the nest goes in square tiles: what is transposed is computed along
// its own last axis into scratch, turned over there in square blocks of registers, and
// read by the outputs along theirs.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

/// The transposes whose operand has its last axis where the outputs have `axis`.
struct Transposes {
  int64_t axis = 0;
  SmallVector<TransposeOp> ops;
};

class Tiles {
public:
  Tiles(RowsBody &body, ArrayRef<RowsBody::Output> outputs, const Transposes &transposes);
  void emit();

private:
  /// What of a tile there is along an axis of the outputs, from `first` on.
  Value countOf(int64_t axis, Value first);
  void emitTile(ArrayRef<Value> tile);
  void computeSource(unsigned number);
  void turnOver(unsigned number);
  void emitTileOutputs();
  /// One row of the source of the next tile along the last axis.
  void prefetchNext(Value row);
  /// Registers `rows` as the rows of a square block: their transpose.
  void transposeBlock(MutableArrayRef<Value> rows);

  RowsBody &body;
  KernelFrame &frame;
  ArrayRef<RowsBody::Output> outputs;
  const Transposes &transposes;
  int64_t last, size = 0;
  SmallVector<AffineExpr> extents;
  SmallVector<unsigned> source, turned; ///< scratch of each transpose, before and after
  // Of the tile that is being emitted:
  ElementEmitter e;
  SmallVector<LaneIndex> indices; ///< of the outputs; along the tile's axes its first ones
  Value across, along;            ///< how many elements on `axis` and on the last axis
};

} // namespace

/// Below this many lanes on a side a tile is mostly empty.
static constexpr int64_t kFewestElements = 8;

/// Is each element of it only used for the elements of outputs that have its indices?
static bool isReadInPlace(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           (user->hasTrait<trait::Elementwise>() && isReadInPlace(user->getResult(0)));
  });
}

static Transposes findTransposes(RowsBody &body, ArrayRef<RowsBody::Output> outputs) {
  Transposes found;
  ArrayRef<int64_t> shape = shapeOf(outputs.front().value);
  SmallVector<Value> todo;
  for (const RowsBody::Output &output : outputs)
    todo.push_back(output.value);
  SmallPtrSet<Operation *, 16> seen;
  auto isWide = [](int64_t extent) {
    return ShapedType::isDynamic(extent) || extent >= kFewestElements;
  };
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val().getDefiningOp();
    if (!op || shapeOf(op->getResult(0)) != shape || !seen.insert(op).second)
      continue;
    if (op->hasTrait<trait::Elementwise>())
      llvm::append_range(todo, op->getOperands());
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!transpose)
      continue;
    ArrayRef<int64_t> from = transpose.getPermutation();
    int64_t axis = llvm::find(from, int64_t(shape.size()) - 1) - from.begin();
    bool moves = axis + 1 < int64_t(shape.size());
    if (!moves || !isWide(shape[axis]) || !isWide(shape.back()) ||
        (!found.ops.empty() && axis != found.axis) || !isReadInPlace(op->getResult(0)))
      continue;
    found.axis = axis;
    found.ops.push_back(transpose);
  }
  return found;
}

/// i1 is a byte in memory.
static Type scratchTypeOf(TransposeOp op) {
  Type type = ElementEmitter::computeType(tensorOf(op.getResult()).getElementType());
  return type.isInteger(1) ? IntegerType::get(op.getContext(), 8) : type;
}

/// Rows of a square block of registers.
static int64_t blockOf(KernelFrame &frame, Type type) {
  return std::min(frame.target().lanes(type), 16);
}

Tiles::Tiles(RowsBody &body, ArrayRef<RowsBody::Output> outputs, const Transposes &transposes)
    : body(body), frame(body.frame), outputs(outputs), transposes(transposes),
      e(body.frame, body.lanes, nullptr, body.buffers.get()) {
  Value first = outputs.front().value;
  last = rankOf(first) - 1;
  for (int64_t axis = 0; axis <= last; axis++)
    extents.push_back(body.buffers->extentOf(first, axis));
  size = body.lanes;
  for (TransposeOp op : transposes.ops)
    size = std::max(size, 4 * blockOf(frame, scratchTypeOf(op)));
  AffineExpr side = getAffineConstantExpr(size, first.getContext());
  for (TransposeOp op : transposes.ops) {
    source.push_back(frame.addWorkerScratch(scratchTypeOf(op), {side, side}));
    turned.push_back(frame.addWorkerScratch(scratchTypeOf(op), {side, side}));
  }
}

Value Tiles::countOf(int64_t axis, Value first) {
  auto extent = constantOf(extents[axis]);
  if (extent && *extent % size == 0)
    return frame.index(size);
  OpBuilder &b = frame.builder();
  Value left = b.create<arith::SubIOp>(frame.loc(), body.buffers->emit(extents[axis]), first);
  return b.create<arith::MinUIOp>(frame.loc(), left, frame.index(size));
}

void Tiles::computeSource(unsigned number) {
  TransposeOp op = transposes.ops[number];
  SmallVector<LaneIndex> place(indices.size());
  emitLoop(frame, frame.index(0), along, {}, [&](Value row, ValueRange) {
    emitVectorLoop(frame, body.lanes, frame.index(0), across, {},
                   [&](LaneIndex at, Value mask, ValueRange) {
                     for (auto [axis, from] : llvm::enumerate(op.getPermutation()))
                       place[from] = int64_t(axis) == transposes.axis ? e.plus(indices[axis], at)
                                     : int64_t(axis) == last ? e.plus(indices[axis], e.uniform(row))
                                                             : indices[axis];
                     e.setMask(mask);
                     e.store(e.emitVector(op.getX(), place), frame.scratch(source[number]),
                             {e.uniform(row), at});
                     e.setMask(nullptr);
                     return Values();
                   });
    return Values();
  });
}

void Tiles::transposeBlock(MutableArrayRef<Value> rows) {
  OpBuilder &b = frame.builder();
  int64_t n = rows.size();
  // Each step swaps the blocks of `step` elements beside the diagonal.
  for (int64_t step = 1; step < n; step *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < n; lane++) {
      upper.push_back(lane & step ? n + lane - step : lane);
      lower.push_back(lane & step ? n + lane : lane + step);
    }
    for (int64_t row = 0; row < n; row++) {
      if (row & step)
        continue;
      Value above = rows[row], below = rows[row + step];
      rows[row] = b.create<vector::ShuffleOp>(frame.loc(), above, below, upper);
      rows[row + step] = b.create<vector::ShuffleOp>(frame.loc(), above, below, lower);
    }
  }
}

/// What lies in blocks that are only partly there is undefined, before and after.
void Tiles::turnOver(unsigned number) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  Type type = scratchTypeOf(transposes.ops[number]);
  int64_t block = blockOf(frame, type);
  auto vector = VectorType::get({block}, type);
  Value step = frame.index(block);
  auto blocks = [&](Value count) {
    Value rounded = b.create<arith::AddIOp>(loc, count, frame.index(block - 1));
    return b.createOrFold<arith::DivUIOp>(loc, rounded, step);
  };
  emitLoop(frame, frame.index(0), blocks(along), {}, [&](Value i, ValueRange) {
    Value row = b.create<arith::MulIOp>(loc, i, step);
    emitLoop(frame, frame.index(0), blocks(across), {}, [&](Value j, ValueRange) {
      Value column = b.create<arith::MulIOp>(loc, j, step);
      auto plus = [&](Value first, int64_t r) -> Value {
        return b.create<arith::AddIOp>(loc, first, frame.index(r));
      };
      SmallVector<Value> rows;
      for (int64_t r = 0; r < block; r++)
        rows.push_back(b.create<vector::LoadOp>(loc, vector, frame.scratch(source[number]),
                                                ValueRange{plus(row, r), column}));
      transposeBlock(rows);
      for (int64_t r = 0; r < block; r++)
        b.create<vector::StoreOp>(loc, rows[r], frame.scratch(turned[number]),
                                  ValueRange{plus(column, r), row});
      return Values();
    });
    return Values();
  });
}

void Tiles::prefetchNext(Value row) {
  for (TransposeOp op : transposes.ops) {
    auto argument = dyn_cast<BlockArgument>(op.getX());
    if (!argument || !isLarge(body, argument))
      continue;
    SmallVector<LaneIndex> place(indices.size());
    for (auto [axis, from] : llvm::enumerate(op.getPermutation()))
      place[from] = int64_t(axis) == last ? e.plus(e.plus(indices[axis], e.uniform(row)), size)
                                          : indices[axis];
    prefetch(frame, body.buffers->buffer(argument.getArgNumber()), place, 0, size);
  }
}

void Tiles::emitTileOutputs() {
  emitLoop(frame, frame.index(0), across, {}, [&](Value row, ValueRange) {
    prefetchNext(row);
    emitVectorLoop(
        frame, body.lanes, frame.index(0), along, {}, [&](LaneIndex at, Value mask, ValueRange) {
          for (unsigned number = 0; number < transposes.ops.size(); number++) {
            TransposeOp op = transposes.ops[number];
            Value scratch = frame.scratch(turned[number]);
            bool isBool = getElementTypeOrSelf(op.getType()).isInteger(1);
            e.bind(op.getResult(), [this, scratch, isBool, row, at](ArrayRef<LaneIndex>) {
              return e.load(scratch, {e.uniform(row), at}, isBool);
            });
          }
          SmallVector<LaneIndex> place(indices);
          place[transposes.axis] = e.plus(indices[transposes.axis], e.uniform(row));
          place[last] = e.plus(indices[last], at);
          e.setMask(mask);
          emitOutputs(body, e, outputs, place);
          e.setMask(nullptr);
          return Values();
        });
    return Values();
  });
}

void Tiles::emitTile(ArrayRef<Value> tile) {
  indices.clear();
  for (auto [axis, number] : llvm::enumerate(tile)) {
    bool isTiled = int64_t(axis) == transposes.axis || int64_t(axis) == last;
    indices.push_back(e.uniform(number));
    if (!isTiled)
      continue;
    Value first = frame.builder().create<arith::MulIOp>(frame.loc(), number, frame.index(size));
    indices.back() = {first, 0, nullptr, size};
    (int64_t(axis) == last ? along : across) = countOf(axis, first);
  }
  for (unsigned number = 0; number < transposes.ops.size(); number++) {
    computeSource(number);
    turnOver(number);
  }
  emitTileOutputs();
}

void Tiles::emit() {
  SmallVector<AffineExpr> tiles(extents);
  tiles[transposes.axis] = extents[transposes.axis].ceilDiv(size);
  tiles[last] = extents[last].ceilDiv(size);
  AffineExpr count = getAffineConstantExpr(1, body.kernel.getContext());
  for (AffineExpr extent : tiles)
    count = count * extent;
  forEachSlice(frame, body.buffers->emit(count), sliceOf(size * size), {},
               [&](Value begin, Value end, ValueRange) {
                 emitLoop(frame, begin, end, {}, [&](Value number, ValueRange) {
                   emitTile(delinearize(frame, *body.buffers, number, tiles));
                   return Values();
                 });
               });
}

bool emitTransposed(RowsBody &body, ArrayRef<RowsBody::Output> outputs) {
  Transposes transposes = findTransposes(body, outputs);
  if (transposes.ops.empty() || body.lanes == 1)
    return false;
  Tiles(body, outputs, transposes).emit();
  return true;
}

} // namespace tenon::cpu
