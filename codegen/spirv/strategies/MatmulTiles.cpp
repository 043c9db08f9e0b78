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
#include "codegen/spirv/strategies/MatmulBody.h"

using namespace mlir;

namespace tenon::spirv {

using cpu::Num;
using cpu::Values;

namespace {

/// Invocations along each side of a tile.
constexpr int64_t kSide = 16, kTeam = kSide * kSide;
/// Elements of a row of A, or a column of B, that are in memory at a time.
constexpr int64_t kDepth = 16;

class Tiles : MatmulBody {
public:
  Tiles(SpirvFrame &frame, MatmulOp op) : MatmulBody(frame, op) {}
  bool emit();

private:
  void emitTile(const Operand &left, const Operand &right, Value member);
  void fill(const Operand &operand, Value member, Value from);
  Values multiply(Value row, Value column, ValueRange sums);
  Value memory(unsigned number) { return frame.shared(number, type, kDepth * tile); }

  int64_t each = 4, tile = 0; ///< rows and columns of an invocation, and of a workgroup
};

} // namespace

/// Loads the part of an operand from `from` on along the depth; 0 where it ends.
void Tiles::fill(const Operand &operand, Value member, Value from) {
  for (int64_t first = 0; first < kDepth * tile; first += kTeam) {
    Value number = add(member, first);
    Value wide = operand.deepFirst ? div(number, kDepth) : rem(number, tile);
    Value deep = operand.deepFirst ? rem(number, kDepth) : div(number, tile);
    Value atWide = add(operand.first, wide), atDeep = add(from, deep);
    Value exists = both(isInside(atWide, operand.width, tile), isInside(atDeep, depth, kDepth));
    Value x = choose(
        exists, type, [&] { return element(operand, atWide, atDeep); },
        [&] { return cpu::splatConstant(b, loc, type, 0); });
    b.create<memref::StoreOp>(loc, x, memory(operand.number), add(mul(deep, tile), wide));
  }
}

/// Adds the products of what is in memory.
Values Tiles::multiply(Value row, Value column, ValueRange sums) {
  Value left = memory(0), right = memory(1);
  return cpu::emitLoop(
      frame, frame.index(0), frame.index(kDepth), sums, [&](Value k, ValueRange sums) {
        Value start = mul(k, tile);
        SmallVector<Num> x, y;
        for (int64_t i = 0; i < each; i++) {
          Value atA = add(start, add(row, i * kSide)), atB = add(start, add(column, i * kSide));
          x.push_back(Num(b, loc, b.create<memref::LoadOp>(loc, left, atA)));
          y.push_back(Num(b, loc, b.create<memref::LoadOp>(loc, right, atB)));
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

void Tiles::emitTile(const Operand &left, const Operand &right, Value member) {
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
      finish(add(left.first, add(row, i * kSide)), add(right.first, add(column, j * kSide)), tile,
             tile, sums[i * each + j]);
}

bool Tiles::emit() {
  auto height = cpu::constantOf(rows), width = cpu::constantOf(columns);
  // Unknown extents are taken to be large.
  int64_t least = std::min(height.value_or(64), width.value_or(64));
  if (least < kSide)
    return false;
  each = least < 2 * kSide ? 1 : least < 4 * kSide ? 2 : 4;
  tile = each * kSide;
  forEachTile(tile, tile, kTeam, [&](const Operand &left, const Operand &right, Value member) {
    emitTile(left, right, member);
  });
  return true;
}

bool emitMatmulTiles(SpirvFrame &frame, MatmulOp op) { return Tiles(frame, op).emit(); }

} // namespace tenon::spirv
