//===- ErrorBounds.h - How far rounding may lead from the reference -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a program in double and, for each element, bounds what a right
// implementation in the program's own dtypes may err by (docs/decisions/0002).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_ERRORBOUNDS_H
#define TENON_REFERENCE_ERRORBOUNDS_H

#include "reference/Interpreter.h"
#include "reference/Judge.h"

namespace tenon::reference {

/// As evaluate(); every result has its `errors`. Arguments without errors are exact.
mlir::FailureOr<std::vector<Array>> evaluateWithBounds(mlir::func::FuncOp function,
                                                       llvm::ArrayRef<Array> arguments);

/// Fills `errors` of the results of an op without regions, whose operands have theirs
/// (null for absent ones). Fails, with an error at the op, if it has no rule.
mlir::LogicalResult boundErrors(mlir::Operation *op, llvm::ArrayRef<const Array *> operands,
                                llvm::MutableArrayRef<Array> results);

/// Is there a rule for ops of this name? Loops and kernels need none.
bool hasErrorBound(mlir::OperationName name);

/// Compares elements computed elsewhere with results of evaluateWithBounds().
Judgement judge(const Array &got, const Array &expected);

} // namespace tenon::reference

#endif // TENON_REFERENCE_ERRORBOUNDS_H
