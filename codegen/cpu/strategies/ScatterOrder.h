//===- ScatterOrder.h - Sums by number where there are teams ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_SCATTERORDER_H
#define TENON_CODEGEN_CPU_STRATEGIES_SCATTERORDER_H

#include "codegen/cpu/strategies/Lines.h"

namespace tenon::cpu {

/// Sums of updates into the rows of a table, where there are no workers: the row of an update is
/// its id; ids stand in lines, and each line has a table of its own.
struct OrderedScatter {
  using Indices = llvm::ArrayRef<LaneIndex>;

  KernelFrame &frame;
  Lines &lines;
  BodyBuffers &buffers;
  mlir::AffineExpr count, rows; ///< of a line: ids, rows
  llvm::SmallVector<mlir::AffineExpr> columns;
  mlir::Type type; ///< of sums

  /// The id of an update, by its number in the line; an update; and where a sum goes.
  llvm::function_ref<mlir::Value(ElementEmitter &, Indices line, mlir::Value number)> id;
  llvm::function_ref<mlir::Value(ElementEmitter &, Indices line, mlir::Value number,
                                 Indices column)>
      update;
  llvm::function_ref<void(ElementEmitter &, Indices line, mlir::Value row, Indices column,
                          mlir::Value sum)>
      store;
};

void emitScatter(const OrderedScatter &scatter);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_SCATTERORDER_H
