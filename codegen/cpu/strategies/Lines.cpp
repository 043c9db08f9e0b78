//===- Lines.cpp - Kernels that walk along one axis -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is walked by one worker from end to end, so that its result does not depend on
// their number; lines are independent. Where they lie side by side, the lanes of a
// vector are lines.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/Lines.h"

#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/Num.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "passes/KernelGroups.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::cpu {

Lines::Lines(KernelFrame &frame, Value like, int64_t axis, int64_t width)
    : frame(frame), plain(frame), like(like), axis(axis),
      rank(cast<RankedTensorType>(like.getType()).getRank()),
      width(frame.hasWorkers() ? width : 1) {}

void Lines::forEachTask(std::optional<int64_t> elements,
                        llvm::function_ref<void(SmallVector<LaneIndex>, Value, Value)> body) {
  OpBuilder &b = frame.builder();
  SmallVector<AffineExpr> extents; // of the tasks
  AffineExpr tasks = getAffineConstantExpr(1, b.getContext()), last = tasks;
  for (int64_t i = 0; i < rank; i++) {
    if (i == axis)
      continue;
    AffineExpr extent = plain.extentOf(like, i);
    if (i == rank - 1) {
      last = extent;
      extent = extent.ceilDiv(width);
    }
    extents.push_back(extent);
    tasks = tasks * extent;
  }
  if (elements)
    *elements *= areSideBySide() ? width : 1;
  forEachSlice(
      frame, plain.emit(tasks), sliceOf(elements), {}, [&](Value first, Value end, ValueRange) {
        emitLoop(frame, first, end, {}, [&](Value task, ValueRange) {
          SmallVector<Value> place = delinearize(frame, plain, task, extents);
          SmallVector<LaneIndex> indices(rank);
          for (int64_t i = 0, next = 0; i < rank; i++)
            if (i != axis)
              indices[i] = LaneIndex{place[next++], 0, nullptr, 1};
          Value from = frame.index(0), to = frame.index(1);
          if (areSideBySide()) {
            from = b.createOrFold<arith::MulIOp>(frame.loc(), place.back(), frame.index(width));
            to = b.createOrFold<arith::AddIOp>(frame.loc(), from, frame.index(width));
            to = b.createOrFold<arith::MinUIOp>(frame.loc(), to, plain.emit(last));
            indices.back() = {};
          }
          body(std::move(indices), from, to);
          return Values();
        });
      });
}

AffineExpr Lines::count() {
  AffineExpr count = getAffineConstantExpr(1, frame.builder().getContext());
  for (int64_t i = 0; i < rank; i++)
    if (i != axis)
      count = count * plain.extentOf(like, i);
  return count;
}

void Lines::forEachPiece(AffineExpr pieces, int64_t size,
                         llvm::function_ref<void(SmallVector<LaneIndex>, LinePiece)> body) {
  SmallVector<AffineExpr> extents;
  for (int64_t i = 0; i < rank; i++)
    if (i != axis)
      extents.push_back(plain.extentOf(like, i));
  Value all = plain.emit(pieces * count());
  auto emit = [&](Value item, Value member) {
    // Neighbours are side by side.
    SmallVector<AffineExpr> pair{count(), pieces};
    if (areSideBySide())
      std::swap(pair[0], pair[1]);
    SmallVector<Value> at = delinearize(frame, plain, item, pair);
    if (areSideBySide())
      std::swap(at[0], at[1]);
    SmallVector<Value> place = delinearize(frame, plain, at[0], extents);
    SmallVector<LaneIndex> indices(rank);
    for (int64_t i = 0, next = 0; i < rank; i++)
      if (i != axis)
        indices[i] = LaneIndex{place[next++], 0, nullptr, 1};
    body(std::move(indices), {at[0], at[1], member});
  };
  if (size > 1)
    return frame.teams()->forEach(all, size, emit);
  frame.parallelFor(all, frame.index(1), {},
                    [&](Value item, Value, ValueRange) { emit(item, nullptr); });
}

Value bufferOf(KernelFrame &frame, Value value) {
  for (OpOperand &use : value.getUses())
    if (isa<YieldOp>(use.getOwner()))
      return frame.result(use.getOperandNumber());
  return {};
}

std::optional<int64_t> extentAlong(Value value, int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.isDynamicDim(axis))
    return std::nullopt;
  return type.getDimSize(axis);
}

//===----------------------------------------------------------------------===//
// The strategy
//===----------------------------------------------------------------------===//

namespace {

class LinesStrategy : public CpuStrategy {
public:
  StringRef name() const override { return "lines"; }
  int benefit() const override { return 40; }
  bool canRoot(Operation *op) const override { return isa<CumsumOp, SortOp, ScatterAlongOp>(op); }

  /// Running sums and sums by number read every element once.
  bool canFuseProducer(const KernelGroup &group, Operation *op,
                       std::string &reason) const override {
    if (isa<SortOp>(group.root)) {
      reason = "its elements are read more than once";
      return false;
    }
    if (op->getNumResults() != 1 || !ElementEmitter::canEmit(op)) {
      reason = "its elements cannot be computed one by one";
      return false;
    }
    Value read = isa<CumsumOp>(group.root) ? cast<CumsumOp>(group.root).getX()
                                           : cast<ScatterAlongOp>(group.root).getUpdates();
    bool once = op->hasTrait<trait::Elementwise>() &&
                cast<RankedTensorType>(op->getResult(0).getType()).getShape() ==
                    cast<RankedTensorType>(read.getType()).getShape();
    if (once || isCopiedIntoKernels(op))
      return true;
    reason = "it is neither a view nor elementwise";
    return false;
  }

  bool canFuseConsumer(const KernelGroup &, Operation *, std::string &reason) const override {
    reason = "a line ends before its result can be used";
    return false;
  }

  LogicalResult emit(KernelFrame &frame) const override {
    for (Operation &op : frame.kernel().getBody().front()) {
      if (auto cumsum = dyn_cast<CumsumOp>(op))
        return emitCumsum(frame, cumsum), success();
      if (auto sort = dyn_cast<SortOp>(op))
        return emitSort(frame, sort), success();
      if (auto scatter = dyn_cast<ScatterAlongOp>(op))
        return emitScatterAlong(frame, scatter), success();
    }
    return frame.kernel().emitError("strategy \"lines\": expected a cumsum, sort or scatter_along");
  }
};

} // namespace

std::unique_ptr<CpuStrategy> createLinesStrategy() { return std::make_unique<LinesStrategy>(); }

} // namespace tenon::cpu
