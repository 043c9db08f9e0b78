//===- MatmulTiles.cpp - Matrix products, a tile a workgroup --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each workgroup computes a tile of the product: parts of both operands lie in its memory,
// the next ones on their way into registers, where each invocation keeps a smaller tile
// (Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008), in vectors
// of four. Prologues are computed where operands are loaded, epilogues where results are
// stored.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/MatmulBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::Num;
using cpu::Values;

namespace {

constexpr int64_t kTeam = 256;
/// Elements along the width of an operand that are moved at a time.
constexpr int64_t kVector = 4;
/// Elements of a row of A, or a column of B, that are in memory at a time.
constexpr int64_t kDepth = 16;

class Tiles : MatmulBody {
public:
  Tiles(SpirvFrame &frame, MatmulOp op) : MatmulBody(frame, op) {}
  bool emit();

private:
  bool chooseTile();
  /// Of a vector of an operand's part: where it begins, and in the workgroup's memory.
  struct Place {
    Value wide, deep, inMemory;
  };
  Place placeOf(const Operand &operand, Value number);
  std::pair<Value, Value> placeOfMember(Value member);
  void emitTile(const Operand &left, const Operand &right, Value member);
  Values load(const Operand &operand, Value member, Value from);
  void store(const Operand &operand, Value member, ValueRange vectors);
  Values multiply(Value row, Value column, ValueRange sums);

  /// Rows or columns of a workgroup's tile, and vectors of an operand's part.
  int64_t tile(unsigned number) const { return each * side[number]; }
  int64_t numVectors(unsigned number) const { return kDepth * tile(number) / kVector; }
  Value memory(unsigned number) { return frame.shared(number, ownType, kDepth * line(number)); }
  /// Vectors of one depth, and one that keeps them in different banks.
  int64_t line(unsigned number) const { return tile(number) / kVector + 1; }
  /// Where a row or column of an invocation lies in the tile.
  Value placeOfOwn(unsigned number, Value first, int64_t i) {
    return add(mul(add(first, i / kVector * side[number]), kVector), i % kVector);
  }
  /// Whether there is a vector of this number; null where all members have one.
  Value hasVector(unsigned number, Value vector) {
    if (numVectors(number) % kTeam == 0)
      return nullptr;
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, vector,
                                   frame.index(numVectors(number)));
  }

  int64_t each = 4;           ///< rows and columns of an invocation
  int64_t side[2] = {16, 16}; ///< invocations along the rows and the columns of a tile
  VectorType ownType = VectorType::get({kVector}, type);
};

} // namespace

Tiles::Place Tiles::placeOf(const Operand &operand, Value number) {
  int64_t across = tile(operand.number) / kVector;
  Value wide = operand.deepFirst ? div(number, kDepth) : rem(number, across);
  Value deep = operand.deepFirst ? rem(number, kDepth) : div(number, across);
  return {mul(wide, kVector), deep, add(mul(deep, line(operand.number)), wide)};
}

/// This member's vectors of the part of an operand from `from` on along the depth; 0 where it
/// ends.
Values Tiles::load(const Operand &operand, Value member, Value from) {
  Values vectors;
  for (int64_t first = 0; first < numVectors(operand.number); first += kTeam) {
    Value number = add(member, first), isOne = hasVector(operand.number, number);
    Place place = placeOf(operand, number);
    Value deep = add(from, place.deep), wide = add(operand.first, place.wide);
    if (type.isF32() && !operand.deepFirst) {
      Value exists = both(isOne, both(isInside(wide, operand.width, tile(operand.number)),
                                      isInside(deep, depth, kDepth)));
      if (Value vector = vectorAt(operand, type, wide, deep, exists)) {
        vectors.push_back(b.create<spv::BitcastOp>(loc, ownType, vector));
        continue;
      }
    }
    SmallVector<Value> elements;
    for (int64_t i = 0; i < kVector; i++) {
      Value at = add(wide, i);
      Value exists = both(isOne, both(isInside(at, operand.width, tile(operand.number)),
                                      isInside(deep, depth, kDepth)));
      elements.push_back(choose(
          exists, type, [&] { return element(operand, at, deep); },
          [&] { return cpu::splatConstant(b, loc, type, 0); }));
    }
    vectors.push_back(b.create<spv::CompositeConstructOp>(loc, ownType, elements));
  }
  return vectors;
}

