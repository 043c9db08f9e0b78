//===- Schedule.cpp - runs the steps of a program -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter of a plan. Nothing here allocates.
//
//===----------------------------------------------------------------------===//
#include "runtime/Schedule.h"

#include "runtime/Status.h"
#include "runtime/ThreadPool.h"

#include <cstring>

using namespace tenon::runtime;

namespace {

class Scheduler {
public:
  Scheduler(Instance &instance, profiler::Registration &registration)
      : instance(instance), plan(instance.plan), control(instance.control),
        stream(instance.stream.get()), registration(registration) {}

  tenon_status run();
  /// The same on a stream, to its end.
  tenon_status runOnStream();

private:
  tenon_status finishStream();
  tenon_status cancelled() const;
  bool writesInPlace(const StepPlan &step) const;
  void runStep(const StepPlan &step);
  bool isTrue(int64_t slot);
  void runIf(const IfPlan &branch);
  void launch(const LaunchPlan &launch);
  void launchProfiled(const LaunchPlan &launch, const int64_t *extents);
  void launchOnStream(const LaunchPlan &launch);
  void copy(char *target, const char *source, int64_t bytes);

  enum class Trips { All, Interrupted };
  Trips runLoop(const LoopPlan &loop, bool mayEnd);
  void enterTrip(const LoopPlan &loop, int64_t trip, int64_t trips);
  void rotate(const LoopPlan &loop);
  void resolveViews(const LoopPlan &loop) {
    for (int64_t slot : loop.views)
      instance.resolve(slot);
  }
  void initialise(const LoopPlan &loop);
  void finish(const LoopPlan &loop);
  void moveThroughTemporary(const LoopPlan &loop, const int64_t CarriedPlan::*from,
                            const int64_t CarriedPlan::*to, bool restoreBetween);
  void restore(const LoopPlan &loop);

  char *address(int64_t slot) const { return instance.addresses[size_t(slot)]; }

  Instance &instance;
  const Plan &plan;
  RunControl &control;
  Stream *stream; ///< null where kernels are functions
  profiler::Registration &registration;
  int64_t tripsDone = -1, tripsWanted = 0; ///< of the loop that was interrupted
  bool branched = false;                   ///< at a value that the device computed
};

} // namespace

//===----------------------------------------------------------------------===//
// Launches and copies
//===----------------------------------------------------------------------===//

/// A count for the profile; one too large to express is not worth an error.
static int64_t costOf(const tenon_expr &expr, const ExprScope &scope) {
  int64_t value = 0;
  return evaluateExpr(expr, scope, value) ? INT64_MAX : value;
}

void Scheduler::launchProfiled(const LaunchPlan &launch, const int64_t *extents) {
  const tenon_kernel_desc &kernel = plan.program->kernels[launch.kernel];
  profiler::Launch event;
  event.kernel = launch.kernel;
  event.begin = platform::nanoseconds();
  launch.function(&instance.env, instance.operands.data(), extents);
  event.end = platform::nanoseconds();
  event.flops = costOf(kernel.flops, instance.scope());
  event.bytes = costOf(kernel.bytes, instance.scope());
  profiler::record(*plan.program, registration, event);
}

void Scheduler::launchOnStream(const LaunchPlan &launch) {
  int64_t scratchBytes = instance.value(launch.scratchShared) +
                         instance.value(launch.scratchPerWorker) * instance.env.num_workers;
  int64_t flops = 0, bytes = 0;
  if (profiler::enabled() || stream->wantsCosts()) {
    const tenon_kernel_desc &kernel = plan.program->kernels[launch.kernel];
    flops = costOf(kernel.flops, instance.scope());
    bytes = costOf(kernel.bytes, instance.scope());
  }
  control.fail(stream->launch({launch.kernel, launch.numSlots, instance.operands.data(),
                               instance.valuesFrom(launch.sizes), launch.numExtents,
                               instance.valuesFrom(launch.extents), instance.env.scratch,
                               scratchBytes, flops, bytes}));
}

void Scheduler::launch(const LaunchPlan &launch) {
  void **operands = instance.operands.data();
  for (int64_t i = 0; i < launch.numSlots; ++i)
    operands[i] = address(launch.slots[i]);
  if (stream)
    return launchOnStream(launch);
  control.kernel = &plan.program->kernels[launch.kernel];
  instance.env.scratch_shared = instance.value(launch.scratchShared);
  instance.env.scratch_per_worker = instance.value(launch.scratchPerWorker);
  const int64_t *extents = instance.valuesFrom(launch.extents);
  if (profiler::enabled())
    return launchProfiled(launch, extents);
  launch.function(&instance.env, operands, extents);
}

