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

LogicalResult checkProgram(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "function '" << function.getName() << "': expected a body of one block";
  return success(succeeded(checkArguments(function)) && succeeded(checkOps(function)));
}

} // namespace tenon
