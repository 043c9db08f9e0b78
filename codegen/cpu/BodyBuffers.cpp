//===- BodyBuffers.cpp - Extents of the values of a kernel's body ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static extent is a constant. A dynamic one follows, by the rules of the ops, from
// those of block arguments and of values that the kernel yields, whose extents are
// arguments of the kernel.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementEmitter.h"

#include "passes/ExtentExpressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon::cpu {

namespace {
/// The extents that the ops of a body give their results, by their own rules.
class ExtentWalk {
public:
  explicit ExtentWalk(BodyBuffers &buffers, MLIRContext *context)
      : buffers(buffers), expressions(context) {}

  AffineExpr of(Value value, unsigned dim) {
    if (AffineExpr known = buffers.knownExtent(value, dim))
      return known;
    infer::ExtentAlgebra::Scope scope(&expressions);
    return expressions.exprOf(infer(cast<OpResult>(value)).dims[dim]);
  }

private:
  infer::Type typeOf(Value value) {
    infer::Type type = *inferTypeOf(value.getType());
    bool isKnown = true;
    for (int dim = 0; dim < type.rank; dim++) {
      AffineExpr known = buffers.knownExtent(value, dim);
      type.dims[dim] = known ? expressions.extentOf(known) : infer::kDynamic;
      isKnown = isKnown && known;
    }
    return isKnown ? type : infer(cast<OpResult>(value));
  }

  infer::Type infer(OpResult value) {
    auto it = types.find(value);
    if (it != types.end())
      return it->second;
    Operation *op = value.getOwner();
    SmallVector<infer::Type> operands;
    for (Value operand : op->getOperands())
      operands.push_back(typeOf(operand));
    infer::Call call{};
    bool isInferred =
        inferCall(op->getName().getStringRef(), op->getAttrDictionary(), operands, call);
    assert(isInferred && "a body that was verified");
    (void)isInferred;
    return types[value] = call.results[value.getResultNumber()];
  }

  BodyBuffers &buffers;
  ExtentExpressions expressions;
  DenseMap<Value, infer::Type> types;
};
} // namespace

AffineExpr BodyBuffers::knownExtent(Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), value.getContext());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return extent(argument.getArgNumber(), dim);
  for (OpOperand &use : value.getUses())
    if (auto yield = dyn_cast<YieldOp>(use.getOwner()))
      return extent(bufferOfYield(use.getOperandNumber()), dim);
  return {};
}

AffineExpr BodyBuffers::extentOf(Value value, unsigned dim) {
  return ExtentWalk(*this, value.getContext()).of(value, dim);
}

Value BodyBuffers::emit(AffineExpr e) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return frame.index(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e)) {
    unsigned count = 0, total = frame.numOperands() + frame.kernel()->getNumResults();
    for (unsigned i = 0; i < total; i++) {
      mlir::Type type = i < frame.numOperands()
                            ? frame.kernel().getInputs()[i].getType()
                            : frame.kernel()->getResult(i - frame.numOperands()).getType();
      auto tensor = cast<RankedTensorType>(type);
      for (int64_t d = 0; d < tensor.getRank(); d++)
        if (tensor.isDynamicDim(d) && count++ == symbol.getPosition())
          return frame.extent(i, d);
    }
    llvm_unreachable("a symbol beyond the kernel's extents");
  }
  auto binary = cast<AffineBinaryOpExpr>(e);
  Value left = emit(binary.getLHS()), right = emit(binary.getRHS());
  switch (e.getKind()) {
  case AffineExprKind::Add:
    return b.createOrFold<arith::AddIOp>(loc, left, right);
  case AffineExprKind::Mul:
    return b.createOrFold<arith::MulIOp>(loc, left, right);
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::DivUIOp>(loc, left, right);
  case AffineExprKind::CeilDiv:
    left = b.createOrFold<arith::AddIOp>(loc, left, right);
    left = b.createOrFold<arith::SubIOp>(loc, left, frame.index(1));
    return b.createOrFold<arith::DivUIOp>(loc, left, right);
  case AffineExprKind::Mod:
    return b.createOrFold<arith::RemUIOp>(loc, left, right);
  default:
    llvm_unreachable("an extent is made of these");
  }
}

} // namespace tenon::cpu
