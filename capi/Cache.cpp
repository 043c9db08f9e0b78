//===- Cache.cpp - Executables by what they were made from ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Cache.h"

#include "llvm/Support/xxhash.h"

#include <chrono>

namespace tenon {

/// A program that never repeats itself must not fill the memory.
constexpr size_t kMostEntries = 1024;

struct Cache::Entry {
  std::string key;
  uint64_t hash = 0;
  bool listed = true;  ///< in the table still
  bool pending = true; ///< being compiled
  tenon_executable *executable = nullptr;
  tenon_code code = TENON_OK; ///< of a failure
  std::string message;

  Entry(std::string_view key, uint64_t hash) : key(key), hash(hash) {}
  ~Entry() {
    if (executable)
      tenon_executable_release(executable);
  }
};

/// Never destroyed: threads may compile while the process ends.
Cache &Cache::instance() {
  static Cache *const cache = new Cache;
  return *cache;
}

Cache::EntryPtr Cache::find(uint64_t hash, std::string_view key) {
  auto [begin, end] = table.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if ((*it->second)->key == key) {
      entries.splice(entries.begin(), entries, it->second);
      return *it->second;
    }
  return nullptr;
}

void Cache::insert(uint64_t hash, const EntryPtr &entry) {
  if (entries.size() >= kMostEntries)
    erase(EntryPtr(entries.back()));
  entries.push_front(entry);
  table.emplace(hash, entries.begin());
}

void Cache::erase(const EntryPtr &entry) {
  if (!entry->listed)
    return;
  entry->listed = false;
  auto [begin, end] = table.equal_range(entry->hash);
  for (auto it = begin; it != end; ++it)
    if (*it->second == entry) {
      entries.erase(it->second);
      table.erase(it);
      return;
    }
}

/// False if who compiles it has been cancelled.
bool Cache::waitFor(const EntryPtr &entry, std::unique_lock<std::mutex> &guard,
                    Interruption &interruption, tenon_status &status,
                    tenon_executable **executable) {
  auto compiled = [&] { return !entry->pending; };
  if (!interruption.possible())
    done.wait(guard, compiled);
  while (!done.wait_for(guard, Interruption::interval, compiled)) {
    guard.unlock();
    bool leave = interruption.requested();
    guard.lock();
    if (!leave)
      continue;
    status = cancelledStatus();
    return true;
  }
  if (!entry->executable && entry->code == TENON_ERROR_CANCELLED)
    return false;
  if (!entry->executable) {
    status = tenon_status_make(entry->code, "%s", entry->message.c_str());
    return true;
  }
  tenon_executable_retain(entry->executable);
  *executable = entry->executable;
  status = nullptr;
  return true;
}

tenon_status Cache::fill(const EntryPtr &entry, Compile compile, tenon_executable **executable) {
  auto start = std::chrono::steady_clock::now();
  tenon_executable *made = nullptr;
  tenon_status status = compile(&made);
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  std::lock_guard<std::mutex> guard(lock);
  seconds += elapsed.count();
  entry->pending = false;
  if (status) {
    entry->code = tenon_status_code(status);
    entry->message = tenon_status_message(status);
    erase(entry);
  } else {
    entry->executable = made;
    tenon_executable_retain(made);
    *executable = made;
  }
  done.notify_all();
  return status;
}

tenon_status Cache::get(std::string_view key, Interruption &interruption, Compile compile,
                        tenon_executable **executable) {
  uint64_t hash = llvm::xxh3_64bits(llvm::StringRef(key.data(), key.size()));
  std::unique_lock<std::mutex> guard(lock);
  while (EntryPtr entry = find(hash, key)) {
    hits++;
    tenon_status status;
    if (waitFor(entry, guard, interruption, status, executable))
      return status;
  }
  misses++;
  auto entry = std::make_shared<Entry>(key, hash);
  insert(hash, entry);
  guard.unlock();
  return fill(entry, compile, executable);
}

bool Cache::find(std::string_view key, Interruption &interruption, tenon_status &status,
                 tenon_executable **executable) {
  uint64_t hash = llvm::xxh3_64bits(llvm::StringRef(key.data(), key.size()));
  std::unique_lock<std::mutex> guard(lock);
  EntryPtr entry = find(hash, key);
  if (!entry)
    return false;
  hits++;
  return waitFor(entry, guard, interruption, status, executable);
}

tenon_cache_info Cache::info() {
  std::lock_guard<std::mutex> guard(lock);
  return {int64_t(entries.size()), hits, misses, seconds};
}

void Cache::clear() {
  std::list<EntryPtr> dropped; // executables die outside of the lock
  std::lock_guard<std::mutex> guard(lock);
  for (EntryPtr &entry : entries)
    entry->listed = false;
  dropped.swap(entries);
  table.clear();
  hits = misses = 0;
  seconds = 0;
}

} // namespace tenon
