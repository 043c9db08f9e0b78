//===- Phases.h - The phases of a compilation -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilations in the process and ahead of time share.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_PHASES_H
#define TENON_CAPI_PHASES_H

#include "capi/Contexts.h"
#include "capi/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// What the diagnostics say, `fallback` if nothing; of a compilation that was cancelled, that.
tenon_status compileError(const Options &options, const Diagnostics &diagnostics,
                          const char *fallback);

/// Runs the phases up to `last` on a module, and calls `done` after each. With `report` passes
/// remark on what they leave alone.
tenon_status runPhases(mlir::ModuleOp module, const Options &options,
                       const Diagnostics &diagnostics, llvm::StringRef last,
                       llvm::function_ref<void(llvm::StringRef)> done = {}, bool report = false);

} // namespace tenon

#endif // TENON_CAPI_PHASES_H
