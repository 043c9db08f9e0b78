//===- KernelFrame.cpp - The surroundings of a kernel's code --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/KernelFrame.h"

#include "passes/ExtentExpressions.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace tenon::cpu {

/// Scratch pieces start on cache lines.
static constexpr int64_t scratchAlignment = 64;

Type storageType(Type elementType) {
  return elementType.isInteger(1) ? IntegerType::get(elementType.getContext(), 8) : elementType;
}

int64_t storageBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * storageBytes(vector.getElementType());
  return elementBytes(type);
}

KernelFrame::KernelFrame(MLIRContext *context, KernelOp kernel, const CpuTarget &target)
    : op(kernel), location(UnknownLoc::get(context)), b(context), cpu(target),
      shared(b.getAffineConstantExpr(0)), perWorker(b.getAffineConstantExpr(0)) {
  if (auto known = kernel->getAttrOfType<DenseI64ArrayAttr>(kMultiples))
    llvm::append_range(multiples, known.asArrayRef());
}

Value KernelFrame::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                           : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return b.create<arith::ConstantOp>(location, attr);
}

RankedTensorType KernelFrame::typeOf(unsigned index) {
  unsigned operands = numOperands();
  Type type = index < operands ? op.getInputs()[index].getType()
                               : op->getResult(index - operands).getType();
  return cast<RankedTensorType>(type);
}

unsigned KernelFrame::extentSymbol(unsigned index, unsigned dim) {
  unsigned count = 0;
  for (unsigned i = 0; i < index; ++i)
    count += typeOf(i).getNumDynamicDims();
  for (unsigned d = 0; d < dim; ++d)
    count += typeOf(index).isDynamicDim(d);
  return count;
}

AffineExpr KernelFrame::extentExpr(unsigned index, unsigned dim) {
  RankedTensorType type = typeOf(index);
  if (!type.isDynamicDim(dim))
    return b.getAffineConstantExpr(type.getDimSize(dim));
  return b.getAffineSymbolExpr(extentSymbol(index, dim));
}

Value KernelFrame::extent(unsigned index, unsigned dim) {
  RankedTensorType type = typeOf(index);
  if (!type.isDynamicDim(dim))
    return this->index(type.getDimSize(dim));
  return extentValue(extentSymbol(index, dim));
}

Value KernelFrame::extentValue(unsigned symbol) {
  Value value = dynamicExtent(symbol);
  noteDivisor(value, divisorOf(b.getAffineSymbolExpr(symbol)));
  return value;
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

void KernelFrame::noteDivisor(Value index, int64_t divisor) {
  if (divisor != 1)
    divisors[index] = divisor;
}

int64_t KernelFrame::divisorOf(AffineExpr expr) const { return tenon::divisorOf(expr, multiples); }

/// Of an index that is not negative, by the ops that make it.
int64_t KernelFrame::divisorOf(Value index) const {
  auto known = divisors.find(index);
  if (known != divisors.end())
    return known->second;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  Operation *op = index.getDefiningOp();
  if (!op || op->getNumOperands() < 2)
    return 1;
  Value x = op->getOperand(op->getNumOperands() - 2), y = op->getOperand(op->getNumOperands() - 1);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp,
          arith::MaxUIOp, arith::RemUIOp, arith::SelectOp>(op))
    return std::gcd(divisorOf(x), divisorOf(y));
  if (isa<arith::MulIOp>(op))
    return divisorOfProduct(divisorOf(x), divisorOf(y));
  if (isa<arith::DivUIOp, arith::CeilDivUIOp>(op))
    if (matchPattern(y, m_ConstantInt(&constant)) && constant.isStrictlyPositive())
      if (int64_t of = divisorOf(x), by = constant.getSExtValue(); of % by == 0)
        return of / by;
  return 1;
}

unsigned KernelFrame::addScratch(Type elementType, ArrayRef<AffineExpr> shape, bool worker) {
  Type stored = storageType(elementType);
  AffineExpr &total = worker ? perWorker : shared;
  AffineExpr bytes = b.getAffineConstantExpr(storageBytes(stored));
  for (AffineExpr extent : shape)
    bytes = bytes * extent;
  scratches.push_back({stored, SmallVector<AffineExpr>(shape), total, worker});
  total = total + bytes.ceilDiv(scratchAlignment) * scratchAlignment;
  return scratches.size() - 1;
}

unsigned KernelFrame::addSharedScratch(Type elementType, ArrayRef<AffineExpr> shape) {
  return addScratch(elementType, shape, /*worker=*/false);
}

unsigned KernelFrame::addWorkerScratch(Type elementType, ArrayRef<AffineExpr> shape) {
  return addScratch(elementType, shape, /*worker=*/true);
}

/// The value of an expression over extents, none of which is negative.
Value KernelFrame::evaluate(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return index(constant.getValue());
  if (auto symbolExpr = dyn_cast<AffineSymbolExpr>(expr))
    return extentValue(symbolExpr.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = evaluate(binary.getLHS()), rhs = evaluate(binary.getRHS());
  return inPrologue([&]() -> Value {
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return b.create<arith::AddIOp>(location, lhs, rhs);
    case AffineExprKind::Mul:
      return b.create<arith::MulIOp>(location, lhs, rhs);
    case AffineExprKind::Mod:
      return b.create<arith::RemUIOp>(location, lhs, rhs);
    case AffineExprKind::FloorDiv:
      return b.create<arith::DivUIOp>(location, lhs, rhs);
    case AffineExprKind::CeilDiv:
      return b.create<arith::CeilDivUIOp>(location, lhs, rhs);
    default:
      llvm_unreachable("not an expression over symbols");
    }
  });
}

} // namespace tenon::cpu
