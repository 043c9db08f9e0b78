//===- Plan.cpp - a program made ready to run -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a valid program once.
//
//===----------------------------------------------------------------------===//
#include "runtime/Plan.h"

#include "runtime/Expr.h"
#include "runtime/Status.h"
#include "runtime/platform/Platform.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tenon::runtime;

namespace {

class Planner {
public:
  Planner(const tenon_program &program, Device &device) : program(program) {
    plan.program = &program;
    plan.device = &device;
  }

  Plan run() {
    plan.arena = add(program.arena_bytes, ExprRole::Arena, 0, 0);
    planPorts(program.inputs, program.num_inputs, ExprRole::InputExtent, plan.inputs);
    planPorts(program.outputs, program.num_outputs, ExprRole::OutputExtent, plan.outputs);
    bindSymbols();
    planSlots();
    for (int64_t i = 0; i < program.num_kernels; ++i) {
      const tenon_kernel_desc &kernel = program.kernels[i];
      plan.scratchShared.push_back(add(kernel.scratch_shared, ExprRole::ScratchShared, i, 0));
      plan.scratchPerWorker.push_back(
          add(kernel.scratch_per_worker, ExprRole::ScratchPerWorker, i, 0));
    }
    plan.steps = planSteps(program.steps, program.num_steps);
    plan.usedKernels.assign(used.begin(), used.end());
    return std::move(plan);
  }

private:
  ValueIndex add(const tenon_expr &expr, ExprRole role, int64_t owner, int64_t part) {
    plan.exprs.push_back({&expr, role, owner, part});
    return ValueIndex(plan.exprs.size()) - 1;
  }

  void planPorts(const tenon_port *ports, int64_t count, ExprRole role,
                 std::vector<PortPlan> &plans);
  void bindSymbols();
  void planSlots();
  void visitSlot(int64_t slot, std::vector<int64_t> &state);
  int64_t rootOf(int64_t slot) const;
  using Storage = std::pair<int64_t, int64_t>; ///< kind and index
  Storage storageOf(int64_t slot) const;
  bool dependsOn(int64_t slot, const std::set<int64_t> &moving) const;

  std::vector<StepPlan> planSteps(const tenon_step *steps, int64_t count);
  LaunchPlan planLaunch(const tenon_step &step);
  std::unique_ptr<LoopPlan> planLoop(const tenon_step &step);
  std::unique_ptr<IfPlan> planIf(const tenon_step &step);
  void planRotations(LoopPlan &loop);
  void findEntanglement(LoopPlan &loop);
  void findMovingViews(LoopPlan &loop);
  std::vector<int64_t> donatedOutputs(const StepPlan &step) const;

  const tenon_program &program;
  Plan plan;
  std::vector<int64_t> slotOrder; ///< bases before views
  std::set<int64_t> used;         ///< kernels
};

} // namespace

void Planner::planPorts(const tenon_port *ports, int64_t count, ExprRole role,
                        std::vector<PortPlan> &plans) {
  for (int64_t i = 0; i < count; ++i) {
    PortPlan port{ValueIndex(plan.exprs.size()), true};
    for (int64_t d = 0; d < ports[i].rank; ++d) {
      const tenon_expr &expr = ports[i].extents[d];
      add(expr, role, i, d);
      port.isStatic &= expr.length == 1 && expr.code[0].op == TENON_EXPR_CONST;
    }
    plans.push_back(port);
  }
}

