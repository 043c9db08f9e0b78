//===- InPlace.cpp - May a result overwrite an operand? -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/InPlace.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace tenon {

Value storageOf(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

void forEachStorageUse(Value value, function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : value.getUses()) {
    if (auto reshape = dyn_cast<ReshapeOp>(use.getOwner()))
      forEachStorageUse(reshape.getY(), visit);
    else
      visit(use);
  }
}

bool isCopy(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  return kernel && kernel.getStrategy() == copyStrategy;
}

/// Results of a kernel that depend on an operand, those that share an op being one
/// class: such results are computed in one loop, others one after the other.
class Dependents {
public:
  /// Follows `argument` to the results; false if it is read other than element by
  /// element on the way.
  bool follow(Value argument) {
    auto shape = cast<RankedTensorType>(argument.getType()).getShape();
    SmallVector<Value> work{argument};
    while (!work.empty()) {
      Value value = work.pop_back_val();
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        join(value, user, use.getOperandNumber());
        if (isa<YieldOp>(user) || !seen.insert(user).second)
          continue;
        if (!user->hasTrait<trait::Elementwise>() && !user->hasTrait<trait::ElementwiseUpdate>())
          return false;
        for (Value result : user->getResults()) {
          if (cast<RankedTensorType>(result.getType()).getShape() != shape)
            return false;
          work.push_back(result);
        }
      }
    }
    return true;
  }

  /// Are all results one class that `result` belongs to?
  bool isOnly(unsigned result) {
    return llvm::all_of(results, [&](unsigned other) {
      return classes.isEquivalent(nodeOf(result), nodeOf(other));
    });
  }

private:
  /// Ops by address, results by an odd number: no address is odd.
  static const void *nodeOf(unsigned result) {
    return reinterpret_cast<const void *>(uintptr_t(result) * 2 + 1);
  }
  void join(Value value, Operation *user, unsigned operand) {
    const void *to = user;
    if (isa<YieldOp>(user)) {
      results.push_back(operand);
      to = nodeOf(operand);
    }
    classes.insert(to);
    if (Operation *maker = value.getDefiningOp())
      classes.unionSets(maker, to);
  }

  llvm::EquivalenceClasses<const void *> classes;
  SmallVector<unsigned> results;
  DenseSet<Operation *> seen;
};

bool readsInPlace(KernelOp kernel, unsigned operand, unsigned result) {
  if (kernel.getInputs()[operand].getType() != kernel.getResult(result).getType())
    return false;
  Dependents dependents;
  return dependents.follow(kernel.getBody().getArgument(operand)) && dependents.isOnly(result);
}

bool canOverwrite(OpResult value, Value argument, const KernelStrategies &strategies) {
  Operation *op = value.getOwner();
  if (isCopy(op))
    return true;
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    const KernelStrategy *strategy = strategies.find(kernel.getStrategy());
    for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
      if (storageOf(input) == argument &&
          !(strategy && strategy->canOverwrite(kernel, i, value.getResultNumber())))
        return false;
    return true;
  }
  if (isa<IfOp>(op)) { // a body may read the argument behind the kernel that writes the result
    bool isRead = false;
    forEachStorageUse(argument, [&](OpOperand &use) { isRead |= use.getOwner() == op; });
    return !isRead;
  }
  // A loop writes its result from the first trip on: the argument may only be what
  // that very value starts from.
  auto loop = cast<LoopOp>(op);
  bool legal = true;
  forEachStorageUse(argument, [&](OpOperand &use) {
    if (op->isAncestor(use.getOwner()))
      legal &= use.getOwner() == op && use.getOperandNumber() == value.getResultNumber() &&
               value.getResultNumber() < loop.getCarried().size();
  });
  return legal;
}

} // namespace tenon
