//===- LinesOrder.h - Lines in order, by teams ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_LINESORDER_H
#define TENON_CODEGEN_CPU_STRATEGIES_LINESORDER_H

#include "codegen/cpu/strategies/Lines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tenon::cpu {

/// Sorts the elements of lines by keys, unsigned integers, where there are teams and no workers.
class LineOrder {
public:
  using Indices = llvm::SmallVector<LaneIndex>;
  /// An element: its place in the sorted line, its key and, in 32 bits, where it was.
  struct Sorted {
    mlir::Value rank, key, number;
  };
  using Key = llvm::function_ref<mlir::Value(Indices, mlir::Value place)>;
  using Give = llvm::function_ref<void(Indices, mlir::Value line, Sorted)>;

  /// Of lines of `length`, of which the first `count` are kept, or all.
  LineOrder(KernelFrame &frame, Lines &lines, mlir::AffineExpr length, std::optional<int64_t> count,
            mlir::IntegerType key);

  /// Emits parallel loops; the last one runs `give` for every element that is kept.
  void emit(Key keyAt, Give give);

private:
  struct Run { ///< sorted ones one after the other, in scratch
    unsigned keys, numbers;
  };

  mlir::Value at(int64_t number) { return frame.index(number); }
  int64_t keptOf(int64_t run) const { return count ? std::min(*count, run) : run; }
  mlir::AffineExpr slots(int64_t run);
  mlir::Value lengthOf(mlir::Value number, int64_t run);
  void loop(mlir::Value begin, mlir::Value end, llvm::function_ref<void(mlir::Value)> body,
            int64_t step = 1);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  /// x < y, or `ifEqual`.
  mlir::Value isBefore(mlir::Value x, mlir::Value y, mlir::Value ifEqual) {
    mlir::Value same = compare(mlir::arith::CmpIPredicate::eq, x, y);
    return b.create<mlir::arith::SelectOp>(loc, same, ifEqual,
                                           compare(mlir::arith::CmpIPredicate::ult, x, y));
  }
  void store(const Run &runs, mlir::Value line, mlir::Value place, mlir::Value key,
             mlir::Value number);
  Run addRun(int64_t run);
  void sortTile(mlir::Value member, mlir::Value used);
  void emitTiles(const Run *to, Key keyAt, Give give);
  mlir::Value countBefore(mlir::Value keys, mlir::Value line, mlir::Value key, mlir::Value own,
                          mlir::Value other, int64_t run);
  void emitMerge(const Run &from, int64_t run, const Run *to, Give give);

  KernelFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Lines &lines;
  mlir::AffineExpr length;
  std::optional<int64_t> count;
  mlir::IntegerType keyType;
  int64_t tile, ways; ///< elements of a tile, runs that become one
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_LINESORDER_H
