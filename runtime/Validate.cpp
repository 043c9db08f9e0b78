//===- Validate.cpp - checks of a program ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions, index ranges, expressions, and the rules for loops and ifs.
//
//===----------------------------------------------------------------------===//
#include "runtime/Validate.h"

#include "runtime/Expr.h"
#include "runtime/Status.h"

#include <set>
#include <string>
#include <vector>

using namespace tenon::runtime;

namespace {

class Validator {
public:
  explicit Validator(const tenon_program &program) : program(program) {}

  tenon_status run() {
    TENON_TRY(checkTables());
    TENON_TRY(checkPorts());
    TENON_TRY(checkSlots());
    TENON_TRY(checkKernels());
    TENON_TRY(checkExpression(program.arena_bytes, "arena_bytes"));
    TENON_TRY(checkChecks());
    return checkSteps(program.steps, program.num_steps, "step ", 0);
  }

private:
  tenon_status fail(const std::string &where, const std::string &what) {
    return tenon_status_make(TENON_ERROR_ARGUMENT, "program '%s': %s %s",
                             program.name ? program.name : "", where.c_str(), what.c_str());
  }

  tenon_status checkIndex(int64_t index, int64_t count, const std::string &where,
                          const char *kind) {
    if (index >= 0 && index < count)
      return nullptr;
    return fail(where, "refers to " + std::string(kind) + " " + std::to_string(index) + " of " +
                           std::to_string(count));
  }

  tenon_status checkExpression(const tenon_expr &expr, const std::string &where) {
    if (const char *reason = checkExpr(expr, program.num_symbols))
      return fail(where, reason);
    return nullptr;
  }

  tenon_status checkTable(int64_t count, const void *entries, const std::string &where) {
    if (count >= 0 && (count == 0 || entries))
      return nullptr;
    return fail(where, "has " + std::to_string(count) + " entries and no table to match");
  }

  tenon_status checkTables();
  tenon_status checkPorts();
  tenon_status checkPort(const tenon_port &port, const std::string &where);
  tenon_status checkDonation(const tenon_port &port, const std::string &where);
  tenon_status checkSlots();
  tenon_status checkViewCycle(int64_t slot);
  tenon_status checkKernels();
  tenon_status checkDispatch(const tenon_dispatch &dispatch, const std::string &where);
  tenon_status checkDispatches(const tenon_step &step, const std::string &where);
  tenon_status checkChecks();
  tenon_status checkSteps(const tenon_step *steps, int64_t count, const std::string &prefix,
                          int64_t depth);
  tenon_status checkSlotList(const tenon_step &step, const std::string &where);
  tenon_status checkLaunch(const tenon_step &step, const std::string &where);
  tenon_status checkCopy(const tenon_step &step, const std::string &where);
  tenon_status checkLoop(const tenon_step &step, const std::string &where, int64_t depth);
  tenon_status checkIf(const tenon_step &step, const std::string &where, int64_t depth);
  tenon_status checkCarried(const tenon_step &step, const std::string &where);
  tenon_status checkScanned(const tenon_step &step, const std::string &where);

  tenon_status checkSlotIndex(int64_t slot, const std::string &where) {
    return checkIndex(slot, program.num_slots, where, "slot");
  }

  const tenon_program &program;
  std::set<int64_t> donated; ///< inputs taken so far
};

} // namespace

tenon_status Validator::checkTables() {
  if (program.num_symbols < 0)
    return fail("num_symbols", "is negative");
  TENON_TRY(checkTable(program.num_inputs, program.inputs, "inputs"));
  TENON_TRY(checkTable(program.num_outputs, program.outputs, "outputs"));
  TENON_TRY(checkTable(program.num_kernels, program.kernels, "kernels"));
  TENON_TRY(checkTable(program.num_slots, program.slots, "slots"));
  TENON_TRY(checkTable(program.num_checks, program.checks, "checks"));
  return checkTable(program.num_steps, program.steps, "steps");
}

