//===- Custom.cpp - Shaders of the user's ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/TenonOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenon {

/// `rank`: of the tensor whose extents they go by.
static LogicalResult checkGroups(CustomOp op, AffineMapAttr attr, int64_t rank) {
  if (!attr)
    return success();
  AffineMap groups = attr.getValue();
  if (groups.getNumDims() != 0 || groups.getNumSymbols() != rank)
    return op.emitOpError("groups: expected a symbol for each of ")
           << rank << " extents and no dimensions, got " << attr;
  if (groups.getNumResults() < 1 || groups.getNumResults() > 3)
    return op.emitOpError("groups: expected numbers for 1 to 3 axes, got ") << attr;
  return success();
}

static LogicalResult checkTypes(CustomOp op, StringRef what, TypeRange expected, TypeRange got) {
  if (expected.size() != got.size())
    return op.emitOpError() << "expected " << expected.size() << " " << what << ", got "
                            << got.size();
  for (auto [i, a, b] : llvm::enumerate(expected, got))
    if (!isCompatibleReturnTypes(a, b))
      return op.emitOpError() << what << " " << i << ": expected " << a << ", got " << b;
  return success();
}

LogicalResult CustomOp::verify() {
  if (getOutputs().empty())
    return emitOpError("expected a result");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected a body that ends in tenon.yield");
  auto rankOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank(); };
  if (failed(
          checkTypes(*this, "block arguments", getOperandTypes(), getBody().getArgumentTypes())) ||
      failed(checkTypes(*this, "yielded values", getResultTypes(), yield.getValues().getTypes())) ||
      failed(checkGroups(*this, getGroupsAttr(), rankOf(getOutputs()[0]))))
    return failure();
  if (!getBackward())
    return success();
  auto first = llvm::find_if(getInputs(), [](Value input) {
    return isa<FloatType>(getElementTypeOrSelf(input.getType()));
  });
  if (first == getInputs().end())
    return emitOpError("backward: expected an input of a float type, which has a gradient");
  return checkGroups(*this, getBackwardGroupsAttr(), rankOf(*first));
}

std::string CustomOp::sourceOf(ArrayAttr lines) {
  std::string text;
  for (auto line : lines.getAsRange<StringAttr>())
    text += line.str() + "\n";
  return text;
}

SmallVector<Value> CustomOp::inlineBody(OpBuilder &builder, ValueRange operands) {
  IRMapping mapping;
  mapping.map(getBody().getArguments(), operands);
  for (Operation &op : getBody().front().without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(getBody().front().getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookup(value); });
}

} // namespace tenon
