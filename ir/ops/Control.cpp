//===- Control.cpp - Verifiers of loop and kernel -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/TenonOps.h"

using namespace mlir;

namespace tenon {

/// Checks a list of values against expected types, naming what they are.
static LogicalResult expectTypes(Operation *op, StringRef what, TypeRange expected, TypeRange got) {
  if (expected.size() != got.size())
    return op->emitOpError() << "expected " << expected.size() << " " << what << ", got "
                             << got.size();
  for (size_t i = 0; i < expected.size(); i++)
    if (!isCompatibleReturnTypes(expected[i], got[i]))
      return op->emitOpError() << what << " " << i << ": expected " << expected[i] << ", got "
                               << got[i];
  return success();
}

LogicalResult GradientOp::verify() {
  Operation *x = getX().getDefiningOp();
  if (x && !isa<WatchOp>(x))
    return emitOpError("expected x to be an argument or the result of tenon.watch, got one of ")
           << x->getName();
  return success();
}

LogicalResult LoopOp::verify() {
  int64_t trips = getTrips();
  if (trips < 0)
    return emitOpError("expected at least 0 trips, got ") << trips;
  Builder builder(getContext());
  SmallVector<mlir::Type> arguments{RankedTensorType::get({}, builder.getI64Type())};
  llvm::append_range(arguments, getCarried().getTypes());
  for (mlir::Type type : getScanned().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() < 1 || !infer::requireEqual(tensor.getDimSize(0), trips))
      return emitOpError("scanned values need a leading axis of ")
             << trips << " slices, got " << type;
    arguments.push_back(tensor.clone(tensor.getShape().drop_front()));
  }
  llvm::append_range(arguments, getInvariant().getTypes());
  if (failed(expectTypes(*this, "block arguments", arguments, getBody().getArgumentTypes())))
    return failure();

  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected a body that ends in tenon.yield");
  TypeRange yielded = yield.getValues().getTypes();
  size_t carried = getCarried().size();
  if (yielded.size() < carried)
    return emitOpError("expected a body that yields at least ")
           << carried << " values, got " << yielded.size();
  if (failed(expectTypes(*this, "yielded carried values", getCarried().getTypes(),
                         yielded.take_front(carried))))
    return failure();
  SmallVector<mlir::Type> results(getCarried().getTypes());
  for (mlir::Type type : yielded.drop_front(carried)) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape{trips};
    llvm::append_range(shape, tensor.getShape());
    results.push_back(tensor.clone(shape));
  }
  return expectTypes(*this, "results", results, getResultTypes());
}

LogicalResult KernelOp::verify() {
  if (failed(expectTypes(*this, "block arguments", getInputs().getTypes(),
                         getBody().getArgumentTypes())))
    return failure();
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected a body that ends in tenon.yield");
  return expectTypes(*this, "results", yield.getValues().getTypes(), getResultTypes());
}

} // namespace tenon
