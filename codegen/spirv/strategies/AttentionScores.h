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
                  llvm::ArrayRef<int64_t> widths);

  /// What a tile may have of scores that do not count.
  struct Hidden {
    bool some = false;     ///< by a mask, or because the key comes after the query
    bool isCausal = false; ///< the latter
    bool ends = true;      ///< columns beyond the end
  };
  /// Carries values over all tiles of keys that queries of the tile from `firstQuery` on see.
  using Tile = llvm::function_ref<Values(mlir::Value, mlir::ValueRange, const Hidden &)>;
  Values overKeys(const cpu::AttentionSizes &sizes, mlir::Value firstQuery, mlir::ValueRange init,
                  Tile tile);

  Block::Rows rows(mlir::Value operand, mlir::Value batch, mlir::Value head, mlir::Value first,
                   mlir::Value end, int64_t width);

  struct Range {
    mlir::Value first, end;
  };
  /// Applies masks to scores of queries in rows and keys in columns; -inf where one does not
  /// count.
  void hide(Values &scores, mlir::Value batch, mlir::Value head, Range queries, Range keys,
            const Hidden &hidden);

  const cpu::AttentionOperands &operands;
  SpirvFrame &frame;
  cpu::TileBuilder t;
  Block block;
};

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONSCORES_H
