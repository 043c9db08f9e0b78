//===- ArenaLayoutTest.cpp - Blocks that live together do not overlap -----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/ArenaLayout.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tenon;

namespace {

class ArenaLayoutTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};

  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, &context); }
  AffineExpr symbol(unsigned index) { return getAffineSymbolExpr(index, &context); }
  /// For given symbols.
  int64_t valueOf(AffineExpr expr, ArrayRef<int64_t> symbols = {}) {
    SmallVector<AffineExpr> values;
    for (int64_t value : symbols)
      values.push_back(constant(value));
    return cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceSymbols(values), 0, 0))
        .getValue();
  }
  void expectApart(ArrayRef<ArenaBlock> blocks, AffineExpr total, ArrayRef<int64_t> symbols = {}) {
    for (const ArenaBlock &a : blocks) {
      int64_t begin = valueOf(a.offset, symbols), end = begin + valueOf(a.bytes, symbols);
      EXPECT_EQ(begin % 64, 0);
      EXPECT_LE(end, valueOf(total, symbols));
      for (const ArenaBlock &b : blocks) {
        if (&a == &b || a.begin > b.end || b.begin > a.end)
          continue;
        int64_t other = valueOf(b.offset, symbols);
        EXPECT_TRUE(end <= other || other + valueOf(b.bytes, symbols) <= begin);
      }
    }
  }
};

TEST_F(ArenaLayoutTest, sharesWhatIsNeededAtDifferentTimes) {
  ArenaBlock blocks[] = {
      {constant(100), 0, 1, {}}, {constant(64), 1, 2, {}}, {constant(128), 2, 3, {}}};
  AffineExpr total = layoutArena(blocks, &context);
  expectApart(blocks, total);
  EXPECT_EQ(valueOf(total), 192);
}

TEST_F(ArenaLayoutTest, takesTheSmallestGapThatFits) {
  // 1024 at 0, 512 at 1024, 256 at 1536; the first two leave gaps.
  ArenaBlock blocks[] = {{constant(1024), 0, 1, {}},
                         {constant(512), 0, 1, {}},
                         {constant(256), 0, 9, {}},
                         {constant(128), 0, 9, {}},
                         {constant(64), 5, 6, {}}};
  AffineExpr total = layoutArena(blocks, &context);
  expectApart(blocks, total);
  EXPECT_EQ(valueOf(total), 1024 + 512 + 256 + 128);
}

TEST_F(ArenaLayoutTest, emptyBlocksHavePlacesOfTheirOwn) {
  ArenaBlock blocks[] = {{constant(0), 0, 2, {}}, {constant(0), 1, 3, {}}, {constant(0), 3, 3, {}}};
  AffineExpr total = layoutArena(blocks, &context);
  expectApart(blocks, total);
  EXPECT_NE(valueOf(blocks[0].offset), valueOf(blocks[1].offset));
  EXPECT_NE(valueOf(blocks[1].offset), valueOf(blocks[2].offset));
}

TEST_F(ArenaLayoutTest, randomBlocksStayApart) {
  std::mt19937 generator(7);
  for (int round = 0; round < 20; round++) {
    SmallVector<ArenaBlock> blocks;
    for (int i = 0; i < 60; i++) {
      int64_t begin = generator() % 100;
      blocks.push_back(
          {constant(generator() % 1000), begin, begin + int64_t(generator() % 20), {}});
    }
    AffineExpr total = layoutArena(blocks, &context);
    expectApart(blocks, total);
  }
}

TEST_F(ArenaLayoutTest, sizesKnownAtRunTimeOnly) {
  ArenaBlock blocks[] = {{symbol(0) * 4, 0, 1, {}},
                         {symbol(0) * 4, 1, 2, {}},
                         {symbol(0) * 4, 2, 3, {}},
                         {symbol(1) * 8, 2, 3, {}},
                         {constant(100), 0, 3, {}}};
  AffineExpr total = layoutArena(blocks, &context);
  expectApart(blocks, total, {33, 7});
  EXPECT_EQ(blocks[0].offset, blocks[2].offset);
  EXPECT_EQ(valueOf(total, {33, 7}), 128 + 2 * 192 + 64);
}

} // namespace