void Tiles::store(const Operand &operand, Value member, ValueRange vectors) {
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    Value number = add(member, int64_t(i) * kTeam);
    Place place = placeOf(operand, number);
    OpBuilder::InsertionGuard guard(b);
    if (Value isOne = hasVector(operand.number, number))
      b.setInsertionPointToStart(b.create<scf::IfOp>(loc, isOne).thenBlock());
    b.create<memref::StoreOp>(loc, vector, memory(operand.number), place.inMemory);
  }
}

/// Adds the products of what is in memory.
Values Tiles::multiply(Value row, Value column, ValueRange sums) {
  Values next = llvm::to_vector(sums);
  for (int64_t k = 0; k < kDepth; k++) {
    SmallVector<Num> x, y;
    auto take = [&](unsigned number, Value first, SmallVector<Num> &elements) {
      for (int64_t i = 0; i < each; i += kVector) {
        Value at = add(first, k * line(number) + i / kVector * side[number]);
        Value vector = b.create<memref::LoadOp>(loc, memory(number), at);
        for (int32_t j = 0; j < kVector; j++)
          elements.push_back(
              Num(b, loc, b.create<spv::CompositeExtractOp>(loc, vector, ArrayRef<int32_t>{j})));
      }
    };
    take(0, row, x);
    take(1, column, y);
    for (int64_t i = 0; i < each; i++)
      for (int64_t j = 0; j < each; j++) {
        Value &sum = next[i * each + j];
        Num old = x[i].of(sum);
        sum = old.isFloat() ? fma(x[i], y[j], old) : x[i] * y[j] + old;
      }
  }
  return next;
}

/// Row and column of an invocation. 32 beside each other, which are often a subgroup, are a block
/// of 4 x 8: they load few different vectors.
std::pair<Value, Value> Tiles::placeOfMember(Value member) {
  constexpr int64_t high = 4, wide = 8;
  if (side[1] % wide != 0)
    return {div(member, side[1]), rem(member, side[1])};
  Value block = div(member, high * wide), own = rem(member, high * wide);
  int64_t across = side[1] / wide;
  return {add(mul(div(block, across), high), div(own, wide)),
          add(mul(rem(block, across), wide), rem(own, wide))};
}

void Tiles::emitTile(const Operand &left, const Operand &right, Value member) {
  auto [row, column] = placeOfMember(member);
  Values zeros(size_t(each * each), cpu::splatConstant(b, loc, type, 0));
  Values sums = sumOverDepth(
      left, right, zeros,
      {kDepth, [&](const Operand &operand, Value from) { return load(operand, member, from); },
       [&](const Operand &operand, ValueRange loaded) { store(operand, member, loaded); },
       [&](ValueRange sums) { return multiply(row, column, sums); }});
  for (int64_t i = 0; i < each; i++)
    for (int64_t j = 0; j < each; j++)
      finish(add(left.first, placeOfOwn(0, row, i)), add(right.first, placeOfOwn(1, column, j)),
             tile(0), tile(1), sums[size_t(i * each + j)]);
}

/// Chooses the tile; false where there would be few, or mostly empty ones.
bool Tiles::chooseTile() {
  auto height = cpu::constantOf(rows), width = cpu::constantOf(columns);
  // Unknown extents are taken to be large, but not so large that few tiles would fill them.
  int64_t least = std::min(height.value_or(64), width.value_or(64));
  if (least >= 24) {
    bool isLarge = height && width && *height * *width >= 1 << 20 && least >= 128;
    each = isLarge && type.isF32() ? 8 : 4;
    return true;
  }
  // Few rows or columns, as of convolutions with few filters: a flat tile.
  unsigned flat = height && *height == least ? 0 : 1;
  side[flat] = 4, side[1 - flat] = 64;
  int64_t tiles = (flat == 0 ? width : height).value_or(1 << 14) / tile(1 - flat);
  for (int64_t extent : op.getType().getShape().drop_back(2))
    tiles *= ShapedType::isDynamic(extent) ? 64 : extent;
  return least >= 8 && tiles >= 64 && type.getIntOrFloatBitWidth() <= 32;
}

bool Tiles::emit() {
  if (cpu::constantOf(depth) == 0 || !chooseTile())
    return false;
  forEachTile(tile(0), tile(1), kTeam,
              [&](const Operand &left, const Operand &right, Value member) {
                emitTile(left, right, member);
              });
  return true;
}

bool emitMatmulTiles(SpirvFrame &frame, MatmulOp op) { return Tiles(frame, op).emit(); }

} // namespace tenon::spirv
