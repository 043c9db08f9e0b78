//===- GatherWindows.cpp - Sums of overlapping windows as products --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a convolution to its input is a convolution of what comes in with the kernel
// turned around (Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016).
//
//===----------------------------------------------------------------------===//
#include "ir/infer/Infer.h"
#include "passes/Emit.h"
#include "passes/KernelStrategy.h"
#include "passes/Passes.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_GATHERWINDOWSPASS
#include "passes/Passes.h.inc"

namespace {

int64_t productOf(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

SmallVector<int64_t> join(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  return all;
}

/// fold_windows of a product [batch..., channels * window, places].
class FoldedProduct {
public:
  explicit FoldedProduct(FoldWindowsOp op) : fold(op) {}

  /// "" if it can be a product of windows, or why not. `inTiles` are as many channels as make it
  /// worthwhile.
  const char *match(int64_t inTiles);
  void rewrite();

private:
  /// What is added before and after each axis, and the op whose result this makes.
  void findBorders();
  Value turnedKernel(Emit &emit);

  FoldWindowsOp fold;
  MatmulOp product;
  Operation *last = nullptr;
  SmallVector<int64_t> size, places, extents, batch, low, high;
  int64_t channels = 0, filters = 0, window = 0;
};

const char *FoldedProduct::match(int64_t inTiles) {
  Value x = fold.getX();
  if (llvm::any_of(fold.getStrides(), [](int64_t stride) { return stride != 1; }))
    return "its windows are more than one element apart";
  if (auto reshape = x.getDefiningOp<ReshapeOp>(); reshape && reshape->hasOneUse())
    x = reshape.getX();
  product = x.getDefiningOp<MatmulOp>();
  if (!product || !product->hasOneUse() || product.getTransposeB())
    return "it folds no product that is used once";
  if (!product.getType().hasStaticShape() || !fold.getType().hasStaticShape() ||
      !tensorType(product.getA()).hasStaticShape())
    return "dynamic extents";
  size_t windowed = fold.getExtents().size();
  ArrayRef<int64_t> folded = tensorType(fold.getX()).getShape(),
                    shape = product.getType().getShape();
  size.assign(folded.end() - 2 * windowed, folded.end() - windowed);
  places.assign(folded.end() - windowed, folded.end());
  batch.assign(shape.begin(), shape.end() - 2);
  window = productOf(size);
  if (shape.back() != productOf(places) || shape[shape.size() - 2] % window != 0)
    return "rows of the product are no channels of windows, or columns no places";
  channels = shape[shape.size() - 2] / window;
  filters = tensorType(product.getB()).getShape()[shape.size() - 2];
  findBorders();
  if (channels < inTiles || 2 * productOf(extents) > 3 * productOf(places))
    return "the product of windows would be larger";
  if (batch.size() + 1 + 2 * windowed > size_t(infer::kMaxRank))
    return "windows would have too many axes";
  return "";
}

void FoldedProduct::findBorders() {
  last = fold;
  extents.assign(fold.getType().getShape().end() - size.size(), fold.getType().getShape().end());
  low.clear();
  for (auto [n, dilation] : llvm::zip(size, fold.getDilations()))
    low.push_back((n - 1) * dilation);
  high = low;
  // Of padding no gradient is asked.
  auto slice = fold->hasOneUse() ? dyn_cast<SliceOp>(*fold->user_begin()) : SliceOp();
  if (!slice || llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }))
    return;
  ArrayRef<int64_t> offsets = slice.getOffsets(), sliced = slice.getType().getShape();
  size_t leading = offsets.size() - size.size();
  if (sliced.take_front(leading) != fold.getType().getShape().take_front(leading))
    return;
  SmallVector<int64_t> before, after;
  for (size_t i = 0; i < size.size(); i++) {
    before.push_back(low[i] - offsets[leading + i]);
    after.push_back(high[i] - (extents[i] - offsets[leading + i] - sliced[leading + i]));
    if (before.back() < 0 || after.back() < 0)
      return;
  }
  low = before, high = after;
  last = slice;
  extents.assign(sliced.begin() + leading, sliced.end());
}

