//===- AttentionOperands.cpp - Where attention reads and writes -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/AttentionOperands.h"

using namespace mlir;

namespace tenon::cpu {

int64_t AttentionOperands::extent(Value value, unsigned axis) {
  return cast<RankedTensorType>(value.getType()).getDimSize(axis);
}

bool AttentionOperands::canRoot(Operation *op) {
  return isa<AttentionOp, AttentionGradOp>(op) &&
         !ShapedType::isDynamic(extent(op->getOperand(0), 3)) &&
         !ShapedType::isDynamic(extent(op->getOperand(2), 3));
}

bool AttentionOperands::canFuseProducer(const KernelGroup &group, Operation *op,
                                        std::string &reason) {
  if (!isViewOp(op)) {
    reason = "attention computes no producers, only views";
    return false;
  }
  for (Value operand : group.root->getOperands()) {
    auto view = resolveView(operand);
    bool reaches = false;
    for (Operation *def = operand.getDefiningOp(); def && isViewOp(def);
         def = def->getOperand(0).getDefiningOp())
      reaches |= def == op;
    if (reaches && !view) {
      reason = "the views of an operand have no constant strides";
      return false;
    }
  }
  return true;
}

static bool hasPlainPath(const Placement &placement) {
  return !placement.strides.empty() && llvm::all_of(placement.path, isViewOp);
}

bool AttentionOperands::canFuseConsumer(const KernelGroup &group, Operation *op,
                                        std::string &reason) {
  if (op->getNumResults() == 1 && isViewOp(op))
    for (Value result : group.root->getResults())
      if (auto placement = resolvePlacement(result, op->getResult(0)))
        if (hasPlainPath(*placement))
          return true;
  reason = "attention stores through transposes and reshapes only";
  return false;
}

FailureOr<AttentionOperands> AttentionOperands::get(KernelFrame &frame) {
  AttentionOperands operands;
  operands.frame = &frame;
  Block &body = frame.kernel().getBody().front();
  for (Operation &op : body)
    if (isa<AttentionOp, AttentionGradOp>(op))
      operands.op = &op;
  if (!operands.op)
    return frame.kernel().emitOpError("expected attention in the body, found none");
  for (Value operand : operands.op->getOperands()) {
    auto view = resolveView(operand);
    if (!view || !isa<BlockArgument>(view->base))
      return operands.op->emitOpError("expected operands that are strided views of the kernel's");
    operands.views[operand] = *view;
  }
  unsigned numOperands = frame.numOperands();
  for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    bool found = false;
    for (OpResult result : operands.op->getResults()) {
      auto placement = resolvePlacement(result, value);
      if (!placement || !hasPlainPath(*placement))
        continue;
      operands.allPlaces.push_back(
          {result.getResultNumber(), unsigned(numOperands + index), placement->strides});
      found = true;
      break;
    }
    if (!found)
      return frame.kernel().emitOpError("result ")
             << index << ": expected a strided view of a result of attention";
  }
  return operands;
}

Type AttentionOperands::computeType() const {
  Type type = getElementTypeOrSelf(q().getType());
  return type.isF64() ? type : Float32Type::get(type.getContext());
}

Value AttentionOperands::mask() const {
  if (auto attention = dyn_cast<AttentionOp>(op))
    return attention.getMask();
  return cast<AttentionGradOp>(op).getMask();
}

bool AttentionOperands::hasFloatMask() const {
  return hasMask() && isa<FloatType>(getElementTypeOrSelf(mask().getType()));
}

bool AttentionOperands::liesInVectors(int64_t elements) const {
  auto isWhole = [&](const Extent &extent) { return extent.factor % elements == 0; };
  auto areRows = [&](Value value, ArrayRef<Extent> strides) {
    return strides.size() != 4 || (isWhole(extent(value, 3)) && strides.back().is(1) &&
                                   llvm::all_of(strides.drop_back(), isWhole));
  };
  for (Value operand : op->getOperands()) {
    const StridedView &view = views.find(operand)->second;
    if (operand != mask() &&
        !(areRows(operand, view.strides) && llvm::all_of(view.offset, isWhole)))
      return false;
  }
  return llvm::all_of(allPlaces, [&](const Place &place) {
    return place.result == 3 || areRows(op->getResult(place.result), place.strides);
  });
}

AttentionSizes AttentionOperands::sizes(TileBuilder &t) const {
  AttentionSizes s;
  auto get = [&](Value value, unsigned axis) { return emitExtent(*frame, value, axis); };
  s.batch = get(q(), 0), s.heads = get(q(), 1), s.queries = get(q(), 2);
  s.keyHeads = get(k(), 1), s.keys = get(k(), 2);
  s.group = t.div(s.heads, t.max(s.keyHeads, t.at(1)));
  return s;
}

AffineExpr AttentionOperands::extentExpr(Value value, unsigned axis) const {
  Extent extent = extentOf(value, axis);
  AffineExpr product = frame->builder().getAffineConstantExpr(extent.factor);
  for (auto [tensor, dim] : extent.symbols)
    product = product * frame->extentExpr(cast<BlockArgument>(tensor).getArgNumber(), dim);
  return product;
}

Matrix AttentionOperands::matrixOf(TileBuilder &t, Value memory, Value offset,
                                   ArrayRef<Extent> strides, Value batch, Value head) const {
  auto stride = [&](unsigned axis) { return emitExtent(*frame, strides[axis]); };
  offset = t.add(offset, t.add(t.mul(batch, stride(0)), t.mul(head, stride(1))));
  if (strides.size() == 3)
    return {memory, offset, t.at(0), stride(2)};
  return {memory, offset, stride(2), stride(3)};
}

Matrix AttentionOperands::matrix(TileBuilder &t, Value operand, Value batch, Value head) const {
  const StridedView &view = views.find(operand)->second;
  Value memory = flatBuffer(*frame, view), offset = emitOffset(*frame, view);
  if (operand == mask()) { // has extents of 1 where it is repeated
    batch = t.min(batch, t.sub(emitExtent(*frame, operand, 0), t.at(1)));
    head = t.min(head, t.sub(emitExtent(*frame, operand, 1), t.at(1)));
  }
  return matrixOf(t, memory, offset, view.strides, batch, head);
}

SmallVector<Matrix> AttentionOperands::places(TileBuilder &t, unsigned result, Value batch,
                                              Value head) const {
  SmallVector<Matrix> all;
  for (const Place &place : allPlaces)
    if (place.result == result)
      all.push_back(
          matrixOf(t, flatBuffer(*frame, place.buffer), t.at(0), place.strides, batch, head));
  return all;
}

bool AttentionOperands::asks(unsigned result) const {
  return llvm::any_of(allPlaces, [&](const Place &place) { return place.result == result; });
}

} // namespace tenon::cpu