namespace {
struct HostCopy {
  char *target;
  const char *source;
};
} // namespace

static void copySlice(tenon_env *, void *context, int64_t begin, int64_t end, int64_t) {
  const auto *ranges = static_cast<const HostCopy *>(context);
  std::memcpy(ranges->target + begin, ranges->source + begin, size_t(end - begin));
}

void Scheduler::copy(char *target, const char *source, int64_t bytes) {
  if (target == source || bytes == 0)
    return;
  if (stream)
    return control.fail(stream->copy(target, source, bytes));
  // One core does not fill the memory bus.
  constexpr int64_t slice = int64_t(256) << 10;
  HostCopy ranges{target, source};
  parallelFor(&instance.env, copySlice, &ranges, bytes, slice);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Copies every `from` to its `to` by way of the temporary, for where one
/// value's source is another's target.
void Scheduler::moveThroughTemporary(const LoopPlan &loop, const int64_t CarriedPlan::*from,
                                     const int64_t CarriedPlan::*to, bool restoreBetween) {
  constexpr int64_t mask = platform::blockAlignment - 1;
  char *place = instance.temporary;
  for (const CarriedPlan &carried : loop.carried) {
    int64_t bytes = instance.value(carried.size);
    copy(place, address(carried.*from), bytes);
    place += (bytes + mask) & ~mask;
  }
  if (restoreBetween)
    restore(loop);
  place = instance.temporary;
  for (const CarriedPlan &carried : loop.carried) {
    int64_t bytes = instance.value(carried.size);
    copy(address(carried.*to), place, bytes);
    place += (bytes + mask) & ~mask;
  }
}

void Scheduler::initialise(const LoopPlan &loop) {
  if (loop.entangled)
    return moveThroughTemporary(loop, &CarriedPlan::init, &CarriedPlan::body, false);
  for (const CarriedPlan &carried : loop.carried)
    copy(address(carried.body), address(carried.init), instance.value(carried.size));
}

/// Gives slots the addresses that they had before the loop.
void Scheduler::restore(const LoopPlan &loop) {
  char **saved = instance.saved.data() + loop.savedAddresses;
  for (size_t i = 0; i < loop.rotations.size(); ++i)
    instance.addresses[size_t(loop.rotations[i].slot)] = saved[i];
  resolveViews(loop);
}

/// Brings the carried values from where the last trip left them to their
/// results.
void Scheduler::finish(const LoopPlan &loop) {
  if (loop.entangled)
    return moveThroughTemporary(loop, &CarriedPlan::body, &CarriedPlan::result, true);
  // Bodies of distinct carried values share nothing here, so that they can be
  // put right one by one.
  char **last = instance.saved.data() + loop.savedAddresses + loop.rotations.size();
  for (size_t i = 0; i < loop.rotations.size(); ++i)
    last[i] = address(loop.rotations[i].slot);
  restore(loop);
  size_t rotation = 0; // the bodies come first, in the order of carried values
  for (const CarriedPlan &carried : loop.carried) {
    const char *source = carried.body == carried.next ? address(carried.body) : last[rotation++];
    copy(address(carried.result), source, instance.value(carried.size));
  }
}

void Scheduler::rotate(const LoopPlan &loop) {
  size_t count = loop.rotations.size();
  char **taken = instance.saved.data() + loop.savedAddresses + count;
  for (size_t i = 0; i < count; ++i)
    taken[i] = address(loop.rotations[i].from);
  for (size_t i = 0; i < count; ++i)
    instance.addresses[size_t(loop.rotations[i].slot)] = taken[i];
}

void Scheduler::enterTrip(const LoopPlan &loop, int64_t trip, int64_t trips) {
  int64_t position = loop.reverse ? trips - 1 - trip : trip;
  for (const ScannedPlan &scanned : loop.scanned)
    instance.addresses[size_t(scanned.body)] =
        address(scanned.base) + position * instance.value(scanned.stride);
  resolveViews(loop);
  if (loop.indexSlot < 0)
    return;
  char *index = address(loop.indexSlot);
  if (stream)
    control.fail(stream->write(index, position));
  else
    std::memcpy(index, &position, sizeof position);
}

Scheduler::Trips Scheduler::runLoop(const LoopPlan &loop, bool mayEnd) {
  char **saved = instance.saved.data() + loop.savedAddresses;
  for (size_t i = 0; i < loop.rotations.size(); ++i)
    saved[i] = address(loop.rotations[i].slot);
  initialise(loop);
  int64_t trips = instance.value(loop.trips);
  int64_t trip = 0;
  for (; trip < trips; ++trip) {
    control.check();
    if ((mayEnd && control.requested()) || control.stopped()) // stopped: in a body of an if
      break;
    enterTrip(loop, trip, trips);
    for (const StepPlan &step : loop.body) {
      control.check();
      runStep(step);
      if (control.failed())
        break;
    }
    if (control.failed())
      break;
    rotate(loop);
  }
  finish(loop);
  if (trip == trips || control.stopped())
    return Trips::All;
  tripsDone = trip;
  tripsWanted = trips;
  return Trips::Interrupted;
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

bool Scheduler::isTrue(int64_t slot) {
  if (!stream)
    return *address(slot) != 0;
  branched = true;
  char condition = 0;
  control.fail(finishStream());
  if (!control.failed())
    control.fail(plan.device->read(&condition, address(slot), 1));
  return condition != 0;
}

void Scheduler::runIf(const IfPlan &branch) {
  if (control.stopped() || control.failed())
    return; // the condition may not have been computed
  bool condition = isTrue(branch.condition);
  for (const StepPlan &step : branch.bodies[condition ? 0 : 1]) {
    control.check();
    if (control.stopped() || control.failed())
      return;
    runStep(step);
  }
}

void Scheduler::runStep(const StepPlan &step) {
  switch (step.kind) {
  case TENON_STEP_LAUNCH:
    return launch(step.launch);
  case TENON_STEP_COPY:
    return copy(address(step.copy.target), address(step.copy.source),
                instance.value(step.copy.size));
  case TENON_STEP_IF:
    return runIf(*step.branch);
  default: // a loop inside a loop: the outer trip is whole or not at all
    runLoop(*step.loop, false);
  }
}

bool Scheduler::writesInPlace(const StepPlan &step) const {
  for (int64_t output : step.donated)
    if (instance.inPlace[size_t(output)])
      return true;
  return false;
}

tenon_status Scheduler::cancelled() const {
  const char *name = plan.program->name ? plan.program->name : "";
  if (tripsDone < 0)
    return tenon_status_make(TENON_ERROR_CANCELLED, "run of '%s' was cancelled", name);
  return tenon_status_make(TENON_ERROR_CANCELLED,
                           "run of '%s' was cancelled after %" PRId64 " of %" PRId64 " trips", name,
                           tripsDone, tripsWanted);
}

tenon_status Scheduler::run() {
  bool committed = false; // state is being written: the run is to finish
  for (const StepPlan &step : plan.steps) {
    control.check();
    if (control.stopped())
      return cancelled();
    bool writes = writesInPlace(step);
    committed |= writes;
    if (step.kind != TENON_STEP_LOOP) {
      control.setInterruptible(!committed);
      runStep(step);
      if (control.failed())
        return control.takeFailure();
      continue;
    }
    control.setInterruptible(false); // a trip is whole
    Trips trips = runLoop(*step.loop, writes || !committed);
    if (control.failed())
      return control.takeFailure();
    if (trips == Trips::Interrupted && !committed)
      return cancelled();
    control.setInterruptible(!committed);
  }
  return control.stopped() || tripsDone >= 0 ? cancelled() : nullptr;
}

/// Waits for the stream, and is heard by whoever polls.
tenon_status Scheduler::finishStream() {
  for (bool done = false;;) {
    tenon_status status = stream->finish(RunControl::pollInterval, done);
    if (status || done)
      return status;
    control.check();
  }
}

tenon_status Scheduler::runOnStream() {
  control.check();
  bool repeated = instance.repeatable && !control.stopped();
  tenon_status status = repeated ? stream->repeat(repeated) : nullptr;
  if (!repeated) {
    stream->begin();
    status = run();
  }
  tenon_status finished = finishStream();
  instance.repeatable = !status && !finished && !branched;
  for (const profiler::Launch &each : stream->takeTimes())
    profiler::record(*plan.program, registration, each);
  // What went wrong first is told; but that a run was cancelled is no failure.
  if (!finished || (status && tenon_status_code(status) != TENON_ERROR_CANCELLED)) {
    tenon_status_free(finished);
    return status;
  }
  tenon_status_free(status);
  return finished;
}

tenon_status tenon::runtime::runSchedule(Instance &instance, profiler::Registration &registration) {
  Scheduler scheduler(instance, registration);
  return instance.stream ? scheduler.runOnStream() : scheduler.run();
}
