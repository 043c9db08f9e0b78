//===- AttentionGradTiles.h - Tiles of attention's gradient -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker's tiles of the backward kernel, and the steps from one to the next:
// probabilities and the gradient of scores for a tile of queries and keys, and the
// three products that follow from them.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONGRADTILES_H
#define TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONGRADTILES_H

#include "codegen/cpu/strategies/AttentionOperands.h"

namespace tenon::cpu {

/// Queries [firstQuery, firstQuery + queries) of a head against keys [firstKey,
/// firstKey + keys). What belongs to row r of the tile (its lse and delta) is element
/// rowTerms + r of the worker's row terms.
struct GradTile {
  mlir::Value firstKey, keys, firstQuery, queries, rowTerms;
};

class GradTiles {
public:
  using Values = TileBuilder::Values;

  GradTiles(TileBuilder &t, const AttentionOperands &operands);

  int64_t tileQueries, tileKeys;
  int64_t paddedD, paddedE; ///< of the rows of tiles

  /// Rows that the row terms and the gradients of q hold for a head.
  mlir::Value paddedQueries(const AttentionSizes &s) { return t.roundUp(s.queries, t.rows); }
  mlir::AffineExpr paddedQueriesExpr() const;
  mlir::AffineExpr groupExpr() const;
  mlir::Value keysFrom(const AttentionSizes &s, mlir::Value firstKey);
  mlir::Value queriesFrom(const AttentionSizes &s, mlir::Value firstQuery);

  /// lse and delta of `queries` queries from `firstQuery` on to the row terms from
  /// `firstRow` on. Rows up to `padded` do not exist: their lse is inf, so p is 0.
  void prepareRows(mlir::Value batch, mlir::Value head, mlir::Value firstRow,
                   mlir::Value firstQuery, mlir::Value queries, mlir::Value padded);
  void loadKeys(mlir::Value batch, mlir::Value keyHead, const GradTile &tile);
  void loadQueries(mlir::Value batch, mlir::Value head, const GradTile &tile);

  /// p = e^(s - lse) and ds = p (do v^T - delta) of the tile. With a causal mask blocks
  /// that see nothing are left as they are.
  void scores(mlir::Value batch, mlir::Value head, const GradTile &tile);

  /// gradient[key] += sum over rows of weights[row, key] * operand[row].
  void addKeyGradient(const GradTile &tile, Tile gradient, Tile weights, Tile operand);
  /// gradient[row] += sum over keys of ds[row, key] * k[key].
  void addQueryGradient(const GradTile &tile, Tile gradient);

  /// The gradient of the mask, in a pass of its own: it may be a sum over heads, which
  /// are spread over workers in the main pass.
  void emitMaskGradient();

  Tile queries() { return t.tile(queryScratch, paddedD); }
  Tile outputGradients() { return t.tile(outputScratch, paddedE); }
  Tile probabilities() { return t.tile(probabilityScratch, pitch); }
  Tile scoreGradients() { return t.tile(gradientScratch, pitch); }

private:
  void scoreBlock(const GradTile &tile, mlir::Value row, mlir::Value key);
  void probability(const GradTile &tile, mlir::Value row, mlir::Value key, bool partlyHidden);
  void update(Tile gradient, mlir::Value row, mlir::Value column, int64_t width, mlir::Value begin,
              mlir::Value end, TileBuilder::Operand weight, Tile operand);
  /// Columns of a gradient in strips of the register tile's width.
  void strips(int64_t columns, llvm::function_ref<void(mlir::Value, int64_t)> body);
  /// The first row, rounded down to a register tile, that sees `key` of the tile.
  mlir::Value firstRow(const GradTile &tile, mlir::Value key);
  /// Keys of the tile that row `row` sees; may be negative.
  mlir::Value seenKeys(const GradTile &tile, mlir::Value row);
  mlir::Value paddedRows(const GradTile &tile) { return t.roundUp(tile.queries, t.rows); }
  void maskTile(mlir::Value batch, mlir::Value head, GradTile tile, const AttentionSizes &s,
                Tile sums);

  TileBuilder &t;
  const AttentionOperands &operands;
  int64_t strip;  ///< keys of a score block, in lanes
  int64_t pitch;  ///< of P and dS; no power of two, which would use few cache sets
  int64_t unroll; ///< steps of a product
  bool edges;     ///< key blocks may be partly hidden
  unsigned keyScratch, keyStripScratch, valueStripScratch, queryScratch, outputScratch;
  unsigned probabilityScratch, gradientScratch, lseScratch, deltaScratch;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONGRADTILES_H
