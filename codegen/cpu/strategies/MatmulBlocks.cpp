//===- MatmulBlocks.cpp - Loops over blocks and panels --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's columns are packed once per k block and stay in the second-level cache;
// a tile's rows stay in the first-level cache while they meet all panels of columns.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu::matmul {

MatmulEmitter::MatmulEmitter(KernelFrame &frame, const Problem &problem, const Plan &plan)
    : frame(frame), p(problem), plan(plan), b(frame.builder()), loc(frame.loc()),
      vectorType(VectorType::get({plan.lanes}, problem.accumulator)) {
  auto scratch = [&](int64_t elements) {
    return frame.addWorkerScratch(p.accumulator, {b.getAffineConstantExpr(elements)});
  };
  int64_t depth = plan.packedDepth();
  if (plan.packColumns)
    columnPack = scratch(depth * plan.nc);
  // Rows are stored as whole vectors, the last of which may reach beyond them.
  if (plan.packRows)
    rowPack = scratch(depth * plan.tileRows + plan.lanes);
  if (plan.kBlocked)
    partialSums = scratch(plan.mc * plan.nc);
}

//===----------------------------------------------------------------------===//
// Short cuts
//===----------------------------------------------------------------------===//

Value MatmulEmitter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value MatmulEmitter::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value MatmulEmitter::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value MatmulEmitter::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value MatmulEmitter::ceilDiv(Value x, int64_t y) {
  return b.createOrFold<arith::DivUIOp>(loc, offset(x, y - 1), index(y));
}

Value MatmulEmitter::mask(Value count, int lanes) {
  auto type = VectorType::get({lanes ? lanes : plan.lanes}, b.getI1Type());
  return b.create<vector::CreateMaskOp>(loc, type, count);
}

Value MatmulEmitter::load(Value memref, Value at, Value mask, int lanes) {
  VectorType type = lanes ? VectorType::get({lanes}, p.accumulator) : vectorType;
  if (!mask)
    return b.create<vector::LoadOp>(loc, type, memref, at);
  return b.create<vector::MaskedLoadOp>(loc, type, memref, at, mask, frame.constant(type, 0));
}

void MatmulEmitter::store(Value vector, Value memref, Value at) {
  b.create<vector::StoreOp>(loc, vector, memref, at);
}

