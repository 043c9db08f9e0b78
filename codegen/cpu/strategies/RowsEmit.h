//===- RowsEmit.h - The loops of rows kernels -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to run a rows kernel, one a file, and what they share. RowsBody says
// which of them a kernel needs and what its elements are.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_ROWSEMIT_H
#define TENON_CODEGEN_CPU_STRATEGIES_ROWSEMIT_H

#include "codegen/cpu/strategies/RowsBody.h"

namespace tenon::cpu {

/// Elements that one slice of a parallel loop computes: below, a second thread costs
/// more than it gains.
constexpr int64_t kSliceElements = 1 << 15;

/// Iterations of `elements` each (null: not known) that make a slice.
int64_t sliceOf(std::optional<int64_t> elements);

/// Computes the outputs at one place, then stores them.
void emitOutputs(RowsBody &body, ElementEmitter &e, llvm::ArrayRef<RowsBody::Output> outputs,
                 llvm::ArrayRef<LaneIndex> indices);

/// Emits `point` for every place of a shape, each an iteration of a parallel loop.
void emitPoints(KernelFrame &frame, BodyBuffers &buffers, llvm::ArrayRef<mlir::AffineExpr> extents,
                llvm::function_ref<void(ElementEmitter &, llvm::ArrayRef<LaneIndex>)> point);

/// The outputs at all places of a shape, where there are no workers.
void emitApart(RowsBody &body, llvm::ArrayRef<RowsBody::Output> outputs,
               llvm::ArrayRef<mlir::AffineExpr> extents);

/// How far ahead a loop asks for what it will read.
constexpr int64_t kPrefetchBytes = 4096;

/// More than what the second cache holds, or unknown.
bool isLarge(RowsBody &body, mlir::Value value);
/// Is this operand read where `value` is computed, element by element?
bool isAlong(RowsBody &body, mlir::BlockArgument argument, mlir::Value value);
/// Asks for the lines of the `count` elements from `indices` on, `ahead` bytes further on.
void prefetch(KernelFrame &frame, mlir::Value buffer, llvm::ArrayRef<LaneIndex> indices,
              int64_t ahead, int64_t count, bool isWrite = false);

/// The outputs of one shape, where they read transposes that move the contiguous axis:
/// tile by tile. False where there is nothing of the kind, and nothing is emitted.
bool emitTransposed(RowsBody &body, llvm::ArrayRef<RowsBody::Output> outputs);
/// No reductions: one loop nest for the outputs of each shape.
void emitElementwise(RowsBody &body);
/// Row by row (or, where the last axis is kept, a vector of rows at a time): a pass
/// for every reduction that needs another, then one that writes the full outputs.
void emitStages(RowsBody &body);
/// Reductions over all or most of the elements: fixed pieces, combined in order.
void emitSplit(RowsBody &body);
/// One scatter_add.
llvm::LogicalResult emitScatter(RowsBody &body);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_ROWSEMIT_H
