//===- AttentionBlock.h - Products of a workgroup's tiles -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and its gradient hold a tile of rows (queries, or keys) and let tiles of columns (the
// others) pass by. What is multiplied with what, and where the numbers of a tile lie, is
// here; schedules, masks and softmax, which use no more than this, are in the files of each
// kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONBLOCK_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONBLOCK_H

#include "codegen/cpu/strategies/AttentionTiles.h"
#include "codegen/spirv/SpirvFrame.h"

namespace tenon::spirv {

/// Each invocation owns some rows and columns of a tile, and of the sums that rows have.
class AttentionBlock {
public:
  using Values = cpu::TileBuilder::Values;

  static constexpr int64_t team = 128;
  /// Columns of a tile, and those of an invocation.
  static constexpr int64_t columns = 64, columnsEach = 4;
  /// Sums of one row, at most: more would leave the registers.
  static constexpr int64_t mostWidth = 256;

  /// For sums of these widths beside so many tiles. Only of a kernel's own computation type.
  AttentionBlock(SpirvFrame &frame, cpu::TileBuilder &t, llvm::ArrayRef<int64_t> widths,
                 int64_t tiles = 1);

  int64_t rowsEach() const { return each; }
  int64_t rows() const { return kRowGroups * each; }
  /// To be told in the body of a workgroup.
  void setMember(mlir::Value member);

  /// Rows of a matrix from `first` on, up to `end`; where that is null, a tile of them exists.
  struct Rows {
    cpu::Matrix matrix;
    mlir::Value first, end;
    int64_t width;
    double factor = 1;
  };

  /// Own row i and column j: their numbers in the tile.
  mlir::Value row(int64_t i);
  mlir::Value column(int64_t j);
  /// Is this the invocation that speaks for its rows?
  mlir::Value isFirstOfRow();

  /// own * others^T at the invocation's rows and columns, row by row. Those beyond the ends are
  /// those of others.
  Values products(const Rows &own, const Rows &others);
  /// Makes a tile the left operand of addProducts().
  void keep(mlir::ValueRange tile);
  /// sums + tile * others, at the invocation's rows. Where `isHiding`, elements of the tile that
  /// are 0 hide numbers that are not finite.
  Values addProducts(mlir::ValueRange sums, const Rows &others, bool isHiding);
  Values zeroSums(int64_t width);
  /// Merges what the invocations of each row have, in their order; a value per own row.
  Values overRows(mlir::ValueRange own,
                  llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> merge);
  /// Stores own sums to rows from `first` up to `end`.
  void store(mlir::ValueRange sums, int64_t width, const cpu::Matrix &place, mlir::Value first,
             mlir::Value end);

private:
  static constexpr int64_t kColumnGroups = columns / columnsEach;
  static constexpr int64_t kRowGroups = team / kColumnGroups;
  /// Elements along the sums of products() that are in memory at a time.
  static constexpr int64_t kDepth = 16;
  static constexpr int64_t kVector = 4;
  /// Sums and elements of tiles of an invocation, at most, if it is to own more than four rows.
  static constexpr int64_t kMostNumbers = 160;

  /// Vectors of a row of sums, and rows of the right operand that are in memory at a time.
  int64_t vectorsOf(int64_t width) const;
  int64_t depthOf(int64_t width) const;
  /// Vectors of rows in memory, and one that keeps neighbours in different banks.
  int64_t rowLine() const { return rows() / kVector + 1; }
  int64_t tileSize() const { return columns * rowLine(); }
  mlir::Value sumColumn(int64_t width, int64_t j);

  mlir::Value rem(mlir::Value x, int64_t n);
  mlir::Value load(const cpu::Matrix &matrix, mlir::Value row, mlir::Value column);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  void loadElements(int64_t place, mlir::Value at, Values &elements);
  void storeVector(mlir::Value vector, int64_t place, mlir::Value at);
  Values overDepth(int64_t depth, mlir::ValueRange sums,
                   llvm::function_ref<void(mlir::Value k, int64_t ahead,
                                           llvm::MutableArrayRef<mlir::Value> sums)>
                       multiply);
  /// This member's vectors of a piece of the depth of products().
  Values piece(const Rows &rows, mlir::Value from, int64_t vectors, int64_t along, int64_t across);
  void storePiece(mlir::ValueRange piece, int64_t place, int64_t line);

  SpirvFrame &frame;
  cpu::TileBuilder &t;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::VectorType vectorType;
  int64_t each = 8, memorySize;
  mlir::Value member, rowGroup, columnGroup;
};

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONBLOCK_H
