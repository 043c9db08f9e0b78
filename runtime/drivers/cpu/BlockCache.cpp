//===- BlockCache.cpp - blocks kept for the next allocation ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are rounded to eight steps per power of two, so that blocks of like
// size are alike and at most an eighth is lost.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/cpu/BlockCache.h"

#include "runtime/platform/Platform.h"

#include <exception>

using namespace tenon::runtime;

/// Smaller blocks are left to the C library, which keeps them itself.
static constexpr int64_t leastBytes = int64_t(128) << 10;
/// Larger ones are not worth rounding up.
static constexpr int64_t mostBytes = int64_t(1) << 40;

static bool isCacheable(int64_t bytes) { return bytes >= leastBytes && bytes <= mostBytes; }

static int64_t roundedSize(int64_t bytes) {
  int64_t step = int64_t(1) << (60 - __builtin_clzll(uint64_t(bytes)));
  return (bytes + step - 1) & ~(step - 1);
}

void *BlockCache::allocate(int64_t bytes) {
  if (!isCacheable(bytes))
    return platform::allocate(bytes);
  int64_t size = roundedSize(bytes);
  {
    std::lock_guard<std::mutex> guard(lock);
    for (auto it = kept.begin(); it != kept.end(); ++it)
      if (it->size == size) {
        void *block = it->block;
        total -= size;
        kept.erase(it);
        return block;
      }
  }
  if (void *block = platform::allocate(size))
    return block;
  clear();
  return platform::allocate(size);
}

void BlockCache::release(void *block, int64_t bytes) noexcept {
  int64_t size = isCacheable(bytes) ? roundedSize(bytes) : 0;
  if (size == 0 || size > capacity)
    return platform::release(block);
  std::list<Kept> dropped;
  try {
    std::lock_guard<std::mutex> guard(lock);
    kept.push_front({block, size});
    total += size;
    while (total > capacity) {
      total -= kept.back().size;
      dropped.splice(dropped.end(), kept, --kept.end());
    }
  } catch (const std::exception &) {
    platform::release(block); // no memory for the list's node
  }
  for (const Kept &entry : dropped)
    platform::release(entry.block);
}

void BlockCache::clear() {
  std::list<Kept> dropped;
  {
    std::lock_guard<std::mutex> guard(lock);
    dropped.swap(kept);
    total = 0;
  }
  for (const Kept &entry : dropped)
    platform::release(entry.block);
}

int64_t BlockCache::keptBytes() const {
  std::lock_guard<std::mutex> guard(lock);
  return total;
}
