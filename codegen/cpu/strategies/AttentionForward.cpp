//===- AttentionForward.cpp - Flash attention -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker takes a block of queries of one head and walks over the keys in blocks
// (Dao et al. 2022). Scores stand transposed, keys in rows and queries in lanes: rows
// of K and V are broadcast from where they lie, and neither the maximum nor the sum
// of a query's row crosses lanes.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/strategies/AttentionOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;

namespace tenon::cpu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2e = 1.4426950408889634074, ln2 = 0.69314718055994530942;

class ForwardEmitter {
public:
  using Values = TileBuilder::Values;

  ForwardEmitter(KernelFrame &frame, const AttentionOperands &operands);
  void emit();

private:
  /// Rows that are broadcast: a block of K or V, in place or copied.
  struct Rows {
    Value memory, offset, stride;
  };
  struct Item {
    AttentionSizes sizes;
    Value batch, head, keyHead, firstQuery, queries;
  };

  Item item(Value number);
  void loadQueries(const Item &item);
  void start();
  void keyBlock(const Item &item, Value firstKey, Value lastKey);
  Rows block(const Item &item, Value operand, unsigned copy, int64_t width, Value firstKey,
             Value count);
  void loadMask(const Item &item, Value firstKey, Value count);
  Values scores(const Item &item, const Rows &keys, Value firstKey, Value row, int64_t height,
                ValueRange top);
  void addMask(Value row, Values &scores);
  Values hideKeys(const Item &item, Value key, const Values &scores);
  Values exponentials(ValueRange top, Values sums, Value count);
  void addValues(const Rows &rows, Value column, int64_t height, Value count, ValueRange alpha);
  void finish(const Item &item);

  /// What 2^x is taken of, for a difference of scores.
  Value exponent(Value difference) {
    return operands.hasFloatMask() ? t.mulf(difference, t.constant(log2e)) : difference;
  }
  bool copies(Value operand, const Matrix &matrix) const {
    return getElementTypeOrSelf(operand.getType()) != t.element || !matrix.contiguous();
  }
  Value at(Value row, int64_t v) { return t.add(t.mul(row, blockQueries), v * t.lanes); }
  Tile scoreTile() { return t.tile(scoreScratch, blockQueries); }

  const AttentionOperands &operands;
  TileBuilder t;
  int64_t d, e, width, blockQueries;
  static constexpr int64_t blockKeys = 64;
  bool wholeRows; ///< blocks of keys hold whole register tiles
  /// Q^T, S^T, O^T, then their neighbours in row-major order, then per query the
  /// maximum and the sum; copies of K and V, where they cannot be read in place.
  unsigned queryScratch, scoreScratch, outputScratch, stageScratch, statScratch;
  unsigned keyScratch = 0, valueScratch = 0, maskScratch = 0;
};

ForwardEmitter::ForwardEmitter(KernelFrame &frame, const AttentionOperands &operands)
    : operands(operands), t(frame, operands.computeType()), d(operands.width()),
      e(operands.valueWidth()) {
  int64_t n = operands.extent(operands.q(), 2);
  width = !ShapedType::isDynamic(n) && n <= t.lanes ? 1 : 2;
  blockQueries = width * t.lanes;
  wholeRows = operands.isMultiple(operands.k(), 2, t.rows) &&
              (!operands.causal() || operands.isMultiple(operands.q(), 2, blockQueries));

  int64_t paddedD = t.padded(d), paddedE = t.padded(e);
  int64_t stage = std::max({paddedD, paddedE, operands.hasMask() ? blockKeys : 0});
  queryScratch = t.workerTile(paddedD, blockQueries);
  scoreScratch = t.workerTile(blockKeys, blockQueries);
  outputScratch = t.workerTile(paddedE, blockQueries);
  stageScratch = t.workerTile(blockQueries, stage);
  statScratch = t.workerTile(2, blockQueries);
  if (operands.hasMask())
    maskScratch = t.workerTile(blockKeys, blockQueries);
  // Whether a copy is needed is known at the first use; the scratch costs nothing.
  keyScratch = t.workerTile(blockKeys, paddedD);
  valueScratch = t.workerTile(blockKeys, paddedE);
}

