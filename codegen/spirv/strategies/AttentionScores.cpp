//===- AttentionScores.cpp - Which scores exist, tile by tile -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/AttentionScores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace tenon::spirv {

using cpu::AttentionOperands;

bool AttentionScores::canEmit(Operation *op) {
  auto fits = [&](unsigned operand) {
    int64_t width = AttentionOperands::extent(op->getOperand(operand), 3);
    return width <= Block::mostWidth;
  };
  return fits(0) && fits(2) && AttentionOperands::extent(op->getOperand(2), 3) > 0 &&
         (isa<AttentionOp>(op) || AttentionOperands::extent(op->getOperand(0), 3) > 0);
}

AttentionScores::AttentionScores(cpu::KernelFrame &frame, const AttentionOperands &operands,
                                 ArrayRef<int64_t> widths, int64_t tiles)
    : operands(operands), frame(static_cast<SpirvFrame &>(frame)), t(frame, operands.computeType()),
      block(this->frame, t, widths, tiles) {}

AttentionScores::Hidden AttentionScores::hiddenBy(Value columns) const {
  Hidden hidden;
  hidden.some = operands.hasMask();
  hidden.ends = !frame.isMultiple(columns, Block::columns);
  return hidden;
}

AttentionScores::Values AttentionScores::over(Value begin, Value end, ValueRange init,
                                              const Hidden &hidden, Tile tile) {
  return t.loop(begin, end, Block::columns, init,
                [&](Value first, ValueRange carried) { return tile(first, carried, hidden); });
}

AttentionScores::Values AttentionScores::overKeys(const cpu::AttentionSizes &sizes,
                                                  Value firstQuery, ValueRange init, Tile tile) {
  Value end = sizes.keys, zero = t.at(0);
  Hidden hidden = hiddenBy(end);
  if (!operands.causal())
    return over(zero, end, init, hidden, tile);
  // Tiles of which every query sees all, then those of which some do not.
  Value whole = t.roundDown(t.min(end, firstQuery), Block::columns);
  Values carried = over(zero, whole, init, hidden, tile);
  hidden.some = hidden.isCausal = true;
  return over(whole, t.min(end, t.add(firstQuery, block.rows())), carried, hidden, tile);
}

AttentionScores::Values AttentionScores::overQueries(const cpu::AttentionSizes &sizes,
                                                     Value firstKey, ValueRange init, Tile tile) {
  Value end = sizes.queries;
  Hidden hidden = hiddenBy(end);
  hidden.keysAreRows = true;
  if (!operands.causal())
    return over(t.at(0), end, init, hidden, tile);
  // Tiles in which some queries see no more than a part, then those in which all see all.
  Value begin = t.roundDown(firstKey, Block::columns);
  Value whole = t.roundUp(t.add(firstKey, block.rows() - 1), Block::columns);
  Hidden partly = hidden;
  partly.some = partly.isCausal = true;
  Values carried = over(begin, t.min(whole, end), init, partly, tile);
  return over(whole, end, carried, hidden, tile);
}

AttentionBlock::Rows AttentionScores::rows(Value operand, Value batch, Value head, Value first,
                                           Value end, int64_t width) {
  return {operands.matrix(t, operand, batch, head), first, end, width};
}

void AttentionScores::hide(Values &scores, Value batch, Value head, Range queries, Range keys,
                           const Hidden &hidden) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value none = t.scalar(-infinity);
  const Range &rows = hidden.keysAreRows ? keys : queries;
  const Range &columns = hidden.keysAreRows ? queries : keys;
  Values rowPlaces, columnPlaces;
  for (int64_t i = 0; i < block.rowsEach(); i++)
    rowPlaces.push_back(t.add(rows.first, block.row(i)));
  for (int64_t j = 0; j < Block::columnsEach; j++)
    columnPlaces.push_back(t.add(columns.first, block.column(j)));
  std::optional<cpu::Matrix> mask;
  if (operands.hasMask())
    mask = operands.matrix(t, operands.mask(), batch, head);
  auto inside = [&](Value at, Range range) { return t.min(at, t.sub(range.end, t.at(1))); };
  for (auto [i, x] : llvm::enumerate(scores)) {
    Value row = rowPlaces[i / Block::columnsEach], column = columnPlaces[i % Block::columnsEach];
    Value query = hidden.keysAreRows ? column : row, key = hidden.keysAreRows ? row : column;
    if (mask) {
      Value at = t.add(mask->offset, t.add(t.mul(inside(query, queries), mask->rowStride),
                                           t.mul(inside(key, keys), mask->columnStride)));
      Value m = t.b.create<memref::LoadOp>(t.loc, mask->memory, at);
      if (operands.hasFloatMask()) {
        x = t.masked(x, t.widen(m));
      } else {
        Value zero = t.b.create<arith::ConstantOp>(t.loc, t.b.getI8IntegerAttr(0));
        x = t.select(t.b.create<arith::CmpIOp>(t.loc, arith::CmpIPredicate::ne, m, zero), x, none);
      }
    }
    if (hidden.ends)
      x = t.select(t.less(column, columns.end), x, none);
    if (hidden.isCausal)
      x = t.select(t.less(query, key), none, x);
  }
}

} // namespace tenon::spirv
