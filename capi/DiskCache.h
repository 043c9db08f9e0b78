//===- DiskCache.h - Executables that outlive the process -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of shared libraries as tenon-compile writes them, by a digest of all that they
// were made from. Files appear whole or not at all; each is checked before it is loaded.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_DISKCACHE_H
#define TENON_CAPI_DISKCACHE_H

#include "capi/Options.h"
#include "tenon/compiler.h"

#include "llvm/ADT/ArrayRef.h"
#include <mutex>
#include <string>
#include <string_view>

namespace tenon {

/// Safe from several threads and, by renaming and by a lock on the folder for deletions, from
/// several processes.
class DiskCache {
public:
  static DiskCache &instance();

  /// Turns it on; off with an empty folder.
  tenon_status open(std::string folder, int64_t limit);
  /// The name of what `key` compiles to with these options, here and now; empty where it is
  /// not kept.
  std::string nameOf(std::string_view key, const Options &options);
  /// Null if it is not there or not sound; what is not sound is deleted.
  tenon_executable *find(const std::string &name, const char *driver);
  /// Something that kept a program from being kept.
  void fail(const std::string &message);
  /// Keeps a library and loads it from there; null if that fails.
  tenon_executable *add(const std::string &name, const char *driver, llvm::ArrayRef<char> library);
  tenon_disk_cache_info info();
  /// The last failure, empty if there was none.
  std::string problem();

private:
  std::string pathOf(const std::string &name);
  tenon_executable *load(const std::string &path, const char *driver);
  void evict();

  std::mutex lock;
  std::string folder; ///< absolute; empty: off
  int64_t limit = 0;
  int64_t hits = 0, misses = 0, failures = 0;
  std::string lastProblem;
};

} // namespace tenon

#endif // TENON_CAPI_DISKCACHE_H
