//===- Control.cpp - Reference of loop, if and kernel ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Interpreter.h"
#include "reference/Models.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tenon::reference {

/// Slice `t` along the leading axis.
static Array sliceOf(const Array &x, int64_t t) {
  infer::Type type = x.type;
  type.rank--;
  std::copy(x.type.dims + 1, x.type.dims + x.type.rank, type.dims);
  Array y(type);
  int64_t size = y.size();
  if (type.isFloat())
    std::copy_n(x.reals.begin() + t * size, size, y.reals.begin());
  else
    std::copy_n(x.integers.begin() + t * size, size, y.integers.begin());
  if (!x.errors.empty())
    y.errors.assign(x.errors.begin() + t * size, x.errors.begin() + (t + 1) * size);
  return y;
}

/// A list that a tensor of the other kind leaves empty has no places to move to.
template <typename T>
static void put(const std::vector<T> &part, std::vector<T> &whole, int64_t at) {
  if (!part.empty())
    std::copy(part.begin(), part.end(), whole.begin() + at);
}

/// Puts a part in its place along the leading axis.
static void putSlice(Array &stacked, const Array &part, int64_t t) {
  int64_t at = t * part.size();
  put(part.reals, stacked.reals, at);
  put(part.integers, stacked.integers, at);
  stacked.errors.resize(part.errors.empty() ? 0 : stacked.size());
  put(part.errors, stacked.errors, at);
}

LogicalResult runLoop(LoopOp op, Operands operands, Results results, EvaluateBody evaluate) {
  size_t carried = op.getCarried().size(), scanned = op.getScanned().size();
  int64_t trips = op.getTrips();
  std::vector<Array> state;
  for (size_t i = 0; i < carried; i++)
    state.push_back(*operands[i]);
  for (int64_t trip = 0; trip < trips; trip++) {
    int64_t t = op.getReverse() ? trips - 1 - trip : trip;
    std::vector<Array> arguments{Array(infer::Type::make(TENON_I64, {}))};
    arguments[0].integers[0] = t;
    arguments[0].errors = {0};
    llvm::append_range(arguments, state);
    for (size_t i = 0; i < scanned; i++)
      arguments.push_back(sliceOf(*operands[carried + i], t));
    for (const Array *invariant : operands.drop_front(carried + scanned))
      arguments.push_back(*invariant);
    FailureOr<std::vector<Array>> yielded = evaluate(op.getBody().front(), arguments);
    if (failed(yielded))
      return failure();
    for (size_t i = carried; i < yielded->size(); i++) {
      putSlice(results[i], (*yielded)[i], t);
    }
    state.assign(yielded->begin(), yielded->begin() + carried);
  }
  for (size_t i = 0; i < carried; i++)
    results[i] = state[i];
  return success();
}

LogicalResult runIf(IfOp op, Operands operands, Results results, EvaluateBody evaluate) {
  std::vector<Array> arguments;
  for (const Array *operand : operands.drop_front())
    arguments.push_back(*operand);
  bool isThen = operands[0]->integers[0] != 0;
  FailureOr<std::vector<Array>> yielded = evaluate(op.getBranch(isThen), arguments);
  if (failed(yielded))
    return failure();
  std::move(yielded->begin(), yielded->end(), results.begin());
  if (operands[0]->errors.empty() || operands[0]->errors[0] == 0)
    return success();
  // A condition that is not sure: the other body may be the right one.
  FailureOr<std::vector<Array>> others = evaluate(op.getBranch(!isThen), arguments);
  if (failed(others))
    return failure();
  for (auto [result, other] : llvm::zip(results, *others))
    for (int64_t i = 0; i < result.size(); i++) {
      double apart = std::fabs(result.at(i) - other.at(i));
      result.errors[i] = std::isfinite(apart) ? std::max(result.errors[i], apart + other.errors[i])
                                              : std::numeric_limits<double>::infinity();
    }
  return success();
}

LogicalResult runBody(Operation *op, Operands operands, Results results, EvaluateBody evaluate) {
  std::vector<Array> arguments;
  for (const Array *operand : operands)
    arguments.push_back(*operand);
  FailureOr<std::vector<Array>> yielded = evaluate(op->getRegion(0).front(), arguments);
  if (failed(yielded))
    return failure();
  std::move(yielded->begin(), yielded->end(), results.begin());
  return success();
}

static FailureOr<std::vector<Array>> evaluateBody(Block &body, ArrayRef<Array> arguments) {
  return evaluateBlock(body, arguments);
}

static LogicalResult loop(LoopOp op, Operands operands, Results results) {
  return runLoop(op, operands, results, evaluateBody);
}

static LogicalResult branch(IfOp op, Operands operands, Results results) {
  return runIf(op, operands, results, evaluateBody);
}

template <typename Op> static LogicalResult body(Op op, Operands operands, Results results) {
  return runBody(op, operands, results, evaluateBody);
}

static LogicalResult gradient(GradientOp op, Operands, Results) {
  return op.emitOpError("is evaluated after tenon-derive-backward has replaced it");
}

void attachControl(MLIRContext *context) {
  attachReference<LoopOp, loop>(context);
  attachReference<IfOp, branch>(context);
  attachReference<KernelOp, body<KernelOp>>(context);
  attachReference<CustomOp, body<CustomOp>>(context);
  attachReference<GradientOp, gradient>(context);
}

} // namespace tenon::reference