tenon_status Validator::checkPort(const tenon_port &port, const std::string &where) {
  if (!port.name)
    return fail(where, "has no name");
  if (dtypeSize(port.dtype) == 0)
    return fail(where, "has unknown dtype " + std::to_string(port.dtype));
  if (port.rank < 0 || port.rank > maxRank)
    return fail(where, "has rank " + std::to_string(port.rank) + "; expected 0 to " +
                           std::to_string(maxRank));
  TENON_TRY(checkTable(port.rank, port.extents, where + " extents"));
  for (int64_t d = 0; d < port.rank; ++d) {
    if (port.extents[d].length == 0)
      return fail(where, "has an empty extent");
    TENON_TRY(checkExpression(port.extents[d], where + " extent " + std::to_string(d)));
  }
  return nullptr;
}

tenon_status Validator::checkDonation(const tenon_port &port, const std::string &where) {
  if (port.donates == -1)
    return nullptr;
  TENON_TRY(checkIndex(port.donates, program.num_inputs, where, "input"));
  const tenon_port &input = program.inputs[port.donates];
  if (input.dtype != port.dtype || input.rank != port.rank)
    return fail(where, "donates an input of another dtype or rank");
  if (!donated.insert(port.donates).second)
    return fail(where, "donates an input that another output donates too");
  return nullptr;
}

tenon_status Validator::checkPorts() {
  std::set<int64_t> bound;
  for (int64_t i = 0; i < program.num_inputs; ++i) {
    const tenon_port &port = program.inputs[i];
    TENON_TRY(checkPort(port, "input " + std::to_string(i)));
    int64_t symbol;
    for (int64_t d = 0; d < port.rank; ++d)
      if (isLoneSymbol(port.extents[d], symbol))
        bound.insert(symbol);
  }
  for (int64_t i = 0; i < program.num_symbols; ++i)
    if (!bound.count(i))
      return fail("symbol " + std::to_string(i), "is bound by no input");
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    std::string where = "output " + std::to_string(i);
    TENON_TRY(checkPort(program.outputs[i], where));
    TENON_TRY(checkDonation(program.outputs[i], where));
  }
  return nullptr;
}

tenon_status Validator::checkViewCycle(int64_t slot) {
  int64_t at = slot;
  for (int64_t hops = 0; program.slots[at].kind == TENON_SLOT_VIEW; ++hops) {
    if (hops > program.num_slots)
      return fail("slot " + std::to_string(slot), "is a view of itself");
    at = program.slots[at].index;
  }
  return nullptr;
}

tenon_status Validator::checkSlots() {
  for (int64_t i = 0; i < program.num_slots; ++i) {
    const tenon_slot &slot = program.slots[i];
    std::string where = "slot " + std::to_string(i);
    TENON_TRY(checkExpression(slot.offset, where + " offset"));
    switch (slot.kind) {
    case TENON_SLOT_INPUT:
      TENON_TRY(checkIndex(slot.index, program.num_inputs, where, "input"));
      break;
    case TENON_SLOT_OUTPUT:
      TENON_TRY(checkIndex(slot.index, program.num_outputs, where, "output"));
      break;
    case TENON_SLOT_CONSTANT:
      if (!slot.data)
        return fail(where, "is a constant without data");
      if (slot.bytes < 0)
        return fail(where, "is a constant of " + std::to_string(slot.bytes) + " bytes");
      break;
    case TENON_SLOT_ARENA:
      break;
    case TENON_SLOT_VIEW:
      TENON_TRY(checkSlotIndex(slot.index, where));
      break;
    default:
      return fail(where, "has unknown kind " + std::to_string(slot.kind));
    }
  }
  for (int64_t i = 0; i < program.num_slots; ++i)
    TENON_TRY(checkViewCycle(i));
  return nullptr;
}

tenon_status Validator::checkKernels() {
  for (int64_t i = 0; i < program.num_kernels; ++i) {
    const tenon_kernel_desc &kernel = program.kernels[i];
    std::string where = "kernel " + std::to_string(i);
    TENON_TRY(checkTable(kernel.num_dispatches, kernel.dispatches, where + " dispatches"));
    if (!kernel.function && kernel.num_dispatches == 0)
      return fail(where, "has neither function nor dispatches");
    if (kernel.function && kernel.num_dispatches > 0)
      return fail(where, "has both function and dispatches");
    if (kernel.num_results < 0)
      return fail(where, "has " + std::to_string(kernel.num_results) + " results");
    for (int64_t d = 0; d < kernel.num_dispatches; ++d)
      TENON_TRY(checkDispatch(kernel.dispatches[d], where + " dispatch " + std::to_string(d)));
    TENON_TRY(checkExpression(kernel.flops, where + " flops"));
    TENON_TRY(checkExpression(kernel.bytes, where + " bytes"));
    TENON_TRY(checkExpression(kernel.scratch_shared, where + " scratch"));
    TENON_TRY(checkExpression(kernel.scratch_per_worker, where + " scratch"));
  }
  return nullptr;
}

