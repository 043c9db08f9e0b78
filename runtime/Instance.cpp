//===- Instance.cpp - the state of one run --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of sizes, with checks for overflow, and resolution of slots.
//
//===----------------------------------------------------------------------===//
#include "runtime/Instance.h"

#include "runtime/Status.h"

#include <algorithm>
#include <string>

using namespace tenon::runtime;

Instance::Instance(const Plan &plan) : plan(plan), generation(plan.device->generation()) {
  const tenon_program &program = *plan.program;
  size_t arguments = size_t(program.num_inputs) + size_t(program.num_outputs);
  wanted.resize(size_t(program.num_symbols));
  candidates.resize(arguments);
  inputBytes.resize(size_t(program.num_inputs));
  outputBytes.resize(size_t(program.num_outputs));
  inPlace.resize(size_t(program.num_outputs));
  addresses.resize(size_t(program.num_slots));
  operands.resize(size_t(plan.mostSlots));
  saved.resize(size_t(plan.savedAddresses));
  order.reserve(arguments);
  values.resize(plan.exprs.size());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static std::string describe(const tenon_program &program, const ExprUse &use) {
  auto kernel = [&] {
    const char *name = program.kernels[use.owner].name;
    return "kernel '" + std::string(name ? name : "") + "'";
  };
  std::string owner = std::to_string(use.owner);
  std::string part = std::to_string(use.part);
  switch (use.role) {
  case ExprRole::Arena:
    return "size of the arena";
  case ExprRole::SlotOffset:
    return "offset of slot " + owner;
  case ExprRole::InputExtent:
    return "extent " + part + " of input '" + program.inputs[use.owner].name + "'";
  case ExprRole::OutputExtent:
    return "extent " + part + " of output '" + program.outputs[use.owner].name + "'";
  case ExprRole::ScratchShared:
  case ExprRole::ScratchPerWorker:
    return "scratch of " + kernel();
  case ExprRole::LaunchExtent:
    return "extent " + part + " of " + kernel();
  case ExprRole::LaunchSize:
    return "size of buffer " + part + " of " + kernel();
  case ExprRole::CopySize:
    return "size of a copy";
  case ExprRole::Trips:
    return "number of trips of a loop";
  case ExprRole::CarriedSize:
    return "size of carried value " + owner;
  case ExprRole::ScanStride:
    return "stride of scanned value " + owner;
  }
  return "a size";
}

static tenon_status sizeError(const Plan &plan, const ExprScope &scope, const std::string &what,
                              const char *reason) {
  std::string symbols;
  for (int64_t i = 0; i < plan.program->num_symbols; ++i)
    symbols +=
        (i ? ", s" : " for s") + std::to_string(i) + " = " + std::to_string(scope.symbols[i]);
  return tenon_status_make(TENON_ERROR_SHAPE, "%s %s%s", what.c_str(), reason, symbols.c_str());
}

/// Launch extents are the kernel's own business; all else is a size.
static bool mayBeNegative(ExprRole role) { return role == ExprRole::LaunchExtent; }

static tenon_status evaluateUse(const Plan &plan, const ExprScope &scope, const ExprUse &use,
                                int64_t &value) {
  const char *reason = evaluateExpr(*use.expr, scope, value);
  if (!reason && value < 0 && !mayBeNegative(use.role))
    reason = "is negative";
  if (!reason)
    return nullptr;
  return sizeError(plan, scope, describe(*plan.program, use), reason);
}

static bool holds(int64_t kind, int64_t left, int64_t right) {
  if (kind == TENON_CHECK_EQUAL)
    return left == right;
  if (kind == TENON_CHECK_AT_LEAST)
    return left >= right;
  return right == 0 ? left == 0 : left % right == 0;
}

tenon_status tenon::runtime::checkExtents(const Plan &plan, const ExprScope &scope) {
  static const char *const relations[] = {"an extent of ", "an extent of at least ",
                                          "a multiple of "};
  const tenon_program &program = *plan.program;
  for (int64_t i = 0; i < program.num_checks; ++i) {
    const tenon_check &check = program.checks[i];
    std::string what = check.what ? check.what : "";
    int64_t left = 0, right = 0;
    const char *reason = evaluateExpr(check.left, scope, left);
    if (!reason)
      reason = evaluateExpr(check.right, scope, right);
    if (reason)
      return sizeError(plan, scope, what + ": an extent", reason);
    if (!holds(check.kind, left, right))
      return tenon_status_make(TENON_ERROR_SHAPE, "%s: expected %s%" PRId64 ", got %" PRId64,
                               what.c_str(), relations[check.kind], right, left);
  }
  return nullptr;
}

tenon_status Instance::evaluateExprs(int64_t threads) {
  ExprScope scope{wanted.data(), threads};
  TENON_TRY(checkExtents(plan, scope));
  for (size_t i = 0; i < values.size(); ++i)
    TENON_TRY(evaluateUse(plan, scope, plan.exprs[i], values[i]));
  return nullptr;
}

tenon_status Instance::portBytes(const tenon_port *ports, const std::vector<PortPlan> &plans,
                                 const char *kind, std::vector<int64_t> &bytes) {
  for (size_t i = 0; i < plans.size(); ++i) {
    int64_t size = dtypeSize(ports[i].dtype);
    bool empty = false, overflow = false;
    for (int64_t d = 0; d < ports[i].rank; ++d) {
      int64_t extent = value(plans[i].extents + d);
      empty |= extent == 0;
      overflow |= __builtin_mul_overflow(size, extent, &size);
    }
    if (overflow && !empty)
      return sizeError(plan, {wanted.data(), 1},
                       std::string("size of ") + kind + " '" + ports[i].name + "'",
                       "overflows 64 bits");
    bytes[i] = empty ? 0 : size;
  }
  return nullptr;
}

/// Rounds up to whole cache lines; false on overflow.
static bool roundUp(int64_t &bytes) {
  constexpr int64_t mask = platform::blockAlignment - 1;
  if (__builtin_add_overflow(bytes, mask, &bytes))
    return false;
  bytes &= ~mask;
  return true;
}

tenon_status Instance::sizeScratch(int64_t threads) {
  scratchBytes = 0;
  for (int64_t kernel : plan.usedKernels) {
    int64_t &shared = values[size_t(plan.scratchShared[size_t(kernel)])];
    int64_t &worker = values[size_t(plan.scratchPerWorker[size_t(kernel)])];
    // Whole cache lines keep workers apart and each part aligned.
    int64_t total;
    if (!roundUp(shared) || !roundUp(worker) || __builtin_mul_overflow(worker, threads, &total) ||
        __builtin_add_overflow(total, shared, &total))
      return sizeError(plan, {wanted.data(), threads},
                       describe(*plan.program, {nullptr, ExprRole::ScratchShared, kernel, 0}),
                       "overflows 64 bits");
    scratchBytes = std::max(scratchBytes, total);
  }
  return nullptr;
}

tenon_status Instance::checkLoop(const LoopPlan &loop) {
  for (auto [a, b] : loop.sameSize)
    if (value(loop.carried[size_t(a)].size) != value(loop.carried[size_t(b)].size))
      return tenon_status_make(TENON_ERROR_ARGUMENT,
                               "program '%s': carried values %" PRId64 " and %" PRId64
                               " of a loop trade storage but differ in size",
                               plan.program->name ? plan.program->name : "", a, b);
  for (const ScannedPlan &scanned : loop.scanned) {
    int64_t total;
    if (__builtin_mul_overflow(value(scanned.stride), value(loop.trips), &total))
      return sizeError(plan, {wanted.data(), 1}, "size of a scanned value", "overflows 64 bits");
  }
  if (!loop.entangled)
    return nullptr;
  int64_t total = 0;
  for (const CarriedPlan &carried : loop.carried) {
    int64_t size = value(carried.size);
    if (!roundUp(size) || __builtin_add_overflow(total, size, &total))
      return sizeError(plan, {wanted.data(), 1}, "size of carried values", "overflows 64 bits");
  }
  temporaryBytes = std::max(temporaryBytes, total);
  return nullptr;
}

tenon_status Instance::checkSizes() {
  const tenon_program &program = *plan.program;
  TENON_TRY(portBytes(program.inputs, plan.inputs, "input", inputBytes));
  TENON_TRY(portBytes(program.outputs, plan.outputs, "output", outputBytes));
  arenaBytes = value(plan.arena);
  for (int64_t slot : plan.fixedSlots)
    if (program.slots[slot].kind == TENON_SLOT_ARENA &&
        value(plan.slotOffsets[size_t(slot)]) > arenaBytes)
      return tenon_status_make(TENON_ERROR_ARGUMENT,
                               "program '%s': slot %" PRId64 " lies at offset %" PRId64
                               " of an arena of %" PRId64 " bytes",
                               program.name ? program.name : "", slot,
                               value(plan.slotOffsets[size_t(slot)]), arenaBytes);
  if (!roundUp(arenaBytes))
    return sizeError(plan, {wanted.data(), 1}, "size of the arena", "overflows 64 bits");
  return nullptr;
}

tenon_status Instance::evaluateAll(int64_t threads) {
  evaluatedThreads = 0;
  TENON_TRY(evaluateExprs(threads));
  TENON_TRY(checkSizes());
  TENON_TRY(sizeScratch(threads));
  temporaryBytes = 0;
  for (const LoopPlan *loop : plan.loops)
    TENON_TRY(checkLoop(*loop));
  symbols = wanted;
  evaluatedThreads = threads;
  repeatable = false;
  fixedStale = true; // addresses depend on the sizes
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memory and addresses
//===----------------------------------------------------------------------===//

tenon_status Instance::reserve() {
  int64_t wantedArena;
  if (__builtin_add_overflow(arenaBytes, temporaryBytes, &wantedArena))
    return sizeError(plan, scope(), "size of the arena", "overflows 64 bits");
  if (wantedArena > arena.bytes()) {
    fixedStale = true;
    TENON_TRY(plan.device->allocate(wantedArena, arena));
  }
  if (scratchBytes > scratch.bytes())
    TENON_TRY(plan.device->allocate(scratchBytes, scratch));
  env.scratch = static_cast<unsigned char *>(scratch.address());
  env.num_workers = evaluatedThreads;
  if (!fixedStale)
    return nullptr;
  temporary = static_cast<char *>(arena.address()) + arenaBytes;
  for (int64_t slot : plan.fixedSlots)
    resolve(slot);
  fixedStale = false;
  argumentsStale = true;
  return nullptr;
}

void Instance::resolve(int64_t index) {
  const tenon_program &program = *plan.program;
  const tenon_slot &slot = program.slots[index];
  char *address = nullptr;
  int64_t offset = 0;
  switch (slot.kind) {
  case TENON_SLOT_INPUT:
    address = arguments[size_t(slot.index)].address;
    break;
  case TENON_SLOT_OUTPUT:
    address = arguments[size_t(program.num_inputs + slot.index)].address;
    break;
  case TENON_SLOT_CONSTANT:
    address = static_cast<char *>(const_cast<void *>(slot.data));
    if (!plan.device->hostMemory()) {
      address = static_cast<char *>(loaded->constants.address());
      offset = loaded->constantOffsets[size_t(index)];
    }
    break;
  case TENON_SLOT_ARENA:
    address = static_cast<char *>(arena.address());
    offset = value(plan.slotOffsets[size_t(index)]);
    break;
  case TENON_SLOT_VIEW:
    address = addresses[size_t(slot.index)];
    offset = value(plan.slotOffsets[size_t(index)]);
    break;
  }
  addresses[size_t(index)] = address + offset;
}

void Instance::bindArguments() {
  arguments = candidates;
  argumentsStale = false;
  repeatable = false;
  const tenon_program &program = *plan.program;
  for (int64_t slot : plan.argumentSlots)
    resolve(slot);
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    int64_t input = program.outputs[i].donates;
    const Extent &output = arguments[size_t(program.num_inputs + i)];
    inPlace[size_t(i)] =
        input >= 0 && output.bytes > 0 && output.address == arguments[size_t(input)].address;
  }
}

tenon_status tenon::runtime::evaluateOutputExtents(const Plan &plan, const ExprScope &scope,
                                                   int64_t index, int64_t *extents) {
  int64_t rank = plan.program->outputs[index].rank;
  for (int64_t d = 0; d < rank; ++d)
    TENON_TRY(evaluateUse(plan, scope, plan.exprs[size_t(plan.outputs[size_t(index)].extents + d)],
                          extents[d]));
  return nullptr;
}
