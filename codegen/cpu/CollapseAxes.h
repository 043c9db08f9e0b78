//===- CollapseAxes.h - Fewer axes for the same elements --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors are row-major, so neighbouring axes that no op of a kernel tells apart are
// one axis: an elementwise kernel becomes one loop, whatever its rank.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_COLLAPSEAXES_H
#define TENON_CODEGEN_CPU_COLLAPSEAXES_H

#include "codegen/cpu/ElementEmitter.h"

namespace tenon::cpu {

/// A value `row` with the axes of `full` but for some. Null: there is none.
struct ReducedShape {
  mlir::Value full, row;
  llvm::ArrayRef<int64_t> axes; ///< of full that row has not
};

/// The buffers of a kernel whose body `kernel`, a copy of the frame's kernel, has
/// collapsed axes.
class CollapsedBuffers : public BodyBuffers {
public:
  /// Rewrites the body: types, and the attributes that speak of axes. Values of each
  /// list of `alike`, which have one rank, collapse in one way, and those of `reduced` as an
  /// operand and a result of a reduction. The body yields the results
  /// `results` of the frame's kernel.
  CollapsedBuffers(KernelFrame &frame, KernelOp kernel, llvm::ArrayRef<unsigned> results,
                   llvm::ArrayRef<llvm::SmallVector<mlir::Value>> alike,
                   const ReducedShape &reduced);

  mlir::Value buffer(unsigned index) override;
  mlir::AffineExpr extent(unsigned index, unsigned dim) override;

  unsigned bufferOfYield(unsigned operand) override {
    return frame.numOperands() + results[operand];
  }

private:
  /// The entry of a buffer in the lists below.
  unsigned slot(unsigned buffer);

  llvm::SmallVector<unsigned> results;
  using Groups = llvm::SmallVector<llvm::SmallVector<unsigned, 4>, 4>;
  llvm::SmallVector<Groups> groups; ///< of each operand and result: old axes of new ones
  llvm::SmallVector<mlir::Type> types;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_COLLAPSEAXES_H
