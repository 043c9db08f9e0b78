//===- Lifetimes.cpp - When values are needed -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Lifetimes.h"

#include "passes/InPlace.h"

using namespace mlir;

namespace tenon {

void Lifetimes::number(Block &block) {
  for (Operation &op : block) {
    int64_t first = next++;
    if (isa<LoopOp, IfOp>(op)) {
      for (Region &region : op.getRegions())
        number(region.front());
      next++;
    }
    steps[&op] = {first, next - 1};
  }
}

int64_t Lifetimes::lastUse(Value value) const {
  Block *home = value.getParentBlock();
  int64_t last = -1;
  if (Operation *maker = value.getDefiningOp())
    last = of(maker).last;
  forEachStorageUse(value, [&](OpOperand &use) {
    last = std::max(last, of(home->findAncestorOpInBlock(*use.getOwner())).last);
  });
  return last;
}

} // namespace tenon
