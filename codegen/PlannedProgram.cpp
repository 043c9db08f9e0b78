//===- PlannedProgram.cpp - From a planned function to a program ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/PlannedProgram.h"

#include "passes/Cost.h"
#include "passes/InPlace.h"

using namespace mlir;

namespace tenon {

namespace {

class Builder {
public:
  Builder(func::FuncOp function, const SymbolicShapes &shapes, ArrayRef<KernelCode> codes)
      : function(function), shapes(shapes), codes(codes), result(std::make_unique<Program>()) {}

  std::unique_ptr<Program> run();

private:
  int64_t addSlot(const tenon_slot &slot) {
    slots.push_back(slot);
    return int64_t(slots.size()) - 1;
  }
  int64_t slotOf(Value value);
  /// The slot an attribute names; equal ones are one slot. `views` are those of the
  /// loop whose body is at hand.
  int64_t slotOf(Attribute attribute, ArrayRef<int64_t> views);
  void setSlots(Operation *op, ArrayRef<int64_t> views);

  SmallVector<tenon_step> build(Block &block, ArrayRef<int64_t> views);
  tenon_step launch(KernelOp kernel);
  tenon_step copy(KernelOp kernel);
  tenon_step loop(LoopOp loop);
  tenon_step branch(IfOp op, ArrayRef<int64_t> views);
  tenon_step step(tenon_step_kind kind);
  void addKernel(KernelOp kernel, const KernelCode &code);
  const tenon_dispatch *dispatches(const KernelCode &code);

  func::FuncOp function;
  const SymbolicShapes &shapes;
  ArrayRef<KernelCode> codes;
  std::unique_ptr<Program> result;
  SmallVector<tenon_slot> slots;
  SmallVector<tenon_kernel_desc> kernels;
  DenseMap<Value, int64_t> slotOfValue; // by storage
  DenseMap<Attribute, int64_t> slotOfAttribute;
};

} // namespace

SmallVector<KernelOp> kernelsOf(func::FuncOp function) {
  SmallVector<KernelOp> kernels;
  function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    if (!isCopy(kernel))
      kernels.push_back(kernel);
    return WalkResult::skip();
  });
  return kernels;
}

std::string kernelName(KernelOp kernel) {
  std::string name = kernel.getStrategy().str();
  unsigned shown = 0;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ConstantOp>(op))
      continue;
    if (shown++ == 8)
      return name + " ...";
    name += (shown == 1 ? ": " : " ") + op.getName().stripDialect().str();
  }
  return name;
}

