//===- Models.h - How reference models are written --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle's side of ReferenceOpInterface: a function for each op, attached to it
// from outside of the dialect.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_MODELS_H
#define TENON_REFERENCE_MODELS_H

#include "ir/TenonOps.h"
#include "reference/Array.h"

namespace tenon::reference {

using Operands = llvm::ArrayRef<const Array *>;
using Results = llvm::MutableArrayRef<Array>;

/// Of sums: an f64 result too is judged by what is finer.
using Wide = long double;

/// Attaches `function` as the reference of Op:
///   LogicalResult function(Op op, Operands operands, Results results)
template <typename Op, auto function> void attachReference(mlir::MLIRContext *context) {
  struct Model : ReferenceOpInterface::ExternalModel<Model, Op> {
    llvm::LogicalResult evaluate(mlir::Operation *op, Operands operands, Results results) const {
      return function(mlir::cast<Op>(op), operands, results);
    }
  };
  Op::template attachInterface<Model>(*context);
}

/// How an op with a body runs it.
using EvaluateBody = llvm::function_ref<llvm::FailureOr<std::vector<Array>>(
    mlir::Block &body, llvm::ArrayRef<Array> arguments)>;
llvm::LogicalResult runLoop(LoopOp op, Operands operands, Results results, EvaluateBody evaluate);
llvm::LogicalResult runIf(IfOp op, Operands operands, Results results, EvaluateBody evaluate);
/// A kernel, a custom op: results are those of the body.
llvm::LogicalResult runBody(mlir::Operation *op, Operands operands, Results results,
                            EvaluateBody evaluate);

// One per file.
void attachAttention(mlir::MLIRContext *context);
void attachControl(mlir::MLIRContext *context);
void attachElementwise(mlir::MLIRContext *context);
void attachLine(mlir::MLIRContext *context);
void attachLinear(mlir::MLIRContext *context);
void attachLoss(mlir::MLIRContext *context);
void attachNorm(mlir::MLIRContext *context);
void attachOptimizer(mlir::MLIRContext *context);
void attachRandom(mlir::MLIRContext *context);
void attachReduction(mlir::MLIRContext *context);
void attachShape(mlir::MLIRContext *context);
void attachWindow(mlir::MLIRContext *context);

} // namespace tenon::reference

#endif // TENON_REFERENCE_MODELS_H
