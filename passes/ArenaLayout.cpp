//===- ArenaLayout.cpp - Places in an arena -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

constexpr int64_t kAlignment = 64;

static bool overlapInTime(const ArenaBlock &a, const ArenaBlock &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

namespace {
struct Placed {
  int64_t offset, end;
  const ArenaBlock *block;
};
} // namespace

/// The start of the smallest gap of `size` bytes between the taken ranges, which are
/// sorted by offset; their end if there is none.
static int64_t bestFit(ArrayRef<Placed> taken, int64_t size) {
  int64_t best = -1, bestGap = INT64_MAX, end = 0;
  for (const Placed &range : taken) {
    int64_t gap = range.offset - end;
    if (gap >= size && gap < bestGap) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, range.end);
  }
  return best >= 0 ? best : end;
}

static int64_t layoutStatic(ArrayRef<ArenaBlock *> blocks, MLIRContext *context) {
  SmallVector<std::pair<int64_t, ArenaBlock *>> order;
  for (ArenaBlock *block : blocks) {
    // Nothing takes a place, too: by its place a value is told from others.
    int64_t bytes = std::max<int64_t>(cast<AffineConstantExpr>(block->bytes).getValue(), 1);
    order.push_back({int64_t(llvm::alignTo(bytes, kAlignment)), block});
  }
  llvm::stable_sort(order, [](const auto &a, const auto &b) { return a.first > b.first; });
  SmallVector<Placed> placed; // sorted by offset
  int64_t total = 0;
  for (auto [size, block] : order) {
    SmallVector<Placed> taken;
    for (const Placed &other : placed)
      if (overlapInTime(*other.block, *block))
        taken.push_back(other);
    int64_t offset = bestFit(taken, size);
    block->offset = getAffineConstantExpr(offset, context);
    Placed entry{offset, offset + size, block};
    placed.insert(
        llvm::upper_bound(placed, entry,
                          [](const Placed &a, const Placed &b) { return a.offset < b.offset; }),
        entry);
    total = std::max(total, offset + size);
  }
  return total;
}

static AffineExpr layoutDynamic(ArrayRef<ArenaBlock *> blocks, AffineExpr total) {
  struct Bin {
    AffineExpr bytes, offset;
    SmallVector<ArenaBlock *> blocks;
  };
  SmallVector<Bin> bins;
  for (ArenaBlock *block : blocks) {
    Bin *home = llvm::find_if(bins, [&](Bin &bin) {
      return bin.bytes == block->bytes && llvm::none_of(bin.blocks, [&](ArenaBlock *other) {
               return overlapInTime(*other, *block);
             });
    });
    if (home == bins.end()) {
      bins.push_back({block->bytes, total, {}});
      home = &bins.back();
      total = total + block->bytes.ceilDiv(kAlignment) * kAlignment;
    }
    home->blocks.push_back(block);
    block->offset = home->offset;
  }
  return total;
}

AffineExpr layoutArena(MutableArrayRef<ArenaBlock> blocks, MLIRContext *context) {
  SmallVector<ArenaBlock *> fixed, dynamic;
  for (ArenaBlock &block : blocks)
    (isa<AffineConstantExpr>(block.bytes) ? fixed : dynamic).push_back(&block);
  int64_t bytes = layoutStatic(fixed, context);
  return layoutDynamic(dynamic, getAffineConstantExpr(bytes, context));
}

} // namespace tenon
