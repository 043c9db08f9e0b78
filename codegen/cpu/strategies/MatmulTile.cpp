//===- MatmulTile.cpp - The register tile ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu::matmul {

Value MatmulEmitter::fma(Value x, Value y, Value z) {
  if (frame.target().hasFma)
    return b.create<vector::FMAOp>(loc, x, y, z);
  return b.create<arith::AddFOp>(loc, b.create<arith::MulFOp>(loc, x, y), z);
}

/// Sums of rows x columns over `depth` summands, on top of `initial` or of zero. With
/// `columnsLeft` fewer columns than the tile's may be there to be loaded.
SmallVector<Value> MatmulEmitter::emitSums(const Tile &tile, const Matrix &rows,
                                           const Matrix &columns, Value depth, Value columnsLeft,
                                           ArrayRef<Value> initial) {
  SmallVector<Value> masks(tile.vectors);
  if (columnsLeft)
    for (int64_t v = 0; v < tile.vectors; v++)
      masks[v] = mask(sub(columnsLeft, index(v * plan.lanes)));
  SmallVector<Value> start(initial);
  if (start.empty())
    start.assign(tile.rows * tile.vectors, frame.constant(vectorType, 0));

  auto step = [&](Value k, ValueRange sums) {
    // One variable part per operand; what a row or a vector adds is a constant that
    // folds into the address.
    Value columnAt = add(columns.base, mul(k, columns.kStride));
    Value rowAt = add(rows.base, mul(k, rows.kStride));
    SmallVector<Value> next, vectors;
    for (int64_t v = 0; v < tile.vectors; v++)
      vectors.push_back(load(columns.memref, offset(columnAt, v * plan.lanes), masks[v]));
    for (int64_t r = 0; r < tile.rows; r++) {
      Value at = add(rowAt, mul(rows.outerStride, index(r)));
      Value element = b.create<memref::LoadOp>(loc, rows.memref, at);
      Value splat = b.create<vector::BroadcastOp>(loc, vectorType, element);
      for (int64_t v = 0; v < tile.vectors; v++)
        next.push_back(fma(splat, vectors[v], sums[r * tile.vectors + v]));
    }
    return next;
  };

  std::optional<int64_t> count = getConstantIntValue(depth);
  if (count && *count * tile.rows * tile.vectors <= 96) {
    for (int64_t k = 0; k < *count; k++)
      start = step(index(k), start);
    return start;
  }
  auto loop = b.create<scf::ForOp>(loc, index(0), depth, index(1), start,
                                   [&](OpBuilder &, Location, Value k, ValueRange sums) {
                                     b.create<scf::YieldOp>(loc, step(k, sums));
                                   });
  return SmallVector<Value>(loop.getResults());
}

} // namespace tenon::cpu::matmul