void MatmulEmitter::forLoop(Value begin, Value end, int64_t step,
                            llvm::function_ref<void(Value)> body) {
  std::optional<int64_t> first = getConstantIntValue(begin), last = getConstantIntValue(end);
  if (first && last && *last <= *first + step) {
    if (*first < *last)
      body(begin);
    return;
  }
  auto loop = b.create<scf::ForOp>(loc, begin, end, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Matrix MatmulEmitter::inBuffer(const Operand &operand, ArrayRef<LaneIndex> batch, Value k0) {
  const StridedView &view = *operand.view;
  Value base = emitOffset(frame, view);
  for (auto [axis, at] : llvm::enumerate(batch))
    base = add(base, mul(at.base, emitExtent(frame, view.strides[axis])));
  Value kStride = emitExtent(frame, view.strides[operand.kAxis]);
  base = add(base, mul(k0, kStride));
  return {flatBuffer(frame, view), base, emitExtent(frame, view.strides[operand.outerAxis]),
          kStride};
}

Block MatmulEmitter::blockAt(Value number) {
  Value m = emitExtent(frame, p.m), n = emitExtent(frame, p.n);
  Value rowBlocks = ceilDiv(m, plan.mc), columnBlocks = ceilDiv(n, plan.nc);
  auto digit = [&](Value base) {
    Value value = b.createOrFold<arith::RemUIOp>(loc, number, base);
    number = b.createOrFold<arith::DivUIOp>(loc, number, base);
    return value;
  };
  auto isOne = [](Value value) { return getConstantIntValue(value) == 1; };
  Block block;
  block.row = isOne(rowBlocks) ? index(0) : mul(digit(rowBlocks), index(plan.mc));
  block.column = isOne(columnBlocks) ? index(0) : mul(digit(columnBlocks), index(plan.nc));
  block.rowEnd = min(offset(block.row, plan.mc), m);
  block.columnEnd = min(offset(block.column, plan.nc), n);
  block.batch.resize(p.batchRank);
  for (unsigned axis = p.batchRank; axis-- > 0;) {
    Value extent = emitExtent(frame, p.batch[axis]);
    Value at = isOne(extent) ? index(0) : axis == 0 ? number : digit(extent);
    block.batch[axis] = {at, 0, nullptr};
  }
  return block;
}

void MatmulEmitter::emit() {
  Value count =
      mul(ceilDiv(emitExtent(frame, p.m), plan.mc), ceilDiv(emitExtent(frame, p.n), plan.nc));
  for (const Extent &extent : p.batch)
    count = mul(count, emitExtent(frame, extent));
  auto blocks = [&](Value begin, Value end) {
    forLoop(begin, end, 1, [&](Value number) { emitBlock(blockAt(number)); });
  };
  if (plan.parallel)
    frame.parallelFor(count, index(plan.chunk), {},
                      [&](Value begin, Value end, ValueRange) { blocks(begin, end); });
  else
    blocks(index(0), count);
}

void MatmulEmitter::emitBlock(const Block &block) {
  if (plan.dot)
    return emitDotBlock(block);
  Value k = emitExtent(frame, p.k);
  if (!plan.kBlocked)
    return emitPanels(block, index(0), k);
  clearPartialSums(block);
  forLoop(index(0), k, plan.kc, [&](Value k0) { // a block takes as long as k is large
    auto wanted = b.create<scf::IfOp>(loc, frame.goesOn(), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(wanted.thenBlock());
    emitPanels(block, k0, min(index(plan.kc), sub(k, k0)));
  });
  finishPartialSums(block);
}

Matrix MatmulEmitter::columnsAt(const Block &block, Value column, Value k0) {
  if (plan.packColumns) {
    Value base = mul(sub(column, block.column), index(plan.packedDepth()));
    return {frame.scratch(*columnPack), base, index(1), index(plan.panel())};
  }
  Matrix columns = inBuffer(p.columns, block.batch, k0);
  columns.base = add(columns.base, column);
  return columns;
}

/// All tiles of a block, for summands [k0, k0 + depth).
void MatmulEmitter::emitPanels(const Block &block, Value k0, Value depth) {
  if (plan.packColumns)
    packColumns(block, k0, depth);
  Value width = sub(block.columnEnd, block.column);
  Value fullWidth =
      mul(b.createOrFold<arith::DivUIOp>(loc, width, index(plan.panel())), index(plan.panel()));
  Value fullEnd = add(block.column, fullWidth);
  forLoop(block.row, block.rowEnd, plan.tileRows, [&](Value row) {
    // Without packed rows the last tile moves up to end with the block; rows that
    // another tile has done are not stored again.
    Value firstRow = row;
    if (plan.rowEdge && !plan.packRows)
      firstRow = min(row, sub(block.rowEnd, index(plan.tileRows)));
    Matrix rows;
    if (plan.packRows) {
      rows = packRows(block, row, k0, depth);
    } else {
      rows = inBuffer(p.rows, block.batch, k0);
      rows.base = add(rows.base, mul(firstRow, rows.outerStride));
    }
    forLoop(block.column, fullEnd, plan.panel(), [&](Value column) {
      emitTileAt(block, {plan.tileRows, plan.tileVectors, false}, rows, row, firstRow, column, k0,
                 depth);
    });
    if (plan.columnEdge)
      forLoop(fullEnd, block.columnEnd, plan.panel(), [&](Value column) {
        emitTileAt(block, {plan.tileRows, plan.edgeVectors, true}, rows, row, firstRow, column, k0,
                   depth);
      });
  });
}

void MatmulEmitter::emitTileAt(const Block &block, const Tile &tile, const Matrix &rows, Value row,
                               Value firstRow, Value column, Value k0, Value depth) {
  Matrix columns = columnsAt(block, column, k0);
  Value left = tile.columnEdge && !plan.packColumns ? sub(block.columnEnd, column) : Value();
  if (!plan.kBlocked) {
    SmallVector<Value> sums = emitSums(tile, rows, columns, depth, left, {});
    finishTile(block, tile, sums, row, firstRow, column);
    return;
  }
  Value memref = frame.scratch(*partialSums);
  Value at = add(mul(sub(firstRow, block.row), index(plan.nc)), sub(column, block.column));
  SmallVector<Value> places, initial;
  for (int64_t r = 0; r < tile.rows; r++)
    for (int64_t v = 0; v < tile.vectors; v++) {
      places.push_back(offset(at, r * plan.nc + v * plan.lanes));
      initial.push_back(load(memref, places.back()));
    }
  SmallVector<Value> sums = emitSums(tile, rows, columns, depth, left, initial);
  for (auto [sum, place] : llvm::zip(sums, places))
    store(sum, memref, place);
}

} // namespace tenon::cpu::matmul
