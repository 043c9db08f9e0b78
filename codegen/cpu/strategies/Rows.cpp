//===- Rows.cpp - Elementwise, reduction and norm kernels -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic strategy: it roots whatever no other one does.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "passes/InPlace.h"
#include "passes/TensorTypes.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace tenon::cpu {

int64_t sliceOf(std::optional<int64_t> elements) {
  if (!elements)
    return 16;
  return std::max<int64_t>(1, (kSliceElements + *elements - 1) / std::max<int64_t>(*elements, 1));
}

void emitOutputs(RowsBody &body, ElementEmitter &e, ArrayRef<RowsBody::Output> outputs,
                 ArrayRef<LaneIndex> indices) {
  // An output may lie in the storage of an operand: all loads come before the stores.
  Values values;
  for (const RowsBody::Output &output : outputs)
    values.push_back(e.emit(output.value, indices));
  for (auto [output, value] : llvm::zip(outputs, values))
    e.store(value, body.buffers->buffer(output.buffer), indices);
}

//===----------------------------------------------------------------------===//
// Elementwise kernels
//===----------------------------------------------------------------------===//

/// Elements [begin, end) of a row. With `fetches` asks ahead of time for what it reads.
static void emitRow(RowsBody &body, ArrayRef<RowsBody::Output> outputs, ArrayRef<Value> row,
                    Value begin, Value end, bool fetches) {
  KernelFrame &frame = body.frame;
  ElementEmitter e(frame, body.lanes, nullptr, body.buffers.get());
  SmallVector<LaneIndex> indices;
  for (Value i : row)
    indices.push_back(e.uniform(i));
  indices.push_back({});
  emitVectorLoop(frame, body.lanes, begin, end, {}, [&](LaneIndex at, Value mask, ValueRange) {
    indices.back() = at;
    e.setMask(mask);
    if (!mask && fetches)
      for (BlockArgument argument : body.kernel.getBody().getArguments())
        if (isAlong(body, argument, outputs.front().value))
          prefetch(frame, body.buffers->buffer(argument.getArgNumber()), indices, kPrefetchBytes,
                   body.lanes);
    emitOutputs(body, e, outputs, indices);
    return Values();
  });
}

void emitPoints(KernelFrame &frame, BodyBuffers &buffers, ArrayRef<AffineExpr> extents,
                llvm::function_ref<void(ElementEmitter &, ArrayRef<LaneIndex>)> point) {
  AffineExpr count = getAffineConstantExpr(1, frame.builder().getContext());
  for (AffineExpr extent : extents)
    count = count * extent;
  forEachSlice(frame, buffers.emit(count), 1, {}, [&](Value number, Value, ValueRange) {
    ElementEmitter e(frame, 1, nullptr, &buffers);
    SmallVector<LaneIndex> indices;
    for (Value i : delinearize(frame, buffers, number, extents))
      indices.push_back(e.uniform(i));
    point(e, indices);
  });
}

/// The outputs of one shape.
static void emitNest(RowsBody &body, ArrayRef<RowsBody::Output> outputs) {
  KernelFrame &frame = body.frame;
  Value first = outputs.front().value;
  int64_t rank = rankOf(first);
  if (rank == 0) {
    ElementEmitter e(frame, 1, nullptr, body.buffers.get());
    return emitOutputs(body, e, outputs, {});
  }
  SmallVector<AffineExpr> extents;
  for (int64_t i = 0; i < rank; i++)
    extents.push_back(body.buffers->extentOf(first, i));
  if (!frame.hasWorkers())
    return emitApart(body, outputs, extents);
  AffineExpr last = extents.back(), rows = getAffineConstantExpr(1, first.getContext());
  ArrayRef<AffineExpr> outer = ArrayRef(extents).drop_back();
  for (AffineExpr e : outer)
    rows = rows * e;

  auto width = constantOf(last), height = constantOf(rows);
  if (height == 0 || width == 0 || emitTransposed(body, outputs))
    return;
  // Between loads far apart, with that many operations, the processor itself does not look
  // far enough ahead.
  bool fetches =
      isLarge(body, first) && llvm::any_of(body.kernel.getBody().front(), [](Operation &op) {
        return isa<DropoutOp, RandomUniformOp, RandomNormalOp>(op);
      });
  // A few long rows are cut along the last axis, others between rows.
  if (height && *height <= 4 && (!width || *width >= 2 * kSliceElements)) {
    for (int64_t r = 0; r < *height; r++)
      forEachSlice(frame, body.buffers->emit(last), kSliceElements, {},
                   [&](Value begin, Value end, ValueRange) {
                     emitRow(body, outputs,
                             delinearize(frame, *body.buffers, frame.index(r), outer), begin, end,
                             fetches);
                   });
    return;
  }
  forEachSlice(frame, body.buffers->emit(rows), sliceOf(width), {},
               [&](Value begin, Value end, ValueRange) {
                 emitLoop(frame, begin, end, {}, [&](Value row, ValueRange) {
                   emitRow(body, outputs, delinearize(frame, *body.buffers, row, outer),
                           frame.index(0), body.buffers->emit(last), fetches);
                   return Values();
                 });
               });
}

