//===- Executable.cpp - a program on a device -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Life of executables and the way of a run from arguments to results.
//
//===----------------------------------------------------------------------===//
#include "runtime/Executable.h"

#include "runtime/BoundsCheck.h"
#include "runtime/Schedule.h"
#include "runtime/Status.h"
#include "runtime/ThreadPool.h"
#include "runtime/Validate.h"

using namespace tenon::runtime;

tenon_executable::tenon_executable(const tenon_program &program, tenon_device &device)
    : plan(makePlan(program, device)) {
  device.addHolder(*this);
}

tenon_executable::~tenon_executable() {
  plan.device->removeHolder(*this);
  delete ready.load(std::memory_order_acquire);
  idle.clear();
  if (freeOwner)
    freeOwner(owner);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

std::unique_ptr<Instance> tenon_executable::takeInstance() {
  std::unique_ptr<Instance> kept(ready.exchange(nullptr, std::memory_order_acquire));
  if (kept && !kept->lost())
    return kept;
  for (kept.reset();;) {
    std::lock_guard<std::mutex> guard(lock);
    if (idle.empty())
      break;
    kept = std::move(idle.back());
    idle.pop_back();
    if (!kept->lost())
      return kept;
  }
  auto instance = std::make_unique<Instance>(plan);
  instance->env.parallel_for = parallelFor;
  instance->env.begin_checks = beginChecks;
  instance->env.check_access = checkAccess;
  instance->env.cancelled = instance->control.stopFlag();
  instance->env.runtime = &instance->control;
  return instance;
}

void tenon_executable::putInstance(std::unique_ptr<Instance> instance) noexcept {
  if (instance->lost())
    return;
  Instance *none = nullptr;
  if (ready.compare_exchange_strong(none, instance.get(), std::memory_order_acq_rel)) {
    (void)instance.release();
    return;
  }
  try {
    std::lock_guard<std::mutex> guard(lock);
    idle.push_back(std::move(instance));
  } catch (const std::exception &) {
    // No room to keep it: the next run makes another.
  }
}

bool tenon_executable::dropIdle(bool all) {
  bool any;
  {
    std::unique_ptr<Instance> last(ready.exchange(nullptr, std::memory_order_acquire));
    std::vector<std::unique_ptr<Instance>> dropped;
    std::lock_guard<std::mutex> guard(lock);
    dropped.swap(idle);
    any = last || !dropped.empty();
  }
  std::shared_ptr<Loaded> dropped; // the next run brings it back
  std::lock_guard<std::mutex> guard(lock);
  if (loaded && loaded.use_count() == 1 &&
      (loaded->generation != plan.device->generation() || (all && loaded->constants.bytes() > 0)))
    dropped.swap(loaded);
  return any || dropped;
}

/// An instance for the length of a run.
struct tenon_executable::Lease {
  explicit Lease(tenon_executable &executable)
      : executable(executable), instance(executable.takeInstance()) {}
  ~Lease() {
    instance->staging.clear();
    executable.putInstance(std::move(instance));
  }
  tenon_executable &executable;
  std::unique_ptr<Instance> instance;
};

/// Gives an instance a stream of the program, which is brought to the device if it is not there.
tenon_status tenon_executable::load(Instance &instance) {
  if (plan.device->hostMemory() || instance.stream)
    return nullptr;
  std::lock_guard<std::mutex> alone(loading);
  {
    std::lock_guard<std::mutex> guard(lock);
    if (loaded && loaded->generation == instance.generation)
      instance.loaded = loaded;
  }
  if (!instance.loaded) {
    auto made = std::make_shared<Loaded>();
    TENON_TRY(tenon::runtime::load(plan, *made));
    instance.loaded = made;
    std::lock_guard<std::mutex> guard(lock);
    loaded = std::move(made);
  }
  return instance.loaded->kernels->openStream(instance.stream);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

tenon_status tenon_executable::prepare() {
  if (plan.device->hostMemory()) { // what it has not is told now
    std::unique_ptr<DeviceProgram> none;
    TENON_TRY(plan.device->load(*plan.program, none));
  }
  Lease lease(*this);
  TENON_TRY(load(*lease.instance));
  if (plan.program->num_symbols > 0)
    return nullptr;
  return lease.instance->evaluate(numThreads());
}

tenon_status tenon_executable::run(ArgumentList inputs, ArgumentList outputs,
                                   const tenon_run_options *options) {
  Lease lease(*this);
  Instance &instance = *lease.instance;
  TENON_TRY(bindSymbols(plan, inputs, instance.wanted.data()));
  TENON_TRY(checkOutputs(plan, outputs));
  TENON_TRY(instance.evaluate(numThreads()));
  TENON_TRY(locateArguments(instance, inputs, outputs));
  TENON_TRY(load(instance));
  TENON_TRY(instance.reserve());
  if (instance.argumentsChanged()) {
    TENON_TRY(checkOverlap(instance));
    instance.bindArguments();
  }
  instance.control.begin(options);
  tenon_status status = runSchedule(instance, registration);
  if (plan.device->hostMemory() || (status && tenon_status_code(status) != TENON_ERROR_CANCELLED))
    return status;
  tenon_status returned = returnStaged(instance, outputs);
  if (!status || !returned)
    return status ? status : returned;
  tenon_status_free(status);
  return returned;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

tenon_status tenon_executable_create(tenon_device *device, const tenon_program *program,
                                     void *owner, tenon_program_free freeOwner,
                                     tenon_executable **executable) {
  tenon_status status = guarded([&]() -> tenon_status {
    if (!device || !program || !executable)
      return nullArgument("tenon_executable_create", !device    ? "device"
                                                     : !program ? "program"
                                                                : "executable");
    TENON_TRY(validateProgram(*program));
    auto created = std::make_unique<tenon_executable>(*program, *device);
    TENON_TRY(created->prepare());
    created->owner = owner;
    created->freeOwner = freeOwner;
    *executable = created.release();
    return nullptr;
  });
  if (status && freeOwner)
    freeOwner(owner);
  return status;
}

void tenon_executable_retain(tenon_executable *executable) {
  if (executable)
    executable->references.fetch_add(1, std::memory_order_relaxed);
}

void tenon_executable_release(tenon_executable *executable) {
  if (executable && executable->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete executable;
}

tenon_device *tenon_executable_device(tenon_executable *executable) {
  return executable ? executable->plan.device : nullptr;
}

const tenon_program *tenon_executable_program(tenon_executable *executable) {
  return executable ? executable->plan.program : nullptr;
}

tenon_status tenon_executable_run(tenon_executable *executable, const tenon_tensor *inputs,
                                  int64_t numInputs, const tenon_tensor *outputs,
                                  int64_t numOutputs, const tenon_run_options *options) {
  if (!executable)
    return nullArgument("tenon_executable_run", "executable");
  return guarded(
      [&] { return executable->run({inputs, numInputs}, {outputs, numOutputs}, options); });
}

void tenon_env_fail(tenon_env *env, tenon_status status) {
  if (status)
    static_cast<RunControl *>(env->runtime)->fail(status);
}

tenon_status tenon_executable_output_extents(tenon_executable *executable,
                                             const tenon_tensor *inputs, int64_t numInputs,
                                             int64_t index, int64_t *extents) {
  if (!executable)
    return nullArgument("tenon_executable_output_extents", "executable");
  return guarded([&]() -> tenon_status {
    const Plan &plan = executable->plan;
    if (index < 0 || index >= plan.program->num_outputs)
      return tenon_status_make(TENON_ERROR_ARGUMENT,
                               "no output %" PRId64 "; the program has %" PRId64, index,
                               plan.program->num_outputs);
    if (!extents && plan.program->outputs[index].rank > 0)
      return nullArgument("tenon_executable_output_extents", "extents");
    std::vector<int64_t> symbols(size_t(plan.program->num_symbols));
    TENON_TRY(bindSymbols(plan, {inputs, numInputs}, symbols.data()));
    ExprScope scope{symbols.data(), numThreads()};
    TENON_TRY(checkExtents(plan, scope));
    TENON_TRY(checkInputExtents(plan, {inputs, numInputs}, scope));
    return evaluateOutputExtents(plan, scope, index, extents);
  });
}
