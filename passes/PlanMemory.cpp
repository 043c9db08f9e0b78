//===- PlanMemory.cpp - Decide where values lie ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First orders the ops of every block and inserts copies where a value has to lie
// in a place of its own; then numbers the ops, gives results slots and lays the arena
// out.
//
//===----------------------------------------------------------------------===//
#include "passes/ArenaLayout.h"
#include "passes/InPlace.h"
#include "passes/KernelOrder.h"
#include "passes/Lifetimes.h"
#include "passes/Passes.h"
#include "passes/SymbolicShapes.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Passes.h.inc"

namespace {

/// A slot whose offset in the arena is not known yet.
struct Place {
  SlotKind kind;
  int64_t value;     ///< output, view
  int64_t block = 0; ///< arena: index of its block
};

class MemoryPlanner {
public:
  MemoryPlanner(func::FuncOp function, const SymbolicShapes &shapes,
                const KernelStrategies &strategies)
      : function(function), shapes(shapes), strategies(strategies), context(function.getContext()),
        lifetimes(function.getBody().front()) {}

  void run();
  int64_t numInPlace = 0;

private:
  int64_t addBlock(AffineExpr bytes, int64_t begin, int64_t end) {
    blocks.push_back({bytes, begin, end, {}});
    return int64_t(blocks.size()) - 1;
  }
  void placeBlock(Block &block);
  void placeKernel(KernelOp kernel);
  void placeLoop(LoopOp loop);
  void placeCarried(LoopOp loop, unsigned index);
  void placeIf(IfOp op);
  bool reuseOperand(KernelOp kernel, OpResult result, DenseSet<int64_t> &taken);
  bool reuseInitial(LoopOp loop, unsigned index);
  void setPlace(Value value, Place place) { places[storageOf(value)] = place; }
  Attribute slotOf(Value value);
  void record(Block &block);

  func::FuncOp function;
  const SymbolicShapes &shapes;
  const KernelStrategies &strategies;
  MLIRContext *context;
  Lifetimes lifetimes;
  DenseMap<Value, Place> places;
  SmallVector<ArenaBlock> blocks;
};

struct PlanMemory : impl::PlanMemoryPassBase<PlanMemory> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override;

  LogicalResult checkOps();
  LogicalResult checkBudget();
  LogicalResult orderFunction();
  void orderBodies(Block &block);
  void orderBody(LoopOp loop);
  void isolate(Block &block, function_ref<bool(OpOperand &)> keep);
  OpResult copy(Operation *terminator, Value value);

  const KernelStrategies *strategies = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

LogicalResult PlanMemory::checkOps() {
  WalkResult result = getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (isa<func::FuncOp, func::ReturnOp, LoopOp, IfOp, YieldOp, ConstantOp, ReshapeOp>(op))
      return WalkResult::advance();
    op->emitOpError("stands outside of a kernel: memory is planned after form-kernels");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

OpResult PlanMemory::copy(Operation *terminator, Value value) {
  OpBuilder builder(terminator);
  Location location = terminator->getLoc();
  auto kernel = builder.create<KernelOp>(location, TypeRange{value.getType()}, ValueRange{value},
                                         builder.getStringAttr(copyStrategy));
  Block *body = builder.createBlock(&kernel.getBody(), {}, {value.getType()}, {location});
  builder.create<YieldOp>(location, ValueRange{body->getArgument(0)});
  ++numCopies;
  return kernel->getResult(0);
}

/// Gives each operand of the terminator storage of its own, which an op of the block
/// fills; `keep` says where that is not called for.
void PlanMemory::isolate(Block &block, function_ref<bool(OpOperand &)> keep) {
  Operation *terminator = block.getTerminator();
  DenseSet<Value> taken;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (keep(operand))
      continue;
    Value storage = storageOf(operand.get());
    Operation *maker = storage.getDefiningOp();
    bool own = maker && maker->getBlock() == &block && !isa<ConstantOp>(maker);
    if (!own || !taken.insert(storage).second)
      operand.set(copy(terminator, operand.get()));
  }
}

LogicalResult PlanMemory::orderFunction() {
  func::FuncOp function = getOperation();
  Block &block = function.getBody().front();
  isolate(block, [](OpOperand &) { return false; });
  KernelOrder order(block, *strategies);
  Operation *terminator = block.getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto donates = function.getResultAttrOfType<IntegerAttr>(i, "tenon.donates");
    if (!donates)
      continue;
    Value argument = function.getArgument(donates.getInt());
    if (order.overwrite(cast<OpResult>(storageOf(operand.get())), argument))
      continue;
    OpResult last = copy(terminator, operand.get());
    operand.set(last);
    order.add(last.getOwner());
    bool legal = order.overwrite(last, argument);
    assert(legal && "a copy that nobody reads may come last");
    (void)legal;
  }
  order.apply();
  return success();
}