void ForwardEmitter::emit() {
  AttentionSizes sizes = operands.sizes(t);
  Value blocks = t.ceilDiv(sizes.queries, t.at(blockQueries));
  Value count = t.mul(t.mul(sizes.batch, sizes.heads), blocks);
  Value work = t.mul(sizes.keys, blockQueries * (d + e));
  t.parallel(count, work, [&](Value number) {
    Item it = item(number);
    loadQueries(it);
    start();
    Value lastKey = it.sizes.keys;
    if (operands.causal())
      lastKey = t.min(lastKey, t.add(it.firstQuery, it.queries));
    t.loop(t.at(0), lastKey, blockKeys, [&](Value firstKey) { keyBlock(it, firstKey, lastKey); });
    finish(it);
  });
}

ForwardEmitter::Item ForwardEmitter::item(Value number) {
  Item it;
  AttentionSizes &s = it.sizes;
  s = operands.sizes(t);
  Value blocks = t.ceilDiv(s.queries, t.at(blockQueries)), row = t.div(number, blocks);
  it.firstQuery = t.mul(t.sub(number, t.mul(row, blocks)), blockQueries);
  it.batch = t.div(row, s.heads);
  it.head = t.sub(row, t.mul(it.batch, s.heads));
  it.keyHead = t.div(it.head, s.group);
  auto n = getConstantIntValue(s.queries);
  it.queries = n && *n % blockQueries == 0
                   ? t.at(blockQueries)
                   : t.min(t.at(blockQueries), t.sub(s.queries, it.firstQuery));
  return it;
}

void ForwardEmitter::loadQueries(const Item &item) {
  Matrix q = operands.matrix(t, operands.q(), item.batch, item.head);
  q.offset = t.add(q.offset, t.mul(item.firstQuery, q.rowStride));
  Tile stage = t.tile(stageScratch, t.padded(d));
  t.copyIn(stage, q, item.queries, t.at(blockQueries), t.at(d));
  double factor = operands.scale() * (operands.hasFloatMask() ? 1 : log2e);
  t.transpose(t.tile(queryScratch, blockQueries), stage, t.at(blockQueries), t.at(t.padded(d)),
              t.scalar(factor));
}

/// The maximum starts at the lowest number, not at -inf: the difference to a score of
/// -inf must not be NaN.
void ForwardEmitter::start() {
  double lowest = t.element.isF64() ? -std::numeric_limits<double>::max()
                                    : -double(std::numeric_limits<float>::max());
  Tile stats = t.tile(statScratch, blockQueries);
  t.fill(stats, t.at(1), lowest);
  stats.offset = t.at(blockQueries);
  t.fill(stats, t.at(1), 0);
  t.fill(t.tile(outputScratch, blockQueries), t.at(t.padded(e)), 0);
}

ForwardEmitter::Rows ForwardEmitter::block(const Item &item, Value operand, unsigned copy,
                                           int64_t width, Value firstKey, Value count) {
  Matrix matrix = operands.matrix(t, operand, item.batch, item.keyHead);
  matrix.offset = t.add(matrix.offset, t.mul(firstKey, matrix.rowStride));
  if (!copies(operand, matrix))
    return {matrix.memory, matrix.offset, matrix.rowStride};
  Tile tile = t.tile(copy, t.padded(width));
  t.copyIn(tile, matrix, count, count, t.at(width));
  return {tile.memory, t.at(0), t.at(tile.width)};
}

