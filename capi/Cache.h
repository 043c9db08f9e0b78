//===- Cache.h - Executables by what they were made from --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No program is compiled twice in a process: executables by key (trace, options and
// what else the compilation depends on), the least used of late dropped first.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_CACHE_H
#define TENON_CAPI_CACHE_H

#include "capi/Job.h"
#include "tenon/compiler.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tenon {

/// The process's cache. One lock guards the table; compilation runs outside of it,
/// and who asks for what another thread is compiling waits for that. A failure is
/// told to those who wait and then forgotten; what was cancelled, they begin anew.
class Cache {
public:
  static Cache &instance();

  using Compile = llvm::function_ref<tenon_status(tenon_executable **)>;
  /// Gives one reference to the executable of `key`, compiling it if need be. Keys
  /// are compared in full.
  tenon_status get(std::string_view key, Interruption &interruption, Compile compile,
                   tenon_executable **executable);
  /// The same if it is there or being compiled; else false, and nothing is counted.
  bool find(std::string_view key, Interruption &interruption, tenon_status &status,
            tenon_executable **executable);
  tenon_cache_info info();
  void clear();

private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;

  EntryPtr find(uint64_t hash, std::string_view key);
  void insert(uint64_t hash, const EntryPtr &entry);
  void erase(const EntryPtr &entry);
  bool waitFor(const EntryPtr &entry, std::unique_lock<std::mutex> &guard,
               Interruption &interruption, tenon_status &status, tenon_executable **executable);
  tenon_status fill(const EntryPtr &entry, Compile compile, tenon_executable **executable);

  std::mutex lock;
  std::condition_variable done;
  std::list<EntryPtr> entries; ///< used last in front
  std::unordered_multimap<uint64_t, std::list<EntryPtr>::iterator> table;
  int64_t hits = 0, misses = 0;
  double seconds = 0;
};

} // namespace tenon

#endif // TENON_CAPI_CACHE_H
