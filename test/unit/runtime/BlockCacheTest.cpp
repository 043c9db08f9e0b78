//===- BlockCacheTest.cpp - blocks kept for the next allocation -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is kept, what is given again, and the bound.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/cpu/BlockCache.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tenon::runtime;

static constexpr int64_t mega = int64_t(1) << 20;

TEST(BlockCache, GivesABlockOfLikeSizeAgain) {
  BlockCache cache(64 * mega);
  void *block = cache.allocate(10 * mega);
  ASSERT_NE(block, nullptr);
  cache.release(block, 10 * mega);
  EXPECT_GE(cache.keptBytes(), 10 * mega);
  EXPECT_EQ(cache.allocate(10 * mega - 1000), block);
  EXPECT_EQ(cache.keptBytes(), 0);
  cache.release(block, 10 * mega - 1000);
}

TEST(BlockCache, DoesNotGiveALargerBlock) {
  BlockCache cache(64 * mega);
  void *large = cache.allocate(10 * mega);
  cache.release(large, 10 * mega);
  void *small = cache.allocate(5 * mega);
  EXPECT_NE(small, large);
  cache.release(small, 5 * mega);
}

TEST(BlockCache, BlocksHoldAllTheirBytes) {
  BlockCache cache(64 * mega);
  for (int64_t bytes :
       {int64_t(1), int64_t(131072), int64_t(131073), int64_t(1000003), 8 * mega + 1}) {
    void *block = cache.allocate(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, size_t(bytes));
    cache.release(block, bytes);
  }
}

TEST(BlockCache, KeepsWithinItsBound) {
  BlockCache cache(8 * mega);
  void *blocks[4];
  for (void *&block : blocks)
    block = cache.allocate(4 * mega);
  for (void *block : blocks)
    cache.release(block, 4 * mega);
  EXPECT_EQ(cache.keptBytes(), 8 * mega);
  // The ones freed last are those kept.
  EXPECT_EQ(cache.allocate(4 * mega), blocks[3]);
  EXPECT_EQ(cache.allocate(4 * mega), blocks[2]);
  cache.release(blocks[2], 4 * mega);
  cache.release(blocks[3], 4 * mega);
  void *huge = cache.allocate(9 * mega);
  cache.release(huge, 9 * mega);
  EXPECT_EQ(cache.keptBytes(), 8 * mega);
}

TEST(BlockCache, LeavesSmallBlocksToTheSystem) {
  BlockCache cache(8 * mega);
  void *block = cache.allocate(1000);
  cache.release(block, 1000);
  EXPECT_EQ(cache.keptBytes(), 0);
}

TEST(BlockCache, ReportsWhatCannotBeHad) {
  BlockCache cache(8 * mega);
  cache.release(cache.allocate(mega), mega);
  EXPECT_EQ(cache.allocate(INT64_MAX), nullptr);
  EXPECT_EQ(cache.allocate(int64_t(1) << 40), nullptr);
  EXPECT_EQ(cache.keptBytes(), 0) << "kept blocks go before a request fails";
}
