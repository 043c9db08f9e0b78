//===- KernelGroups.cpp - Which ops go into one kernel --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots are taken by falling benefit of their strategy, and each grows as far as its
// strategy lets it. Views that nothing inside uses are given back. What is left over
// and needed by something that is no kernel becomes a kernel of its own.
//
//===----------------------------------------------------------------------===//
#include "passes/KernelGroups.h"

#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace mlir;

namespace tenon {

bool isCopiedIntoKernels(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat();
  }
  return op->hasTrait<trait::Rematerializable>();
}

KernelGroups::KernelGroups(Block &block, const KernelStrategies &strategies, FusionReport report)
    : block(block), strategies(strategies), report(report) {
  for (auto [i, op] : llvm::enumerate(block))
    position[&op] = i;
}

bool KernelGroups::computes(Operation *op) const {
  if (!isa_and_nonnull<TenonDialect>(op->getDialect()) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (isa<ConstantOp>(op))
    return isCopiedIntoKernels(op);
  return !isa<LoopOp, IfOp, KernelOp>(op);
}

const KernelStrategy *KernelGroups::rootStrategy(Operation *op) const {
  for (const auto &strategy : strategies.all())
    if (strategy->canRoot(op))
      return strategy.get();
  return nullptr;
}

SmallVector<Operation *> KernelGroups::usersInBlock(Operation *op) {
  SmallVector<Operation *> users;
  for (Operation *user : op->getUsers())
    if (Operation *here = block.findAncestorOpInBlock(*user))
      if (!llvm::is_contained(users, here))
        users.push_back(here);
  return users;
}

/// Values are used behind their op, so a way back to the kernel is a way through other kernels,
/// which are computed at once. Behind this position it leads through none any more.
unsigned KernelGroups::lastOnTheWayBack(const PlannedKernel &kernel, ArrayRef<Operation *> more) {
  unsigned last = kernel.last;
  for (Operation *op : more)
    last = std::max(last, position[op]);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &other : kernels)
      if (other.get() != &kernel && other->first <= last && other->last > last) {
        last = other->last;
        changed = true;
      }
  }
  return last;
}

/// Would the kernel with `more` ops need a value that is computed from its own results
/// outside of it?
bool KernelGroups::wouldCycle(const PlannedKernel &kernel, ArrayRef<Operation *> more) {
  SmallPtrSet<Operation *, 32> inside, seen;
  SmallVector<Operation *> todo;
  // A copy that belongs to this kernel is computed in it from its operands, and
  // elsewhere for other users.
  auto isCopy = [&](Operation *op) {
    auto it = owner.find(op);
    return isCopiedIntoKernels(op) && kernel.group.ops.contains(op) &&
           (it == owner.end() || it->second != &kernel);
  };
  for (Operation *op : kernel.group.ops)
    if (!isCopy(op))
      inside.insert(op);
  inside.insert(more.begin(), more.end());
  std::function<void(Operation *)> leave = [&](Operation *op) {
    for (Operation *user : usersInBlock(op)) {
      if (inside.contains(user))
        continue;
      if (isCopy(user))
        leave(user);
      else
        todo.push_back(user);
    }
  };
  for (Operation *op : inside)
    leave(op);
  unsigned last = lastOnTheWayBack(kernel, more);
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val();
    if (position[op] > last)
      continue;
    if (inside.contains(op) || isCopy(op))
      return true;
    if (!seen.insert(op).second)
      continue;
    auto it = owner.find(op);
    if (it == owner.end()) {
      llvm::append_range(todo, usersInBlock(op));
      continue;
    }
    for (Operation *member : it->second->group.ops) {
      auto own = owner.find(member);
      if (own == owner.end() || own->second != it->second)
        continue;
      seen.insert(member);
      llvm::append_range(todo, usersInBlock(member));
    }
  }
  return false;
}

void KernelGroups::insert(PlannedKernel &kernel, Operation *op) {
  kernel.group.ops.insert(op);
  kernel.first = std::min(kernel.first, position[op]);
  kernel.last = std::max(kernel.last, position[op]);
}

PlannedKernel &KernelGroups::add(Operation *root, const KernelStrategy *strategy) {
  kernels.push_back(std::make_unique<PlannedKernel>());
  PlannedKernel &kernel = *kernels.back();
  kernel.strategy = strategy;
  kernel.group.root = root;
  insert(kernel, root);
  owner[root] = &kernel;
  return kernel;
}

