//===- AttentionTiles.h - Loops, vectors and tiles of attention -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forward and the backward kernel are emitted with: index arithmetic that
// folds constants, counted loops, vectors of the computation type, copies between
// tensors and padded tiles in scratch, the transposition of a tile, and 2^x.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONTILES_H
#define TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONTILES_H

#include "codegen/cpu/KernelFrame.h"

namespace tenon::cpu {

/// A matrix of a tensor's buffer: element (i, j) is element
/// offset + i * rowStride + j * columnStride of `memory`, a memref of one axis.
struct Matrix {
  mlir::Value memory, offset, rowStride, columnStride;

  mlir::Type storage() const;
  /// Rows can be read by vectors.
  bool contiguous() const;
};

/// A row-major tile of the computation type in scratch, its rows `width` long (a
/// multiple of a vector, or of a register tile's columns) from `offset` on.
struct Tile {
  mlir::Value memory;
  int64_t width = 0;
  mlir::Value offset; ///< null = 0
};

class TileBuilder {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  TileBuilder(KernelFrame &frame, mlir::Type element);

  KernelFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element; ///< f32 or f64: what is computed in
  mlir::VectorType vector;
  int64_t lanes;
  int64_t rows; ///< of a register tile; its columns are two vectors

  //===-- Index arithmetic ------------------------------------------------===//

  mlir::Value at(int64_t value) { return frame.index(value); }
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return y == 0 ? x : add(x, at(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y) { return mul(x, at(y)); }
  mlir::Value div(mlir::Value x, mlir::Value y);     ///< of non-negative values
  mlir::Value ceilDiv(mlir::Value x, mlir::Value y); ///< of non-negative values
  mlir::Value roundUp(mlir::Value x, int64_t y) { return mul(ceilDiv(x, at(y)), y); }
  mlir::Value roundDown(mlir::Value x, int64_t y) { return mul(div(x, at(y)), y); }
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);

  //===-- Control ---------------------------------------------------------===//

  using Body = llvm::function_ref<void(mlir::Value)>;
  using CarryingBody = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;

  void loop(mlir::Value begin, mlir::Value end, int64_t step, Body body);
  Values loop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange init,
              CarryingBody body);
  void when(mlir::Value condition, llvm::function_ref<void()> then);
  Values choose(mlir::Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

  /// Emits a parallel loop over `count` pieces of about `work` multiply-adds each.
  /// Slices follow from the two alone.
  void parallel(mlir::Value count, mlir::Value work, Body body);

  //===-- Vectors of the computation type ---------------------------------===//

  mlir::Value constant(double value);
  mlir::Value scalar(double value);
  mlir::Value splat(mlir::Value scalar);
  mlir::Value load(mlir::Value memory, mlir::Value index);
  mlir::Value splatLoad(mlir::Value memory, mlir::Value index);
  void store(mlir::Value vector, mlir::Value memory, mlir::Value index);
  mlir::Value addf(mlir::Value x, mlir::Value y);
  mlir::Value subf(mlir::Value x, mlir::Value y);
  mlir::Value mulf(mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  /// x > y ? x : y, one instruction; y where one is NaN.
  mlir::Value larger(mlir::Value x, mlir::Value y);
  /// The score and what a mask adds; -inf where it hides the key, whatever the score is.
  mlir::Value masked(mlir::Value score, mlir::Value mask);
  /// Lanes of which number + `first` is at least `bound`.
  mlir::Value lanesFrom(mlir::Value first, mlir::Value bound);
  mlir::Value select(mlir::Value lanes, mlir::Value x, mlir::Value y);

  /// The sum over the lanes, in a fixed order.
  mlir::Value sum(mlir::Value x);

  /// 2^x for x < 128 (f64: 1024), within 3 ulp; exactly 0 for x <= -127 (-1023), and
  /// NaN, whatever its payload, for NaN.
  mlir::Value exp2(mlir::Value x);

  /// acc[r, v] += a(k, r) * b(k, v) for k in [begin, end), whose distance is a
  /// multiple of `unroll`: the register tile. acc holds `height` rows of vectors;
  /// a(k, r) gives a vector of one value, b(k, v) a vector.
  using Operand = llvm::function_ref<mlir::Value(mlir::Value k, int64_t i)>;
  Values multiply(Values acc, int64_t height, mlir::Value begin, mlir::Value end, int64_t unroll,
                  Operand a, Operand b);
  Values zeros(int64_t count) { return Values(count, constant(0)); }

  //===-- Tiles -----------------------------------------------------------===//

  /// Elements of a row that holds `columns` elements in whole vectors.
  int64_t padded(int64_t columns) const { return (columns + lanes - 1) / lanes * lanes; }
  int64_t padded(int64_t columns, int64_t to) const { return (columns + to - 1) / to * to; }
  unsigned workerTile(int64_t height, int64_t width);
  Tile tile(unsigned scratch, int64_t width) { return {flat(frame.scratch(scratch)), width, {}}; }
  /// The memref as one of a dynamic extent.
  mlir::Value flat(mlir::Value memref);
  mlir::Value place(const Tile &tile, mlir::Value row, mlir::Value column);

  void fill(const Tile &tile, mlir::Value height, double value);

  /// tile[i, j] = matrix[i, j]; 0 from column `columns` up to the next whole vector and
  /// from row `height` to `paddedHeight`. Storage i1 gives 0 for true and -inf.
  void copyIn(const Tile &tile, const Matrix &matrix, mlir::Value height, mlir::Value paddedHeight,
              mlir::Value columns);
  /// matrix[i, j] = factor * value(i, j) where `value` gives a vector from column j on.
  void copyOut(const Matrix &matrix, mlir::Value height, mlir::Value columns,
               llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> value);

  /// target[j, i] = factor * source[i, j]; height and columns in whole vectors.
  void transpose(const Tile &target, const Tile &source, mlir::Value height, mlir::Value columns,
                 mlir::Value factor);

  /// From the storage type of tensors, and to it.
  mlir::Value widen(mlir::Value value);
  mlir::Value narrow(mlir::Value value, mlir::Type storage);

private:
  int64_t unrollOf(mlir::Value columns) const;
  mlir::func::FuncOp transposeFunction();
  Values transposeBlock(Values rows);
  mlir::Value partialLoad(const Matrix &matrix, mlir::Value index, mlir::Value count);
  void partialStore(const Matrix &matrix, mlir::Value index, mlir::Value count, mlir::Value vector);
  mlir::VectorType vectorOf(mlir::Type type) { return mlir::VectorType::get({lanes}, type); }
  mlir::Value firstLanes(mlir::Value count);

  mlir::func::FuncOp transposer;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONTILES_H