void ForwardEmitter::keyBlock(const Item &item, Value firstKey, Value lastKey) {
  auto last = getConstantIntValue(lastKey);
  Value count = last && *last % blockKeys == 0 ? t.at(blockKeys)
                                               : t.min(t.at(blockKeys), t.sub(lastKey, firstKey));
  Rows keys = block(item, operands.k(), keyScratch, d, firstKey, count);
  Value stats = t.tile(statScratch, blockQueries).memory;
  Value zero = t.at(0), whole = wholeRows ? count : t.roundDown(count, t.rows);
  Values before;
  for (int64_t v = 0; v < width; v++)
    before.push_back(t.load(stats, t.at(v * t.lanes)));

  if (operands.hasMask())
    loadMask(item, firstKey, count);
  Values top = t.loop(zero, whole, t.rows, before, [&](Value row, ValueRange carried) {
    return scores(item, keys, firstKey, row, t.rows, carried);
  });
  top = t.loop(whole, count, 1, top, [&](Value row, ValueRange carried) {
    return scores(item, keys, firstKey, row, 1, carried);
  });

  Values alpha, sums;
  for (int64_t v = 0; v < width; v++) {
    Value place = t.at(v * t.lanes), sumPlace = t.at(blockQueries + v * t.lanes);
    t.store(top[v], stats, place);
    alpha.push_back(t.exp2(exponent(t.subf(before[v], top[v]))));
    sums.push_back(t.mulf(t.load(stats, sumPlace), alpha[v]));
  }
  sums = exponentials(top, sums, count);
  for (int64_t v = 0; v < width; v++)
    t.store(sums[v], stats, t.at(blockQueries + v * t.lanes));

  Rows values = block(item, operands.v(), valueScratch, e, firstKey, count);
  int64_t tail = e % t.rows;
  t.loop(zero, t.at(e - tail), t.rows,
         [&](Value column) { addValues(values, column, t.rows, count, alpha); });
  if (tail)
    addValues(values, t.at(e - tail), tail, count, alpha);
}

/// The block of the mask, transposed as the scores are.
void ForwardEmitter::loadMask(const Item &item, Value firstKey, Value count) {
  Matrix mask = operands.matrix(t, operands.mask(), item.batch, item.head);
  mask.offset = t.add(mask.offset, t.add(t.mul(item.firstQuery, mask.rowStride),
                                         t.mul(firstKey, mask.columnStride)));
  Tile stage = t.tile(stageScratch, blockKeys);
  t.copyIn(stage, mask, item.queries, t.at(blockQueries), count);
  t.transpose(t.tile(maskScratch, blockQueries), stage, t.at(blockQueries),
              t.roundUp(count, t.lanes), t.scalar(1));
}

/// S^T of `height` keys from `row` of the block on, and the maximum so far.
ForwardEmitter::Values ForwardEmitter::scores(const Item &item, const Rows &keys, Value firstKey,
                                              Value row, int64_t height, ValueRange top) {
  Value query = t.tile(queryScratch, blockQueries).memory, target = scoreTile().memory;
  Value first = t.add(keys.offset, t.mul(row, keys.stride));
  bool constantStride = getConstantIntValue(keys.stride).has_value();
  Values starts;
  for (int64_t r = 0; r < height; r++)
    starts.push_back(constantStride ? first : t.add(first, t.mul(keys.stride, r)));
  auto key = [&](Value c, int64_t r) {
    Value index = t.add(starts[r], c); // one register for all rows, the rest is displacement
    return t.splatLoad(keys.memory, constantStride ? t.add(index, t.mul(keys.stride, r)) : index);
  };
  int64_t unroll = d % 4 == 0 ? 4 : d % 2 == 0 ? 2 : 1;
  Values s = t.multiply(t.zeros(height * width), height, t.at(0), t.at(d), unroll, key,
                        [&](Value c, int64_t v) { return t.load(query, at(c, v)); });
  if (operands.hasMask())
    addMask(row, s);
  if (operands.causal()) // the last key comes after the first query
    s = t.choose(
        t.less(item.firstQuery, t.add(t.add(firstKey, row), height - 1)),
        [&] { return hideKeys(item, t.add(firstKey, row), s); }, [&] { return s; });
  Values result(top);
  for (int64_t i = 0; i < height * width; i++) {
    t.store(s[i], target, at(t.add(row, i / width), i % width));
    result[i % width] = t.larger(result[i % width], s[i]);
  }
  return result;
}

void ForwardEmitter::addMask(Value row, Values &scores) {
  Value added = t.tile(maskScratch, blockQueries).memory;
  for (auto [i, x] : llvm::enumerate(scores)) {
    Value mask = t.load(added, at(t.add(row, i / width), i % width));
    if (operands.hasFloatMask())
      x = t.masked(x, mask);
    else // a NaN score of a hidden key does not matter
      x = t.select(t.b.create<arith::CmpFOp>(t.loc, arith::CmpFPredicate::OLT, mask, t.constant(0)),
                   t.constant(-infinity), x);
  }
}