/// Carried values that may be updated in place are marked by `tenon.in_place`.
void PlanMemory::orderBody(LoopOp loop) {
  Block &body = loop.getBody().front();
  unsigned carried = loop.getCarried().size();
  auto argumentOf = [&](OpOperand &operand) {
    return body.getArgument(1 + operand.getOperandNumber());
  };
  auto unchanged = [&](OpOperand &operand) {
    return operand.getOperandNumber() < carried && operand.get() == argumentOf(operand);
  };
  isolate(body, unchanged);
  KernelOrder order(body, *strategies);
  SmallVector<int64_t> inPlace;
  for (OpOperand &operand : body.getTerminator()->getOpOperands().take_front(carried))
    if (unchanged(operand) ||
        order.overwrite(cast<OpResult>(storageOf(operand.get())), argumentOf(operand)))
      inPlace.push_back(operand.getOperandNumber());
  order.apply();
  loop->setAttr("tenon.in_place", DenseI64ArrayAttr::get(loop.getContext(), inPlace));
}

void PlanMemory::orderBodies(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<LoopOp>(op))
      orderBody(loop);
    if (isa<IfOp>(op)) // each body fills the places of the results
      for (Region &region : op.getRegions())
        isolate(region.front(), [](OpOperand &) { return false; });
    if (isa<LoopOp, IfOp>(op))
      for (Region &region : op.getRegions())
        orderBodies(region.front());
  }
}

/// Writes what divides the dynamic extents of kernels on these that can use it.
static void stateMultiples(func::FuncOp function, const SymbolicShapes &shapes) {
  function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    SmallVector<Value> buffers(kernel->getOperands());
    llvm::append_range(buffers, kernel->getResults());
    SmallVector<int64_t> multiples;
    for (AffineExpr extent : shapes.dynamicExtents(buffers))
      multiples.push_back(shapes.divisorOf(extent));
    if (llvm::any_of(multiples, [](int64_t of) { return of != 1; }) && !isCopy(kernel))
      kernel->setAttr(kMultiples, DenseI64ArrayAttr::get(kernel.getContext(), multiples));
    return WalkResult::skip();
  });
}

void PlanMemory::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  if (!function.getBody().hasOneBlock()) {
    function.emitOpError("expected a body of one block");
    return signalPassFailure();
  }
  strategies = kernelStrategiesOf(target, function);
  if (!strategies)
    return signalPassFailure();
  if (failed(checkOps()) || failed(orderFunction()))
    return signalPassFailure();
  orderBodies(function.getBody().front());
  FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
  if (failed(shapes))
    return signalPassFailure();
  stateMultiples(function, *shapes);
  MemoryPlanner planner(function, *shapes, *strategies);
  planner.run();
  numInPlace += planner.numInPlace;
  if (budget > 0 && failed(checkBudget()))
    signalPassFailure();
}

