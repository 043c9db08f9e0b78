//===- Fragments.h - Cooperative matrices whose elements are known -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of 16 x 16 that the 32 lanes of a subgroup hold, 8 elements each: of rows l / 4
// and l / 4 + 8 the elements 2 (l % 4), 2 (l % 4) + 1 and the same 8 columns on (PTX ISA,
// "Matrix fragments for mma.m16n8k16"). Left factors of f16 and sums of f32 lie alike.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_FRAGMENTS_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_FRAGMENTS_H

#include "codegen/cpu/Num.h"
#include "codegen/cpu/strategies/AttentionTiles.h"
#include "codegen/spirv/SpirvFrame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace tenon::spirv {

/// Rows and columns of a matrix; elements of it that a lane holds, and of each of its two rows;
/// halves that are moved at a time.
constexpr int64_t kMatrix = 16, kElements = 8, kHalves = 2, kHalf = 4, kVector = 8;

/// A row-major tile of f16 in the workgroup's memory, its rows `padded` wide and a vector more,
/// so that they begin in different banks. Of a row `width` elements are there, the rest is 0.
struct Panel {
  int64_t first = 0; ///< vector of the memory
  int64_t width = 0, padded = 0, rows = 0;

  int64_t pitch() const { return padded / kVector + 1; }
  int64_t end() const { return first + rows * pitch(); }
  int64_t count() const { return rows * padded / kVector; } ///< of vectors with elements
};

class Fragments {
protected:
  explicit Fragments(SpirvFrame &frame);

  using Values = llvm::SmallVector<mlir::Value>;
  using Value = mlir::Value;

  /// Vectors of the workgroup's memory, of 16 bytes.
  void reserve(int64_t vectors) { memory = frame.shared(0, vectorType, vectors); }
  /// To be called at the start of a workgroup's code.
  void start(Value member);

  //===-- Between tensors and panels --------------------------------------===//

  /// The vectors of a panel that the invocation moves: rows from `firstRow` on of a matrix in
  /// vectors; 0 beyond `lastRow`. Where all panels up to there are whole, one that begins there is
  /// anything.
  Values fetch(const Panel &panel, const cpu::Matrix &matrix, Value firstRow, Value lastRow);
  void put(const Panel &panel, mlir::ValueRange vectors);
  void copyOut(const Panel &panel, const cpu::Matrix &matrix, Value firstRow, Value lastRow);
  Value place(const cpu::Matrix &matrix, Value i, Value j);

  //===-- Matrices --------------------------------------------------------===//

  /// The matrix of a panel that begins at row `row` and 16 `column`, as a left or right factor.
  Value left(const Panel &panel, Value row, int64_t column);
  Value right(const Panel &panel, int64_t row, int64_t column);
  /// The transpose of that matrix.
  Value rightTransposed(const Panel &panel, int64_t row, int64_t column);
  /// Stores a matrix of sums in f16.
  void save(const Panel &panel, Value sums, Value row, int64_t column);
  Value zeros();
  Value zerosLeft();
  Value multiply(Value left, Value right, Value sum);

  //===-- Elements --------------------------------------------------------===//

  Value element(Value matrix, int64_t i);
  Value insert(Value x, Value matrix, int64_t i);
  /// Row of a matrix in which this lane's `half` lies; column of element i % 16 of a half, in
  /// matrix i / 16 of a row of them.
  Value rowOf(int64_t half) { return t.add(t.div(lane, t.at(4)), half * 8); }
  Value columnOf(int64_t i);
  Value isFirstOfRow();
  /// Replaces each element of matrices that stand in rows of `across`; `column` is what
  /// columnOf() takes.
  void forEachElement(
      Values &matrices, int64_t across,
      llvm::function_ref<Value(int64_t block, int64_t half, int64_t column, Value x)> replace);
  /// Does it hold for any lane of the subgroup?
  Value any(Value condition);
  /// Combines what so many neighbours among the lanes have.
  Value overLanes(Value x, int64_t lanes, llvm::function_ref<Value(Value, Value)> combine);
  Value overRow(Value x, llvm::function_ref<Value(Value, Value)> combine) {
    return overLanes(x, 4, combine);
  }

  Value rem(Value x, Value y) { return b.createOrFold<mlir::arith::RemUIOp>(loc, x, y); }
  Value number(double x) { return cpu::splatConstant(b, loc, b.getF32Type(), x); }
  Value addf(Value x, Value y) { return b.create<mlir::arith::AddFOp>(loc, x, y); }
  Value mulf(Value x, Value y) { return b.create<mlir::arith::MulFOp>(loc, x, y); }
  Value divf(Value x, Value y) { return b.create<mlir::arith::DivFOp>(loc, x, y); }
  Value negf(Value x) { return b.create<mlir::arith::NegFOp>(loc, x); }
  Value exp2(Value x) { return b.create<mlir::spirv::GLPowOp>(loc, number(2), x); }
  Value fma(Value x, Value y, Value z) {
    return b.create<mlir::spirv::GLFmaOp>(loc, x.getType(), x, y, z);
  }
  /// From what is in memory to f32, and back.
  Value toNumber(Value x);
  Value ofNumber(Value x, mlir::Type storage);

  SpirvFrame &frame;
  cpu::TileBuilder t;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t team = 0;
  Value member, subgroup, lane;

private:
  mlir::spirv::CooperativeMatrixType matrixOf(mlir::Type element,
                                              mlir::spirv::CooperativeMatrixUseKHR use);
  Value load(const Panel &panel, Value row, int64_t column, bool isLeft, bool isTransposed);
  Value at(const Panel &panel, Value row, Value vector);
  Value word(int64_t value);
  Value both(Value x, Value y);
  Value isInPanel(const Panel &panel, Value number, int64_t first);
  Value isInside(const Panel &panel, Value number, Value column, int64_t first);

  Value memory;
  mlir::VectorType vectorType;
};

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_FRAGMENTS_H
