//===- AttentionScores.h - Which scores exist, tile by tile -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of attention and of its gradient share beside products: loops over
// tiles, and masks.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONSCORES_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONSCORES_H

#include "codegen/cpu/strategies/AttentionOperands.h"
#include "codegen/spirv/strategies/AttentionBlock.h"

namespace tenon::spirv {

class AttentionScores {
public:
  /// Tells whether kernels can be emitted for this attention, or gradient of it, whose widths are
  /// known.
  static bool canEmit(mlir::Operation *op);

protected:
  using Block = AttentionBlock;
  using Values = Block::Values;

  AttentionScores(cpu::KernelFrame &frame, const cpu::AttentionOperands &operands,
                  llvm::ArrayRef<int64_t> widths, int64_t tiles = 1);

  /// What a tile may have of scores that do not count.
  struct Hidden {
    bool some = false;        ///< by a mask, or because the key comes after the query
    bool isCausal = false;    ///< the latter
    bool ends = true;         ///< columns beyond the end
    bool keysAreRows = false; ///< and queries columns
  };
  /// Carries values over all tiles of keys that queries of the tile from `firstQuery` on see.
  using Tile = llvm::function_ref<Values(mlir::Value, mlir::ValueRange, const Hidden &)>;
  Values overKeys(const cpu::AttentionSizes &sizes, mlir::Value firstQuery, mlir::ValueRange init,
                  Tile tile);
  /// The same over tiles of queries that see keys of the tile from `firstKey` on.
  Values overQueries(const cpu::AttentionSizes &sizes, mlir::Value firstKey, mlir::ValueRange init,
                     Tile tile);

  Block::Rows rows(mlir::Value operand, mlir::Value batch, mlir::Value head, mlir::Value first,
                   mlir::Value end, int64_t width);

  struct Range {
    mlir::Value first, end;
  };
  /// Applies masks to scores; -inf where one does not count.
  void hide(Values &scores, mlir::Value batch, mlir::Value head, Range queries, Range keys,
            const Hidden &hidden);

  const cpu::AttentionOperands &operands;
  SpirvFrame &frame;
  cpu::TileBuilder t;
  Block block;

private:
  Values over(mlir::Value begin, mlir::Value end, mlir::ValueRange init, const Hidden &hidden,
              Tile tile);
  /// Of a mask and of the end of columns.
  Hidden hiddenBy(mlir::Value columns) const;
};

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONSCORES_H
