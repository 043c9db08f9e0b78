//===- Shape.cpp - Backward rules of shape and index ops ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

static int64_t numDynamic(RankedTensorType type) {
  return llvm::count_if(type.getShape(), ShapedType::isDynamic);
}

/// Exchanges an axis with the first; twice is the identity.
static SmallVector<int64_t> leading(Value x, int64_t axis) {
  SmallVector<int64_t> permutation = allAxes(tensorType(x).getRank());
  std::swap(permutation[0], permutation[axis]);
  return permutation;
}

/// What stands at `places` of an axis, and its adjoint: zeros elsewhere, as many as `like` has.
static Value takeAlong(Incoming &in, Value x, int64_t axis, Value places) {
  SmallVector<int64_t> permutation = leading(x, axis);
  return in.transpose(in.make<GatherOp>(in.transpose(x, permutation), places), permutation);
}
static Value putAlong(Incoming &in, Value x, int64_t axis, Value places, Value like) {
  SmallVector<int64_t> permutation = leading(x, axis);
  int64_t rows = tensorType(like).getDimSize(axis);
  Value table = ShapedType::isDynamic(rows) ? in.transpose(like, permutation) : Value();
  Value moved = in.make<ScatterAddOp>(places, in.transpose(x, permutation), table, uint64_t(rows));
  return in.transpose(moved, permutation);
}

/// The place of each element of x in row-major order.
static Value rowMajorPlaces(Incoming &in, Value x) {
  RankedTensorType type = tensorType(x).clone(in.builder.getI64Type());
  Value places = in.splat(x, 0, type.getElementType());
  for (int64_t axis : allAxes(type.getRank())) {
    Value extent = in.broadcast(in.extentOf(x, axis), places, {});
    places = in.add(in.mul(places, extent), in.broadcast(in.numbersAlong(x, axis), places, {axis}));
  }
  return places;
}

static Gradients backwardReshape(ReshapeOp op, Incoming &in) {
  RankedTensorType type = tensorType(op.getX());
  if (numDynamic(type) <= 1)
    return give({in.reshape(in.dy(), type.getShape())});
  // A shape with several open extents comes from x alone.
  Value flat = in.reshape(in.dy(), {ShapedType::kDynamic});
  return give({in.make<GatherOp>(flat, rowMajorPlaces(in, op.getX()))});
}

