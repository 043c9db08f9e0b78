//===- BlockCache.h - blocks kept for the next allocation -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that come fresh from the system are zeroed one fault at a time, which
// costs as much as a kernel that streams through them. Large blocks that were
// just freed are therefore kept, within a bound, for a request of like size.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_CPU_BLOCKCACHE_H
#define TENON_RUNTIME_DRIVERS_CPU_BLOCKCACHE_H

#include <cstdint>
#include <list>
#include <mutex>

namespace tenon::runtime {

/// Thread-safe.
class BlockCache {
public:
  /// Keeps at most `capacity` bytes of freed blocks.
  explicit BlockCache(int64_t capacity) : capacity(capacity) {}
  BlockCache(const BlockCache &) = delete;
  BlockCache &operator=(const BlockCache &) = delete;
  ~BlockCache() { clear(); }

  /// A block of at least `bytes` > 0, or nullptr. It goes back with the same
  /// number of bytes.
  void *allocate(int64_t bytes);
  void release(void *block, int64_t bytes) noexcept;

  /// Gives all kept blocks to the system.
  void clear();
  int64_t keptBytes() const;

private:
  struct Kept {
    void *block;
    int64_t size;
  };

  const int64_t capacity;
  mutable std::mutex lock;
  std::list<Kept> kept; ///< the one freed last comes first
  int64_t total = 0;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_DRIVERS_CPU_BLOCKCACHE_H
