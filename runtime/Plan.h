//===- Plan.h - a program made ready to run ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be worked out from a program alone, once: the list of all its size
// expressions (a step refers to them by place), the order in which slots are
// resolved, and how the slots of a loop trade addresses.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_PLAN_H
#define TENON_RUNTIME_PLAN_H

#include "runtime/Device.h"

#include <memory>
#include <vector>

namespace tenon::runtime {

/// What an expression is for; only messages ask.
enum class ExprRole {
  Arena,
  SlotOffset,
  InputExtent,
  OutputExtent,
  ScratchShared,
  ScratchPerWorker,
  LaunchExtent,
  LaunchSize,
  CopySize,
  Trips,
  CarriedSize,
  ScanStride,
};

struct ExprUse {
  const tenon_expr *expr;
  ExprRole role;
  int64_t owner; ///< index of the slot, port, kernel or carried value
  int64_t part;  ///< dimension or extent
};

/// Index into the values of an instance.
using ValueIndex = int64_t;

struct Symbolic {
  int64_t input, dimension, symbol;
};

struct PortPlan {
  ValueIndex extents; ///< rank of them in a row
  bool isStatic;      ///< all extents are constants
};

struct LaunchPlan {
  tenon_kernel function;
  int64_t kernel;
  const int64_t *slots;
  int64_t numSlots;
  int64_t numExtents;
  ValueIndex extents;
  ValueIndex sizes; ///< bytes of each slot, for streams
  ValueIndex scratchShared, scratchPerWorker;
};

struct CopyPlan {
  int64_t target, source;
  ValueIndex size;
};

/// After a trip, `slot` takes the address that `from` had in it.
struct Rotation {
  int64_t slot, from;
};

struct CarriedPlan {
  int64_t init, body, next, result;
  ValueIndex size;
};

struct ScannedPlan {
  int64_t base, body;
  ValueIndex stride;
};

struct StepPlan;

struct LoopPlan {
  ValueIndex trips;
  bool reverse;
  int64_t indexSlot;
  std::vector<CarriedPlan> carried;
  std::vector<ScannedPlan> scanned;
  std::vector<Rotation> rotations;
  /// Where the instance keeps addresses for this loop: as they were before it,
  /// then a place to rotate through, `rotations.size()` of each.
  int64_t savedAddresses;
  /// Pairs of carried values that trade storage and so must agree in size.
  std::vector<std::pair<int64_t, int64_t>> sameSize;
  /// Some carried value starts or ends where another one lives: contents move
  /// by way of a temporary.
  bool entangled = false;
  /// Views to resolve again when rotated or scanned slots move, bases first.
  std::vector<int64_t> views;
  std::vector<StepPlan> body;
};

struct IfPlan {
  int64_t condition;
  std::vector<StepPlan> bodies[2]; ///< of true, of false
};

struct StepPlan {
  int64_t kind; ///< tenon_step_kind
  LaunchPlan launch{};
  CopyPlan copy{};
  std::unique_ptr<LoopPlan> loop;
  std::unique_ptr<IfPlan> branch;
  /// Outputs with a donated input that this step writes or may write.
  std::vector<int64_t> donated;
};

struct Plan {
  const tenon_program *program;
  Device *device;
  std::vector<ExprUse> exprs;
  ValueIndex arena;
  std::vector<Symbolic> bindings; ///< one per symbol, its first use
  std::vector<PortPlan> inputs, outputs;
  std::vector<ValueIndex> slotOffsets;
  /// Slots in an order that puts bases before views: those that depend on the
  /// arguments of a run, and the others.
  std::vector<int64_t> argumentSlots, fixedSlots;
  std::vector<StepPlan> steps;
  std::vector<int64_t> usedKernels;
  std::vector<const LoopPlan *> loops;
  /// Per kernel, its scratch sizes.
  std::vector<ValueIndex> scratchShared, scratchPerWorker;
  int64_t mostSlots = 0;      ///< of a launch
  int64_t savedAddresses = 0; ///< of all loops
};

/// Makes the plan of a valid program.
Plan makePlan(const tenon_program &program, Device &device);

/// A program on a device that does not see the host's memory. It is lost with the device.
struct Loaded {
  int64_t generation = 0; ///< of the device
  std::unique_ptr<DeviceProgram> kernels;
  DeviceMemory constants;
  std::vector<int64_t> constantOffsets; ///< of each slot
};

/// Brings kernels and constants to the device.
tenon_status load(const Plan &plan, Loaded &loaded);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_PLAN_H
