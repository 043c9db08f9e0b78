//===- Rematerialize.cpp - Compute again instead of keeping ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy, one value at a time, until the plan fits the budget: of the values that are alive but
// not read where most memory is needed, the one that costs least to compute again per byte.
// The idea of trading computation for memory in backward passes: Chen, Xu, Zhang, Guestrin,
// Training Deep Nets with Sublinear Memory Cost, 2016; choosing by cost per byte: Kumar,
// Purohit, Svitkina, Vee, Wang, Efficient Rematerialization for Deep Networks, 2019.
//
//===----------------------------------------------------------------------===//
#include "passes/ArenaLayout.h"
#include "passes/Cost.h"
#include "passes/InPlace.h"
#include "passes/Passes.h"
#include "passes/SymbolicShapes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_REMATERIALIZEPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// A value that lies in the arena, and the steps of its block at which it is made or read.
struct Tenant {
  Value value;
  int64_t bytes;
  SmallVector<int64_t> touched; ///< ascending
};

/// A value that may be computed again before step `to`, with the kernels that this takes, in order.
struct Candidate {
  Value value;
  int64_t to;
  SmallVector<KernelOp> kernels;
  double cost; ///< by byte that becomes free
};

/// Most kernels that are run again for one value.
constexpr size_t longestChain = 32;
/// Operations that a machine does while it moves a byte: to compare the two.
constexpr double flopsPerByte = 10;

/// Time to run each kernel, in operations.
using KernelCosts = DenseMap<Operation *, double>;

class BlockRematerializer {
public:
  BlockRematerializer(Block &block, KernelCosts &costs) : block(block), costs(costs) { analyze(); }

  /// Brings what the arena takes down to a budget as far as can be. Returns the number of
  /// kernels that are run again.
  int64_t run(int64_t budget);
  /// Bytes that the arena takes, at most: the planner also overwrites operands.
  int64_t arenaBytes() const;
  /// What is alive around an op besides what it needs inside.
  int64_t aliveAround(Operation *op) const;

private:
  void analyze();
  int64_t stepOf(Operation *op) const { return steps.lookup(block.findAncestorOpInBlock(*op)); }
  bool isAlive(const Tenant &tenant, int64_t step) const {
    return tenant.touched.front() <= step && step <= tenant.touched.back();
  }
  bool isAvailable(Value storage, int64_t step) const;
  bool collect(Value storage, int64_t to, SetVector<Operation *> &kernels) const;
  std::optional<Candidate> candidate(const Tenant &tenant, int64_t peak) const;
  std::optional<Candidate> best() const;
  int64_t reduce();
  int64_t merge(int64_t budget);
  bool replace(KernelOp kernel, KernelOp by, int64_t budget);
  Operation *cloneKernel(KernelOp kernel, OpBuilder &builder, IRMapping &mapping);
  bool apply(const Candidate &candidate);
  void undo(ArrayRef<std::pair<OpOperand *, Value>> old);
  int64_t excess() const;

  Block &block;
  KernelCosts &costs;
  int64_t target = 0; ///< bytes
  SmallVector<Operation *> ops;
  DenseMap<Operation *, int64_t> steps;
  SmallVector<Tenant> tenants;
  DenseMap<Value, unsigned> tenantOf; ///< by storage
  SmallVector<int64_t> needed;        ///< bytes, by step
  SmallVector<Operation *> added;     ///< by the change at hand
  DenseSet<std::pair<Value, Operation *>> refused;
};

struct Rematerialize : tenon::impl::RematerializePassBase<Rematerialize> {
  using RematerializePassBase::RematerializePassBase;

  void runOnOperation() override;
  void visit(Block &block, int64_t share, KernelCosts &costs);
};

} // namespace

static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * elementBytes(type.getElementType());
}

/// What a loop or an if needs inside of its bodies.
static int64_t bytesInside(Operation *op, KernelCosts &costs) {
  int64_t most = 0;
  for (Region &region : op->getRegions())
    most = std::max(most, BlockRematerializer(region.front(), costs).arenaBytes());
  return most;
}

//===----------------------------------------------------------------------===//
// What is alive when
//===----------------------------------------------------------------------===//

/// What a terminator returns lies elsewhere: in outputs, or in the places of a loop.
void BlockRematerializer::analyze() {
  ops.clear(), steps.clear(), tenants.clear(), tenantOf.clear();
  for (Operation &op : block) {
    steps[&op] = int64_t(ops.size());
    ops.push_back(&op);
  }
  needed.assign(ops.size(), 0);
  DenseSet<Value> returned;
  for (Value value : block.getTerminator()->getOperands())
    returned.insert(storageOf(value));
  for (Operation *op : ops) {
    if (isa<LoopOp, IfOp>(op))
      needed[size_t(steps[op])] += bytesInside(op, costs);
    if (!isa<KernelOp, LoopOp, IfOp>(op))
      continue;
    for (Value result : op->getResults()) {
      if (returned.contains(result))
        continue;
      Tenant tenant{result, bytesOf(result), {steps[op]}};
      forEachStorageUse(result,
                        [&](OpOperand &use) { tenant.touched.push_back(stepOf(use.getOwner())); });
      llvm::sort(tenant.touched);
      for (int64_t step = tenant.touched.front(); step <= tenant.touched.back(); step++)
        needed[size_t(step)] += tenant.bytes;
      tenantOf[result] = unsigned(tenants.size());
      tenants.push_back(std::move(tenant));
    }
  }
}

