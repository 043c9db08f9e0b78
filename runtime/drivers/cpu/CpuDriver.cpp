//===- CpuDriver.cpp - the host processor ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is host memory and a kernel is called as it is.
//
//===----------------------------------------------------------------------===//
#include "runtime/DriverRegistry.h"
#include "runtime/Status.h"
#include "runtime/drivers/cpu/BlockCache.h"
#include "runtime/platform/Platform.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime {
namespace {

class CpuDevice final : public Device {
public:
  CpuDevice()
      : Device("cpu"), text(platform::processorName() + ", " +
                            std::to_string(platform::usableCores()) + " threads") {}

  const char *description() const override { return text.c_str(); }

  void memoryState(int64_t &total, int64_t &free) const override {
    platform::MemoryState state = platform::memoryState();
    total = state.total;
    // What the cache keeps is there for the asking.
    free = std::min(state.free + cache.keptBytes(), total);
  }

  bool hostMemory() const override { return true; }

  tenon_status write(void *target, const void *source, int64_t bytes) override {
    std::memcpy(target, source, size_t(bytes));
    return nullptr;
  }
  tenon_status read(void *target, const void *source, int64_t bytes) override {
    std::memcpy(target, source, size_t(bytes));
    return nullptr;
  }
  tenon_status copy(void *target, const void *source, int64_t bytes) override {
    std::memmove(target, source, size_t(bytes));
    return nullptr;
  }

  tenon_status load(const tenon_program &program, std::unique_ptr<DeviceProgram> &) override {
    for (int64_t i = 0; i < program.num_kernels; ++i)
      if (const tenon_kernel_desc &kernel = program.kernels[i]; !kernel.function)
        return tenon_status_make(TENON_ERROR_DEVICE,
                                 "kernel '%s' is code for GPUs; device 'cpu' runs functions",
                                 kernel.name ? kernel.name : "");
    return nullptr;
  }

protected:
  void *allocateBlock(int64_t bytes) override {
    // A system that overcommits would grant more than there is, and kill the
    // process at the first touch.
    constexpr int64_t worthAsking = int64_t(1) << 30;
    if (bytes >= worthAsking) {
      int64_t total = platform::memoryState().total;
      if (total > 0 && bytes > total)
        return nullptr;
    }
    return cache.allocate(bytes);
  }
  void releaseBlock(void *block, int64_t bytes) override { cache.release(block, bytes); }

private:
  static int64_t cacheCapacity() {
    return std::min(int64_t(256) << 20, platform::memoryState().total / 16);
  }

  std::string text;
  BlockCache cache{cacheCapacity()};
};

class CpuDriver final : public Driver {
public:
  const char *name() const override { return "cpu"; }
  int64_t deviceCount() const override { return 1; }
  tenon_status open(int64_t, std::unique_ptr<Device> &device) override {
    device = std::make_unique<CpuDevice>();
    return nullptr;
  }
};

} // namespace

Driver &cpuDriver() {
  static auto *driver = new CpuDriver;
  return *driver;
}

} // namespace tenon::runtime
