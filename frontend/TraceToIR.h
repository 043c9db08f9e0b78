//===- TraceToIR.h - From a trace to the dialect ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a trace enters MLIR. Node by node, op by op: what a trace says, the module
// says, and optimizing is left to the passes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_FRONTEND_TRACETOIR_H
#define TENON_FRONTEND_TRACETOIR_H

#include "tenon/compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// A trace that is to run `trips` times in a tenon.loop; see
/// tenon_compile_options for what its inputs and outputs then are.
struct TraceLoop {
  int64_t trips = 0; ///< 0: no loop
  int64_t state = 0;
  int64_t invariant = 0;
};

/// A module with `func.func @main` that computes the outputs of a trace from its
/// inputs. A result that donates an input carries `tenon.donates = <argument>`. The
/// trace must have passed checkTrace and checkTraceTypes; null when the loop does
/// not fit it, after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> traceToIR(mlir::MLIRContext *context, const tenon_trace &trace,
                                            const TraceLoop &loop = {});

} // namespace tenon

#endif // TENON_FRONTEND_TRACETOIR_H
