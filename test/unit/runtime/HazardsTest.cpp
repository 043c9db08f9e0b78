//===- HazardsTest.cpp - which work waits for which -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/Hazards.h"

#include <gtest/gtest.h>

using namespace tenon::runtime::vulkan;

static const Access reading{100, 200, false}, writing{100, 200, true};
static const Access readBeside{200, 300, false}, writeBeside{0, 100, true};

TEST(Hazards, ReadsDoNotWaitForReads) {
  Hazards hazards;
  EXPECT_FALSE(hazards.conflict({reading}));
  hazards.add({reading});
  EXPECT_FALSE(hazards.conflict({reading}));
}

TEST(Hazards, WritesWaitAndAreWaitedFor) {
  Hazards reads, writes;
  reads.add({readBeside, reading});
  writes.add({writing});
  EXPECT_TRUE(reads.conflict({writing}));
  EXPECT_TRUE(writes.conflict({readBeside, reading}));
  EXPECT_TRUE(writes.conflict({writing}));
  EXPECT_TRUE(writes.conflict({{199, 200, false}}));
  writes.clear();
  EXPECT_FALSE(writes.conflict({writing}));
}

TEST(Hazards, NeighboursDoNot) {
  Hazards hazards;
  hazards.add({writing});
  EXPECT_FALSE(hazards.conflict({readBeside, writeBeside}));
}

TEST(Hazards, TooManyToCompareWait) {
  Hazards hazards;
  for (int i = 0; i < 1000; ++i)
    hazards.add({reading});
  EXPECT_TRUE(hazards.conflict({reading}));
  hazards.clear();
  EXPECT_FALSE(hazards.conflict(std::vector<Access>(1000, reading)));
}
