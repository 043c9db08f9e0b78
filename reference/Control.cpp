//===- Control.cpp - Reference of loop and kernel -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Interpreter.h"
#include "reference/Models.h"

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
  return y;
}

static LogicalResult loop(LoopOp op, Operands operands, Results results) {
  size_t carried = op.getCarried().size(), scanned = op.getScanned().size();
  int64_t trips = op.getTrips();
  std::vector<Array> state;
  for (size_t i = 0; i < carried; i++)
    state.push_back(*operands[i]);
  for (int64_t trip = 0; trip < trips; trip++) {
    int64_t t = op.getReverse() ? trips - 1 - trip : trip;
    std::vector<Array> arguments{Array(infer::Type::make(TENON_I64, {}))};
    arguments[0].integers[0] = t;
    llvm::append_range(arguments, state);
    for (size_t i = 0; i < scanned; i++)
      arguments.push_back(sliceOf(*operands[carried + i], t));
    for (const Array *invariant : operands.drop_front(carried + scanned))
      arguments.push_back(*invariant);
    FailureOr<std::vector<Array>> yielded = evaluateBlock(op.getBody().front(), arguments);
    if (failed(yielded))
      return failure();
    for (size_t i = carried; i < yielded->size(); i++) {
      Array &stacked = results[i], &part = (*yielded)[i];
      std::copy(part.reals.begin(), part.reals.end(),
                stacked.reals.begin() + t * part.reals.size());
      std::copy(part.integers.begin(), part.integers.end(),
                stacked.integers.begin() + t * part.integers.size());
    }
    state.assign(yielded->begin(), yielded->begin() + carried);
  }
  for (size_t i = 0; i < carried; i++)
    results[i] = state[i];
  return success();
}

static LogicalResult kernel(KernelOp op, Operands operands, Results results) {
  std::vector<Array> arguments;
  for (const Array *operand : operands)
    arguments.push_back(*operand);
  FailureOr<std::vector<Array>> yielded = evaluateBlock(op.getBody().front(), arguments);
  if (failed(yielded))
    return failure();
  std::move(yielded->begin(), yielded->end(), results.begin());
  return success();
}

static LogicalResult gradient(GradientOp op, Operands, Results) {
  return op.emitOpError("is evaluated after tenon-derive-backward has replaced it");
}

void attachControl(MLIRContext *context) {
  attachReference<LoopOp, loop>(context);
  attachReference<KernelOp, kernel>(context);
  attachReference<GradientOp, gradient>(context);
}

} // namespace tenon::reference
