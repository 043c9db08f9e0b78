//===- Checkpoint.h - Where a pipeline can be ended early -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a compilation that nobody waits for any more comes to an end.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_CHECKPOINT_H
#define TENON_PASSES_CHECKPOINT_H

#include "mlir/Pass/PassManager.h"

#include <atomic>

namespace tenon {

/// Says that a compilation is not wanted any more. Set by any thread, never unset.
using CancelFlag = std::atomic<bool>;

inline bool isSet(const CancelFlag *flag) { return flag && flag->load(std::memory_order_relaxed); }

/// Adds a pass that fails, without a diagnostic, once the flag is set: a pass is all
/// that can end a pipeline. Adds nothing for a null flag. The flag must outlive the
/// pipeline.
void addCheckpoint(mlir::OpPassManager &pm, const CancelFlag *flag);

} // namespace tenon

#endif // TENON_PASSES_CHECKPOINT_H