static std::string locationOf(KernelOp kernel) {
  std::string text;
  for (Operation &op : kernel.getBody().front()) {
    auto name = dyn_cast<NameLoc>(op.getLoc());
    if (!name || text.find(name.getName().getValue()) != std::string::npos)
      continue;
    text += (text.empty() ? "" : ", ") + name.getName().str();
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

int64_t Builder::slotOf(Value value) {
  Value storage = storageOf(value);
  auto [it, isNew] = slotOfValue.try_emplace(storage, 0);
  if (!isNew)
    return it->second;
  auto constant = storage.getDefiningOp<ConstantOp>();
  assert(constant && "a value without a slot");
  ArrayRef<char> bytes = result->bytes(cast<DenseElementsAttr>(constant.getValue()));
  tenon_slot slot{TENON_SLOT_CONSTANT, 0, bytes.data(), int64_t(bytes.size()),
                  result->size(int64_t(0))};
  return it->second = addSlot(slot);
}

int64_t Builder::slotOf(Attribute attribute, ArrayRef<int64_t> views) {
  auto slot = dyn_cast<SlotAttr>(attribute);
  if (!slot)
    return -1;
  if (slot.getKind() == SlotKind::view)
    return views[slot.getValue()];
  auto [it, isNew] = slotOfAttribute.try_emplace(attribute, 0);
  if (!isNew)
    return it->second;
  if (slot.getKind() == SlotKind::output)
    return it->second =
               addSlot({TENON_SLOT_OUTPUT, slot.getValue(), nullptr, 0, result->size(int64_t(0))});
  AffineExpr offset = getAffineConstantExpr(slot.getValue(), slot.getContext());
  if (slot.getOffset())
    offset = slot.getOffset().getResult(0) + offset;
  return it->second = addSlot({TENON_SLOT_ARENA, 0, nullptr, 0, result->size(offset)});
}

void Builder::setSlots(Operation *op, ArrayRef<int64_t> views) {
  auto attributes = op->getAttrOfType<ArrayAttr>("tenon.slots");
  assert(attributes && "memory has not been planned");
  for (auto [value, attribute] : llvm::zip(op->getResults(), attributes))
    slotOfValue[value] = slotOf(attribute, views);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

tenon_step Builder::step(tenon_step_kind kind) {
  tenon_step step{};
  step.kind = kind;
  step.index_slot = -1;
  step.size = step.trips = result->size(int64_t(0));
  return step;
}

const tenon_dispatch *Builder::dispatches(const KernelCode &code) {
  SmallVector<tenon_dispatch> all;
  for (const KernelCode::Dispatch &each : code.dispatches) {
    tenon_expr groups = result->size(each.groups ? each.groups : each.grid[0]);
    auto with = [&](tenon_expr_op op) { // groups op mostGroups
      SmallVector<tenon_expr_code> codes(groups.code, groups.code + groups.length);
      codes.append({{TENON_EXPR_CONST, each.mostGroups}, {op, 0}});
      return tenon_expr{result->copy<tenon_expr_code>(codes), int64_t(codes.size())};
    };
    tenon_dispatch &made =
        all.emplace_back(tenon_dispatch{result->copy(each.spirv),
                                        int64_t(each.spirv.size() * sizeof(uint32_t)),
                                        result->text(each.entry),
                                        int64_t(each.bindings.size()),
                                        result->copy(each.bindings),
                                        {groups, {}, {}},
                                        each.subgroupSize,
                                        each.usesFragments});
    if (!each.groups) {
      made.groups[1] = result->size(each.grid[1]);
      made.groups[2] = result->size(each.grid[2]);
      continue;
    }
    made.groups[0] = with(TENON_EXPR_MIN);
    made.groups[1] = with(TENON_EXPR_CEILDIV);
    made.groups[2] = result->size(int64_t(1));
  }
  return result->copy<tenon_dispatch>(all);
}

void Builder::addKernel(KernelOp kernel, const KernelCode &code) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Value> buffers(kernel->getOperands());
  llvm::append_range(buffers, kernel->getResults());
  SmallVector<AffineExpr> extents = shapes.dynamicExtents(buffers);
  auto inProgram = [&](AffineExpr expr) {
    return result->size(expr ? expr.replaceSymbols(extents) : getAffineConstantExpr(0, context));
  };
  kernels.push_back({result->text(kernelName(kernel)), result->text(locationOf(kernel)),
                     code.function, result->size(flopsOf(kernel.getBody(), shapes)),
                     result->size(bytesOf(kernel, shapes)), inProgram(code.scratchShared),
                     inProgram(code.scratchPerWorker), kernel->getNumResults(),
                     int64_t(code.dispatches.size()), dispatches(code)});
}

tenon_step Builder::launch(KernelOp kernel) {
  tenon_step step = this->step(TENON_STEP_LAUNCH);
  step.kernel = kernels.size();
  addKernel(kernel, codes[kernels.size()]);
  SmallVector<int64_t> operands;
  SmallVector<Value> buffers(kernel->getOperands());
  llvm::append_range(buffers, kernel->getResults());
  SmallVector<tenon_expr> sizes, extents;
  for (Value buffer : buffers) {
    operands.push_back(slotOf(buffer));
    sizes.push_back(result->size(shapes.bytes(buffer)));
  }
  for (AffineExpr extent : shapes.dynamicExtents(buffers))
    extents.push_back(result->size(extent));
  step.num_slots = operands.size();
  step.slots = result->copy<int64_t>(operands);
  step.sizes = result->copy<tenon_expr>(sizes);
  step.num_extents = extents.size();
  step.extents = result->copy<tenon_expr>(extents);
  return step;
}

tenon_step Builder::copy(KernelOp kernel) {
  tenon_step step = this->step(TENON_STEP_COPY);
  step.num_slots = 2;
  step.slots = result->copy<int64_t>({slotOf(kernel.getResult(0)), slotOf(kernel.getOperand(0))});
  step.size = result->size(shapes.bytes(kernel.getResult(0)));
  return step;
}

tenon_step Builder::loop(LoopOp loop) {
  tenon_step step = this->step(TENON_STEP_LOOP);
  Block &body = loop.getBody().front();
  unsigned numCarried = loop.getCarried().size(), numScanned = loop.getScanned().size();
  tenon_expr zero = result->size(int64_t(0));
  SmallVector<int64_t> views;
  SmallVector<tenon_scanned> scanned;
  auto addView = [&](Value whole) {
    AffineExpr stride = getAffineConstantExpr(1, loop.getContext());
    for (AffineExpr extent : shapes.extents(whole).drop_front())
      stride = stride * extent;
    stride = stride * elementBytes(cast<RankedTensorType>(whole.getType()).getElementType());
    int64_t base = slotOf(whole);
    views.push_back(addSlot({TENON_SLOT_VIEW, base, nullptr, 0, zero}));
    scanned.push_back({base, views.back(), result->size(stride)});
  };
  for (Value whole : loop.getScanned())
    addView(whole);
  for (Value whole : loop->getResults().drop_front(numCarried))
    addView(whole);

  auto arguments = loop->getAttrOfType<ArrayAttr>("tenon.body_slots");
  for (auto [argument, attribute] : llvm::zip(body.getArguments(), arguments))
    slotOfValue[argument] = slotOf(attribute, views);
  for (auto [argument, value] :
       llvm::zip(body.getArguments().drop_front(1 + numCarried + numScanned), loop.getInvariant()))
    slotOfValue[argument] = slotOf(value);
  SmallVector<tenon_step> steps = build(body, views);

  SmallVector<tenon_carried> carried;
  for (unsigned i = 0; i < numCarried; i++)
    carried.push_back({slotOf(loop.getCarried()[i]), slotOf(body.getArgument(1 + i)),
                       slotOf(body.getTerminator()->getOperand(i)), slotOf(loop->getResult(i)),
                       result->size(shapes.bytes(loop->getResult(i)))});
  step.trips = result->size(int64_t(loop.getTrips()));
  step.reverse = loop.getReverse();
  step.index_slot = slotOfValue.lookup(loop.getIndex());
  step.num_carried = carried.size();
  step.carried = result->copy<tenon_carried>(carried);
  step.num_scanned = scanned.size();
  step.scanned = result->copy<tenon_scanned>(scanned);
  step.num_body = steps.size();
  step.body = result->copy<tenon_step>(steps);
  return step;
}

tenon_step Builder::branch(IfOp op, ArrayRef<int64_t> views) {
  tenon_step step = this->step(TENON_STEP_IF);
  step.condition_slot = slotOf(op.getCondition());
  auto steps = [&](bool isThen, int64_t &count) {
    Block &body = op.getBranch(isThen);
    for (auto [argument, used] : llvm::zip(body.getArguments(), op.getUsed()))
      slotOfValue[argument] = slotOf(used);
    SmallVector<tenon_step> built = build(body, views);
    count = built.size();
    return result->copy<tenon_step>(built);
  };
  step.body = steps(true, step.num_body);
  step.else_body = steps(false, step.num_else);
  return step;
}

SmallVector<tenon_step> Builder::build(Block &block, ArrayRef<int64_t> views) {
  SmallVector<tenon_step> steps;
  for (Operation &op : block) {
    auto kernel = dyn_cast<KernelOp>(op);
    auto loop = dyn_cast<LoopOp>(op);
    auto branch = dyn_cast<IfOp>(op);
    if (!kernel && !loop && !branch)
      continue;
    setSlots(&op, views);
    steps.push_back(branch           ? this->branch(branch, views)
                    : loop           ? this->loop(loop)
                    : isCopy(kernel) ? copy(kernel)
                                     : launch(kernel));
  }
  return steps;
}

std::unique_ptr<Program> Builder::run() {
  result->setPorts(function, shapes);
  for (BlockArgument argument : function.getArguments())
    slotOfValue[argument] =
        addSlot({TENON_SLOT_INPUT, argument.getArgNumber(), nullptr, 0, result->size(int64_t(0))});
  SmallVector<tenon_step> steps = build(function.getBody().front(), {});
  tenon_program &program = result->program;
  program.num_kernels = kernels.size();
  program.kernels = result->copy<tenon_kernel_desc>(kernels);
  program.num_slots = slots.size();
  program.slots = result->copy<tenon_slot>(slots);
  program.num_steps = steps.size();
  program.steps = result->copy<tenon_step>(steps);
  Attribute arena = function->getAttr("tenon.arena");
  program.arena_bytes = isa<IntegerAttr>(arena)
                            ? result->size(cast<IntegerAttr>(arena).getInt())
                            : result->size(cast<AffineMapAttr>(arena).getValue().getResult(0));
  return std::move(result);
}

std::unique_ptr<Program> buildProgram(func::FuncOp function, const SymbolicShapes &shapes,
                                      ArrayRef<KernelCode> codes) {
  return Builder(function, shapes, codes).run();
}

} // namespace tenon