void Planner::bindSymbols() {
  std::set<int64_t> bound;
  int64_t symbol;
  for (int64_t i = 0; i < program.num_inputs; ++i)
    for (int64_t d = 0; d < program.inputs[i].rank; ++d)
      if (isLoneSymbol(program.inputs[i].extents[d], symbol) && bound.insert(symbol).second)
        plan.bindings.push_back({i, d, symbol});
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

int64_t Planner::rootOf(int64_t slot) const {
  while (program.slots[slot].kind == TENON_SLOT_VIEW)
    slot = program.slots[slot].index;
  return slot;
}

void Planner::visitSlot(int64_t slot, std::vector<int64_t> &state) {
  // Chains of views may be long: climb to the first base that is done, then
  // place the chain from there.
  std::vector<int64_t> chain;
  while (!state[size_t(slot)]) {
    state[size_t(slot)] = 1;
    chain.push_back(slot);
    if (program.slots[slot].kind != TENON_SLOT_VIEW)
      break;
    slot = program.slots[slot].index;
  }
  slotOrder.insert(slotOrder.end(), chain.rbegin(), chain.rend());
}

void Planner::planSlots() {
  std::vector<int64_t> state(size_t(program.num_slots), 0);
  for (int64_t i = 0; i < program.num_slots; ++i) {
    plan.slotOffsets.push_back(add(program.slots[i].offset, ExprRole::SlotOffset, i, 0));
    visitSlot(i, state);
  }
  for (int64_t slot : slotOrder) {
    int64_t kind = program.slots[rootOf(slot)].kind;
    bool argument = kind == TENON_SLOT_INPUT || kind == TENON_SLOT_OUTPUT;
    (argument ? plan.argumentSlots : plan.fixedSlots).push_back(slot);
  }
}

bool Planner::dependsOn(int64_t slot, const std::set<int64_t> &moving) const {
  while (program.slots[slot].kind == TENON_SLOT_VIEW) {
    slot = program.slots[slot].index;
    if (moving.count(slot))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LaunchPlan Planner::planLaunch(const tenon_step &step) {
  LaunchPlan launch;
  launch.kernel = step.kernel;
  launch.function = program.kernels[step.kernel].function;
  launch.slots = step.slots;
  launch.numSlots = step.num_slots;
  launch.extents = ValueIndex(plan.exprs.size());
  for (int64_t i = 0; i < step.num_extents; ++i)
    add(step.extents[i], ExprRole::LaunchExtent, step.kernel, i);
  launch.numExtents = step.num_extents;
  launch.sizes = ValueIndex(plan.exprs.size());
  if (!plan.device->hostMemory() && step.sizes)
    for (int64_t i = 0; i < step.num_slots; ++i)
      add(step.sizes[i], ExprRole::LaunchSize, step.kernel, i);
  launch.scratchShared = plan.scratchShared[size_t(step.kernel)];
  launch.scratchPerWorker = plan.scratchPerWorker[size_t(step.kernel)];
  plan.mostSlots = std::max(plan.mostSlots, step.num_slots);
  used.insert(step.kernel);
  return launch;
}

/// Values move all at once along next -> body. Each chain of moves that does
/// not close ends in a next slot that is nobody's body: it takes the address
/// that falls free at the other end.
void Planner::planRotations(LoopPlan &loop) {
  std::map<int64_t, int64_t> bodyOfNext;
  std::set<int64_t> bodies;
  for (const CarriedPlan &carried : loop.carried) {
    if (carried.body == carried.next)
      continue;
    loop.rotations.push_back({carried.body, carried.next});
    bodyOfNext[carried.next] = carried.body;
    bodies.insert(carried.body);
  }
  for (auto [next, body] : bodyOfNext) {
    if (bodies.count(next))
      continue;
    int64_t head = body;
    for (auto it = bodyOfNext.find(head); it != bodyOfNext.end(); it = bodyOfNext.find(head))
      head = it->second;
    loop.rotations.push_back({next, head});
  }
  loop.savedAddresses = plan.savedAddresses;
  plan.savedAddresses += 2 * int64_t(loop.rotations.size());
}

/// A donated input and the output that may lie in its place are one.
Planner::Storage Planner::storageOf(int64_t slot) const {
  int64_t root = rootOf(slot);
  const tenon_slot &base = program.slots[root];
  if (base.kind == TENON_SLOT_INPUT)
    return {TENON_SLOT_INPUT, base.index};
  if (base.kind != TENON_SLOT_OUTPUT)
    return {base.kind, root};
  int64_t input = program.outputs[base.index].donates;
  return input < 0 ? Storage(TENON_SLOT_OUTPUT, base.index) : Storage(TENON_SLOT_INPUT, input);
}

void Planner::findEntanglement(LoopPlan &loop) {
  int64_t count = int64_t(loop.carried.size());
  std::map<int64_t, int64_t> bodies; // body slot -> carried value
  std::map<Storage, int64_t> homes;  // storage -> carried value that uses it
  for (int64_t i = 0; i < count; ++i) {
    bodies[loop.carried[size_t(i)].body] = i;
    homes[storageOf(loop.carried[size_t(i)].body)] = i;
  }
  for (int64_t i = 0; i < count; ++i) {
    auto body = bodies.find(loop.carried[size_t(i)].next);
    if (body != bodies.end() && body->second != i)
      loop.sameSize.push_back({i, body->second});
  }
  for (int64_t i = 0; i < count; ++i) {
    const CarriedPlan &carried = loop.carried[size_t(i)];
    auto next = homes.insert({storageOf(carried.next), i}).first;
    loop.entangled |= next->second != i;
  }
  for (int64_t i = 0; i < count; ++i) {
    const CarriedPlan &carried = loop.carried[size_t(i)];
    for (int64_t slot : {carried.init, carried.result}) {
      auto home = homes.find(storageOf(slot));
      loop.entangled |= home != homes.end() && home->second != i;
    }
  }
}

void Planner::findMovingViews(LoopPlan &loop) {
  std::set<int64_t> moving, scanned;
  for (const Rotation &rotation : loop.rotations)
    moving.insert(rotation.slot);
  for (const ScannedPlan &scan : loop.scanned) {
    moving.insert(scan.body);
    scanned.insert(scan.body);
  }
  if (moving.empty())
    return;
  for (int64_t slot : slotOrder)
    if (!scanned.count(slot) && dependsOn(slot, moving))
      loop.views.push_back(slot);
}

std::unique_ptr<LoopPlan> Planner::planLoop(const tenon_step &step) {
  auto loop = std::make_unique<LoopPlan>();
  loop->trips = add(step.trips, ExprRole::Trips, 0, 0);
  loop->reverse = step.reverse != 0;
  loop->indexSlot = step.index_slot;
  for (int64_t i = 0; i < step.num_carried; ++i) {
    const tenon_carried &carried = step.carried[i];
    loop->carried.push_back({carried.init, carried.body_slot, carried.next_slot, carried.result,
                             add(carried.size, ExprRole::CarriedSize, i, 0)});
  }
  for (int64_t i = 0; i < step.num_scanned; ++i) {
    const tenon_scanned &scanned = step.scanned[i];
    loop->scanned.push_back(
        {scanned.base, scanned.body_slot, add(scanned.stride, ExprRole::ScanStride, i, 0)});
  }
  planRotations(*loop);
  findEntanglement(*loop);
  findMovingViews(*loop);
  plan.loops.push_back(loop.get());
  loop->body = planSteps(step.body, step.num_body);
  return loop;
}

std::unique_ptr<IfPlan> Planner::planIf(const tenon_step &step) {
  auto branch = std::make_unique<IfPlan>();
  branch->condition = step.condition_slot;
  branch->bodies[0] = planSteps(step.body, step.num_body);
  branch->bodies[1] = planSteps(step.else_body, step.num_else);
  return branch;
}

/// Which operands of a launch are results is not known here; but an output is
/// first mentioned by whoever writes it, so a mention counts as a write.
std::vector<int64_t> Planner::donatedOutputs(const StepPlan &step) const {
  std::set<int64_t> outputs;
  auto mention = [&](int64_t slot) {
    const tenon_slot &root = program.slots[rootOf(slot)];
    if (root.kind == TENON_SLOT_OUTPUT && program.outputs[root.index].donates >= 0)
      outputs.insert(root.index);
  };
  if (step.kind == TENON_STEP_LAUNCH)
    std::for_each(step.launch.slots, step.launch.slots + step.launch.numSlots, mention);
  else if (step.kind == TENON_STEP_COPY)
    mention(step.copy.target);
  else if (step.kind == TENON_STEP_IF) {
    for (const std::vector<StepPlan> &body : step.branch->bodies)
      for (const StepPlan &inner : body)
        outputs.insert(inner.donated.begin(), inner.donated.end());
  } else {
    for (const CarriedPlan &carried : step.loop->carried)
      for (int64_t slot : {carried.body, carried.next, carried.result})
        mention(slot);
    for (const StepPlan &inner : step.loop->body)
      outputs.insert(inner.donated.begin(), inner.donated.end());
  }
  return {outputs.begin(), outputs.end()};
}

std::vector<StepPlan> Planner::planSteps(const tenon_step *steps, int64_t count) {
  std::vector<StepPlan> plans;
  for (int64_t i = 0; i < count; ++i) {
    const tenon_step &step = steps[i];
    StepPlan planned;
    planned.kind = step.kind;
    if (step.kind == TENON_STEP_LAUNCH)
      planned.launch = planLaunch(step);
    else if (step.kind == TENON_STEP_COPY)
      planned.copy = {step.slots[0], step.slots[1], add(step.size, ExprRole::CopySize, 0, 0)};
    else if (step.kind == TENON_STEP_IF)
      planned.branch = planIf(step);
    else
      planned.loop = planLoop(step);
    planned.donated = donatedOutputs(planned);
    plans.push_back(std::move(planned));
  }
  return plans;
}

Plan tenon::runtime::makePlan(const tenon_program &program, Device &device) {
  return Planner(program, device).run();
}

static tenon_status uploadConstants(const Plan &plan, Loaded &loaded) {
  constexpr int64_t mask = platform::blockAlignment - 1;
  const tenon_program &program = *plan.program;
  int64_t total = 0;
  for (int64_t i = 0; i < program.num_slots; ++i) {
    loaded.constantOffsets.push_back(total);
    if (program.slots[i].kind == TENON_SLOT_CONSTANT)
      total += (program.slots[i].bytes + mask) & ~mask;
  }
  if (total == 0)
    return nullptr;
  TENON_TRY(plan.device->allocate(total, loaded.constants));
  for (int64_t i = 0; i < program.num_slots; ++i) {
    const tenon_slot &slot = program.slots[i];
    char *address =
        static_cast<char *>(loaded.constants.address()) + loaded.constantOffsets[size_t(i)];
    if (slot.kind == TENON_SLOT_CONSTANT && slot.bytes > 0)
      TENON_TRY(plan.device->write(address, slot.data, slot.bytes));
  }
  return nullptr;
}

tenon_status tenon::runtime::load(const Plan &plan, Loaded &loaded) {
  loaded.generation = plan.device->generation();
  TENON_TRY(plan.device->load(*plan.program, loaded.kernels));
  return uploadConstants(plan, loaded);
}
