//===- MatmulEpilogue.cpp - What happens to the sums ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's results are computed from the sums in registers and stored. Short
// code is repeated for each register; long code (a gelu) goes through a copy of the
// tile in memory, in a loop. Sums over several k blocks wait in scratch until all are
// there.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu::matmul {

/// Results of the lanes of `sum`, elements (row, column...) of the product.
void MatmulEmitter::finishVector(const Block &block, Value sum, Value row, Value column,
                                 Value mask) {
  SmallVector<LaneIndex> indices(block.batch);
  indices.resize(p.batchRank + 2);
  indices[p.rowAxis()] = {row, 0, nullptr};
  indices[p.columnAxis()] = {column, 1, nullptr};
  ElementEmitter elements(frame, plan.lanes, mask);
  Value product = MatmulOp(p.op).getY();
  elements.bind(product, [=](ArrayRef<LaneIndex>) { return sum; });
  auto yield = cast<YieldOp>(frame.kernel().getBody().front().getTerminator());
  // Stores come last: what results have in common is then found to be the same.
  SmallVector<std::pair<Value, SmallVector<LaneIndex>>> results;
  for (Value value : yield.getValues()) {
    Placement placement = *resolvePlacement(product, value);
    SmallVector<LaneIndex> place = placeIndices(frame, plan.lanes, placement, indices);
    Value result = elements.emitVector(value, place);
    results.push_back({result, place});
    // Later results may be computed from this one.
    if (value != product)
      elements.bind(value, [=](ArrayRef<LaneIndex>) { return result; });
  }
  for (auto [i, result] : llvm::enumerate(results))
    elements.store(result.first, frame.result(i), result.second);
}

/// Emits code that needs many registers apart from the loop that sums.
void MatmulEmitter::finishApart(const Block &block, ArrayRef<Value> captures,
                                llvm::function_ref<void(const Block &, ValueRange)> body) {
  SmallVector<Value> all{block.row, block.rowEnd, block.column, block.columnEnd};
  size_t own = all.size() + block.batch.size();
  for (const LaneIndex &at : block.batch)
    all.push_back(at.base);
  llvm::append_range(all, captures);
  frame.callApart("finish", all, [&](ValueRange values) {
    Block inner{block.batch, values[0], values[1], values[2], values[3]};
    for (auto [at, base] : llvm::zip(inner.batch, values.drop_front(4)))
      at.base = base;
    body(inner, values.drop_front(own));
  });
}

bool MatmulEmitter::finishesInline() {
  if (inlineFinish)
    return *inlineFinish;
  // Emitted once in a block that belongs to nothing, and counted.
  mlir::Block trial;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&trial);
  Value sum = trial.addArgument(vectorType, loc);
  Block block;
  Type indexType = b.getIndexType();
  for (unsigned axis = 0; axis < p.batchRank; axis++)
    block.batch.push_back({trial.addArgument(indexType, loc), 0, nullptr});
  finishVector(block, sum, trial.addArgument(indexType, loc), trial.addArgument(indexType, loc),
               nullptr);
  unsigned count = 0;
  trial.walk([&](Operation *) { count++; });
  trial.dropAllReferences();
  trial.clear();
  inlineFinish = count <= 20;
  return *inlineFinish;
}

/// `row` is the first row to be stored, `firstRow` that of the tile.
void MatmulEmitter::finishTile(const Block &block, const Tile &tile, ArrayRef<Value> sums,
                               Value row, Value firstRow, Value column) {
  if (!finishesInline())
    return finishRolled(block, tile, sums, row, firstRow, column);
  SmallVector<Value> masks(tile.vectors);
  if (tile.columnEdge)
    for (int64_t v = 0; v < tile.vectors; v++)
      masks[v] = mask(sub(block.columnEnd, offset(column, v * plan.lanes)));
  for (int64_t r = 0; r < tile.rows; r++) {
    OpBuilder::InsertionGuard guard(b);
    Value at = offset(firstRow, r);
    bool mayBeStored = plan.rowEdge && (plan.packRows ? r > 0 : r < tile.rows - 1);
    if (mayBeStored) {
      Value needed = plan.packRows
                         ? b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, at, block.rowEnd)
                         : b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, at, row);
      auto branch = b.create<scf::IfOp>(loc, needed);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    for (int64_t v = 0; v < tile.vectors; v++)
      finishVector(block, sums[r * tile.vectors + v], at, offset(column, v * plan.lanes), masks[v]);
  }
}

void MatmulEmitter::finishRolled(const Block &block, const Tile &tile, ArrayRef<Value> sums,
                                 Value row, Value firstRow, Value column) {
  if (!tileSums)
    tileSums = frame.addWorkerScratch(p.accumulator,
                                      {b.getAffineConstantExpr(plan.tileRows * plan.panel())});
  Value memref = frame.scratch(*tileSums);
  for (int64_t r = 0; r < tile.rows; r++)
    for (int64_t v = 0; v < tile.vectors; v++)
      store(sums[r * tile.vectors + v], memref, index(r * plan.panel() + v * plan.lanes));
  Value end = min(offset(firstRow, tile.rows), block.rowEnd);
  finishApart(block, {row, end, firstRow, column}, [&](const Block &inner, ValueRange values) {
    Value sumsOfTile = frame.scratch(*tileSums);
    forLoop(values[0], values[1], 1, [&](Value at) {
      Value from = mul(sub(at, values[2]), index(plan.panel()));
      forLoop(index(0), index(tile.vectors * plan.lanes), plan.lanes, [&](Value v) {
        Value first = add(values[3], v);
        Value vectorMask = tile.columnEdge ? mask(sub(inner.columnEnd, first)) : Value();
        finishVector(inner, load(sumsOfTile, add(from, v)), at, first, vectorMask);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Sums over several k blocks
//===----------------------------------------------------------------------===//

void MatmulEmitter::clearPartialSums(const Block &block) {
  Value memref = frame.scratch(*partialSums), zero = frame.constant(vectorType, 0);
  Value tiles = ceilDiv(sub(block.rowEnd, block.row), plan.tileRows);
  Value end = mul(tiles, index(plan.tileRows * plan.nc));
  forLoop(index(0), end, plan.lanes, [&](Value at) { store(zero, memref, at); });
}

void MatmulEmitter::finishPartialSums(const Block &whole) {
  finishApart(whole, {}, [&](const Block &block, ValueRange) {
    Value memref = frame.scratch(*partialSums);
    Value lanes = index(plan.lanes);
    Value width = sub(block.columnEnd, block.column);
    Value fullEnd =
        add(block.column, mul(b.createOrFold<arith::DivUIOp>(loc, width, lanes), lanes));
    forLoop(block.row, block.rowEnd, 1, [&](Value row) {
      Value from = mul(sub(row, block.row), index(plan.nc));
      auto finish = [&](Value column, bool edge) {
        Value sum = load(memref, add(from, sub(column, block.column)));
        finishVector(block, sum, row, column, edge ? mask(sub(block.columnEnd, column)) : Value());
      };
      forLoop(block.column, fullEnd, plan.lanes, [&](Value column) { finish(column, false); });
      if (p.nDivisor % plan.lanes != 0)
        forLoop(fullEnd, block.columnEnd, plan.lanes, [&](Value column) { finish(column, true); });
    });
  });
}

} // namespace tenon::cpu::matmul
