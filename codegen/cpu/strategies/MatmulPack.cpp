//===- MatmulPack.cpp - Copies operands into panels -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel of columns is [k][panel]; a tile's rows are [row][k] or [k][row], as they
// are contiguous in memory, since a tile reads single elements of them. Conversions
// from 16 bits and whatever else computes an operand happen here.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu::matmul {

Value MatmulEmitter::loadOperand(const Operand &operand, const Matrix &source,
                                 ArrayRef<LaneIndex> batch, LaneIndex outer, LaneIndex k, Value k0,
                                 Value mask, int lanes) {
  bool unit = outer.step ? operand.outerUnit : operand.kUnit;
  if (operand.direct && unit) {
    Value at =
        add(source.base, add(mul(outer.base, source.outerStride), mul(k.base, source.kStride)));
    return load(source.memref, at, mask, lanes);
  }
  ElementEmitter elements(frame, lanes ? lanes : plan.lanes, mask);
  SmallVector<LaneIndex> indices(batch);
  indices.resize(p.batchRank + 2);
  indices[operand.outerAxis] = outer;
  indices[operand.kAxis] = {add(k0, k.base), k.step, nullptr};
  return elements.emitVector(operand.value, indices);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void MatmulEmitter::packColumns(const Block &block, Value k0, Value depth) {
  Matrix source;
  if (p.columns.direct)
    source = inBuffer(p.columns, block.batch, k0);
  if (p.columns.kUnit)
    return packTransposed(block, k0, depth, source);
  Value width = sub(block.columnEnd, block.column);
  Value fullWidth =
      mul(b.createOrFold<arith::DivUIOp>(loc, width, index(plan.panel())), index(plan.panel()));
  Value fullEnd = add(block.column, fullWidth);
  forLoop(block.column, fullEnd, plan.panel(), [&](Value column) {
    packStraight(block, column, plan.tileVectors, false, k0, depth, source);
  });
  if (plan.columnEdge)
    forLoop(fullEnd, block.columnEnd, plan.panel(), [&](Value column) {
      packStraight(block, column, plan.edgeVectors, true, k0, depth, source);
    });
}

/// A panel whose source is contiguous along the columns.
void MatmulEmitter::packStraight(const Block &block, Value column, int64_t vectors, bool edge,
                                 Value k0, Value depth, const Matrix &source) {
  Value memref = frame.scratch(*columnPack);
  Value base = mul(sub(column, block.column), index(plan.packedDepth()));
  SmallVector<Value> masks(vectors);
  if (edge)
    for (int64_t v = 0; v < vectors; v++)
      masks[v] = mask(sub(block.columnEnd, offset(column, v * plan.lanes)));
  forLoop(index(0), depth, 1, [&](Value k) {
    Value to = add(base, mul(k, index(plan.panel())));
    for (int64_t v = 0; v < vectors; v++) {
      LaneIndex outer{offset(column, v * plan.lanes), 1, nullptr};
      Value x = loadOperand(p.columns, source, block.batch, outer, {k, 0, nullptr}, k0, masks[v]);
      store(x, memref, offset(to, v * plan.lanes));
    }
  });
}

/// All panels, of a source that is contiguous along k: by squares of at most 8 x 8, as
/// the compiler takes long over shuffles of longer vectors. Rows of a square beyond the
/// last column repeat that, and are not used.
void MatmulEmitter::packTransposed(const Block &block, Value k0, Value depth,
                                   const Matrix &source) {
  int lanes = std::min(plan.lanes, 8);
  bool kEdge = p.kDivisor % lanes != 0;
  bool computed = !p.columns.view || !isa<BlockArgument>(p.columns.view->base);
  if (computed && !transposeSquare)
    transposeSquare =
        frame.addWorkerScratch(p.accumulator, {b.getAffineConstantExpr(lanes * lanes)});
  Value memref = frame.scratch(*columnPack), last = sub(block.columnEnd, index(1));
  forLoop(block.column, block.columnEnd, lanes, [&](Value column) {
    Value at = sub(column, block.column);
    Value inPanel = b.createOrFold<arith::RemUIOp>(loc, at, index(plan.panel()));
    Value to = add(mul(sub(at, inPanel), index(plan.packedDepth())), inPanel);
    forLoop(index(0), depth, lanes, [&](Value k) {
      Value kMask = kEdge ? mask(sub(depth, k), lanes) : Value();
      auto row = [&](Value outer) {
        if (plan.columnEdge)
          outer = min(outer, last);
        return loadOperand(p.columns, source, block.batch, {outer, 0, nullptr}, {k, 1, nullptr}, k0,
                           kMask, lanes);
      };
      SmallVector<Value> square;
      if (computed) {
        // Its code only once: through memory.
        Value buffer = frame.scratch(*transposeSquare);
        forLoop(index(0), index(lanes), 1, [&](Value lane) {
          store(row(add(column, lane)), buffer, mul(lane, index(lanes)));
        });
        for (int64_t lane = 0; lane < lanes; lane++)
          square.push_back(load(buffer, index(lane * lanes), nullptr, lanes));
      } else {
        for (int64_t lane = 0; lane < lanes; lane++)
          square.push_back(row(offset(column, lane)));
      }
      Value first = add(to, mul(k, index(plan.panel())));
      for (auto [lane, vector] : llvm::enumerate(transpose(std::move(square))))
        store(vector, memref, offset(first, lane * plan.panel()));
    });
  });
}

std::pair<Value, Value> MatmulEmitter::exchange(Value x, Value y, int64_t bit) {
  int64_t n = cast<VectorType>(x.getType()).getNumElements();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < n; lane++) {
    // Lanes of the second operand count from n.
    bool second = lane & bit;
    low.push_back(second ? n + (lane ^ bit) : lane);
    high.push_back(second ? n + lane : lane | bit);
  }
  return {b.create<vector::ShuffleOp>(loc, x, y, low),
          b.create<vector::ShuffleOp>(loc, x, y, high)};
}