/// Also through a view that both have a copy of.
bool KernelGroups::isReadOutside(const PlannedKernel &kernel, Operation *op) {
  return llvm::any_of(usersInBlock(op), [&](Operation *user) {
    return !kernel.group.ops.contains(user) ||
           (isCopiedIntoKernels(user) && isReadOutside(kernel, user));
  });
}

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

/// Beyond this there is nothing to win, and the time to compile it grows.
static bool isFull(const PlannedKernel &kernel) {
  constexpr size_t kMostOps = 256;
  return kernel.group.ops.size() >= kMostOps;
}

bool KernelGroups::tryProducer(PlannedKernel &kernel, Operation *op) {
  if (!op || op->getBlock() != &block || kernel.group.ops.contains(op) || !computes(op))
    return false;
  std::string reason;
  bool copied = isCopiedIntoKernels(op);
  if (owner.count(op) || isFull(kernel))
    return false;
  if (!kernel.strategy->canFuseProducer(kernel.group, op, reason)) {
    report(op, kernel.group.root, reason);
    return false;
  }
  if (!copied) {
    if (!kernel.strategy->isGeneric() && isReadOutside(kernel, op)) {
      report(op, kernel.group.root, "its result is used elsewhere as well");
      return false;
    }
    if (wouldCycle(kernel, op)) {
      report(op, kernel.group.root, "something between them is computed elsewhere");
      return false;
    }
    owner[op] = &kernel;
  }
  insert(kernel, op);
  return true;
}

bool KernelGroups::tryConsumer(PlannedKernel &kernel, Operation *op) {
  if (kernel.group.ops.contains(op) || !computes(op) || owner.count(op) || isFull(kernel))
    return false;
  std::string reason;
  if (!kernel.strategy->canFuseConsumer(kernel.group, op, reason)) {
    report(op, kernel.group.root, reason);
    return false;
  }
  if (wouldCycle(kernel, op)) {
    report(op, kernel.group.root, "it also needs something that is computed after the kernel");
    return false;
  }
  insert(kernel, op);
  owner[op] = &kernel;
  return true;
}

void KernelGroups::grow(PlannedKernel &kernel) {
  for (size_t i = 0; i < kernel.group.ops.size(); i++) {
    Operation *op = kernel.group.ops[i];
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        tryProducer(kernel, producer);
    // Copies do not lead to other users: those have their own.
    auto it = owner.find(op);
    if (it == owner.end() || it->second != &kernel)
      continue;
    for (Operation *user : usersInBlock(op))
      tryConsumer(kernel, user);
  }
  prune(kernel);
}

/// Must the value exist in memory, whatever kernels do?
bool KernelGroups::isMaterialized(Operation *op) {
  return llvm::any_of(usersInBlock(op), [&](Operation *user) { return !computes(user); });
}

/// Gives back views at the end, so that their users copy them.
void KernelGroups::prune(PlannedKernel &kernel) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : llvm::to_vector(kernel.group.ops)) {
      if (op == kernel.group.root || !isCopiedIntoKernels(op) || isMaterialized(op))
        continue;
      if (llvm::any_of(usersInBlock(op),
                       [&](Operation *user) { return kernel.group.ops.contains(user); }))
        continue;
      kernel.group.ops.remove(op);
      auto it = owner.find(op);
      if (it != owner.end() && it->second == &kernel)
        owner.erase(it);
      changed = true;
    }
  }
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

LogicalResult KernelGroups::plan() {
  SmallVector<std::pair<Operation *, const KernelStrategy *>> roots;
  for (Operation &op : block) {
    if (!computes(&op))
      continue;
    const KernelStrategy *strategy = rootStrategy(&op);
    if (!strategy)
      return op.emitError("no kernel strategy of the target can compute this op");
    if (!isCopiedIntoKernels(&op))
      roots.push_back({&op, strategy});
  }
  // Within the generic strategy ops that are no part of any loop come first: the
  // elementwise ops around them join.
  auto rank = [](auto &entry) {
    bool elementwise = entry.first->template hasTrait<trait::Elementwise>();
    return std::make_pair(-entry.second->benefit(), elementwise);
  };
  llvm::stable_sort(roots, [&](auto &a, auto &b) { return rank(a) < rank(b); });
  for (auto [op, strategy] : roots)
    if (!owner.count(op))
      grow(add(op, strategy));

  // Copied ops that something needs in memory: users come first, so that a chain of
  // them becomes one kernel.
  for (Operation &op : llvm::reverse(block)) {
    if (!computes(&op) || !isCopiedIntoKernels(&op) || owner.count(&op))
      continue;
    bool needed = isMaterialized(&op) || llvm::any_of(kernels, [&](auto &kernel) {
                    return !kernel->group.ops.contains(&op) &&
                           llvm::any_of(op.getUsers(), [&](Operation *user) {
                             return kernel->group.ops.contains(user);
                           });
                  });
    if (needed)
      grow(add(&op, rootStrategy(&op)));
  }
  mergeSmall();
  return success();
}

