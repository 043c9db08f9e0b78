//===- DriverRegistry.cpp - the table of drivers --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds drivers by name and opens each device once.
//
//===----------------------------------------------------------------------===//
#include "runtime/DriverRegistry.h"

#include "runtime/Faults.h"
#include "runtime/Status.h"

#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

using namespace tenon::runtime;

using DriverGetter = Driver &(*)();
#define TENON_LIST_DRIVER(name) name##Driver,
static constexpr DriverGetter drivers[] = {TENON_DRIVERS(TENON_LIST_DRIVER)};
#undef TENON_LIST_DRIVER

namespace {
struct OpenDevices {
  std::mutex lock;
  std::map<std::pair<Driver *, int64_t>, std::unique_ptr<Device>> devices;
};
} // namespace

/// Never destroyed: buffers may outlive static destructors.
static OpenDevices &openDevices() {
  static auto *table = new OpenDevices;
  return *table;
}

static tenon_status findDriver(const char *name, Driver *&driver) {
  std::string known;
  for (DriverGetter get : drivers) {
    driver = &get();
    if (std::strcmp(driver->name(), name) == 0)
      return nullptr;
    known += (known.empty() ? "'" : ", '") + std::string(driver->name()) + "'";
  }
  return tenon_status_make(TENON_ERROR_ARGUMENT, "no driver '%s'; expected one of %s", name,
                           known.c_str());
}

tenon_status tenon::runtime::openDevice(const char *name, int64_t index, Device *&device) {
  Driver *driver;
  TENON_TRY(findDriver(name, driver));
  int64_t count = driver->deviceCount();
  if (count == 0)
    return tenon_status_make(TENON_ERROR_DEVICE, "driver '%s' has no device %" PRId64 ": %s", name,
                             index, driver->whyNone().c_str());
  if (index < 0 || index >= count)
    return tenon_status_make(TENON_ERROR_DEVICE,
                             "driver '%s' has no device %" PRId64
                             "; expected an index below %" PRId64,
                             name, index, count);
  OpenDevices &table = openDevices();
  std::lock_guard<std::mutex> guard(table.lock);
  std::unique_ptr<Device> &entry = table.devices[{driver, index}];
  if (!entry)
    TENON_TRY(driver->open(index, entry));
  device = entry.get();
  return nullptr;
}

int64_t tenon_driver_count(void) { return int64_t(std::size(drivers)); }

const char *tenon_driver_name(int64_t index) {
  if (index < 0 || index >= tenon_driver_count())
    return nullptr;
  return drivers[index]().name();
}

tenon_status tenon_device_count(const char *driver, int64_t *count) {
  if (!driver || !count)
    return nullArgument("tenon_device_count", driver ? "count" : "driver");
  return guarded([&]() -> tenon_status {
    Driver *found;
    TENON_TRY(findDriver(driver, found));
    *count = found->deviceCount();
    return nullptr;
  });
}

tenon_status tenon_device_open(const char *driver, int64_t index, tenon_device **device) {
  if (!driver || !device)
    return nullArgument("tenon_device_open", driver ? "device" : "driver");
  return guarded([&]() -> tenon_status {
    TENON_TRY(faults::read());
    Device *opened = nullptr;
    TENON_TRY(openDevice(driver, index, opened));
    *device = opened;
    return nullptr;
  });
}
