//===- Interpreter.h - Naive evaluation of tenon programs -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of every other path: plain loops in double precision, written for
// reading. Ops answer ReferenceOpInterface; results are not rounded between ops
// (tenon.cast rounds), so that the oracle is better than what it judges.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_INTERPRETER_H
#define TENON_REFERENCE_INTERPRETER_H

#include "reference/Array.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace tenon::reference {

/// Attaches the models of ReferenceOpInterface to the dialect's ops.
void registerReferenceModels(mlir::DialectRegistry &registry);

/// Runs a function of tenon ops. Failure: an error was emitted at the op or at the
/// function (an argument of another type, an op that cannot be evaluated).
mlir::FailureOr<std::vector<Array>> evaluate(mlir::func::FuncOp function,
                                             llvm::ArrayRef<Array> arguments);

/// Fails with an error at `op` if there is no memory for arrays of these types.
mlir::LogicalResult checkMemory(mlir::Operation *op, llvm::ArrayRef<infer::Type> types);

/// Fails with an error at the function unless arguments of these types can be given.
mlir::LogicalResult checkArguments(mlir::func::FuncOp function, llvm::ArrayRef<Array> arguments);

/// How one op of a block is evaluated; `results` as for ReferenceOpInterface.
using EvaluateOp = llvm::function_ref<mlir::LogicalResult(mlir::Operation *op,
                                                          llvm::ArrayRef<const Array *> operands,
                                                          llvm::MutableArrayRef<Array> results)>;

/// By its model.
mlir::LogicalResult evaluateOp(mlir::Operation *op, llvm::ArrayRef<const Array *> operands,
                               llvm::MutableArrayRef<Array> results);

/// Runs one op on `values`, which has its operands. Returns its results.
mlir::FailureOr<std::vector<Array>> evaluateOn(mlir::Operation *op,
                                               const llvm::DenseMap<mlir::Value, Array> &values,
                                               EvaluateOp evaluate = evaluateOp);

/// Runs a block of an isolated op. Returns the operands of its terminator.
mlir::FailureOr<std::vector<Array>> evaluateBlock(mlir::Block &block,
                                                  llvm::ArrayRef<Array> arguments,
                                                  EvaluateOp evaluate = evaluateOp);

} // namespace tenon::reference

#endif // TENON_REFERENCE_INTERPRETER_H
