//===- MatmulTiles.cpp - Matrix products, a tile a workgroup --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each workgroup computes a tile of the product: parts of both operands lie in its memory,
// each invocation keeps a smaller tile in registers, whose rows and columns lie as far
// apart as there are invocations along them, so that neighbours read and write neighbours
// (Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008). Prologues
// are computed where operands are loaded, epilogues where results are stored.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/MatmulTiles.h"

#include "codegen/cpu/Num.h"
#include "codegen/cpu/Placement.h"
#include "codegen/cpu/VectorLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::spirv {

using cpu::ElementEmitter;
using cpu::LaneIndex;
using cpu::Num;
using cpu::Values;

namespace {

/// Invocations along each side of a tile.
constexpr int64_t kSide = 16, kTeam = kSide * kSide;
/// Elements of a row of A, or a column of B, that are in memory at a time.
constexpr int64_t kDepth = 16;
/// Numbers of the arrays in the workgroup's memory.
enum Shared : unsigned { SharedA, SharedB };

class Tiles {
public:
  Tiles(SpirvFrame &frame, MatmulOp op)
      : frame(frame), b(frame.builder()), loc(frame.loc()), op(op), buffers(frame),
        rank(cast<RankedTensorType>(op.getY().getType()).getRank()),
        rows(buffers.extentOf(op.getY(), rank - 2)), columns(buffers.extentOf(op.getY(), rank - 1)),
        depth(buffers.extentOf(op.getA(), rank - 1)) {}

  bool emit();

private:
  /// One operand: its part that is in memory is `tile` wide and kDepth deep.
  struct Operand {
    Value value;
    Shared memory;
    unsigned wideAxis, deepAxis;
    AffineExpr width;
    Value first; ///< of the tile, along the wide axis
  };

  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value mul(Value x, int64_t n) { return b.createOrFold<arith::MulIOp>(loc, x, frame.index(n)); }
  Value div(Value x, int64_t n) { return b.createOrFold<arith::DivUIOp>(loc, x, frame.index(n)); }
  Value rem(Value x, int64_t n) { return b.createOrFold<arith::RemUIOp>(loc, x, frame.index(n)); }
  /// index < extent; null where every multiple of `step` below the extent has room for a step.
  Value isInside(Value index, AffineExpr extent, int64_t step);
  Value both(Value x, Value y) {
    return x && y ? b.create<arith::AndIOp>(loc, x, y).getResult() : (x ? x : y);
  }
  void emitTile(Value number, Value member);
  void fill(const Operand &operand, Value member, Value from);
  Values multiply(Value row, Value column, ValueRange sums);
  void finish(Value row, Value column, Value sum);

  SpirvFrame &frame;
  OpBuilder &b;
  Location loc;
  MatmulOp op;
  cpu::BodyBuffers buffers;
  unsigned rank;
  AffineExpr rows, columns, depth;
  int64_t each = 4, tile = 0; ///< rows and columns of an invocation, and of a workgroup
  Type type;                  ///< of sums
  SmallVector<LaneIndex> batch;
};

} // namespace

/// Is this a matrix whose rows are the contiguous columns of what it is computed from?
static bool isTransposed(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return false;
  ArrayRef<int64_t> order = transpose.getPermutation();
  return order.back() != int64_t(order.size()) - 1;
}

Value Tiles::isInside(Value index, AffineExpr extent, int64_t step) {
  auto known = cpu::constantOf(extent);
  if (known && *known % step == 0)
    return nullptr;
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, index, buffers.emit(extent));
}