int64_t BlockRematerializer::arenaBytes() const {
  MLIRContext *context = block.getParentOp()->getContext();
  SmallVector<ArenaBlock> blocks;
  auto add = [&](int64_t bytes, int64_t begin, int64_t end) {
    blocks.push_back({getAffineConstantExpr(bytes, context), begin, end, {}});
  };
  for (const Tenant &tenant : tenants)
    add(tenant.bytes, tenant.touched.front(), tenant.touched.back());
  for (auto [step, op] : llvm::enumerate(ops))
    if (isa<LoopOp, IfOp>(op))
      add(bytesInside(op, costs), int64_t(step), int64_t(step));
  return cast<AffineConstantExpr>(layoutArena(blocks, context)).getValue();
}

int64_t BlockRematerializer::aliveAround(Operation *op) const {
  return needed[size_t(stepOf(op))] - bytesInside(op, costs);
}

/// Bytes over the target, over all steps: what each change has to make less.
int64_t BlockRematerializer::excess() const {
  int64_t sum = 0;
  for (int64_t bytes : needed)
    sum += std::max<int64_t>(bytes - target, 0);
  return sum;
}

//===----------------------------------------------------------------------===//
// What may be computed again
//===----------------------------------------------------------------------===//

/// Can a kernel read it at a step without keeping it for longer?
bool BlockRematerializer::isAvailable(Value storage, int64_t step) const {
  Operation *maker = storage.getDefiningOp();
  if (!maker || maker->getBlock() != &block || isa<ConstantOp>(maker))
    return true;
  auto it = tenantOf.find(storage);
  return it == tenantOf.end() || tenants[it->second].touched.back() >= step;
}

/// Adds the kernels that make `storage` anew before step `to`, operands first.
bool BlockRematerializer::collect(Value storage, int64_t to,
                                  SetVector<Operation *> &kernels) const {
  auto kernel = storage.getDefiningOp<KernelOp>();
  if (!kernel || isCopy(kernel) || !isMemoryEffectFree(kernel))
    return false;
  if (kernels.contains(kernel))
    return true;
  for (Value operand : kernel->getOperands()) {
    Value needs = storageOf(operand);
    if (!isAvailable(needs, to) && !collect(needs, to, kernels))
      return false;
  }
  kernels.insert(kernel);
  return kernels.size() <= longestChain;
}

std::optional<Candidate> BlockRematerializer::candidate(const Tenant &tenant, int64_t peak) const {
  if (!isAlive(tenant, peak) || tenant.bytes == 0)
    return std::nullopt;
  auto next = llvm::lower_bound(tenant.touched, peak);
  if (*next == peak || refused.contains({tenant.value, ops[size_t(*next)]}))
    return std::nullopt;
  SetVector<Operation *> kernels;
  if (!collect(tenant.value, *next, kernels))
    return std::nullopt;
  Candidate result{tenant.value, *next, {}, 0};
  for (Operation *op : kernels) {
    result.kernels.push_back(cast<KernelOp>(op));
    result.cost += costs.lookup(op) / double(tenant.bytes);
  }
  return result;
}

