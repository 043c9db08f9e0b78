//===- CheckProgram.cpp - What compilation takes in -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/CheckProgram.h"

#include "ir/TenonOps.h"

using namespace mlir;

namespace tenon {

static LogicalResult checkArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (!inferTypeOf(argument.getType()))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << ": expected a ranked tensor of at most "
             << infer::kMaxRank << " axes of f64, f32, f16, bf16, i64, i32, i8 or i1, got "
             << argument.getType();
  return success();
}

static LogicalResult checkOps(func::FuncOp function) {
  WalkResult result = function.getBody().walk([](Operation *op) {
    if (isa<TenonDialect>(op->getDialect()) || isa<func::ReturnOp>(op))
      return WalkResult::advance();
    if (auto call = dyn_cast<func::CallOp>(op))
      emitError(call.getLoc()) << "calls are not supported: expected what '" << call.getCallee()
                               << "' computes in place of the call";
    else
      emitError(op->getLoc()) << "expected ops of the tenon dialect, got '" << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkDonations(func::FuncOp function) {
  llvm::SmallDenseMap<int64_t, unsigned> donor;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Attribute given = function.getResultAttr(i, "tenon.donates");
    if (!given)
      continue;
    auto fail = [&] {
      return emitError(function.getLoc())
             << "result " << i << ": 'tenon.donates' is " << given << ", ";
    };
    auto number = dyn_cast<IntegerAttr>(given);
    unsigned count = function.getNumArguments();
    if (!number || number.getValue().getSignificantBits() > 64 || number.getInt() < 0 ||
        number.getInt() >= count)
      return fail() << "expected the number of one of " << count << " arguments";
    int64_t at = number.getInt();
    mlir::Type result = function.getResultTypes()[i], argument = function.getArgumentTypes()[at];
    if (getElementTypeOrSelf(result) != getElementTypeOrSelf(argument) ||
        failed(verifyCompatibleShape(result, argument)))
      return fail() << "which is " << argument << ", expected " << result;
    if (auto [other, isNew] = donor.try_emplace(at, i); !isNew)
      return fail() << "expected an argument that result " << other->second
                    << " does not donate already";
  }
  return success();
}

LogicalResult checkProgram(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "function '" << function.getName() << "': expected a body of one block";
  return success(succeeded(checkArguments(function)) && succeeded(checkOps(function)) &&
                 succeeded(checkDonations(function)));
}

} // namespace tenon
