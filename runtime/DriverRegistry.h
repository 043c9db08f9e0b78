//===- DriverRegistry.h - the table of drivers ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which drivers this library has, and the devices opened so far.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERREGISTRY_H
#define TENON_RUNTIME_DRIVERREGISTRY_H

#include "runtime/Device.h"

/// Every driver, in the order that tenon_driver_name shows: X(folder name).
/// Each defines `Driver &<name>Driver()`.
#define TENON_DRIVERS(X)                                                                           \
  X(cpu)                                                                                           \
  X(null)                                                                                          \
  X(vulkan)

namespace tenon::runtime {

#define TENON_DECLARE_DRIVER(name) Driver &name##Driver();
TENON_DRIVERS(TENON_DECLARE_DRIVER)
#undef TENON_DECLARE_DRIVER

/// Opens a device on first use; the same object ever after.
tenon_status openDevice(const char *driver, int64_t index, Device *&device);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_DRIVERREGISTRY_H