LogicalResult PlanMemory::checkBudget() {
  func::FuncOp function = getOperation();
  auto arena = dyn_cast<IntegerAttr>(function->getAttr("tenon.arena"));
  if (!arena)
    return function.emitError("a memory budget: expected extents that are known when the program "
                              "is compiled");
  if (arena.getInt() <= budget)
    return success();
  return function.emitError("a memory budget of ")
         << int64_t(budget) << " bytes: intermediate values take " << arena.getInt()
         << ", although they are computed again where that helps";
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Takes the storage of an operand that is not needed any more.
bool MemoryPlanner::reuseOperand(KernelOp kernel, OpResult result, DenseSet<int64_t> &taken) {
  if (isCopy(kernel))
    return false;
  int64_t now = lifetimes.of(kernel).first;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
    Value storage = storageOf(input);
    Operation *maker = storage.getDefiningOp();
    auto it = places.find(storage);
    if (!maker || maker->getBlock() != kernel->getBlock() || it == places.end() ||
        it->second.kind != SlotKind::arena || lifetimes.lastUse(storage) != now ||
        taken.contains(it->second.block) || !canOverwrite(result, storage, strategies))
      continue;
    taken.insert(it->second.block);
    ArenaBlock &block = blocks[it->second.block];
    block.end = std::max(block.end, lifetimes.lastUse(result));
    Place place = it->second;
    places[result] = place;
    numInPlace++;
    return true;
  }
  return false;
}

void MemoryPlanner::placeKernel(KernelOp kernel) {
  DenseSet<int64_t> taken;
  for (OpResult result : kernel->getResults()) {
    if (places.contains(result) || reuseOperand(kernel, result, taken))
      continue;
    int64_t block =
        addBlock(shapes.bytes(result), lifetimes.of(kernel).first, lifetimes.lastUse(result));
    places[result] = {SlotKind::arena, 0, block};
  }
}

/// The carried value may live where it starts from if nobody else needs that.
bool MemoryPlanner::reuseInitial(LoopOp loop, unsigned index) {
  Value storage = storageOf(loop.getCarried()[index]);
  Operation *maker = storage.getDefiningOp();
  auto it = places.find(storage);
  if (!maker || maker->getBlock() != loop->getBlock() || it == places.end() ||
      it->second.kind != SlotKind::arena || lifetimes.lastUse(storage) != lifetimes.of(loop).last ||
      !canOverwrite(loop->getResult(index), storage, strategies))
    return false;
  ArenaBlock &block = blocks[it->second.block];
  block.end = std::max(block.end, lifetimes.lastUse(loop->getResult(index)));
  Place place = it->second;
  places[loop->getResult(index)] = place;
  return true;
}

/// The result's slot serves as the body's; the next value goes there, too, or to a
/// second place that the runtime exchanges with it. A result that an outer loop stacks
/// lies in one of that loop's views, which the body cannot name: it moves there at the
/// end.
void MemoryPlanner::placeCarried(LoopOp loop, unsigned index) {
  auto [begin, end] = lifetimes.of(loop);
  OpResult result = loop->getResult(index);
  AffineExpr bytes = shapes.bytes(result);
  if (!places.contains(result) && !reuseInitial(loop, index))
    places[result] = {SlotKind::arena, 0, addBlock(bytes, begin, lifetimes.lastUse(result))};
  Block &body = loop.getBody().front();
  Value argument = body.getArgument(1 + index);
  Place place = places[result];
  if (place.kind == SlotKind::view)
    place = {SlotKind::arena, 0, addBlock(bytes, begin, end)};
  places[argument] = place;
  Value yielded = storageOf(body.getTerminator()->getOperand(index));
  if (yielded == argument)
    return;
  auto inPlace = loop->getAttrOfType<DenseI64ArrayAttr>("tenon.in_place");
  if (!llvm::is_contained(inPlace.asArrayRef(), index))
    place = {SlotKind::arena, 0, addBlock(bytes, begin, end)};
  places[yielded] = place;
}