/// Loads the part of an operand from `from` on along the depth; 0 where it ends.
void Tiles::fill(const Operand &operand, Value member, Value from) {
  // Neighbours along the contiguous axis.
  bool deepFirst = (operand.deepAxis == rank - 1) != isTransposed(operand.value);
  Value memory = frame.shared(operand.memory, type, kDepth * tile);
  for (int64_t first = 0; first < kDepth * tile; first += kTeam) {
    Value number = add(member, frame.index(first));
    Value wide = deepFirst ? div(number, kDepth) : rem(number, tile);
    Value deep = deepFirst ? rem(number, kDepth) : div(number, tile);
    Value atWide = add(operand.first, wide), atDeep = add(from, deep);
    ElementEmitter e(frame, 1, nullptr, &buffers);
    auto element = [&] {
      SmallVector<LaneIndex> place(batch);
      place.resize(rank);
      place[operand.wideAxis] = e.uniform(atWide);
      place[operand.deepAxis] = e.uniform(atDeep);
      return e.emit(operand.value, place);
    };
    Value exists = both(isInside(atWide, operand.width, tile), isInside(atDeep, depth, kDepth));
    Value x;
    if (exists) {
      auto branch = b.create<scf::IfOp>(loc, type, exists, /*withElse=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      b.create<scf::YieldOp>(loc, element());
      b.setInsertionPointToStart(branch.elseBlock());
      b.create<scf::YieldOp>(loc, cpu::splatConstant(b, loc, type, 0));
      x = branch.getResult(0);
    } else {
      x = element();
    }
    b.create<memref::StoreOp>(loc, x, memory, add(mul(deep, tile), wide));
  }
}

/// Adds the products of what is in memory.
Values Tiles::multiply(Value row, Value column, ValueRange sums) {
  Value memoryA = frame.shared(SharedA, type, kDepth * tile);
  Value memoryB = frame.shared(SharedB, type, kDepth * tile);
  return cpu::emitLoop(
      frame, frame.index(0), frame.index(kDepth), sums, [&](Value k, ValueRange sums) {
        Value start = mul(k, tile);
        SmallVector<Num> x, y;
        for (int64_t i = 0; i < each; i++) {
          Value atA = add(start, add(row, frame.index(i * kSide)));
          Value atB = add(start, add(column, frame.index(i * kSide)));
          x.push_back(Num(b, loc, b.create<memref::LoadOp>(loc, memoryA, atA)));
          y.push_back(Num(b, loc, b.create<memref::LoadOp>(loc, memoryB, atB)));
        }
        Values next;
        for (int64_t i = 0; i < each; i++)
          for (int64_t j = 0; j < each; j++) {
            Num sum = x[i].of(sums[i * each + j]);
            next.push_back(sum.isFloat() ? fma(x[i], y[j], sum) : x[i] * y[j] + sum);
          }
        return next;
      });
}

/// Computes the kernel's results at an element of the product.
void Tiles::finish(Value row, Value column, Value sum) {
  OpBuilder::InsertionGuard guard(b);
  if (Value exists = both(isInside(row, rows, tile), isInside(column, columns, tile)))
    b.setInsertionPointToStart(b.create<scf::IfOp>(loc, exists).thenBlock());
  ElementEmitter e(frame, 1, nullptr, &buffers);
  SmallVector<LaneIndex> place(batch);
  place.push_back(e.uniform(row));
  place.push_back(e.uniform(column));
  Value product = op.getY();
  e.bind(product, [=](ArrayRef<LaneIndex>) { return sum; });
  auto yield = cast<YieldOp>(frame.kernel().getBody().front().getTerminator());
  SmallVector<std::pair<Value, SmallVector<LaneIndex>>> results;
  for (Value value : yield.getValues()) {
    cpu::Placement placement = *cpu::resolvePlacement(product, value);
    SmallVector<LaneIndex> at = cpu::placeIndices(frame, 1, placement, place);
    Value result = e.emit(value, at);
    results.push_back({result, at});
    if (value != product) // others may be computed from it
      e.bind(value, [=](ArrayRef<LaneIndex>) { return result; });
  }
  for (auto [number, result] : llvm::enumerate(results))
    e.store(result.first, frame.result(number), result.second);
}

void Tiles::emitTile(Value number, Value member) {
  SmallVector<AffineExpr> extents;
  for (unsigned axis = 0; axis < rank - 2; axis++)
    extents.push_back(buffers.extentOf(op.getY(), axis));
  extents.push_back(rows.ceilDiv(tile));
  extents.push_back(columns.ceilDiv(tile));
  SmallVector<Value> at = cpu::delinearize(frame, buffers, number, extents);
  ElementEmitter e(frame, 1, nullptr, &buffers);
  for (Value i : ArrayRef(at).drop_back(2))
    batch.push_back(e.uniform(i));
  Operand left{op.getA(), SharedA, rank - 2, rank - 1, rows, mul(at[rank - 2], tile)};
  Operand right{op.getB(), SharedB, rank - 1, rank - 2, columns, mul(at[rank - 1], tile)};
  Value row = div(member, kSide), column = rem(member, kSide);
  Values sums(each * each, cpu::splatConstant(b, loc, type, 0));
  sums = cpu::emitLoop(
      frame, frame.index(0), buffers.emit(depth), sums,
      [&](Value from, ValueRange sums) {
        fill(left, member, from);
        fill(right, member, from);
        frame.barrier();
        Values next = multiply(row, column, sums);
        frame.barrier();
        return next;
      },
      kDepth);
  for (int64_t i = 0; i < each; i++)
    for (int64_t j = 0; j < each; j++)
      finish(add(left.first, add(row, frame.index(i * kSide))),
             add(right.first, add(column, frame.index(j * kSide))), sums[i * each + j]);
}

bool Tiles::emit() {
  auto height = cpu::constantOf(rows), width = cpu::constantOf(columns);
  // Unknown extents are taken to be large.
  int64_t least = std::min(height.value_or(64), width.value_or(64));
  if (least < kSide)
    return false;
  each = least < 2 * kSide ? 1 : least < 4 * kSide ? 2 : 4;
  tile = each * kSide;
  type = ElementEmitter::computeType(getElementTypeOrSelf(op.getY().getType()));
  AffineExpr count = rows.ceilDiv(tile) * columns.ceilDiv(tile);
  for (unsigned axis = 0; axis < rank - 2; axis++)
    count = count * buffers.extentOf(op.getY(), axis);
  frame.teams()->forEach(buffers.emit(count), kTeam,
                         [&](Value number, Value member) { emitTile(number, member); });
  return true;
}

bool emitMatmulTiles(SpirvFrame &frame, MatmulOp op) { return Tiles(frame, op).emit(); }

} // namespace tenon::spirv
