//===- BodyBuffers.cpp - Extents of the values of a kernel's body ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static extent is a constant. A dynamic one is followed through the ops up to a
// block argument, or to a value that the kernel yields, whose extents are arguments of
// the kernel.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon::cpu {

namespace {
struct ExtentWalk {
  BodyBuffers &buffers;

  AffineExpr of(Value value, unsigned dim) { return buffers.extentOf(value, dim); }
  AffineExpr constant(Value value, int64_t x) {
    return getAffineConstantExpr(x, value.getContext());
  }
  AffineExpr product(Value value) {
    AffineExpr result = constant(value, 1);
    for (int64_t i = 0; i < cast<RankedTensorType>(value.getType()).getRank(); i++)
      result = result * of(value, i);
    return result;
  }

  /// The dynamic extent `dim` of a result of `op`, by the op's shape rule.
  AffineExpr derive(Operation *op, unsigned dim) {
    return llvm::TypeSwitch<Operation *, AffineExpr>(op)
        .Case<TransposeOp>([&](TransposeOp t) { return of(t.getX(), t.getPermutation()[dim]); })
        .Case<BroadcastOp>([&](BroadcastOp t) {
          if (t.getLike())
            return of(t.getLike(), dim);
          auto it = llvm::find(t.getDims(), int64_t(dim));
          return it == t.getDims().end() ? AffineExpr() : of(t.getX(), it - t.getDims().begin());
        })
        .Case<FillOp, IotaOp, RandomUniformOp, RandomNormalOp>(
            [&](auto t) -> AffineExpr { return t.getLike() ? of(t.getLike(), dim) : AffineExpr(); })
        .Case<ReshapeOp>([&](ReshapeOp t) {
          AffineExpr rest = product(t.getX());
          auto type = cast<RankedTensorType>(t.getType());
          int64_t known = 1;
          for (int64_t extent : type.getShape())
            known *= ShapedType::isDynamic(extent) ? 1 : extent;
          return rest.ceilDiv(std::max<int64_t>(known, 1));
        })
        .Case<SliceOp>([&](SliceOp t) {
          return (of(t.getX(), dim) - t.getOffsets()[dim]).ceilDiv(t.getStrides()[dim]);
        })
        .Case<ConcatOp>([&](ConcatOp t) {
          if (dim != t.getAxis())
            return of(t.getParts()[0], dim);
          AffineExpr sum = constant(t, 0);
          for (Value part : t.getParts())
            sum = sum + of(part, dim);
          return sum;
        })
        .Case<PadOp>(
            [&](PadOp t) { return of(t.getX(), dim) + (t.getLow()[dim] + t.getHigh()[dim]); })
        .Case<GatherOp>([&](GatherOp t) {
          unsigned ids = cast<RankedTensorType>(t.getIds().getType()).getRank();
          return dim < ids ? of(t.getIds(), dim) : of(t.getTable(), dim - ids + 1);
        })
        .Case<ScatterAddOp>([&](ScatterAddOp t) -> AffineExpr {
          unsigned ids = cast<RankedTensorType>(t.getIds().getType()).getRank();
          if (dim > 0)
            return of(t.getUpdates(), ids + dim - 1);
          return t.getLike() ? of(t.getLike(), 0) : AffineExpr();
        })
        .Case<OneHotOp>([&](OneHotOp t) { return of(t.getIds(), dim); })
        .Case<WindowsOp>([&](WindowsOp t) {
          size_t windowed = t.getSizes().size();
          size_t leading = cast<RankedTensorType>(t.getX().getType()).getRank() - windowed;
          if (dim < leading)
            return of(t.getX(), dim);
          size_t w = dim - leading - windowed; // sizes are static
          int64_t reach = (t.getSizes()[w] - 1) * t.getDilations()[w];
          return (of(t.getX(), leading + w) - reach).ceilDiv(t.getStrides()[w]);
        })
        .Case<FoldWindowsOp>(
            [&](FoldWindowsOp t) { return of(t.getLike() ? t.getLike() : t.getX(), dim); })
        .Case<ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>([&](auto t) {
          if (t.getKeep())
            return of(t.getX(), dim);
          return of(t.getX(), keptAxis(t.getX(), t.getAxes(), dim));
        })
        .Case<ArgmaxOp, ArgminOp>([&](auto t) {
          int64_t axis = t.getAxis();
          return of(t.getX(), keptAxis(t.getX(), axis, dim));
        })
        .Case<MatmulOp>([&](MatmulOp t) {
          unsigned rank = cast<RankedTensorType>(t.getType()).getRank();
          if (dim + 1 == rank)
            return of(t.getB(), t.getTransposeB() ? rank - 2 : rank - 1);
          if (dim + 2 == rank)
            return of(t.getA(), t.getTransposeA() ? rank - 1 : rank - 2);
          return of(t.getA(), dim);
        })
        // Elementwise, norms, losses, optimizer steps: the leading axes of operand 0.
        .Default([&](Operation *other) { return of(other->getOperand(0), dim); });
  }

  /// The axis of the operand that is axis `dim` of the result.
  static unsigned keptAxis(Value x, ArrayRef<int64_t> axes, unsigned dim) {
    for (unsigned axis = 0;; axis++) {
      if (llvm::is_contained(axes, int64_t(axis)))
        continue;
      if (dim-- == 0)
        return axis;
    }
  }
};
} // namespace

AffineExpr BodyBuffers::extentOf(Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), value.getContext());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return extent(argument.getArgNumber(), dim);
  for (OpOperand &use : value.getUses())
    if (auto yield = dyn_cast<YieldOp>(use.getOwner()))
      return extent(bufferOfYield(use.getOperandNumber()), dim);
  AffineExpr result = ExtentWalk{*this}.derive(value.getDefiningOp(), dim);
  assert(result && "a dynamic extent with nothing to take it from");
  return result;
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
