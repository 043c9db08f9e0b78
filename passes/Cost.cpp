//===- Cost.cpp - What a kernel costs -------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Cost.h"

#include "ir/TenonOps.h"

using namespace mlir;

namespace tenon {

namespace {

/// Extents of an op's operands and results; a dynamic one is the symbol that
/// CostOpInterface gives it.
class OpExtents {
public:
  explicit OpExtents(Operation *op) : context(op->getContext()) {
    for (Value operand : op->getOperands())
      add(operand);
    for (Value result : op->getResults())
      add(result);
  }
  AffineExpr operator()(Value value, int64_t axis) const {
    ArrayRef<AffineExpr> all = extents.find(value)->second;
    return all[axis < 0 ? all.size() + axis : axis];
  }
  AffineExpr elements(Value value) const {
    AffineExpr count = getAffineConstantExpr(1, context);
    for (AffineExpr extent : extents.find(value)->second)
      count = count * extent;
    return count;
  }

private:
  void add(Value value) {
    SmallVector<AffineExpr, 4> all;
    for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape())
      all.push_back(ShapedType::isDynamic(extent) ? getAffineSymbolExpr(symbols++, context)
                                                  : getAffineConstantExpr(extent, context));
    extents.try_emplace(value, std::move(all));
  }

  MLIRContext *context;
  unsigned symbols = 0;
  DenseMap<Value, SmallVector<AffineExpr, 4>> extents;
};

struct MatmulCost : CostOpInterface::ExternalModel<MatmulCost, MatmulOp> {
  AffineExpr flops(Operation *op) const {
    auto matmul = cast<MatmulOp>(op);
    OpExtents extents(op);
    AffineExpr depth = extents(matmul.getA(), matmul.getTransposeA() ? -2 : -1);
    return extents.elements(matmul->getResult(0)) * depth * 2;
  }
};

/// Products of tiles only; a causal mask halves them.
AffineExpr attentionFlops(Operation *op, Value q, Value k, Value v, bool causal, int64_t scores,
                          int64_t values) {
  OpExtents extents(op);
  AffineExpr pairs = extents(q, 0) * extents(q, 1) * extents(q, 2) * extents(k, 2);
  return pairs * (extents(q, 3) * scores + extents(v, 3) * values) * (causal ? 1 : 2);
}

struct AttentionCost : CostOpInterface::ExternalModel<AttentionCost, AttentionOp> {
  AffineExpr flops(Operation *op) const {
    auto attention = cast<AttentionOp>(op);
    return attentionFlops(op, attention.getQ(), attention.getK(), attention.getV(),
                          attention.getCausal(), 1, 1);
  }
};

struct AttentionGradCost : CostOpInterface::ExternalModel<AttentionGradCost, AttentionGradOp> {
  AffineExpr flops(Operation *op) const {
    auto grad = cast<AttentionGradOp>(op);
    return attentionFlops(op, grad.getQ(), grad.getK(), grad.getV(), grad.getCausal(), 3, 2);
  }
};

/// Of ops that only move elements.
template <typename OpTy> struct NoCost : CostOpInterface::ExternalModel<NoCost<OpTy>, OpTy> {
  AffineExpr flops(Operation *op) const { return getAffineConstantExpr(0, op->getContext()); }
};

/// Of ops that take in more elements than they give: one for each of the first operand.
template <typename OpTy>
struct OperandCost : CostOpInterface::ExternalModel<OperandCost<OpTy>, OpTy> {
  AffineExpr flops(Operation *op) const { return OpExtents(op).elements(op->getOperand(0)); }
};

template <template <typename> class Model, typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

} // namespace

void registerCostModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TenonDialect *) {
    MatmulOp::attachInterface<MatmulCost>(*context);
    AttentionOp::attachInterface<AttentionCost>(*context);
    AttentionGradOp::attachInterface<AttentionGradCost>(*context);
    attach<NoCost, ConcatOp, PadOp, GatherOp, GatherAlongOp, ScatterAlongOp>(context);
    attach<OperandCost, ArgmaxOp, ArgminOp, FoldWindowsOp, MseLossOp, CrossEntropyOp,
           SoftmaxCrossEntropyOp>(context);
  });
}

static AffineExpr flopsOf(Operation &op, const SymbolicShapes &shapes) {
  if (auto custom = dyn_cast<CustomOp>(op))
    return flopsOf(custom.getBody(), shapes);
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  if (auto cost = dyn_cast<CostOpInterface>(op)) {
    SmallVector<Value> values(op.getOperands());
    llvm::append_range(values, op.getResults());
    return cost.flops().replaceSymbols(shapes.dynamicExtents(values));
  }
  if (op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>() ||
      op.hasTrait<trait::Rematerializable>()) // moves elements, or makes them of nothing
    return zero;
  if (op.hasTrait<trait::Reduction>())
    return shapes.elements(op.getOperand(0));
  AffineExpr sum = zero;
  for (Value result : op.getResults())
    sum = sum + shapes.elements(result);
  return sum;
}

AffineExpr flopsOf(Region &region, const SymbolicShapes &shapes) {
  AffineExpr sum = getAffineConstantExpr(0, region.getContext());
  for (Operation &op : region.getOps())
    sum = sum + flopsOf(op, shapes);
  return sum;
}

AffineExpr bytesOf(Operation *op, const SymbolicShapes &shapes) {
  AffineExpr sum = getAffineConstantExpr(0, op->getContext());
  for (Value operand : op->getOperands())
    sum = sum + shapes.bytes(operand);
  for (Value result : op->getResults())
    sum = sum + shapes.bytes(result);
  return sum;
}

} // namespace tenon
