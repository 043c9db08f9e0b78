//===- MatmulEmitter.h - Emits a planned matrix product ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over blocks and panels (MatmulBlocks.cpp), packing (MatmulPack.cpp), the
// register tile (MatmulTile.cpp) and what happens to its sums (MatmulEpilogue.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_MATMULEMITTER_H
#define TENON_CODEGEN_CPU_STRATEGIES_MATMULEMITTER_H

#include "codegen/cpu/strategies/MatmulPlan.h"

namespace tenon::cpu::matmul {

/// Elements base + outer * outerStride + k * kStride of a flat memref.
struct Matrix {
  mlir::Value memref, base, outerStride, kStride;
};

/// Rows [row, rowEnd) and columns [column, columnEnd) of one product of the batch.
struct Block {
  llvm::SmallVector<LaneIndex> batch;
  mlir::Value row, rowEnd, column, columnEnd;
};

/// A register tile: `vectors` of `lanes` sums per row. Columns from `masked` on (a
/// vector's number) may lie outside; -1: all are there.
struct Tile {
  int64_t rows, vectors;
  bool columnEdge;
};

class MatmulEmitter {
public:
  MatmulEmitter(KernelFrame &frame, const Problem &problem, const Plan &plan);

  /// The whole product, in the entry function.
  void emit();

private:
  // MatmulBlocks.cpp
  void emitBlock(const Block &block);
  void emitPanels(const Block &block, mlir::Value k0, mlir::Value depth);
  void emitTileAt(const Block &block, const Tile &tile, const Matrix &rows, mlir::Value row,
                  mlir::Value firstRow, mlir::Value column, mlir::Value k0, mlir::Value depth);
  Block blockAt(mlir::Value number);
  void forLoop(mlir::Value begin, mlir::Value end, int64_t step,
               llvm::function_ref<void(mlir::Value)> body);
  /// Where an operand that is `direct` lies, for this product of the batch.
  Matrix inBuffer(const Operand &operand, llvm::ArrayRef<LaneIndex> batch, mlir::Value k0);
  Matrix columnsAt(const Block &block, mlir::Value column, mlir::Value k0);

  // MatmulPack.cpp
  void packColumns(const Block &block, mlir::Value k0, mlir::Value depth);
  void packStraight(const Block &block, mlir::Value column, int64_t vectors, bool edge,
                    mlir::Value k0, mlir::Value depth, const Matrix &source);
  void packTransposed(const Block &block, mlir::Value k0, mlir::Value depth, const Matrix &source);
  Matrix packRows(const Block &block, mlir::Value row, mlir::Value k0, mlir::Value depth);
  /// A vector of an operand's elements along the axis that `outer` or `k` steps.
  mlir::Value loadOperand(const Operand &operand, const Matrix &source,
                          llvm::ArrayRef<LaneIndex> batch, LaneIndex outer, LaneIndex k,
                          mlir::Value k0, mlir::Value mask, int lanes = 0);
  llvm::SmallVector<mlir::Value> transpose(llvm::SmallVector<mlir::Value> rows);
  /// Lanes with bit `bit` of their number clear, and those with it set, of two vectors,
  /// those of `y` in the places of the others of `x`.
  std::pair<mlir::Value, mlir::Value> exchange(mlir::Value x, mlir::Value y, int64_t bit);

  // MatmulDot.cpp
  void emitDotBlock(const Block &block);
  mlir::Value emitDots(const Block &block, mlir::Value row, mlir::Value column, mlir::Value depth);
  mlir::Value addLanes(llvm::SmallVector<mlir::Value> vectors);

  // MatmulTile.cpp
  llvm::SmallVector<mlir::Value> emitSums(const Tile &tile, const Matrix &rows,
                                          const Matrix &columns, mlir::Value depth,
                                          mlir::Value columnsLeft,
                                          llvm::ArrayRef<mlir::Value> initial);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);

  // MatmulEpilogue.cpp
  void finishTile(const Block &block, const Tile &tile, llvm::ArrayRef<mlir::Value> sums,
                  mlir::Value row, mlir::Value firstRow, mlir::Value column);
  void finishRolled(const Block &block, const Tile &tile, llvm::ArrayRef<mlir::Value> sums,
                    mlir::Value row, mlir::Value firstRow, mlir::Value column);
  void finishVector(const Block &block, mlir::Value sum, mlir::Value row, mlir::Value column,
                    mlir::Value mask);
  void finishApart(const Block &block, llvm::ArrayRef<mlir::Value> captures,
                   llvm::function_ref<void(const Block &, mlir::ValueRange)> body);
  void finishPartialSums(const Block &block);
  void clearPartialSums(const Block &block);
  /// Few enough ops that each register of the tile gets its own.
  bool finishesInline();

  // Short cuts, folding constants.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value ceilDiv(mlir::Value x, int64_t y);
  mlir::Value index(int64_t value) { return frame.index(value); }
  mlir::Value offset(mlir::Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  /// Of vectors of `lanes`, 0 standing for the plan's.
  mlir::Value mask(mlir::Value count, int lanes = 0);
  mlir::Value load(mlir::Value memref, mlir::Value at, mlir::Value mask = nullptr, int lanes = 0);
  void store(mlir::Value vector, mlir::Value memref, mlir::Value at);

  KernelFrame &frame;
  const Problem &p;
  const Plan &plan;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::VectorType vectorType;
  std::optional<unsigned> columnPack, rowPack, partialSums, tileSums, transposeSquare;
  std::optional<bool> inlineFinish;
};

} // namespace tenon::cpu::matmul

#endif // TENON_CODEGEN_CPU_STRATEGIES_MATMULEMITTER_H
