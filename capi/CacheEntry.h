//===- CacheEntry.h - A file of the disk cache ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opened where it is sound, deleted where it is not. Knows no LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_CACHEENTRY_H
#define TENON_CAPI_CACHEENTRY_H

#include "tenon/runtime.h"

#include <string>

namespace tenon {

/// On the first device of a driver. Null if the file is not there, or with a problem, which names
/// it, if it is not sound, or the device has not what it needs.
tenon_executable *openCacheEntry(const std::string &path, const char *driver, std::string &problem);

} // namespace tenon

#endif // TENON_CAPI_CACHEENTRY_H
