//===- AttentionBackward.cpp - Gradient of flash attention ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over tiles, keys outside and queries inside, so that scores are computed
// once: five products. Each uses the same register tile. Operands are copied into
// padded tiles, which makes edges, strides and storage types a matter of the copies
// (the copy of the next tile is its prefetch, too); gradients accumulate in scratch in
// a fixed order. A worker owns a key head, or a chunk of its keys; the gradients of q
// from chunks are added in order of the chunks.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/AttentionGradTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tenon::cpu {
namespace {

class BackwardEmitter {
public:
  using Values = TileBuilder::Values;

  BackwardEmitter(KernelFrame &frame, const AttentionOperands &operands);
  void emit();

private:
  struct Item {
    AttentionSizes sizes;
    Value batch, keyHead, firstKey, lastKey;
    Tile queryGradients; ///< of the item's query heads, one after the other
  };

  Item item(Value number);
  Value firstHead(const Item &item) { return t.mul(item.keyHead, item.sizes.group); }
  void prepareRows(const Item &item);
  void keyTile(const Item &item, Value firstKey);
  void head(const Item &item, const GradTile &keys, Value member);
  void storeKeyGradients(const Item &item, const GradTile &keys);
  void storeQueryGradients(Value batch, Value head, Value firstQuery, Value queries, Tile sums,
                           Value chunkStride);
  void sumChunks();