/// Which values elementwise ops tie to others: these are of one shape, whatever their
/// dynamic extents are called.
static llvm::EquivalenceClasses<const void *> tieShapes(RowsBody &body) {
  llvm::EquivalenceClasses<const void *> ties;
  for (Operation &op : body.kernel.getBody().front()) {
    if (!op.hasTrait<trait::Elementwise>() && !op.hasTrait<trait::ElementwiseUpdate>())
      continue;
    Value result = op.getResult(0);
    auto shape = cast<RankedTensorType>(result.getType()).getShape();
    for (Value other :
         llvm::concat<Value>(llvm::to_vector(op.getOperands()), llvm::to_vector(op.getResults())))
      if (cast<RankedTensorType>(other.getType()).getShape() == shape) // not a scalar
        ties.unionSets(result.getAsOpaquePointer(), other.getAsOpaquePointer());
  }
  return ties;
}

/// One loop nest for all outputs of one shape. That outputs which share an op are
/// computed in one is what `readsInPlace` relies on.
void emitElementwise(RowsBody &body) {
  SmallVector<SmallVector<RowsBody::Output>> groups;
  auto ties = tieShapes(body);
  auto sameShape = [&](Value a, Value b) {
    auto shape = cast<RankedTensorType>(a.getType()).getShape();
    if (cast<RankedTensorType>(b.getType()).getShape() != shape)
      return false;
    return ties.isEquivalent(a.getAsOpaquePointer(), b.getAsOpaquePointer()) ||
           llvm::all_of(llvm::seq<unsigned>(0, shape.size()), [&](unsigned i) {
             return body.buffers->extentOf(a, i) == body.buffers->extentOf(b, i);
           });
  };
  for (const RowsBody::Output &output : body.outputs) {
    auto it = llvm::find_if(
        groups, [&](auto &group) { return sameShape(group.front().value, output.value); });
    if (it == groups.end()) {
      groups.emplace_back();
      it = std::prev(groups.end());
    }
    it->push_back(output);
  }
  for (auto &group : groups)
    emitNest(body, group);
}

namespace {

class RowsStrategy : public CpuStrategy {
public:
  StringRef name() const override { return "rows"; }
  int benefit() const override { return 1; }
  bool isGeneric() const override { return true; }

  bool canRoot(Operation *op) const override {
    return reducedAxes(op) || isa<ScatterAddOp>(op) || ElementEmitter::canEmit(op);
  }
  bool canFuseProducer(const KernelGroup &group, Operation *op,
                       std::string &reason) const override {
    return canJoin(group, op, reason);
  }
  bool canFuseConsumer(const KernelGroup &group, Operation *op,
                       std::string &reason) const override {
    return canJoin(group, op, reason);
  }

  bool canOverwrite(KernelOp kernel, unsigned operand, unsigned result) const override {
    return readsInPlace(kernel, operand, result);
  }

  LogicalResult emit(KernelFrame &frame) const override {
    for (ArrayRef<unsigned> cluster : outputClusters(frame.kernel()))
      if (failed(emitCluster(frame, cluster)))
        return failure();
    return success();
  }

private:
  static LogicalResult emitCluster(KernelFrame &frame, ArrayRef<unsigned> cluster) {
    RowsBody body(frame, cluster);
    bool scatters = llvm::any_of(body.kernel.getBody().front(),
                                 [](Operation &op) { return isa<ScatterAddOp>(op); });
    if (scatters)
      return emitScatter(body);
    if (body.reductions.empty())
      emitElementwise(body);
    else if (body.domain.isSplit() && isOneStage(body))
      emitSplit(body);
    else
      emitStages(body);
    return success();
  }

  static bool canJoin(const KernelGroup &group, Operation *op, std::string &reason) {
    if (op->getBlock() != group.root->getBlock()) {
      reason = "in another block";
      return false;
    }
    SmallVector<Operation *> ops(group.ops.begin(), group.ops.end());
    if (!group.ops.contains(op))
      ops.push_back(op);
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    const char *why = whyNotRows(ops);
    if (why)
      reason = why;
    return !why;
  }

  /// No reduction depends on another, and there is no output of the full shape.
  static bool isOneStage(RowsBody &body) {
    for (const RowsBody::Output &output : body.outputs)
      if (output.form == Form::Full)
        return false;
    SmallPtrSet<Operation *, 16> later;
    for (Operation &op : body.kernel.getBody().front()) {
      bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
        Operation *producer = operand.getDefiningOp();
        return producer && (later.contains(producer) || reducedAxes(producer));
      });
      if (depends && reducedAxes(&op))
        return false;
      if (depends)
        later.insert(&op);
    }
    return true;
  }
};

} // namespace

std::unique_ptr<CpuStrategy> createRowsStrategy() { return std::make_unique<RowsStrategy>(); }

} // namespace tenon::cpu