static Gradients backwardTranspose(TransposeOp op, Incoming &in) {
  SmallVector<int64_t> inverse(op.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    inverse[from] = to;
  return give({in.transpose(in.dy(), inverse)});
}

static Value unbroadcast(BroadcastOp op, Incoming &in) {
  RankedTensorType from = tensorType(op.getX()), to = op.getType();
  SmallVector<int64_t> added, stretched;
  for (int64_t axis : allAxes(to.getRank())) {
    const int64_t *at = llvm::find(op.getDims(), axis);
    if (at == op.getDims().end())
      added.push_back(axis);
    else if (from.getDimSize(at - op.getDims().begin()) == 1 && to.getDimSize(axis) != 1)
      stretched.push_back(axis);
  }
  if (added.empty())
    return in.sum(in.dy(), stretched, true);
  if (stretched.empty())
    return in.sum(in.dy(), added);
  if (numDynamic(from) > 1)
    return in.sum(in.sum(in.dy(), stretched, true), added);
  SmallVector<int64_t> both(added);
  llvm::append_range(both, stretched);
  llvm::sort(both);
  return in.reshape(in.sum(in.dy(), both), from.getShape());
}

/// Sums over the axes along which the operand was repeated. What only tells the shape
/// gets nothing.
static Gradients backwardBroadcast(BroadcastOp op, Incoming &in) {
  SmallVector<Value> gradients(op->getNumOperands());
  gradients[0] = unbroadcast(op, in);
  return gradients;
}

/// Puts zeros between the elements of an axis: [.., n, ..] becomes
/// [.., (n - 1) * stride + 1, ..].
static Value spreadOut(Incoming &in, Value x, int64_t axis, int64_t stride) {
  RankedTensorType type = tensorType(x);
  int64_t n = type.getDimSize(axis);
  SmallVector<int64_t> split(type.getShape()), joined(type.getShape());
  split.insert(split.begin() + axis + 1, 1);
  joined[axis] = n * stride;
  SmallVector<int64_t> low(split.size(), 0), high(split.size(), 0);
  high[axis + 1] = stride - 1;
  Value padded = in.make<PadOp>(in.reshape(x, split), low, high, APFloat(0.0));
  SmallVector<int64_t> sizes(joined), zeros(joined.size(), 0), ones(joined.size(), 1);
  sizes[axis] = (n - 1) * stride + 1;
  return in.make<SliceOp>(in.reshape(padded, joined), zeros, sizes, ones);
}

static Gradients backwardSlice(SliceOp op, Incoming &in) {
  RankedTensorType from = tensorType(op.getX());
  Value dy = in.dy();
  if (llvm::is_contained(op.getType().getShape(), 0)) // an extent of 0 leaves others unknown
    return give({in.splat(op.getX(), 0)});
  SmallVector<int64_t> low(op.getOffsets()), high;
  for (int64_t axis : allAxes(from.getRank())) {
    int64_t stride = op.getStrides()[axis], extent = from.getDimSize(axis);
    int64_t size = op.getType().getDimSize(axis);
    bool toEnd = ShapedType::isDynamic(op.getSizes()[axis]) && stride == 1;
    bool isOpen = ShapedType::isDynamic(extent) || ShapedType::isDynamic(size);
    if (toEnd) {
      high.push_back(0);
    } else if (isOpen || (stride > 1 && size > 1 && numDynamic(tensorType(dy)) > 1)) {
      Value numbers = in.numbersAlong(dy, axis);
      dy = putAlong(in, dy, axis, in.shift(in.scale(numbers, double(stride)), double(low[axis])),
                    op.getX());
      low[axis] = 0;
      high.push_back(0);
    } else {
      if (stride > 1 && size > 1)
        dy = spreadOut(in, dy, axis, stride);
      high.push_back(extent - low[axis] - (size - 1) * stride - 1);
    }
  }
  return give({in.make<PadOp>(dy, low, high, APFloat(0.0))});
}

static Gradients backwardConcat(ConcatOp op, Incoming &in) {
  int64_t axis = op.getAxis(), offset = 0;
  RankedTensorType type = op.getType();
  SmallVector<Value> gradients;
  SmallVector<int64_t> offsets(type.getRank(), 0), ones(type.getRank(), 1);
  Value open; // where a part starts, once an extent before it is known at run time only
  for (auto [i, part] : llvm::enumerate(op.getParts())) {
    int64_t extent = tensorType(part).getDimSize(axis);
    bool isOpen = ShapedType::isDynamic(extent), last = i + 1 == op.getParts().size();
    if (!in.needed[i]) {
      gradients.emplace_back();
    } else if (open || (isOpen && !last)) {
      Value places = in.numbersAlong(part, axis);
      if (open)
        places = in.add(places, in.withAxes(open, places, {0}));
      else
        places = in.shift(places, double(offset));
      gradients.push_back(takeAlong(in, in.dy(), axis, places));
    } else {
      // kDynamic as a size = to the end, so other axes may be dynamic.
      SmallVector<int64_t> sizes(type.getShape());
      offsets[axis] = offset;
      sizes[axis] = extent;
      gradients.push_back(in.make<SliceOp>(in.dy(), offsets, sizes, ones));
    }
    if (last)
      break;
    if (isOpen && !open)
      open = in.scalar(in.builder.getI64Type(), double(offset));
    if (open)
      open = in.add(open, in.extentOf(part, axis));
    else
      offset += extent;
  }
  return gradients;
}

static Gradients backwardPad(PadOp op, Incoming &in) {
  RankedTensorType from = tensorType(op.getX());
  Value dy = in.dy();
  SmallVector<int64_t> low(op.getLow()), ones(from.getRank(), 1);
  for (int64_t axis : allAxes(from.getRank()))
    if (from.isDynamicDim(axis) && op.getHigh()[axis] != 0) {
      dy = takeAlong(in, dy, axis, in.shift(in.numbersAlong(op.getX(), axis), double(low[axis])));
      low[axis] = 0;
    }
  return give({in.make<SliceOp>(dy, low, from.getShape(), ones)});
}

static Gradients backwardGather(GatherOp op, Incoming &in) {
  Value table = op.getTable();
  int64_t rows = tensorType(table).getDimSize(0);
  Value like = ShapedType::isDynamic(rows) ? table : Value();
  return give({in.make<ScatterAddOp>(op.getIds(), in.dy(), like, uint64_t(rows)), Value()});
}

/// Gathers; an id out of range was left out and gets 0.
static Gradients backwardScatterAdd(ScatterAddOp op, Incoming &in) {
  Value ids = op.getIds(), rows = in.make<GatherOp>(in.dy(), ids), valid;
  if (int64_t count = op.getRows(); !ShapedType::isDynamic(count))
    valid = in.make<AndOp>(in.compare(ids, Predicate::ge, 0),
                           in.compare(ids, Predicate::lt, double(count)));
  else // out of range a gather gives NaN
    valid = in.compare(in.make<GatherOp>(in.splat(in.dy(), 1), ids), Predicate::eq, 1);
  if (tensorType(valid).getRank() < tensorType(rows).getRank())
    valid = in.broadcast(valid, rows, allAxes(tensorType(ids).getRank()));
  SmallVector<Value> gradients(op->getNumOperands());
  gradients[1] = in.keepWhere(valid, rows);
  return gradients;
}

void attachShapeRules(MLIRContext *context) {
  attachRule<ReshapeOp, backwardReshape>(context);
  attachRule<TransposeOp, backwardTranspose>(context);
  attachRule<BroadcastOp, backwardBroadcast>(context);
  attachRule<SliceOp, backwardSlice>(context);
  attachRule<ConcatOp, backwardConcat>(context);
  attachRule<PadOp, backwardPad>(context);
  attachRule<GatherOp, backwardGather>(context);
  attachRule<ScatterAddOp, backwardScatterAdd>(context);
}

} // namespace tenon::autodiff
