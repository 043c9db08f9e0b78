//===- AttentionMaskGrad.cpp - Gradient of attention's mask ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmask = ds, summed over the batches and heads that share the mask, in their order.
// A worker owns queries of one mask and computes their scores again.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/AttentionGradTiles.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tenon::cpu {

/// sums += ds of one head.
void GradTiles::maskTile(Value batch, Value head, GradTile tile, const AttentionSizes &s,
                         Tile sums) {
  prepareRows(batch, head, t.at(0), tile.firstQuery, tile.queries, paddedRows(tile));
  loadKeys(batch, t.div(head, s.group), tile);
  loadQueries(batch, head, tile);
  Tile ds = scoreGradients();
  t.fill(ds, paddedRows(tile), 0); // blocks that see nothing are skipped
  scores(batch, head, tile);
  Value zero = t.at(0), size = t.mul(paddedRows(tile), pitch);
  t.loop(zero, size, t.lanes, [&](Value i) {
    t.store(t.addf(t.load(sums.memory, i), t.load(ds.memory, i)), sums.memory, i);
  });
}

void GradTiles::emitMaskGradient() {
  unsigned sumScratch = t.workerTile(tileQueries, pitch);
  Value mask = operands.mask();
  auto extent = [&](unsigned axis) { return emitExtent(t.frame, mask, axis); };
  auto blocksOf = [&](const AttentionSizes &s) { return t.ceilDiv(s.queries, t.at(tileQueries)); };
  AttentionSizes outside = operands.sizes(t);
  Value count = t.mul(t.mul(extent(0), extent(1)), blocksOf(outside));
  Value work = t.mul(outside.keys, tileQueries * (operands.width() + operands.valueWidth()));
  t.parallel(count, work, [&](Value number) {
    AttentionSizes s = operands.sizes(t);
    Value maskBatches = extent(0), maskHeads = extent(1), blocks = blocksOf(s);
    Value row = t.div(number, blocks), batch = t.div(row, maskHeads);
    Value head = t.sub(row, t.mul(batch, maskHeads));
    GradTile tile;
    tile.firstQuery = t.mul(t.sub(number, t.mul(row, blocks)), tileQueries);
    tile.queries = queriesFrom(s, tile.firstQuery);
    tile.rowTerms = t.at(0);
    Tile sums = t.tile(sumScratch, pitch);
    t.loop(t.at(0), s.keys, tileKeys, [&](Value firstKey) {
      tile.firstKey = firstKey;
      tile.keys = keysFrom(s, firstKey);
      t.fill(sums, t.at(tileQueries), 0);
      // Batches (heads) batch, batch + maskBatches, ...: itself, or all.
      Value lastQuery = t.add(tile.firstQuery, tile.queries);
      Value visible = operands.causal() ? t.less(firstKey, lastQuery) : t.less(firstKey, s.keys);
      t.when(visible, [&] {
        Value batches = t.div(s.batch, maskBatches), heads = t.div(s.heads, maskHeads);
        t.loop(t.at(0), batches, 1, [&](Value i) {
          t.loop(t.at(0), heads, 1, [&](Value j) {
            t.when(t.frame.goesOn(), [&] {
              maskTile(t.add(batch, t.mul(i, maskBatches)), t.add(head, t.mul(j, maskHeads)), tile,
                       s, sums);
            });
          });
        });
      });
      for (Matrix place : operands.places(t, 3, batch, head)) {
        place.offset = t.add(place.offset, t.add(t.mul(tile.firstQuery, place.rowStride),
                                                 t.mul(firstKey, place.columnStride)));
        t.copyOut(place, tile.queries, tile.keys,
                  [&](Value i, Value j) { return t.load(sums.memory, t.place(sums, i, j)); });
      }
    });
  });
}

} // namespace tenon::cpu
