//===- Device.h - drivers, devices and their memory -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a driver provides. A device hands out memory, moves bytes and makes programs
// ready to run; the base class counts the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DEVICE_H
#define TENON_RUNTIME_DEVICE_H

#include "runtime/Stream.h"
#include "tenon/runtime.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace tenon::runtime {

class DeviceMemory;
class Checkpoint;

/// What holds memory of a device that it can do without for a while.
class MemoryHolder {
public:
  virtual ~MemoryHolder() = default;
  /// Gives back what no run uses; `all`: also what takes long to bring back. Whether there was
  /// any. Must not wait for work of others.
  virtual bool dropIdle(bool all) = 0;
};

} // namespace tenon::runtime

/// A device. The registry keeps one reference for the life of the process.
struct tenon_device {
  explicit tenon_device(const char *driver);
  virtual ~tenon_device();
  tenon_device(const tenon_device &) = delete;
  tenon_device &operator=(const tenon_device &) = delete;

  const char *driverName() const { return driver; }
  virtual const char *description() const = 0;
  /// Names of what it can do beyond the least, separated by spaces.
  virtual const char *features() const { return ""; }
  /// As in tenon_device_info.
  virtual const char *kind() const { return "cpu"; }
  /// Bytes of memory in all, and free now.
  virtual void memoryState(int64_t &total, int64_t &free) const = 0;

  /// Whether addresses of device memory are addresses of the host. If so kernels are functions,
  /// which the runtime calls; else they are launched on streams.
  virtual bool hostMemory() const = 0;
  virtual tenon_status write(void *target, const void *source, int64_t bytes) = 0;
  virtual tenon_status read(void *target, const void *source, int64_t bytes) = 0;
  /// Ranges may overlap.
  virtual tenon_status copy(void *target, const void *source, int64_t bytes) = 0;
  /// Makes a valid program's kernels ready, which outlives them. Gives nothing where kernels are
  /// functions.
  virtual tenon_status load(const tenon_program &program,
                            std::unique_ptr<tenon::runtime::DeviceProgram> &loaded) = 0;

  /// Gives `memory` a block of `bytes` >= 0 that is 64-byte aligned, if need be after what
  /// holders have idle was freed, or an error with the bytes asked for, held and free. What
  /// `memory` held before goes.
  tenon_status allocate(int64_t bytes, tenon::runtime::DeviceMemory &memory);

  int64_t liveBytes() const { return live.load(std::memory_order_relaxed); }

  /// How often it was lost: memory and programs of an earlier generation are gone.
  int64_t generation() const { return losses.load(std::memory_order_acquire); }

  void addHolder(tenon::runtime::MemoryHolder &holder);
  void removeHolder(tenon::runtime::MemoryHolder &holder);
  /// Has holders drop what is idle; whether there was any.
  bool reclaim(bool all);

  const std::unique_ptr<tenon::runtime::Checkpoint> checkpoint;

protected:
  /// Opens a device again that was lost.
  virtual tenon_status reopen() { return nullptr; }
  void countLoss() { losses.fetch_add(1, std::memory_order_release); }
  /// Bytes of a block that no request may exceed.
  virtual int64_t mostBytes() const { return INT64_MAX; }
  /// A block of `bytes` > 0, or nullptr.
  virtual void *allocateBlock(int64_t bytes) = 0;
  /// Takes back a block that was asked for with so many bytes.
  virtual void releaseBlock(void *block, int64_t bytes) = 0;

private:
  friend class tenon::runtime::DeviceMemory;
  const char *driver;
  std::atomic<int64_t> live{0};
  std::atomic<int64_t> losses{0};
  std::mutex holdersLock; ///< guards what follows
  std::set<tenon::runtime::MemoryHolder *> holders;
};

namespace tenon::runtime {

using Device = tenon_device;

/// A block of device memory; gives it back when it dies.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    DeviceMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~DeviceMemory() { reset(); }

  void *address() const { return block; }
  int64_t bytes() const { return size; }
  /// Whether the device was lost, and what lay here with it.
  bool lost() const { return size > 0 && generation != device->generation(); }
  void reset();

private:
  friend struct ::tenon_device;
  void swap(DeviceMemory &other) noexcept {
    std::swap(device, other.device);
    std::swap(block, other.block);
    std::swap(size, other.size);
    std::swap(generation, other.generation);
  }

  Device *device = nullptr;
  void *block = nullptr;
  int64_t size = 0;
  int64_t generation = 0; ///< of the device when this was allocated
};

/// A kind of device. One static object per driver.
class Driver {
public:
  virtual ~Driver() = default;
  virtual const char *name() const = 0;
  virtual int64_t deviceCount() const = 0;
  /// Why there is no device, where there is none.
  virtual std::string whyNone() const { return ""; }
  /// Opens device `index` < deviceCount(); called once per index.
  virtual tenon_status open(int64_t index, std::unique_ptr<Device> &device) = 0;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_DEVICE_H
