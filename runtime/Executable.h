//===- Executable.h - a program on a device ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object behind tenon_executable: a plan, and a pool of instances, one for
// each run under way at a time.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_EXECUTABLE_H
#define TENON_RUNTIME_EXECUTABLE_H

#include "runtime/Arguments.h"
#include "runtime/Instance.h"
#include "runtime/Profiler.h"

#include <mutex>

struct tenon_executable final : tenon::runtime::MemoryHolder {
  using Instance = tenon::runtime::Instance;

  tenon_executable(const tenon_program &program, tenon_device &device);
  ~tenon_executable() override;

  /// Brings kernels and constants to the device. Evaluates the sizes of a program without
  /// symbols, so that the first run finds them and an error is seen early.
  tenon_status prepare();
  tenon_status run(tenon::runtime::ArgumentList inputs, tenon::runtime::ArgumentList outputs,
                   const tenon_run_options *options);
  bool dropIdle(bool all) override;

  std::atomic<int64_t> references{1};
  tenon::runtime::Plan plan;
  void *owner = nullptr;
  tenon_program_free freeOwner = nullptr;

private:
  struct Lease;
  std::unique_ptr<Instance> takeInstance();
  void putInstance(std::unique_ptr<Instance> instance) noexcept;
  tenon_status load(Instance &instance);

  tenon::runtime::profiler::Registration registration;
  std::atomic<Instance *> ready{nullptr}; ///< the idle instance used last
  std::mutex loading;                     ///< one thread at a time
  std::mutex lock;                        ///< guards what follows
  std::vector<std::unique_ptr<Instance>> idle;
  std::shared_ptr<tenon::runtime::Loaded> loaded; ///< null where kernels are functions
};

#endif // TENON_RUNTIME_EXECUTABLE_H