void MemoryPlanner::placeLoop(LoopOp loop) {
  auto [begin, end] = lifetimes.of(loop);
  unsigned carried = loop.getCarried().size(), scanned = loop.getScanned().size();
  Block &body = loop.getBody().front();
  BlockArgument index = loop.getIndex();
  if (!index.use_empty())
    places[index] = {SlotKind::arena, 0,
                     addBlock(getAffineConstantExpr(sizeof(int64_t), context), begin, end)};
  for (unsigned i = 0; i < carried; i++)
    placeCarried(loop, i);
  for (unsigned i = 0; i < scanned; i++)
    places[body.getArgument(1 + carried + i)] = {SlotKind::view, i};
  for (unsigned i = carried; i < loop->getNumResults(); i++) {
    OpResult result = loop->getResult(i);
    if (!places.contains(result))
      places[result] = {SlotKind::arena, 0,
                        addBlock(shapes.bytes(result), begin, lifetimes.lastUse(result))};
    setPlace(body.getTerminator()->getOperand(i), {SlotKind::view, scanned + i - carried});
  }
  placeBlock(body);
}

/// One body or the other writes the results, to the same places; what they need besides takes the
/// same memory, as their steps have other numbers.
void MemoryPlanner::placeIf(IfOp op) {
  for (OpResult result : op->getResults())
    if (!places.contains(result))
      places[result] = {
          SlotKind::arena, 0,
          addBlock(shapes.bytes(result), lifetimes.of(op).first, lifetimes.lastUse(result))};
  for (bool isThen : {true, false}) {
    Block &body = op.getBranch(isThen);
    for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
      setPlace(value, Place(places[result]));
    placeBlock(body);
  }
}

void MemoryPlanner::placeBlock(Block &block) {
  for (Operation &op : block) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      placeKernel(kernel);
    else if (auto loop = dyn_cast<LoopOp>(op))
      placeLoop(loop);
    else if (auto branch = dyn_cast<IfOp>(op))
      placeIf(branch);
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute MemoryPlanner::slotOf(Value value) {
  auto it = places.find(value);
  if (it == places.end())
    return UnitAttr::get(context); // the index of a loop that does not use it
  const Place &place = it->second;
  if (place.kind != SlotKind::arena)
    return SlotAttr::get(context, place.kind, place.value, AffineMap());
  AffineExpr offset = blocks[place.block].offset;
  if (auto constant = dyn_cast<AffineConstantExpr>(offset))
    return SlotAttr::get(context, place.kind, constant.getValue(), AffineMap());
  return SlotAttr::get(context, place.kind, 0, AffineMap::get(0, shapes.numSymbols(), offset));
}

void MemoryPlanner::record(Block &block) {
  for (Operation &op : block) {
    if (!isa<KernelOp, LoopOp, IfOp>(op))
      continue;
    SmallVector<Attribute> slots;
    for (Value result : op.getResults())
      slots.push_back(slotOf(result));
    op.setAttr("tenon.slots", ArrayAttr::get(context, slots));
    if (isa<IfOp>(op))
      for (Region &region : op.getRegions())
        record(region.front());
    auto loop = dyn_cast<LoopOp>(op);
    if (!loop)
      continue;
    op.removeAttr("tenon.in_place");
    Block &body = loop.getBody().front();
    slots.clear();
    for (Value argument : body.getArguments().drop_back(loop.getInvariant().size()))
      slots.push_back(slotOf(argument));
    op.setAttr("tenon.body_slots", ArrayAttr::get(context, slots));
    record(body);
  }
}

void MemoryPlanner::run() {
  Block &block = function.getBody().front();
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    setPlace(operand.get(), {SlotKind::output, operand.getOperandNumber()});
  placeBlock(block);
  AffineExpr bytes = layoutArena(blocks, context);
  record(block);
  // A number reads better than a map that has no symbols.
  Attribute size = AffineMapAttr::get(AffineMap::get(0, shapes.numSymbols(), bytes));
  if (auto constant = dyn_cast<AffineConstantExpr>(bytes))
    size = Builder(context).getI64IntegerAttr(constant.getValue());
  function->setAttr("tenon.arena", size);
}

} // namespace tenon
