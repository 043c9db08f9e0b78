//===- FormKernels.cpp - Group ops into kernels ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/KernelGroups.h"
#include "passes/Passes.h"
#include "passes/autodiff/ReverseMode.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenon {

#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/Passes.h.inc"

namespace {

/// The names of the ops of a kernel, where they come from.
static Location locationOf(ArrayRef<Operation *> ops) {
  SmallVector<Location> locations;
  for (Operation *op : ops)
    if (!llvm::is_contained(locations, op->getLoc()))
      locations.push_back(op->getLoc());
  return FusedLoc::get(ops.front()->getContext(), locations);
}

/// Builds kernels before the block's terminator, in the order of the schedule.
class KernelBuilder {
public:
  KernelBuilder(Block &block, KernelGroups &groups)
      : block(block), groups(groups), schedule(groups.schedule()), b(block.getTerminator()) {}

  /// The number of kernels.
  unsigned run() {
    unsigned count = 0;
    for (const KernelGroups::Step &step : schedule)
      collectNeeded(step);
    SmallVector<Operation *> replaced;
    for (Operation &op : block)
      if (groups.computes(&op))
        replaced.push_back(&op);
    for (const KernelGroups::Step &step : schedule) {
      b.setInsertionPoint(block.getTerminator());
      if (step.op)
        place(step.op);
      else
        build(*step.kernel);
      count += step.kernel != nullptr;
    }
    for (Operation *op : replaced)
      op->dropAllUses();
    for (Operation *op : replaced)
      op->erase();
    return count;
  }

private:
  static bool isInside(const PlannedKernel &kernel, Value value) {
    return value.getDefiningOp() && kernel.group.ops.contains(value.getDefiningOp());
  }

  /// What a step needs from others must be a result of the kernel that computes it.
  void collectNeeded(const KernelGroups::Step &step) {
    if (step.kernel) {
      for (Operation *op : step.kernel->group.ops)
        for (Value operand : op->getOperands())
          if (!isInside(*step.kernel, operand))
            needed.insert(operand);
      return;
    }
    step.op->walk([&](Operation *op) { needed.insert(op->operand_begin(), op->operand_end()); });
  }

  Value resolved(Value value) {
    auto it = results.find(value);
    return it == results.end() ? value : it->second;
  }

  void place(Operation *op) {
    if (op != block.getTerminator())
      op->moveBefore(block.getTerminator());
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(resolved(operand.get()));
    });
  }

  void build(PlannedKernel &kernel) {
    SmallVector<Operation *> ops(kernel.group.ops.begin(), kernel.group.ops.end());
    llvm::sort(ops, [](Operation *a, Operation *c) { return a->isBeforeInBlock(c); });
    SmallVector<Value> inputs, outputs;
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!isInside(kernel, operand) && !llvm::is_contained(inputs, operand))
          inputs.push_back(operand);
      if (groups.ownerOf(op) == &kernel)
        for (Value result : op->getResults())
          if (needed.contains(result) || isa<CustomOp>(op)) // a shader writes all
            outputs.push_back(result);
    }
    auto operands = llvm::map_to_vector(inputs, [&](Value v) { return resolved(v); });
    auto made = b.create<KernelOp>(locationOf(ops), ValueRange(outputs).getTypes(), operands,
                                   b.getStringAttr(kernel.strategy->name()));
    Block &body = made.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    b.setInsertionPointToEnd(&body);
    for (Operation *op : ops)
      b.clone(*op, mapping);
    auto yielded = llvm::map_to_vector(outputs, [&](Value v) { return mapping.lookup(v); });
    b.create<YieldOp>(made.getLoc(), yielded);
    for (auto [output, result] : llvm::zip(outputs, made.getResults()))
      results[output] = result;
  }

  Block &block;
  KernelGroups &groups;
  SmallVector<KernelGroups::Step> schedule;
  OpBuilder b;
  DenseSet<Value> needed;
  DenseMap<Value, Value> results;
};

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    const KernelStrategies *strategies = kernelStrategiesOf(target, getOperation());
    if (!strategies)
      return signalPassFailure();
    for (Block &block : getOperation().getBody())
      eraseDeadOps(block); // a kernel has results
    inlineCustomOps(*strategies);
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa<LoopOp, IfOp, func::FuncOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    for (Block *block : blocks)
      if (failed(form(*block, *strategies)))
        return signalPassFailure();
  }

private:
  /// Where the target has no use for shaders.
  void inlineCustomOps(const KernelStrategies &strategies) {
    SmallVector<CustomOp> ops;
    getOperation()->walk([&](CustomOp op) {
      if (llvm::none_of(strategies.all(), [&](const auto &each) { return each->canRoot(op); }))
        ops.push_back(op);
    });
    for (CustomOp op : ops) {
      OpBuilder builder(op);
      for (auto [result, value] :
           llvm::zip(op.getResults(), op.inlineBody(builder, op.getOperands()))) {
        value.setType(result.getType()); // of the same extents, perhaps known better
        result.replaceAllUsesWith(value);
      }
      op.erase();
    }
  }

  LogicalResult form(Block &block, const KernelStrategies &strategies) {
    DenseSet<std::pair<Operation *, Operation *>> told;
    auto tell = [&](Operation *op, Operation *root, StringRef reason) {
      if (report && !reason.empty() && told.insert({op, root}).second)
        op->emitRemark("not fused into the kernel of ") << root->getName() << ": " << reason;
    };
    KernelGroups groups(block, strategies, tell);
    if (failed(groups.plan()))
      return failure();
    numKernels += KernelBuilder(block, groups).run();
    return success();
  }
};

} // namespace
} // namespace tenon
