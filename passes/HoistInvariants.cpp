//===- HoistInvariants.cpp - Move out of loops what every trip repeats ----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Emit.h"
#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_HOISTINVARIANTSPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// Not worth a value that lives across the loop; they follow an op that leaves.
bool isCheap(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<trait::Rematerializable>();
}

/// Moves ops of a body that depend on invariant values alone before the loop; their
/// results enter it as invariant values.
class Hoister {
public:
  Hoister(LoopOp loop) : loop(loop), builder(loop) {
    unsigned first = 1 + loop.getCarried().size() + loop.getScanned().size();
    for (auto [i, value] : llvm::enumerate(loop.getInvariant()))
      outside[loop.getBody().getArgument(first + i)] = value;
  }

  unsigned run() {
    SetVector<Operation *> hoisted;
    for (Operation &op : loop.getBody().front().without_terminator())
      if (!isCheap(&op) && isMemoryEffectFree(&op) && op.getNumOperands() &&
          llvm::all_of(op.getOperands(), [&](Value v) { return isInvariant(v); })) {
        bring(&op);
        hoisted.insert(&op);
      }
    for (Operation *op : hoisted)
      for (Value result : op->getResults())
        if (!llvm::all_of(result.getUsers(),
                          [&](Operation *user) { return hoisted.contains(user); })) {
          result.replaceAllUsesWith(loop.getBody().addArgument(result.getType(), op->getLoc()));
          loop.getInvariantMutable().append(outside[result]);
        }
    for (Operation *op : llvm::reverse(hoisted.getArrayRef()))
      op->erase();
    return hoisted.size();
  }

private:
  bool isInvariant(Value value) {
    if (outside.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && isCheap(op) &&
           llvm::all_of(op->getOperands(), [&](Value v) { return isInvariant(v); });
  }

  /// The op again, before the loop.
  void bring(Operation *op) {
    IRMapping map;
    for (Value operand : op->getOperands()) {
      if (!outside.contains(operand))
        bring(operand.getDefiningOp());
      map.map(operand, outside[operand]);
    }
    Operation *copy = builder.clone(*op, map);
    for (auto [inner, outer] : llvm::zip(op->getResults(), copy->getResults()))
      outside[inner] = outer;
  }

  LoopOp loop;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> outside; ///< what a value of the body is before the loop
};

struct HoistInvariantsPass : tenon::impl::HoistInvariantsPassBase<HoistInvariantsPass> {
  void runOnOperation() override {
    // Inner loops first: what leaves one may leave the next.
    getOperation()->walk([&](LoopOp loop) { numHoisted += Hoister(loop).run(); });
  }
};

} // namespace
