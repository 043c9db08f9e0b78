//===- Views.cpp - Tensor values as strides over a buffer -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon::cpu {

static ArrayRef<int64_t> staticShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isViewOp(Operation *op) { return isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp>(op); }

static StridedView sliceView(SliceOp op, StridedView view) {
  for (unsigned axis = 0; axis < view.strides.size(); axis++) {
    Extent &stride = view.strides[axis];
    if (op.getOffsets()[axis] != 0 && !stride.is(0))
      view.offset.push_back(stride * Extent(op.getOffsets()[axis]));
    stride = stride * Extent(op.getStrides()[axis]);
  }
  return view;
}

static StridedView broadcastView(BroadcastOp op, const StridedView &x) {
  StridedView view{x.base, x.offset, {}};
  view.strides.assign(staticShape(op.getY()).size(), Extent(0));
  for (auto [axis, dim] : llvm::enumerate(op.getDims())) {
    bool repeated = extentOf(op.getX(), axis).is(1) && !extentOf(op.getY(), dim).is(1);
    view.strides[dim] = repeated ? Extent(0) : x.strides[axis];
  }
  return view;
}

std::optional<StridedView> resolveView(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isViewOp(op))
    return StridedView{value, {}, rowMajorStrides(shapeOf(value))};
  std::optional<StridedView> x = resolveView(op->getOperand(0));
  if (!x)
    return std::nullopt;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    StridedView view{x->base, x->offset, {}};
    for (int64_t axis : transpose.getPermutation())
      view.strides.push_back(x->strides[axis]);
    return view;
  }
  if (auto slice = dyn_cast<SliceOp>(op))
    return sliceView(slice, std::move(*x));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcastView(broadcast, *x);
  auto strides = reshapeStrides(shapeOf(op->getOperand(0)), x->strides, shapeOf(value));
  if (!strides)
    return std::nullopt;
  return StridedView{x->base, x->offset, std::move(*strides)};
}

Value flatBuffer(KernelFrame &frame, unsigned index) {
  Value buffer = frame.buffer(index);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  OpBuilder &b = frame.builder();
  // Its extent is of no use to anyone: the view's user knows what it reaches.
  int64_t size = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  auto flat = MemRefType::get({size}, type.getElementType());
  OpFoldResult extent = b.getIndexAttr(size);
  if (!type.hasStaticShape())
    extent = frame.index(0);
  return b.create<memref::ReinterpretCastOp>(
      frame.loc(), flat, buffer, OpFoldResult(b.getIndexAttr(0)), ArrayRef<OpFoldResult>{extent},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value flatBuffer(KernelFrame &frame, const StridedView &view) {
  return flatBuffer(frame, cast<BlockArgument>(view.base).getArgNumber());
}

Value emitOffset(KernelFrame &frame, const StridedView &view) {
  Value sum = frame.index(0);
  for (const Extent &summand : view.offset)
    sum = frame.builder().createOrFold<arith::AddIOp>(frame.loc(), sum, emitExtent(frame, summand));
  return sum;
}

} // namespace tenon::cpu