/// Leaves to each query the keys up to its own place.
ForwardEmitter::Values ForwardEmitter::hideKeys(const Item &item, Value key, const Values &scores) {
  Values result;
  Value hidden = t.constant(-infinity);
  for (auto [i, x] : llvm::enumerate(scores)) {
    Value query = t.add(item.firstQuery, i % width * t.lanes);
    result.push_back(t.select(t.lanesFrom(query, t.add(key, i / width)), x, hidden));
  }
  return result;
}

ForwardEmitter::Values ForwardEmitter::exponentials(ValueRange top, Values sums, Value count) {
  Value s = scoreTile().memory;
  return t.loop(t.at(0), count, 1, sums, [&](Value row, ValueRange carried) {
    Values result(carried);
    for (int64_t v = 0; v < width; v++) {
      Value place = at(row, v);
      Value p = t.exp2(exponent(t.subf(t.load(s, place), top[v])));
      t.store(p, s, place);
      result[v] = t.addf(result[v], p);
    }
    return result;
  });
}

/// O^T = alpha O^T + V^T P^T for `height` columns of V.
void ForwardEmitter::addValues(const Rows &rows, Value column, int64_t height, Value count,
                               ValueRange alpha) {
  Value p = scoreTile().memory, target = t.tile(outputScratch, blockQueries).memory;
  Values acc;
  for (int64_t r = 0; r < height; r++)
    for (int64_t v = 0; v < width; v++)
      acc.push_back(t.mulf(t.load(target, at(t.add(column, r), v)), alpha[v]));
  Value first = t.add(rows.offset, column);
  acc = t.multiply(
      acc, height, t.at(0), count, wholeRows ? 4 : 1,
      [&](Value row, int64_t r) {
        return t.splatLoad(rows.memory, t.add(t.add(first, t.mul(row, rows.stride)), r));
      },
      [&](Value row, int64_t v) { return t.load(p, at(row, v)); });
  for (int64_t r = 0; r < height; r++)
    for (int64_t v = 0; v < width; v++)
      t.store(acc[r * width + v], target, at(t.add(column, r), v));
}

/// Divides by the sums and stores o and lse. A sum of 0 means that all keys are hidden.
void ForwardEmitter::finish(const Item &item) {
  Value stats = t.tile(statScratch, blockQueries).memory;
  Tile output = t.tile(outputScratch, blockQueries), stage = t.tile(stageScratch, t.padded(e));
  Values hidden, inverse;
  for (int64_t v = 0; v < width; v++) {
    Value place = t.at(v * t.lanes), sum = t.load(stats, t.at(blockQueries + v * t.lanes));
    hidden.push_back(
        t.b.create<arith::CmpFOp>(t.loc, arith::CmpFPredicate::OEQ, sum, t.constant(0)));
    inverse.push_back(t.b.create<arith::DivFOp>(t.loc, t.constant(1), sum));
    Value top = t.load(stats, place);
    if (!operands.hasFloatMask())
      top = t.mulf(top, t.constant(ln2));
    Value lse = t.addf(top, emitLog(t.b, t.loc, sum));
    t.store(t.select(hidden[v], t.constant(infinity), lse), stats, place);
  }
  t.loop(t.at(0), t.at(e), 1, [&](Value c) {
    for (int64_t v = 0; v < width; v++) {
      Value x = t.mulf(t.load(output.memory, at(c, v)), inverse[v]);
      t.store(t.select(hidden[v], t.constant(0), x), output.memory, at(c, v));
    }
  });
  t.transpose(stage, output, t.at(t.padded(e)), t.at(blockQueries), t.scalar(1));
  for (Matrix o : operands.places(t, 0, item.batch, item.head)) {
    o.offset = t.add(o.offset, t.mul(item.firstQuery, o.rowStride));
    t.copyOut(o, item.queries, t.at(e),
              [&](Value i, Value j) { return t.load(stage.memory, t.place(stage, i, j)); });
  }
  for (Matrix lse : operands.places(t, 1, item.batch, item.head)) {
    lse.offset = t.add(lse.offset, t.mul(item.firstQuery, lse.columnStride));
    t.copyOut(lse, t.at(1), item.queries, [&](Value, Value j) { return t.load(stats, j); });
  }
}

} // namespace

std::unique_ptr<CpuStrategy> createAttentionStrategy() {
  return std::make_unique<AttentionStrategy<AttentionOp, ForwardEmitter>>("attention", 90);
}

} // namespace tenon::cpu