/// Transposes a square of vectors: a step exchanges a bit of a row's number with that
/// of the lane's.
SmallVector<Value> MatmulEmitter::transpose(SmallVector<Value> rows) {
  for (size_t bit = 1; bit < rows.size(); bit *= 2)
    for (size_t row = 0; row < rows.size(); row++)
      if (!(row & bit))
        std::tie(rows[row], rows[row | bit]) = exchange(rows[row], rows[row | bit], bit);
  return rows;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The rows of the tile at `row`. Those beyond the last repeat it or are zero.
Matrix MatmulEmitter::packRows(const Block &block, Value row, Value k0, Value depth) {
  Matrix source;
  if (p.rows.direct)
    source = inBuffer(p.rows, block.batch, k0);
  Value memref = frame.scratch(*rowPack);
  if (!p.rows.kUnit) {
    // [k][row]: what the last vector of a k writes too much, the next k overwrites.
    forLoop(index(0), depth, 1, [&](Value k) {
      Value to = mul(k, index(plan.tileRows));
      for (int64_t r = 0; r < plan.tileRows; r += plan.lanes) {
        Value count = index(plan.tileRows - r);
        if (plan.rowEdge)
          count = min(count, sub(block.rowEnd, offset(row, r)));
        Value rowMask = plan.rowEdge || plan.tileRows - r < plan.lanes ? mask(count) : Value();
        LaneIndex outer{offset(row, r), 1, nullptr};
        Value x = loadOperand(p.rows, source, block.batch, outer, {k, 0, nullptr}, k0, rowMask);
        store(x, memref, offset(to, r));
      }
    });
    return {memref, index(0), index(1), index(plan.tileRows)};
  }
  int64_t pitch = plan.packedDepth();
  bool kEdge = p.kDivisor % plan.lanes != 0;
  Value last = sub(block.rowEnd, index(1));
  forLoop(index(0), index(plan.tileRows), 1, [&](Value r) {
    Value from = add(row, r);
    if (plan.rowEdge)
      from = min(from, last);
    Value to = mul(r, index(pitch));
    forLoop(index(0), depth, plan.lanes, [&](Value k) {
      Value kMask = kEdge ? mask(sub(depth, k)) : Value();
      Value x =
          loadOperand(p.rows, source, block.batch, {from, 0, nullptr}, {k, 1, nullptr}, k0, kMask);
      store(x, memref, add(to, k));
    });
  });
  return {memref, index(0), index(pitch), index(1)};
}

} // namespace tenon::cpu::matmul