tenon_status Validator::checkDispatch(const tenon_dispatch &dispatch, const std::string &where) {
  constexpr int64_t headerBytes = 5 * sizeof(uint32_t);
  if (!dispatch.spirv || dispatch.spirv_bytes < headerBytes || dispatch.spirv_bytes % 4 != 0)
    return fail(where, "has no module of SPIR-V");
  if (!dispatch.entry)
    return fail(where, "has no entry point");
  return checkTable(dispatch.num_bindings, dispatch.bindings, where + " bindings");
}

/// What the dispatches of a launched kernel refer to.
tenon_status Validator::checkDispatches(const tenon_step &step, const std::string &where) {
  const tenon_kernel_desc &kernel = program.kernels[step.kernel];
  if (kernel.num_dispatches > 0 && step.num_slots > 0 && !step.sizes)
    return fail(where, "has no sizes");
  for (int64_t d = 0; d < kernel.num_dispatches; ++d) {
    const tenon_dispatch &dispatch = kernel.dispatches[d];
    std::string what = where + " dispatch " + std::to_string(d);
    for (int64_t b = 0; b < dispatch.num_bindings; ++b)
      if (dispatch.bindings[b] != TENON_BINDING_SCRATCH)
        TENON_TRY(checkIndex(dispatch.bindings[b], step.num_slots, what, "buffer"));
    for (const tenon_expr &groups : dispatch.groups)
      if (const char *reason = checkExpr(groups, step.num_extents))
        return fail(what + " workgroups", reason);
  }
  return nullptr;
}

tenon_status Validator::checkChecks() {
  for (int64_t i = 0; i < program.num_checks; ++i) {
    const tenon_check &check = program.checks[i];
    std::string where = "check " + std::to_string(i);
    if (check.kind < TENON_CHECK_EQUAL || check.kind > TENON_CHECK_MULTIPLE)
      return fail(where, "has unknown kind " + std::to_string(check.kind));
    TENON_TRY(checkExpression(check.left, where));
    TENON_TRY(checkExpression(check.right, where));
  }
  return nullptr;
}

tenon_status Validator::checkSlotList(const tenon_step &step, const std::string &where) {
  TENON_TRY(checkTable(step.num_slots, step.slots, where + " slots"));
  for (int64_t i = 0; i < step.num_slots; ++i)
    TENON_TRY(checkSlotIndex(step.slots[i], where));
  return nullptr;
}

tenon_status Validator::checkLaunch(const tenon_step &step, const std::string &where) {
  TENON_TRY(checkIndex(step.kernel, program.num_kernels, where, "kernel"));
  TENON_TRY(checkSlotList(step, where));
  if (program.kernels[step.kernel].num_results > step.num_slots)
    return fail(where, "has fewer slots than its kernel has results");
  for (int64_t i = 0; step.sizes && i < step.num_slots; ++i)
    TENON_TRY(checkExpression(step.sizes[i], where + " size " + std::to_string(i)));
  TENON_TRY(checkTable(step.num_extents, step.extents, where + " extents"));
  for (int64_t i = 0; i < step.num_extents; ++i)
    TENON_TRY(checkExpression(step.extents[i], where + " extent " + std::to_string(i)));
  return checkDispatches(step, where);
}

tenon_status Validator::checkCopy(const tenon_step &step, const std::string &where) {
  if (step.num_slots != 2)
    return fail(where, "is a copy with " + std::to_string(step.num_slots) + " slots; expected 2");
  TENON_TRY(checkSlotList(step, where));
  return checkExpression(step.size, where + " size");
}

