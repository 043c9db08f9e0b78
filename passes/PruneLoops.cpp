//===- PruneLoops.cpp - Drop what loops carry for nothing -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "passes/autodiff/ReverseMode.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PRUNELOOPSPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// A loop's operands, arguments, yields and results, to be kept or dropped together.
class Pruner {
public:
  Pruner(LoopOp loop)
      : loop(loop), yield(cast<YieldOp>(loop.getBody().front().getTerminator())),
        numCarried(loop.getCarried().size()), numScanned(loop.getScanned().size()) {}

  /// The loop without the dropped values, or the loop if all are needed.
  LoopOp run();

private:
  BlockArgument argument(unsigned operand) { return loop.getBody().getArgument(1 + operand); }
  void mergeEqualOperands();
  void findNeeded();

  LoopOp loop;
  YieldOp yield;
  unsigned numCarried, numScanned;
  llvm::BitVector keepOperand, keepResult;
};

/// The same value scanned, or read, twice enters once.
void Pruner::mergeEqualOperands() {
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> first;
  for (unsigned i = numCarried; i < loop->getNumOperands(); i++) {
    unsigned scanned = i < numCarried + numScanned;
    auto [at, isNew] = first.try_emplace({loop->getOperand(i), scanned}, i);
    if (!isNew)
      argument(i).replaceAllUsesWith(argument(at->second));
  }
}

/// A carried value is needed if its result is read, or if a needed value of the body
/// depends on it: a walk back from the needed yields, to a fixpoint.
void Pruner::findNeeded() {
  keepOperand.resize(loop->getNumOperands());
  keepResult.resize(loop->getNumResults());
  SmallVector<Value> todo;
  llvm::DenseSet<Value> seen;
  auto need = [&](Value value) {
    if (seen.insert(value).second)
      todo.push_back(value);
  };
  for (unsigned i = 0; i < loop->getNumResults(); i++)
    if (!loop->getResult(i).use_empty()) {
      keepResult.set(i);
      need(yield.getValues()[i]);
    }
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    if (Operation *op = value.getDefiningOp()) {
      for (Value operand : op->getOperands())
        need(operand);
      continue;
    }
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    if (number == 0)
      continue;
    keepOperand.set(number - 1);
    if (number - 1 < numCarried)
      need(yield.getValues()[number - 1]);
  }
  for (unsigned i = 0; i < numCarried; i++)
    if (keepResult[i] || keepOperand[i]) {
      keepOperand.set(i); // the initial value is the result of no trips
      keepResult.set(i);
    }
}

LoopOp Pruner::run() {
  mergeEqualOperands();
  findNeeded();
  if (keepOperand.all() && keepResult.all())
    return loop;
  SmallVector<Value> groups[3], yields;
  SmallVector<mlir::Type> types;
  for (unsigned i : keepOperand.set_bits())
    groups[i < numCarried ? 0 : i < numCarried + numScanned ? 1 : 2].push_back(loop->getOperand(i));
  for (unsigned i : keepResult.set_bits()) {
    types.push_back(loop->getResult(i).getType());
    yields.push_back(yield.getValues()[i]);
  }
  OpBuilder builder(loop);
  auto result = builder.create<LoopOp>(loop.getLoc(), types, groups[0], groups[1], groups[2],
                                       loop.getTrips(), loop.getReverse());
  yield.getValuesMutable().assign(yields);
  eraseDeadOps(loop.getBody().front());
  for (unsigned i = loop->getNumOperands(); i-- > 0;)
    if (!keepOperand[i])
      loop.getBody().eraseArgument(1 + i);
  result.getBody().takeBody(loop.getBody());
  unsigned next = 0;
  for (unsigned i : keepResult.set_bits())
    loop->getResult(i).replaceAllUsesWith(result->getResult(next++));
  loop.erase();
  return result;
}

struct PruneLoopsPass : tenon::impl::PruneLoopsPassBase<PruneLoopsPass> {
  void runOnOperation() override { prune(getOperation().getBody()); }

  /// Outer loops first: a result that an outer loop drops is not read.
  void prune(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        if (auto loop = dyn_cast<LoopOp>(op)) {
          LoopOp pruned = Pruner(loop).run();
          numPruned += pruned != loop;
          prune(pruned.getBody());
        } else {
          for (Region &inner : op.getRegions())
            prune(inner);
        }
  }
};

} // namespace
