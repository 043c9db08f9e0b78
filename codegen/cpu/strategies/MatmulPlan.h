//===- MatmulPlan.h - How a matrix product is cut up ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product is seen as rows x columns with vector lanes along the columns; which
// operand gives the rows depends on how the result is stored. The plan holds the
// register tile, the blocks and what is packed. It depends on shapes and the target
// alone: equal shapes give equal bits.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_MATMULPLAN_H
#define TENON_CODEGEN_CPU_STRATEGIES_MATMULPLAN_H

#include "codegen/cpu/Placement.h"
#include "codegen/cpu/Views.h"

namespace tenon::cpu::matmul {

/// An operand, seen as outer (rows or columns) x k.
struct Operand {
  mlir::Value value;
  unsigned outerAxis, kAxis; ///< axes of `value`
  /// Where it lies in a buffer; loads need no conversion where `direct`.
  std::optional<StridedView> view;
  bool direct = false;
  bool outerUnit = false, kUnit = false; ///< which axis is contiguous, if one is
};

struct Problem {
  MatmulOp op;
  mlir::Type accumulator; ///< f32 or f64
  unsigned batchRank;
  bool swapped; ///< rows come from b
  Operand rows, columns;
  Extent m, n, k; ///< rows, columns, summands
  llvm::SmallVector<Extent> batch;
  int64_t mDivisor, nDivisor, kDivisor; ///< numbers that divide m, n and k

  static Problem get(KernelFrame &frame, MatmulOp op);
  unsigned rowAxis() const { return swapped ? batchRank + 1 : batchRank; }
  unsigned columnAxis() const { return swapped ? batchRank : batchRank + 1; }
};

struct Plan {
  int lanes = 1;
  int64_t tileRows = 1, tileVectors = 1; ///< of the register tile
  int64_t mc, nc, kc;                    ///< of a block; kc covers k unless kBlocked
  bool dot = false;                      ///< lanes along k (MatmulDot.cpp)
  bool kBlocked = false;                 ///< partial sums go through scratch
  bool packRows = false, packColumns = false;
  bool parallel = false;
  int64_t chunk = 1; ///< blocks per slice
  /// Can there be a row tile (a column panel) that is not full?
  bool rowEdge = true, columnEdge = true;
  /// Vectors of the last panel: fewer than tileVectors where that is known.
  int64_t edgeVectors = 1;

  int64_t panel() const { return tileVectors * lanes; }
  /// kc rounded up, the extent of packed panels along k.
  int64_t packedDepth() const { return (kc + lanes - 1) / lanes * lanes; }

  static Plan make(const Problem &problem, const CpuTarget &target);
};

} // namespace tenon::cpu::matmul

#endif // TENON_CODEGEN_CPU_STRATEGIES_MATMULPLAN_H