tenon_status Validator::checkCarried(const tenon_step &step, const std::string &where) {
  std::set<int64_t> bodies, nexts;
  for (int64_t i = 0; i < step.num_carried; ++i) {
    const tenon_carried &carried = step.carried[i];
    std::string what = where + " carried value " + std::to_string(i);
    for (int64_t slot : {carried.init, carried.body_slot, carried.next_slot, carried.result})
      TENON_TRY(checkSlotIndex(slot, what));
    TENON_TRY(checkExpression(carried.size, what + " size"));
    for (int64_t slot : {carried.body_slot, carried.next_slot}) {
      int64_t kind = program.slots[slot].kind;
      if (kind != TENON_SLOT_ARENA && kind != TENON_SLOT_OUTPUT)
        return fail(what, "moves through slot " + std::to_string(slot) +
                              ", which is neither arena nor output");
    }
    if (!bodies.insert(carried.body_slot).second)
      return fail(what, "has the body slot of another carried value");
    if (!nexts.insert(carried.next_slot).second)
      return fail(what, "has the next slot of another carried value");
  }
  return nullptr;
}

tenon_status Validator::checkScanned(const tenon_step &step, const std::string &where) {
  std::set<int64_t> bodies;
  for (int64_t i = 0; i < step.num_scanned; ++i) {
    const tenon_scanned &scanned = step.scanned[i];
    std::string what = where + " scanned value " + std::to_string(i);
    TENON_TRY(checkSlotIndex(scanned.base, what));
    TENON_TRY(checkSlotIndex(scanned.body_slot, what));
    TENON_TRY(checkExpression(scanned.stride, what + " stride"));
    if (program.slots[scanned.body_slot].kind != TENON_SLOT_VIEW)
      return fail(what, "has a body slot that is not a view");
    if (!bodies.insert(scanned.body_slot).second)
      return fail(what, "has the body slot of another scanned value");
    // The base is read each trip: were it the view, offsets would add up.
    if (scanned.base == scanned.body_slot)
      return fail(what, "is a view of itself");
  }
  return nullptr;
}

tenon_status Validator::checkLoop(const tenon_step &step, const std::string &where, int64_t depth) {
  if (depth >= maxLoopDepth)
    return fail(where, "nests loops too deep");
  TENON_TRY(checkExpression(step.trips, where + " trips"));
  TENON_TRY(checkTable(step.num_carried, step.carried, where + " carried"));
  TENON_TRY(checkTable(step.num_scanned, step.scanned, where + " scanned"));
  TENON_TRY(checkTable(step.num_body, step.body, where + " body"));
  if (step.index_slot != -1)
    TENON_TRY(checkSlotIndex(step.index_slot, where + " index"));
  TENON_TRY(checkCarried(step, where));
  TENON_TRY(checkScanned(step, where));
  return checkSteps(step.body, step.num_body, where + ".", depth + 1);
}

tenon_status Validator::checkIf(const tenon_step &step, const std::string &where, int64_t depth) {
  if (depth >= maxLoopDepth)
    return fail(where, "nests ifs too deep");
  TENON_TRY(checkSlotIndex(step.condition_slot, where + " condition"));
  TENON_TRY(checkTable(step.num_body, step.body, where + " body"));
  TENON_TRY(checkTable(step.num_else, step.else_body, where + " else body"));
  TENON_TRY(checkSteps(step.body, step.num_body, where + ".", depth + 1));
  return checkSteps(step.else_body, step.num_else, where + ".else.", depth + 1);
}

tenon_status Validator::checkSteps(const tenon_step *steps, int64_t count,
                                   const std::string &prefix, int64_t depth) {
  for (int64_t i = 0; i < count; ++i) {
    const tenon_step &step = steps[i];
    std::string where = prefix + std::to_string(i);
    switch (step.kind) {
    case TENON_STEP_LAUNCH:
      TENON_TRY(checkLaunch(step, where));
      break;
    case TENON_STEP_COPY:
      TENON_TRY(checkCopy(step, where));
      break;
    case TENON_STEP_LOOP:
      TENON_TRY(checkLoop(step, where, depth));
      break;
    case TENON_STEP_IF:
      TENON_TRY(checkIf(step, where, depth));
      break;
    default:
      return fail(where, "has unknown kind " + std::to_string(step.kind));
    }
  }
  return nullptr;
}

tenon_status tenon::runtime::validateProgram(const tenon_program &program) {
  if (program.abi_version != TENON_ABI_VERSION)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "program of ABI version %" PRId64 "; this runtime takes version %d",
                             program.abi_version, TENON_ABI_VERSION);
  return Validator(program).run();
}
