//===- NullDriver.cpp - a device that computes nothing --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory apart from the host's, as on a discrete device, and kernels that do
// nothing: for tests of everything around the kernels, and to copy from when a
// driver is written. Fresh memory is zero, so that results are the same each
// time.
//
//===----------------------------------------------------------------------===//
#include "runtime/DriverRegistry.h"
#include "runtime/platform/Platform.h"

#include <cstring>

namespace tenon::runtime {
namespace {

class NullStream final : public Stream {
public:
  void begin() override {}
  tenon_status repeat(bool &possible) override {
    possible = false;
    return nullptr;
  }
  tenon_status launch(const StreamLaunch &) override { return nullptr; }
  tenon_status copy(void *target, const void *source, int64_t bytes) override {
    std::memcpy(target, source, size_t(bytes));
    return nullptr;
  }
  tenon_status write(void *target, int64_t value) override {
    std::memcpy(target, &value, sizeof value);
    return nullptr;
  }
  tenon_status finish(int64_t, bool &done) override {
    done = true;
    return nullptr;
  }
};

class NullProgram final : public DeviceProgram {
public:
  tenon_status openStream(std::unique_ptr<Stream> &stream) override {
    stream = std::make_unique<NullStream>();
    return nullptr;
  }
};

class NullDevice final : public Device {
public:
  NullDevice() : Device("null") {}

  const char *description() const override { return "null device, executes nothing"; }

  void memoryState(int64_t &total, int64_t &free) const override {
    total = capacity;
    free = capacity - liveBytes();
  }

  bool hostMemory() const override { return false; }

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

  tenon_status load(const tenon_program &, std::unique_ptr<DeviceProgram> &loaded) override {
    loaded = std::make_unique<NullProgram>();
    return nullptr;
  }

protected:
  void *allocateBlock(int64_t bytes) override {
    if (bytes > capacity - liveBytes())
      return nullptr;
    void *block = platform::allocate(bytes);
    if (block)
      std::memset(block, 0, size_t(bytes));
    return block;
  }
  void releaseBlock(void *block, int64_t) override { platform::release(block); }

private:
  static constexpr int64_t capacity = int64_t(1) << 30;
};

class NullDriver final : public Driver {
public:
  const char *name() const override { return "null"; }
  int64_t deviceCount() const override { return 1; }
  tenon_status open(int64_t, std::unique_ptr<Device> &device) override {
    device = std::make_unique<NullDevice>();
    return nullptr;
  }
};

} // namespace

Driver &nullDriver() {
  static auto *driver = new NullDriver;
  return *driver;
}

} // namespace tenon::runtime