  const AttentionOperands &operands;
  TileBuilder t;
  GradTiles tiles;
  int64_t chunks = 1;
  unsigned keyGradScratch, valueGradScratch, queryGradScratch;
};

BackwardEmitter::BackwardEmitter(KernelFrame &frame, const AttentionOperands &operands)
    : operands(operands), t(frame, operands.computeType()), tiles(t, operands) {
  // Few heads: fixed chunks of the keys give work to all.
  constexpr int64_t wantedItems = 8;
  int64_t b = operands.extent(operands.q(), 0), g = operands.extent(operands.k(), 1);
  int64_t m = operands.extent(operands.k(), 2);
  if (!ShapedType::isDynamic(b) && !ShapedType::isDynamic(g) && b * g > 0) {
    chunks = std::max<int64_t>(1, wantedItems / (b * g));
    if (!ShapedType::isDynamic(m)) { // at least two tiles each
      int64_t all = llvm::divideCeil(m, tiles.tileKeys);
      chunks = std::min(chunks, std::max<int64_t>(1, all / 2));
    }
  }
  keyGradScratch = t.workerTile(tiles.tileKeys, tiles.paddedD);
  valueGradScratch = t.workerTile(tiles.tileKeys, tiles.paddedE);
  AffineExpr size = tiles.paddedQueriesExpr() * tiles.groupExpr() * tiles.paddedD;
  if (chunks == 1) {
    queryGradScratch = frame.addWorkerScratch(t.element, {size});
  } else {
    AffineExpr heads = frame.builder().getAffineConstantExpr(b * g * chunks);
    queryGradScratch = frame.addSharedScratch(t.element, {heads * size});
  }
}

void BackwardEmitter::emit() {
  AttentionSizes s = operands.sizes(t);
  Value count = t.mul(t.mul(s.batch, s.keyHeads), chunks);
  Value pairs = t.mul(t.mul(s.group, s.queries), s.keys);
  Value work = t.div(t.mul(pairs, 3 * operands.width() + 2 * operands.valueWidth()), t.at(chunks));
  t.parallel(count, work, [&](Value number) {
    Item it = item(number);
    prepareRows(it);
    Value rows = t.mul(it.sizes.group, tiles.paddedQueries(it.sizes));
    t.fill(it.queryGradients, rows, 0);
    t.loop(it.firstKey, it.lastKey, tiles.tileKeys, [&](Value firstKey) { keyTile(it, firstKey); });
    if (chunks > 1)
      return;
    t.loop(t.at(0), it.sizes.group, 1, [&](Value member) {
      Tile sums = it.queryGradients;
      sums.offset = t.mul(member, t.mul(tiles.paddedQueries(it.sizes), tiles.paddedD));
      storeQueryGradients(it.batch, t.add(firstHead(it), member), t.at(0), it.sizes.queries, sums,
                          t.at(0));
    });
  });
  if (chunks > 1)
    sumChunks();
  if (operands.root()->getNumResults() == 4)
    tiles.emitMaskGradient();
}

BackwardEmitter::Item BackwardEmitter::item(Value number) {
  Item it;
  AttentionSizes &s = it.sizes;
  s = operands.sizes(t);
  Value row = t.div(number, t.at(chunks)), chunk = t.sub(number, t.mul(row, chunks));
  it.batch = t.div(row, s.keyHeads);
  it.keyHead = t.sub(row, t.mul(it.batch, s.keyHeads));
  Value tileCount = t.ceilDiv(s.keys, t.at(tiles.tileKeys));
  Value length = t.mul(t.ceilDiv(tileCount, t.at(chunks)), tiles.tileKeys);
  it.firstKey = chunks == 1 ? t.at(0) : t.min(t.mul(chunk, length), s.keys);
  it.lastKey = chunks == 1 ? s.keys : t.min(t.add(it.firstKey, length), s.keys);
  it.queryGradients = t.tile(queryGradScratch, tiles.paddedD);
  if (chunks > 1)
    it.queryGradients.offset =
        t.mul(number, t.mul(t.mul(s.group, tiles.paddedQueries(s)), tiles.paddedD));
  return it;
}

void BackwardEmitter::prepareRows(const Item &item) {
  t.loop(t.at(0), item.sizes.group, 1, [&](Value member) {
    tiles.prepareRows(item.batch, t.add(firstHead(item), member),
                      t.mul(member, tiles.paddedQueries(item.sizes)), t.at(0), item.sizes.queries,
                      tiles.paddedQueries(item.sizes));
  });
}

void BackwardEmitter::keyTile(const Item &item, Value firstKey) {
  GradTile keys;
  keys.firstKey = firstKey;
  keys.keys = tiles.keysFrom(item.sizes, firstKey);
  tiles.loadKeys(item.batch, item.keyHead, keys);
  t.fill(t.tile(keyGradScratch, tiles.paddedD), t.at(tiles.tileKeys), 0);
  t.fill(t.tile(valueGradScratch, tiles.paddedE), t.at(tiles.tileKeys), 0);
  t.loop(t.at(0), item.sizes.group, 1, [&](Value member) { head(item, keys, member); });
  storeKeyGradients(item, keys);
}

/// All queries of one head against a tile of keys.
void BackwardEmitter::head(const Item &item, const GradTile &keys, Value member) {
  Value queryHead = t.add(firstHead(item), member);
  Value firstRow = t.mul(member, tiles.paddedQueries(item.sizes));
  Value begin = t.at(0);
  if (operands.causal()) // queries before the first key see none of the tile
    begin = t.roundDown(t.min(keys.firstKey, item.sizes.queries), tiles.tileQueries);
  auto against = [&](Value firstQuery) {
    GradTile tile = keys;
    tile.firstQuery = firstQuery;
    tile.queries = tiles.queriesFrom(item.sizes, firstQuery);
    tile.rowTerms = t.add(firstRow, firstQuery);
    tiles.loadQueries(item.batch, queryHead, tile);
    tiles.scores(item.batch, queryHead, tile);

    Tile queryGradients = item.queryGradients;
    Value offset = t.mul(tile.rowTerms, tiles.paddedD);
    queryGradients.offset = queryGradients.offset ? t.add(queryGradients.offset, offset) : offset;
    tiles.addKeyGradient(tile, t.tile(valueGradScratch, tiles.paddedE), tiles.probabilities(),
                         tiles.outputGradients());
    tiles.addKeyGradient(tile, t.tile(keyGradScratch, tiles.paddedD), tiles.scoreGradients(),
                         tiles.queries());
    tiles.addQueryGradient(tile, queryGradients);
  };
  t.loop(begin, item.sizes.queries, tiles.tileQueries, [&](Value firstQuery) {
    t.when(t.frame.goesOn(), [&] { against(firstQuery); }); // an item may take seconds
  });
}

void BackwardEmitter::storeKeyGradients(const Item &item, const GradTile &keys) {
  auto store = [&](unsigned result, unsigned scratch, int64_t padded, int64_t width,
                   double factor) {
    Tile sums = t.tile(scratch, padded);
    for (Matrix place : operands.places(t, result, item.batch, item.keyHead)) {
      place.offset = t.add(place.offset, t.mul(keys.firstKey, place.rowStride));
      t.copyOut(place, keys.keys, t.at(width), [&](Value i, Value j) {
        Value x = t.load(sums.memory, t.place(sums, i, j));
        return factor == 1 ? x : t.mulf(x, t.constant(factor));
      });
    }
  };
  store(1, keyGradScratch, tiles.paddedD, operands.width(), operands.scale());
  store(2, valueGradScratch, tiles.paddedE, operands.valueWidth(), 1);
}

/// dq = scale times the sum over chunks, in their order.
void BackwardEmitter::storeQueryGradients(Value batch, Value head, Value firstQuery, Value queries,
                                          Tile sums, Value chunkStride) {
  for (Matrix place : operands.places(t, 0, batch, head)) {
    place.offset = t.add(place.offset, t.mul(firstQuery, place.rowStride));
    t.copyOut(place, queries, t.at(operands.width()), [&](Value i, Value j) {
      Value index = t.place(sums, t.add(firstQuery, i), j);
      Value x = t.load(sums.memory, index);
      for (int64_t chunk = 1; chunk < chunks; chunk++)
        x = t.addf(x, t.load(sums.memory, t.add(index, t.mul(chunkStride, chunk))));
      return t.mulf(x, t.constant(operands.scale()));
    });
  }
}

void BackwardEmitter::sumChunks() {
  AttentionSizes outside = operands.sizes(t);
  constexpr int64_t blockRows = 64;
  Value blocks = t.ceilDiv(outside.queries, t.at(blockRows));
  Value count = t.mul(t.mul(outside.batch, outside.heads), blocks);
  t.parallel(count, t.at(blockRows * tiles.paddedD * chunks), [&](Value number) {
    AttentionSizes s = operands.sizes(t);
    Value blocks = t.ceilDiv(s.queries, t.at(blockRows)), row = t.div(number, blocks);
    Value firstQuery = t.mul(t.sub(number, t.mul(row, blocks)), blockRows);
    Value batch = t.div(row, s.heads), head = t.sub(row, t.mul(batch, s.heads));
    Value keyHead = t.div(head, s.group), member = t.sub(head, t.mul(keyHead, s.group));
    Value headSize = t.mul(tiles.paddedQueries(s), tiles.paddedD);
    Value chunkStride = t.mul(s.group, headSize);
    Value keyRow = t.add(t.mul(batch, s.keyHeads), keyHead);
    Tile sums = t.tile(queryGradScratch, tiles.paddedD);
    sums.offset = t.add(t.mul(t.mul(keyRow, chunks), chunkStride), t.mul(member, headSize));
    Value queries = t.min(t.at(blockRows), t.sub(s.queries, firstQuery));
    storeQueryGradients(batch, head, firstQuery, queries, sums, chunkStride);
  });
}

} // namespace

std::unique_ptr<CpuStrategy> createAttentionGradStrategy() {
  return std::make_unique<AttentionStrategy<AttentionGradOp, BackwardEmitter>>("attention_grad",
                                                                               91);
}

} // namespace tenon::cpu
