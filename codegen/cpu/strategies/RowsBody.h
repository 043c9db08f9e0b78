//===- RowsBody.h - What a rows kernel computes -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rows kernel has elementwise and shape ops and, in one of its two forms, reductions,
// all over the same axes of one shape, the domain. Its values are then of the full
// shape, or one for each row: without the reduced axes, or with extents of 1 there.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_ROWSBODY_H
#define TENON_CODEGEN_CPU_STRATEGIES_ROWSBODY_H

#include "codegen/cpu/CollapseAxes.h"

namespace tenon::cpu {

/// How the shape of a value relates to the domain.
enum class Form { None, Full, Row, RowKept };

/// A shape and the axes over which reductions run.
struct RowDomain {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> axes; ///< sorted

  bool isReduced(int64_t axis) const { return llvm::is_contained(axes, axis); }
  bool lastIsReduced() const { return isReduced(int64_t(shape.size()) - 1); }
  llvm::SmallVector<int64_t> keptAxes() const;
  /// The form that a value of this shape may have, Form::None if it has none. An extent that is
  /// known at run time only may be any.
  Form formOf(llvm::ArrayRef<int64_t> other) const;
  llvm::SmallVector<int64_t> shapeOf(Form form) const;
  /// Few rows of many elements: computed in pieces that are combined at the end.
  bool isSplit() const;
};

/// Is this a softmax or norm? It reduces, and its result has the full shape all the same.
bool isNorm(mlir::Operation *op);

/// The domain of a reduction or composite op.
std::optional<RowDomain> domainOf(mlir::Operation *op);

/// Costs more than a load and a store.
bool isExpensive(mlir::Operation *op);

/// The outputs of a kernel's body, by number, in clusters that share no computation:
/// several small kernels in one.
llvm::SmallVector<llvm::SmallVector<unsigned>> outputClusters(KernelOp kernel);

/// Why these ops, in program order, cannot be one rows kernel: null if they can. Results
/// with a user elsewhere are results of the kernel.
const char *whyNotRows(llvm::ArrayRef<mlir::Operation *> ops);

/// A kernel's body, brought into the simplest form: composite ops taken apart, axes
/// collapsed. A copy: the frame's kernel stays.
struct RowsBody {
  /// Of the outputs with these numbers alone.
  RowsBody(KernelFrame &frame, llvm::ArrayRef<unsigned> numbers);
  ~RowsBody();

  struct Output {
    mlir::Value value;
    unsigned buffer;
    Form form = Form::None;
  };

  KernelFrame &frame;
  KernelOp kernel;
  std::unique_ptr<CollapsedBuffers> buffers;
  llvm::SmallVector<mlir::Operation *> reductions; ///< in program order
  llvm::SmallVector<Output> outputs;
  int lanes = 1;

  // With reductions:
  RowDomain domain;
  mlir::Value full; ///< a value of the full shape
  llvm::SmallVector<mlir::AffineExpr> extents;

private:
  /// Leaves the outputs with these numbers and the ops that they need, taken apart.
  void takeBody(llvm::ArrayRef<unsigned> numbers);
  /// Finds the domain and the forms of the outputs in it, and adds lists of values that must
  /// collapse in one way.
  ReducedShape findForms(llvm::SmallVector<llvm::SmallVector<mlir::Value>> &alike);
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_ROWSBODY_H