/// The kernel as [..., filters * window, channels], each window from its end to its beginning.
Value FoldedProduct::turnedKernel(Emit &emit) {
  Value kernel = product.getA();
  auto repeated = kernel.getDefiningOp<BroadcastOp>();
  auto isLast = [&](BroadcastOp op) { // extents as they are, of the last axes
    int64_t skipped = op.getType().getRank() - int64_t(op.getDims().size());
    return op.getDims().size() >= 2 && op.getDims().front() == skipped &&
           tensorType(op.getX()).getShape() == op.getType().getShape().drop_front(skipped);
  };
  if (repeated && isLast(repeated))
    kernel = repeated.getX();
  else
    repeated = nullptr;
  ArrayRef<int64_t> outer = tensorType(kernel).getShape().drop_back(2);
  int64_t groups = productOf(outer);
  SmallVector<int64_t> shape, order;
  if (product.getTransposeA())
    shape = {groups, filters, channels, window}, order = {0, 1, 3, 2};
  else
    shape = {groups, channels, window, filters}, order = {0, 3, 2, 1};
  kernel = emit.transpose(emit.reshape(kernel, shape), order);
  if (window > 1) {
    SmallVector<int32_t> rows;
    for (int64_t first = 0; first < groups * filters * window; first += window)
      for (int64_t i = window; i-- > 0;)
        rows.push_back(int32_t(first + i));
    auto type = RankedTensorType::get({int64_t(rows.size())}, emit.builder.getI32Type());
    Value numbers = emit.make<ConstantOp>(DenseIntElementsAttr::get(type, rows));
    kernel = emit.make<GatherOp>(emit.reshape(kernel, {int64_t(rows.size()), channels}), numbers);
  }
  kernel = emit.reshape(kernel, join(outer, {filters * window, channels}));
  if (!repeated)
    return kernel;
  return emit.make<BroadcastOp>(kernel, Value(), join(batch, {filters * window, channels}),
                                repeated.getDims());
}

void FoldedProduct::rewrite() {
  OpBuilder builder(last);
  Emit emit(builder, fold.getLoc());
  SmallVector<int64_t> outer = join(batch, {filters}), none(outer.size(), 0);
  Value image = emit.reshape(product.getB(), join(outer, places));
  if (llvm::any_of(join(low, high), [](int64_t n) { return n != 0; }))
    image = emit.make<PadOp>(image, join(none, low), join(none, high), APFloat(0.0));
  SmallVector<int64_t> ones(size.size(), 1);
  Value windows = emit.make<WindowsOp>(image, size, ones, fold.getDilations());
  Value columns = emit.reshape(windows, join(batch, {filters * window, productOf(extents)}));
  Value y = emit.matmul(turnedKernel(emit), columns, true, false);
  Value result = last->getResult(0);
  result.replaceAllUsesWith(emit.reshape(y, tensorType(result).getShape()));
  for (Operation *op = last; op;) { // and what has no other use, down to the product
    Operation *next = op == product ? nullptr : op->getOperand(0).getDefiningOp();
    op->erase();
    op = next;
  }
}

struct GatherWindowsPass : impl::GatherWindowsPassBase<GatherWindowsPass> {
  using GatherWindowsPassBase::GatherWindowsPassBase;

  void runOnOperation() override {
    const KernelStrategies *strategies = kernelStrategiesOf(target, getOperation());
    if (!strategies)
      return signalPassFailure();
    if (llvm::none_of(strategies->all(), [](const auto &each) { return each->findsWindows(); }))
      return;
    SmallVector<FoldWindowsOp> folds;
    getOperation()->walk([&](FoldWindowsOp op) { folds.push_back(op); });
    for (FoldWindowsOp op : folds) {
      FoldedProduct folded(op);
      if (StringRef reason = folded.match(/*inTiles=*/24); !reason.empty()) {
        if (report)
          op.emitRemark("stays a sum of windows: ") << reason;
        continue;
      }
      folded.rewrite();
      numGathered++;
    }
  }
};
} // namespace
} // namespace tenon
