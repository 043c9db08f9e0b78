//===- AttentionGradTiles.cpp - Tiles of attention's gradient -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/AttentionGradTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;

namespace tenon::cpu {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double log2e = 1.4426950408889634074;

GradTiles::GradTiles(TileBuilder &t, const AttentionOperands &operands) : t(t), operands(operands) {
  int64_t d = operands.width(), e = operands.valueWidth();
  int64_t n = operands.extent(operands.q(), 2), m = operands.extent(operands.k(), 2);
  // All tiles together stay in the second-level cache.
  int64_t most = t.element.isF64() || std::max(d, e) > 128 ? 64 : 128;
  strip = !ShapedType::isDynamic(m) && m <= t.lanes ? t.lanes : 2 * t.lanes;
  strip = std::max(strip, t.rows); // sums over queries take keys in rows
  auto tileOf = [&](int64_t extent, int64_t by) {
    return ShapedType::isDynamic(extent)
               ? most
               : std::min(most, t.padded(std::max<int64_t>(extent, 1), by));
  };
  tileQueries = tileOf(n, t.rows), tileKeys = tileOf(m, strip);
  paddedD = t.padded(d), paddedE = t.padded(e);
  pitch = tileKeys + 64 / (t.element.getIntOrFloatBitWidth() / 8);
  unroll = std::min<int64_t>(4, t.lanes);
  edges = operands.causal() || !operands.isMultiple(operands.k(), 2, strip);

  keyScratch = t.workerTile(tileKeys, std::max(paddedD, paddedE));
  keyStripScratch = t.workerTile(tileKeys, paddedD);
  valueStripScratch = t.workerTile(tileKeys, paddedE);
  queryScratch = t.workerTile(tileQueries, paddedD);
  outputScratch = t.workerTile(tileQueries, paddedE);
  probabilityScratch = t.workerTile(tileQueries, pitch);
  gradientScratch = t.workerTile(tileQueries, std::max(pitch, paddedE));
  AffineExpr rows = paddedQueriesExpr() * groupExpr();
  lseScratch = t.frame.addWorkerScratch(t.element, {rows});
  deltaScratch = t.frame.addWorkerScratch(t.element, {rows});
}

AffineExpr GradTiles::paddedQueriesExpr() const {
  return operands.extentExpr(operands.q(), 2).ceilDiv(t.rows) * t.rows;
}
AffineExpr GradTiles::groupExpr() const {
  AffineExpr heads = operands.extentExpr(operands.q(), 1);
  AffineExpr keyHeads = operands.extentExpr(operands.k(), 1);
  if (auto count = dyn_cast<AffineConstantExpr>(keyHeads); count && count.getValue() <= 1)
    return heads;
  // Of no heads, too: the quotient is 1, or 0 if there are none.
  AffineExpr divisor = keyHeads + 1 - keyHeads.ceilDiv(keyHeads + 1);
  return heads.ceilDiv(divisor);
}

Value GradTiles::keysFrom(const AttentionSizes &s, Value firstKey) {
  if (operands.isMultiple(operands.k(), 2, tileKeys))
    return t.at(tileKeys);
  return t.min(t.at(tileKeys), t.sub(s.keys, firstKey));
}
Value GradTiles::queriesFrom(const AttentionSizes &s, Value firstQuery) {
  if (operands.isMultiple(operands.q(), 2, tileQueries))
    return t.at(tileQueries);
  return t.min(t.at(tileQueries), t.sub(s.queries, firstQuery));
}

void GradTiles::prepareRows(Value batch, Value head, Value firstRow, Value firstQuery,
                            Value queries, Value padded) {
  auto grad = cast<AttentionGradOp>(operands.root());
  auto from = [&](Value operand, Value query) {
    Matrix matrix = operands.matrix(t, operand, batch, head);
    matrix.offset = t.add(matrix.offset, t.mul(query, matrix.rowStride));
    return matrix;
  };
  Matrix lse = operands.matrix(t, grad.getLse(), batch, head);
  Value lseTerms = t.flat(t.frame.scratch(lseScratch)), zero = t.at(0);
  Value deltas = t.flat(t.frame.scratch(deltaScratch));
  Tile output = t.tile(gradientScratch, paddedE), gradient = outputGradients();
  t.loop(zero, queries, tileQueries, [&](Value block) {
    Value count = t.min(t.at(tileQueries), t.sub(queries, block));
    Value query = t.add(firstQuery, block), row = t.add(firstRow, block);
    t.copyIn(output, from(grad.getO(), query), count, count, t.at(operands.valueWidth()));
    t.copyIn(gradient, from(grad.getGrad(), query), count, count, t.at(operands.valueWidth()));
    t.loop(zero, count, 1, [&](Value i) {
      Values sum = t.loop(zero, t.at(paddedE), t.lanes, t.zeros(1), [&](Value c, ValueRange sum) {
        Value x = t.load(output.memory, t.place(output, i, c));
        return Values{t.fma(x, t.load(gradient.memory, t.place(gradient, i, c)), sum[0])};
      });
      t.b.create<memref::StoreOp>(t.loc, t.sum(sum[0]), deltas, t.add(row, i));
      Value index = t.add(lse.offset, t.mul(t.add(query, i), lse.columnStride));
      Value x = t.b.create<memref::LoadOp>(t.loc, lse.memory, index);
      if (!operands.hasFloatMask())
        x = t.mulf(x, t.scalar(log2e));
      t.b.create<memref::StoreOp>(t.loc, x, lseTerms, t.add(row, i));
    });
  });
  t.loop(queries, padded, 1, [&](Value i) {
    t.b.create<memref::StoreOp>(t.loc, t.scalar(0), deltas, t.add(firstRow, i));
    t.b.create<memref::StoreOp>(t.loc, t.scalar(infinity), lseTerms, t.add(firstRow, i));
  });
}

void GradTiles::loadKeys(Value batch, Value keyHead, const GradTile &tile) {
  Value all = t.roundUp(tile.keys, strip);
  // V first: its rows are needed as strips only, and the room is K's afterwards.
  auto load = [&](Value operand, int64_t width, unsigned stripScratch, double factor) {
    Matrix matrix = operands.matrix(t, operand, batch, keyHead);
    matrix.offset = t.add(matrix.offset, t.mul(tile.firstKey, matrix.rowStride));
    Tile rows = t.tile(keyScratch, t.padded(width)), strips = t.tile(stripScratch, strip);
    t.copyIn(rows, matrix, tile.keys, all, t.at(width));
    t.loop(t.at(0), all, strip, [&](Value key) {
      Tile source = rows, target = strips;
      source.offset = target.offset = t.mul(key, t.padded(width));
      t.transpose(target, source, t.at(strip), t.at(t.padded(width)), t.scalar(factor));
    });
  };
  load(operands.v(), operands.valueWidth(), valueStripScratch, 1);
  load(operands.k(), operands.width(), keyStripScratch,
       operands.scale() * (operands.hasFloatMask() ? 1 : log2e));
}

void GradTiles::loadQueries(Value batch, Value head, const GradTile &tile) {
  auto load = [&](Tile target, Value operand, int64_t width) {
    Matrix matrix = operands.matrix(t, operand, batch, head);
    matrix.offset = t.add(matrix.offset, t.mul(tile.firstQuery, matrix.rowStride));
    t.copyIn(target, matrix, tile.queries, paddedRows(tile), t.at(width));
  };
  load(queries(), operands.q(), operands.width());
  load(outputGradients(), cast<AttentionGradOp>(operands.root()).getGrad(), operands.valueWidth());
}

Value GradTiles::firstRow(const GradTile &tile, Value key) {
  if (!operands.causal())
    return t.at(0);
  return t.roundDown(t.max(t.sub(t.add(tile.firstKey, key), tile.firstQuery), t.at(0)), t.rows);
}

Value GradTiles::seenKeys(const GradTile &tile, Value row) {
  if (!operands.causal())
    return tile.keys;
  return t.min(tile.keys, t.sub(t.add(t.add(tile.firstQuery, row), 1), tile.firstKey));
}

void GradTiles::scores(Value batch, Value head, const GradTile &tile) {
  if (operands.hasMask()) { // waits where p will be
    Matrix mask = operands.matrix(t, operands.mask(), batch, head);
    mask.offset = t.add(mask.offset, t.add(t.mul(tile.firstQuery, mask.rowStride),
                                           t.mul(tile.firstKey, mask.columnStride)));
    t.copyIn(probabilities(), mask, tile.queries, paddedRows(tile), tile.keys);
  }
  t.loop(t.at(0), tile.keys, strip, [&](Value key) {
    t.loop(firstRow(tile, key), paddedRows(tile), t.rows,
           [&](Value row) { scoreBlock(tile, row, key); });
  });
}

/// A register tile of queries and a strip of keys.
void GradTiles::scoreBlock(const GradTile &tile, Value row, Value key) {
  int64_t height = t.rows, width = strip / t.lanes;
  Tile p = probabilities(), ds = scoreGradients();
  auto product = [&](Tile rows, unsigned stripScratch, int64_t depth) {
    Value strips = t.flat(t.frame.scratch(stripScratch)), first = t.mul(key, rows.width);
    Value base = t.mul(row, rows.width);
    return t.multiply(
        t.zeros(height * width), height, t.at(0), t.at(t.padded(depth, unroll)), unroll,
        [&](Value c, int64_t r) {
          return t.splatLoad(rows.memory, t.add(t.add(base, c), r * rows.width));
        },
        [&](Value c, int64_t v) {
          return t.load(strips, t.add(t.add(first, t.mul(c, strip)), v * t.lanes));
        });
  };
  auto place = [&](const Tile &tile, int64_t i) {
    return t.add(t.place(tile, row, key), i / width * tile.width + i % width * t.lanes);
  };

  Values s = product(queries(), keyStripScratch, operands.width());
  for (int64_t i = 0; i < height * width; i++)
    t.store(s[i], ds.memory, place(ds, i));
  // From memory: this work overlaps with the next product's.
  auto exponentials = [&](bool partlyHidden) {
    t.loop(t.at(0), t.at(height), 1,
           [&](Value r) { probability(tile, t.add(row, r), key, partlyHidden); });
    return Values();
  };
  if (edges)
    t.choose(
        t.less(seenKeys(tile, row), t.add(key, strip)), [&] { return exponentials(true); },
        [&] { return exponentials(false); });
  else
    exponentials(false);

  Values dp = product(outputGradients(), valueStripScratch, operands.valueWidth());
  Value deltas = t.flat(t.frame.scratch(deltaScratch));
  for (int64_t r = 0; r < height; r++) {
    Value delta = t.splatLoad(deltas, t.add(t.add(tile.rowTerms, row), r));
    for (int64_t i = r * width; i < (r + 1) * width; i++) {
      Value weight = t.load(p.memory, place(p, i)), x = t.mulf(weight, t.subf(dp[i], delta));
      // Of what is hidden, whatever the product with its value is.
      Value none =
          t.b.create<arith::CmpFOp>(t.loc, arith::CmpFPredicate::OEQ, weight, t.constant(0));
      t.store(t.select(none, t.constant(0), x), ds.memory, place(ds, i));
    }
  }
}

/// p from the score, which is where ds will be, for a row and a strip of keys.
void GradTiles::probability(const GradTile &tile, Value row, Value key, bool partlyHidden) {
  Tile p = probabilities(), ds = scoreGradients();
  Value lse = t.splatLoad(t.flat(t.frame.scratch(lseScratch)), t.add(tile.rowTerms, row));
  for (int64_t v = 0; v < strip / t.lanes; v++) {
    Value column = t.add(key, v * t.lanes), place = t.place(p, row, column);
    Value x = t.load(ds.memory, t.place(ds, row, column));
    if (operands.hasFloatMask())
      x = t.mulf(t.subf(t.masked(x, t.load(p.memory, place)), lse), t.constant(log2e));
    else
      x = t.subf(x, lse);
    if (operands.hasMask() && !operands.hasFloatMask())
      x = t.select(t.b.create<arith::CmpFOp>(t.loc, arith::CmpFPredicate::OLT,
                                             t.load(p.memory, place), t.constant(0)),
                   t.constant(-infinity), x);
    if (partlyHidden)
      x = t.select(t.lanesFrom(column, seenKeys(tile, row)), t.constant(-infinity), x);
    t.store(t.exp2(x), p.memory, place);
  }
}

void GradTiles::strips(int64_t columns, llvm::function_ref<void(Value, int64_t)> body) {
  int64_t whole = columns / (2 * t.lanes) * (2 * t.lanes);
  t.loop(t.at(0), t.at(whole), 2 * t.lanes, [&](Value column) { body(column, 2); });
  if (whole < columns)
    body(t.at(whole), 1);
}

void GradTiles::update(Tile gradient, Value row, Value column, int64_t width, Value begin,
                       Value end, TileBuilder::Operand weight, Tile operand) {
  Value start = t.place(gradient, row, column);
  auto place = [&](int64_t i) {
    return t.add(start, i / width * gradient.width + i % width * t.lanes);
  };
  Values acc;
  for (int64_t i = 0; i < t.rows * width; i++)
    acc.push_back(t.load(gradient.memory, place(i)));
  acc = t.multiply(acc, t.rows, begin, end, 4, weight, [&](Value k, int64_t v) {
    return t.load(operand.memory, t.add(t.place(operand, k, column), v * t.lanes));
  });
  for (int64_t i = 0; i < t.rows * width; i++)
    t.store(acc[i], gradient.memory, place(i));
}

void GradTiles::addKeyGradient(const GradTile &tile, Tile gradient, Tile weights, Tile operand) {
  strips(operand.width, [&](Value column, int64_t width) {
    t.loop(t.at(0), t.roundUp(tile.keys, t.rows), t.rows, [&](Value key) {
      update(
          gradient, key, column, width, firstRow(tile, key), paddedRows(tile),
          [&](Value row, int64_t r) {
            return t.splatLoad(weights.memory, t.add(t.place(weights, row, key), r));
          },
          operand);
    });
  });
}

void GradTiles::addQueryGradient(const GradTile &tile, Tile gradient) {
  Tile ds = scoreGradients(), keys = t.tile(keyScratch, paddedD);
  strips(paddedD, [&](Value column, int64_t width) {
    t.loop(t.at(0), paddedRows(tile), t.rows, [&](Value row) {
      Value seen = t.max(seenKeys(tile, t.add(row, t.rows - 1)), t.at(0));
      Value base = t.place(ds, row, t.at(0));
      update(
          gradient, row, column, width, t.at(0), t.roundUp(seen, 4),
          [&](Value key, int64_t r) {
            return t.splatLoad(ds.memory, t.add(t.add(base, key), r * ds.width));
          },
          keys);
    });
  });
}

} // namespace tenon::cpu
