//===- SplitLoop.h - Loops in a loop instead of a long one ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gradient keeps what each trip of a loop starts from. Of loops in a loop it keeps what each
// of these starts from, and runs them again one by one: the square root of the memory for
// another run forward (Chen, Xu, Zhang, Guestrin 2016, "Training deep nets with sublinear memory
// cost").
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_AUTODIFF_SPLITLOOP_H
#define TENON_PASSES_AUTODIFF_SPLITLOOP_H

#include "ir/TenonOps.h"

namespace tenon::autodiff {

/// Is it a part of a loop that was split?
bool isPartOfSplit(LoopOp loop);

/// Can it be split? What it scans and stacks is reshaped, of which one extent may be `?`.
bool canSplit(LoopOp loop);

/// Emits, before a loop that runs forward, a loop of loops of `length` trips and a loop of the
/// trips that are left. Gives what takes the place of its results.
llvm::SmallVector<mlir::Value> splitLoop(LoopOp loop, int64_t length);

} // namespace tenon::autodiff

#endif // TENON_PASSES_AUTODIFF_SPLITLOOP_H