/// The cheapest for the step that needs most, of those where something can be done.
std::optional<Candidate> BlockRematerializer::best() const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(needed.size())));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return needed[a] > needed[b]; });
  for (int64_t step : order) {
    if (needed[size_t(step)] <= target)
      break;
    std::optional<Candidate> best;
    for (const Tenant &tenant : tenants)
      if (auto found = candidate(tenant, step); found && (!best || found->cost < best->cost))
        best = std::move(found);
    if (best)
      return best;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// The value `at` or, through reshapes, one that has its storage, made of what `mapping` has for
/// the storage; reshapes are made again as needed.
static Value remade(Value at, OpBuilder &builder, IRMapping &mapping,
                    SmallVectorImpl<Operation *> &added) {
  if (Value known = mapping.lookupOrNull(at))
    return known;
  auto view = at.getDefiningOp<ReshapeOp>();
  if (!view || !mapping.contains(storageOf(at)))
    return at;
  mapping.map(view.getX(), remade(view.getX(), builder, mapping, added));
  added.push_back(builder.clone(*view, mapping));
  return added.back()->getResult(0);
}

Operation *BlockRematerializer::cloneKernel(KernelOp kernel, OpBuilder &builder,
                                            IRMapping &mapping) {
  for (Value operand : kernel->getOperands())
    mapping.map(operand, remade(operand, builder, mapping, added));
  Operation *clone = builder.clone(*kernel, mapping);
  costs[clone] = costs.lookup(kernel);
  return clone;
}

void BlockRematerializer::undo(ArrayRef<std::pair<OpOperand *, Value>> old) {
  for (auto [use, value] : old)
    use->set(value);
  for (Operation *op : llvm::reverse(added)) {
    costs.erase(op);
    op->erase();
  }
}

/// Computes the value again, for its readers from there on; takes that back if it does not
/// help.
bool BlockRematerializer::apply(const Candidate &candidate) {
  int64_t before = excess();
  OpBuilder builder(ops[size_t(candidate.to)]);
  IRMapping mapping;
  added.clear();
  for (KernelOp kernel : candidate.kernels)
    added.push_back(cloneKernel(kernel, builder, mapping));
  SmallVector<OpOperand *> late;
  forEachStorageUse(candidate.value, [&](OpOperand &use) {
    if (!llvm::is_contained(added, use.getOwner()) && stepOf(use.getOwner()) >= candidate.to)
      late.push_back(&use);
  });
  SmallVector<std::pair<OpOperand *, Value>> old;
  for (OpOperand *use : late) {
    old.push_back({use, use->get()});
    use->set(remade(use->get(), builder, mapping, added));
  }
  analyze();
  if (excess() < before)
    return true;
  undo(old);
  analyze();
  return false;
}

/// Until no step needs more than the target, or nothing helps.
int64_t BlockRematerializer::reduce() {
  int64_t count = 0;
  while (excess() > 0) {
    std::optional<Candidate> found = best();
    if (!found)
      break;
    Operation *reader = ops[size_t(found->to)];
    if (apply(*found))
      count += int64_t(found->kernels.size());
    else
      refused.insert({found->value, reader});
  }
  return count;
}

/// Two values may have been computed again from the same one, each by a chain of its own. Where the
/// target allows to keep what the first chain made, the second is left out.
int64_t BlockRematerializer::merge(int64_t budget) {
  int64_t count = 0;
  SmallVector<KernelOp> seen;
  for (Operation *op : SmallVector<Operation *>(ops)) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || llvm::is_contained(kernel->getUsers(), block.getTerminator()))
      continue;
    auto same = llvm::find_if(seen, [&](KernelOp earlier) {
      return earlier->getOperands() == kernel->getOperands() &&
             OperationEquivalence::isEquivalentTo(earlier, kernel,
                                                  OperationEquivalence::IgnoreLocations);
    });
    if (same == seen.end() || !replace(kernel, *same, budget)) {
      seen.push_back(kernel);
      continue;
    }
    costs.erase(kernel);
    kernel->erase();
    analyze();
    count++;
  }
  return count;
}

/// Lets the readers of one kernel read another's results; not if the budget does not allow it.
bool BlockRematerializer::replace(KernelOp kernel, KernelOp by, int64_t budget) {
  SmallVector<std::pair<OpOperand *, Value>> old;
  for (auto [value, other] : llvm::zip(kernel->getResults(), by->getResults()))
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      old.push_back({&use, value});
      use.set(other);
    }
  analyze();
  if (excess() == 0 && arenaBytes() <= budget)
    return true;
  for (auto [use, value] : old)
    use->set(value);
  analyze();
  return false;
}

/// Values that fit together by their bytes may still leave gaps between them: then the target
/// is set lower.
int64_t BlockRematerializer::run(int64_t budget) {
  int64_t count = 0;
  target = budget;
  for (int round = 0; round < 8; round++) {
    count += reduce();
    int64_t over = arenaBytes() - budget;
    if (excess() > 0)
      break;
    if (over <= 0)
      return count - merge(budget);
    target -= over;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// What a body may take is left of the share where its loop or if runs.
void Rematerialize::visit(Block &block, int64_t share, KernelCosts &costs) {
  SmallVector<Operation *> owners;
  for (Operation &op : block)
    if (isa<LoopOp, IfOp>(op))
      owners.push_back(&op);
  for (Operation *op : owners) {
    int64_t around = BlockRematerializer(block, costs).aliveAround(op);
    for (Region &region : op->getRegions())
      visit(region.front(), std::max<int64_t>(share - around, 0), costs);
  }
  numAgain += BlockRematerializer(block, costs).run(share);
}

void Rematerialize::runOnOperation() {
  func::FuncOp function = getOperation();
  if (budget <= 0 || function.isExternal() || !function.getBody().hasOneBlock())
    return;
  FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
  if (failed(shapes))
    return signalPassFailure();
  if (shapes->numSymbols() > 0)
    return; // memory planning tells
  KernelCosts costs;
  function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    auto value = [](AffineExpr expr) { return double(cast<AffineConstantExpr>(expr).getValue()); };
    costs[kernel] = std::max(value(flopsOf(kernel.getBody(), *shapes)),
                             flopsPerByte * value(tenon::bytesOf(kernel, *shapes)));
    return WalkResult::skip();
  });
  visit(function.getBody().front(), budget, costs);
  function.walk([](ReshapeOp view) {
    if (view->use_empty())
      view->erase();
  });
}
