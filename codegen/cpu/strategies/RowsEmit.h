//===- RowsEmit.h - The loops of rows kernels -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
