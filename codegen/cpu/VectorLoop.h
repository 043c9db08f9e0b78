//===- VectorLoop.h - Loops over vectors with masked ends -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that strategies emit over elements. Who writes a body writes it once,
// for full vectors and for the masked end.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_VECTORLOOP_H
#define TENON_CODEGEN_CPU_VECTORLOOP_H

#include "codegen/cpu/ElementEmitter.h"

namespace tenon::cpu {

using Values = llvm::SmallVector<mlir::Value>;

/// One vector of a loop: `at` the first element, `mask` null where all lanes exist.
/// Takes the carried values and returns the new ones.
using VectorBody = llvm::function_ref<Values(LaneIndex at, mlir::Value mask, mlir::ValueRange)>;

/// Emits a loop over [begin, end) in vectors, then what is left under a mask. `begin` is
/// a multiple of the lanes. With `unroll` copies each has its own carried values: those of
/// the first start as `inits`, of the others as `neutral`; `merge` joins two sets of them.
Values emitVectorLoop(KernelFrame &frame, int lanes, mlir::Value begin, mlir::Value end,
                      mlir::ValueRange inits, VectorBody body, int unroll = 1,
                      mlir::ValueRange neutral = {},
                      llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> merge = {});

/// A loop over [begin, end) by `step`.
Values emitLoop(KernelFrame &frame, mlir::Value begin, mlir::Value end, mlir::ValueRange inits,
                llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body, int64_t step = 1);

/// Lanes below `count`.
mlir::Value laneMask(KernelFrame &frame, int lanes, mlir::Value count);

/// `body(begin, end, captures)` for slices of [0, count): in place where `count` is
/// known to be one slice, else in parallel.
void forEachSlice(KernelFrame &frame, mlir::Value count, int64_t chunk, mlir::ValueRange captures,
                  llvm::function_ref<void(mlir::Value, mlir::Value, mlir::ValueRange)> body);

/// The indices of element `number` of row-major `extents`.
llvm::SmallVector<mlir::Value> delinearize(KernelFrame &frame, BodyBuffers &buffers,
                                           mlir::Value number,
                                           llvm::ArrayRef<mlir::AffineExpr> extents);

std::optional<int64_t> constantIndexOf(mlir::Value value);
inline std::optional<int64_t> constantOf(mlir::AffineExpr e) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(e))
    return constant.getValue();
  return std::nullopt;
}

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_VECTORLOOP_H
