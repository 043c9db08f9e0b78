//===- AttentionCopies.cpp - Tiles from tensors and back ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/AttentionTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

unsigned TileBuilder::workerTile(int64_t height, int64_t width) {
  return frame.addWorkerScratch(element, {b.getAffineConstantExpr(height * width)});
}

Value TileBuilder::flat(Value memref) {
  auto type =
      MemRefType::get({ShapedType::kDynamic}, cast<MemRefType>(memref.getType()).getElementType());
  return memref.getType() == type ? memref : b.create<memref::CastOp>(loc, type, memref);
}

Value TileBuilder::place(const Tile &tile, Value row, Value column) {
  Value index = add(mul(row, tile.width), column);
  return tile.offset ? add(tile.offset, index) : index;
}

void TileBuilder::fill(const Tile &tile, Value height, double value) {
  Value x = constant(value), zero = at(0);
  loop(zero, mul(height, tile.width), lanes,
       [&](Value i) { store(x, tile.memory, place(tile, zero, i)); });
}

/// Vectors of a row to handle at once: up to four, if their number is known to allow it.
int64_t TileBuilder::unrollOf(Value columns) const {
  auto known = getConstantIntValue(columns);
  for (int64_t unroll = 4; unroll > 1; unroll--)
    if (known && *known % (unroll * lanes) == 0)
      return unroll;
  return 1;
}

Value TileBuilder::partialLoad(const Matrix &matrix, Value index, Value count) {
  VectorType type = vectorOf(matrix.storage());
  Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  return b.create<vector::MaskedLoadOp>(loc, type, matrix.memory, index, firstLanes(count), none);
}

void TileBuilder::partialStore(const Matrix &matrix, Value index, Value count, Value vector) {
  b.create<vector::MaskedStoreOp>(loc, matrix.memory, index, firstLanes(count), vector);
}

void TileBuilder::copyIn(const Tile &tile, const Matrix &matrix, Value height, Value paddedHeight,
                         Value columns) {
  Value zero = at(0), whole = roundDown(columns, lanes), paddedColumns = roundUp(columns, lanes);
  int64_t unroll = unrollOf(whole);
  loop(zero, height, 1, [&](Value i) {
    Value row = add(matrix.offset, mul(i, matrix.rowStride));
    if (!matrix.contiguous()) {
      loop(whole, paddedColumns, lanes,
           [&](Value j) { store(constant(0), tile.memory, place(tile, i, j)); });
      loop(zero, columns, 1, [&](Value j) {
        Value index = add(row, mul(j, matrix.columnStride));
        Value x = widen(b.create<memref::LoadOp>(loc, matrix.memory, index));
        b.create<memref::StoreOp>(loc, x, tile.memory, place(tile, i, j));
      });
      return;
    }
    loop(zero, whole, unroll * lanes, [&](Value first) {
      for (int64_t u = 0; u < unroll; u++) {
        Value j = add(first, u * lanes);
        Value x =
            b.create<vector::LoadOp>(loc, vectorOf(matrix.storage()), matrix.memory, add(row, j));
        store(widen(x), tile.memory, place(tile, i, j));
      }
    });
    loop(whole, paddedColumns, lanes, [&](Value j) {
      Value x = partialLoad(matrix, add(row, j), sub(columns, j));
      store(widen(x), tile.memory, place(tile, i, j));
    });
  });
  loop(height, paddedHeight, 1, [&](Value i) {
    loop(zero, paddedColumns, lanes,
         [&](Value j) { store(constant(0), tile.memory, place(tile, i, j)); });
  });
}

void TileBuilder::copyOut(const Matrix &matrix, Value height, Value columns,
                          llvm::function_ref<Value(Value, Value)> value) {
  Value zero = at(0), whole = roundDown(columns, lanes), paddedColumns = roundUp(columns, lanes);
  int64_t unroll = unrollOf(whole);
  loop(zero, height, 1, [&](Value i) {
    Value row = add(matrix.offset, mul(i, matrix.rowStride));
    if (!matrix.contiguous()) {
      loop(zero, paddedColumns, lanes, [&](Value j) {
        Value x = narrow(value(i, j), matrix.storage());
        Value count = min(sub(columns, j), at(lanes));
        loop(zero, count, 1, [&](Value lane) {
          Value index = add(row, mul(add(j, lane), matrix.columnStride));
          b.create<memref::StoreOp>(loc, b.create<vector::ExtractElementOp>(loc, x, lane),
                                    matrix.memory, index);
        });
      });
      return;
    }
    loop(zero, whole, unroll * lanes, [&](Value first) {
      for (int64_t u = 0; u < unroll; u++) {
        Value j = add(first, u * lanes);
        store(narrow(value(i, j), matrix.storage()), matrix.memory, add(row, j));
      }
    });
    loop(whole, paddedColumns, lanes, [&](Value j) {
      partialStore(matrix, add(row, j), sub(columns, j), narrow(value(i, j), matrix.storage()));
    });
  });
}

/// Interleaving rows i and i + n/2 as often as 2 divides n transposes n x n.
TileBuilder::Values TileBuilder::transposeBlock(Values block) {
  int64_t half = lanes / 2;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < half; i++) {
    low.append({i, lanes + i});
    high.append({half + i, lanes + half + i});
  }
  for (int64_t width = 1; width < lanes; width *= 2) {
    Values next(lanes);
    for (int64_t i = 0; i < half; i++) {
      next[2 * i] = b.create<vector::ShuffleOp>(loc, block[i], block[i + half], low);
      next[2 * i + 1] = b.create<vector::ShuffleOp>(loc, block[i], block[i + half], high);
    }
    block = std::move(next);
  }
  return block;
}

func::FuncOp TileBuilder::transposeFunction() {
  if (transposer)
    return transposer;
  Type index = b.getIndexType(), memory = MemRefType::get({ShapedType::kDynamic}, element);
  // target, its offset and width; source, its offset and width; height, columns; factor
  SmallVector<Type> types = {memory, index, index, memory, index, index, index, index, element};
  transposer = frame.addFunction("transpose", types, {}, /*inlined=*/false, [&](ValueRange a) {
    Value zero = at(0), factor = splat(a[8]);
    loop(zero, a[6], lanes, [&](Value i) {
      loop(zero, a[7], lanes, [&](Value j) {
        Value from = add(add(a[4], mul(i, a[5])), j), to = add(add(a[1], mul(j, a[2])), i);
        Values block;
        for (int64_t r = 0; r < lanes; r++)
          block.push_back(mulf(load(a[3], add(from, mul(a[5], r))), factor));
        block = transposeBlock(block);
        for (int64_t r = 0; r < lanes; r++)
          store(block[r], a[0], add(to, mul(a[2], r)));
      });
    });
    return Values();
  });
  return transposer;
}

void TileBuilder::transpose(const Tile &target, const Tile &source, Value height, Value columns,
                            Value factor) {
  auto start = [&](const Tile &tile) { return tile.offset ? tile.offset : at(0); };
  b.create<func::CallOp>(loc, transposeFunction(),
                         ValueRange{target.memory, start(target), at(target.width), source.memory,
                                    start(source), at(source.width), height, columns, factor});
}

} // namespace tenon::cpu