/// Elements that a kernel writes, if they are known.
static std::optional<int64_t> elementsOf(const PlannedKernel &kernel) {
  int64_t largest = 0;
  for (Operation *op : kernel.group.ops)
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                           llvm::to_vector(op->getResults()))) {
      auto type = cast<RankedTensorType>(value.getType());
      if (!type.hasStaticShape())
        return std::nullopt;
      largest = std::max(largest, type.getNumElements());
    }
  return largest;
}

/// Does `value` come from work of the kernel, also through views that are copied?
static bool isComputedIn(const PlannedKernel &kernel, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !kernel.group.ops.contains(op))
    return false;
  return !isCopiedIntoKernels(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
    return isComputedIn(kernel, operand);
  });
}

/// Small kernels of the generic strategy that do not wait for one another become one:
/// a launch costs more than their work.
void KernelGroups::mergeSmall() {
  constexpr int64_t kSmall = 1 << 13;
  constexpr size_t kOps = 128;
  SmallVector<PlannedKernel *> open;
  for (const Step &step : schedule()) {
    PlannedKernel *kernel = step.kernel;
    if (!kernel || !kernel->strategy->isGeneric())
      continue;
    auto elements = elementsOf(*kernel);
    if (!elements || *elements > kSmall)
      continue;
    SmallVector<Operation *> own;
    for (Operation *op : kernel->group.ops)
      if (auto it = owner.find(op); it != owner.end() && it->second == kernel)
        own.push_back(op);
    PlannedKernel *into = nullptr;
    for (PlannedKernel *other : open)
      if (!into && other->group.ops.size() + own.size() <= kOps && !wouldCycle(*other, own) &&
          llvm::none_of(kernel->group.ops, [&](Operation *op) {
            // Not one after the other: clusters of a kernel are independent.
            return llvm::any_of(op->getOperands(),
                                [&](Value operand) { return isComputedIn(*other, operand); });
          }))
        into = other;
    if (!into) {
      open.push_back(kernel);
      continue;
    }
    for (Operation *op : own)
      owner[op] = into;
    for (Operation *op : kernel->group.ops)
      insert(*into, op);
    kernel->group.ops.clear();
  }
  llvm::erase_if(kernels, [](auto &kernel) { return kernel->group.ops.empty(); });
}

SmallVector<KernelGroups::Step> KernelGroups::schedule() {
  // A depth-first walk over what a step needs, in program order.
  SmallVector<Step> order;
  SmallPtrSet<void *, 32> done;
  auto membersOf = [&](PlannedKernel &kernel) {
    SmallVector<Operation *> ops(kernel.group.ops.begin(), kernel.group.ops.end());
    llvm::sort(ops, [&](Operation *a, Operation *b) { return position[a] < position[b]; });
    return ops;
  };
  std::function<void(Operation *)> visit;
  auto visitOperands = [&](Operation *op, const PlannedKernel *kernel) {
    auto need = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      producer = producer ? block.findAncestorOpInBlock(*producer) : nullptr;
      if (producer && !(kernel && kernel->group.ops.contains(producer)) && producer != op)
        visit(producer);
    };
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        need(operand);
    });
  };
  visit = [&](Operation *op) {
    auto it = owner.find(op);
    if (it == owner.end()) {
      if (!done.insert(op).second)
        return;
      visitOperands(op, nullptr);
      if (!computes(op))
        order.push_back({op, nullptr});
      return;
    }
    PlannedKernel &kernel = *it->second;
    if (!done.insert(&kernel).second)
      return;
    for (Operation *member : membersOf(kernel))
      visitOperands(member, &kernel);
    order.push_back({nullptr, &kernel});
  };
  for (Operation &op : block)
    visit(&op);
  return order;
}

} // namespace tenon
