//===- ElementEmitter.h - One vector of a tensor value ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes elements of a value of a kernel's body where they are needed: follows
// its ops up to block arguments (loads from buffers) and to values that the
// strategy has bound (an accumulator, a row statistic). Prologues, epilogues and
// elementwise kernels all come from here.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_ELEMENTEMITTER_H
#define TENON_CODEGEN_CPU_ELEMENTEMITTER_H

#include "codegen/cpu/KernelFrame.h"

namespace tenon::cpu {

/// The index of an element along one axis, for all lanes of a vector:
/// base + lane * step, or, for the odd cases (a reshape across the lanes), a
/// vector of indices.
struct LaneIndex {
  mlir::Value base;    ///< index, of lane 0
  int64_t step = 0;    ///< 0 = the same for all lanes
  mlir::Value vector;  ///< vector<lanes x index>, if irregular; then base is null
};

class ElementEmitter {
public:
  /// Emits at the frame's insertion point; `lanes` 1 means scalars. `mask`, a
  /// vector<lanes x i1> or null, tells which lanes exist: others are not loaded.
  ElementEmitter(KernelFrame &frame, int lanes, mlir::Value mask = nullptr);

  /// What `value` is at these indices, given for all its axes: computation type
  /// (f16 and bf16 as f32, i1 as i1), a scalar where no lane depends on the
  /// indices' steps, else vector<lanes x type>.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<LaneIndex> indices);

  /// Makes `value` known: `compute(indices)` gives its elements instead of its op.
  using Compute = std::function<mlir::Value(llvm::ArrayRef<LaneIndex>)>;
  void bind(mlir::Value value, Compute compute);

  /// `emit`, always as a vector<lanes x type>.
  mlir::Value emitVector(mlir::Value value, llvm::ArrayRef<LaneIndex> indices);

  /// Stores a computed vector (or scalar) to a kernel result buffer at indices:
  /// converts from the computation type, honours the mask.
  void store(mlir::Value vector, mlir::Value buffer, llvm::ArrayRef<LaneIndex> indices);
  /// The reverse, as `emit` does for block arguments.
  mlir::Value load(mlir::Value buffer, llvm::ArrayRef<LaneIndex> indices);

  /// Can this op be emitted here? (Elementwise, shape, index, random, constants.)
  static bool canEmit(mlir::Operation *op);

  /// f32 for f16 and bf16, else the type itself.
  static mlir::Type computeType(mlir::Type elementType);

private:
  KernelFrame &frame;
  int lanes;
  mlir::Value mask;
  llvm::DenseMap<mlir::Value, Compute> bound;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_ELEMENTEMITTER_H
