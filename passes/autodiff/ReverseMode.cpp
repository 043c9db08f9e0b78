//===- ReverseMode.cpp - Gradients over a stretch of a block --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/ReverseMode.h"
#include "passes/Emit.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tenon {

/// A kernel has the trait because nothing is differentiated after kernels are
/// formed; through one a zero gradient would be wrong.
static bool stopsGradients(Operation *op) {
  return op->hasTrait<trait::NotDifferentiable>() && !isa<KernelOp>(op);
}

llvm::DenseSet<Value> activeValues(ArrayRef<Operation *> ops, ArrayRef<Value> xs) {
  llvm::DenseSet<Value> active(xs.begin(), xs.end());
  for (Operation *op : ops) {
    if (stopsGradients(op) ||
        llvm::none_of(op->getOperands(), [&](Value v) { return active.contains(v); }))
      continue;
    for (Value result : op->getResults())
      if (isFloatTensor(result))
        active.insert(result);
  }
  return active;
}

SmallVector<Operation *> opsUpTo(OpBuilder &builder, Operation *before) {
  SmallVector<Operation *> ops;
  Block *block = builder.getInsertionBlock();
  Block::iterator it = before ? std::next(Block::iterator(before)) : block->begin();
  for (; it != builder.getInsertionPoint(); ++it)
    ops.push_back(&*it);
  return ops;
}

Operation *opBefore(OpBuilder &builder) {
  Block::iterator point = builder.getInsertionPoint();
  return point == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(point);
}

namespace {
/// The adjoint of each value, as far as it is known.
class Adjoints {
public:
  Adjoints(OpBuilder &builder) : builder(builder) {}

  void add(Value value, Value gradient, Location loc) {
    Value &sum = adjoints[value];
    sum = sum ? builder.create<AddOp>(loc, sum, gradient).getResult() : gradient;
  }
  Value get(Value value) const { return adjoints.lookup(value); }

private:
  OpBuilder &builder;
  llvm::DenseMap<Value, Value> adjoints;
};
} // namespace

/// One op's step: from the adjoints of its results to those of its operands.
static LogicalResult stepBack(OpBuilder &builder, Operation *op,
                              const llvm::DenseSet<Value> &active, Adjoints &adjoints) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(adjoints.get(result));
  SmallVector<bool> needed;
  for (Value operand : op->getOperands())
    needed.push_back(active.contains(operand));
  if (llvm::all_of(gradients, [](Value g) { return !g; }) ||
      llvm::none_of(needed, [](bool b) { return b; }))
    return success();

  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule)
    return op->emitOpError("has no backward rule, and a gradient flows through it");
  FailureOr<SmallVector<Value>> results = rule.backward(builder, gradients, needed);
  if (failed(results))
    return failure();
  assert(results->size() == op->getNumOperands() && "a gradient per operand");
  for (auto [operand, gradient, need] : llvm::zip(op->getOperands(), *results, needed))
    if (need && gradient)
      adjoints.add(operand, gradient, op->getLoc());
  return success();
}

FailureOr<SmallVector<Value>> reverseMode(OpBuilder &builder, ArrayRef<Operation *> ops,
                                          ArrayRef<Value> ys, ArrayRef<Value> seeds,
                                          ArrayRef<Value> xs) {
  llvm::DenseSet<Value> active = activeValues(ops, xs);
  Adjoints adjoints(builder);
  for (auto [y, seed] : llvm::zip(ys, seeds))
    if (active.contains(y))
      adjoints.add(y, seed, y.getLoc());
  for (Operation *op : llvm::reverse(ops))
    if (!stopsGradients(op) && failed(stepBack(builder, op, active, adjoints)))
      return failure();
  SmallVector<Value> result;
  for (Value x : xs)
    result.push_back(adjoints.get(x));
  return result;
}

void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDeadOps(inner);
  }
}

} // namespace tenon
