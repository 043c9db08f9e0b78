//===- ErrorBounds.cpp - The interpreter with error bounds ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/ErrorBounds.h"
#include "reference/Models.h"

using namespace mlir;

namespace tenon::reference {

static LogicalResult evaluateAndBound(Operation *op, Operands operands, Results results) {
  EvaluateBody body = [](Block &block, ArrayRef<Array> arguments) {
    return evaluateBlock(block, arguments, evaluateAndBound);
  };
  if (auto loop = dyn_cast<LoopOp>(op))
    return runLoop(loop, operands, results, body);
  if (auto branch = dyn_cast<IfOp>(op))
    return runIf(branch, operands, results, body);
  if (isa<KernelOp, CustomOp>(op))
    return runBody(op, operands, results, body);
  return success(succeeded(evaluateOp(op, operands, results)) &&
                 succeeded(boundErrors(op, operands, results)));
}

FailureOr<std::vector<Array>> evaluateWithBounds(func::FuncOp function, ArrayRef<Array> arguments) {
  if (failed(checkArguments(function, arguments)))
    return failure();
  std::vector<Array> withErrors(arguments.begin(), arguments.end());
  for (Array &argument : withErrors)
    argument.errors.resize(argument.size(), 0);
  return evaluateBlock(function.getBody().front(), withErrors, evaluateAndBound);
}

Judgement judge(const Array &got, const Array &expected) {
  assert(got.size() == expected.size() && expected.errors.size() == size_t(expected.size()));
  Judgement result;
  for (int64_t i = 0; i < expected.size(); i++)
    result.add(got.at(i), expected.at(i), expected.errors[i]);
  return result;
}

} // namespace tenon::reference
