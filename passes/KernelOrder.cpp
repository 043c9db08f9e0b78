//===- KernelOrder.cpp - Who may overwrite what, and in which order -------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/KernelOrder.h"

#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace mlir;

namespace tenon {

KernelOrder::KernelOrder(Block &block, const KernelStrategies &strategies)
    : block(block), strategies(strategies) {
  for (Operation &op : block)
    add(&op);
}

/// Ops in the regions of `op` read what the op reads.
void KernelOrder::add(Operation *op) {
  place.try_emplace(op, place.size());
  llvm::SmallSetVector<Operation *, 8> makers;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == &block)
        makers.insert(maker);
  });
  for (Operation *maker : makers)
    after[maker].push_back(op);
}

bool KernelOrder::reaches(Operation *from, Operation *to) {
  SmallVector<Operation *> work{from};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op == to)
      return true;
    if (seen.insert(op).second)
      llvm::append_range(work, after.lookup(op));
  }
  return false;
}

bool KernelOrder::overwrite(OpResult value, Value argument) {
  Operation *writer = value.getOwner();
  if (!canOverwrite(value, argument, strategies))
    return false;
  llvm::SmallSetVector<Operation *, 8> readers;
  forEachStorageUse(argument, [&](OpOperand &use) { readers.insert(inBlock(use.getOwner())); });
  readers.remove(writer);
  // All come before the writer or none does, so one answer serves for all.
  for (Operation *reader : readers)
    if (reader == block.getTerminator() || reaches(writer, reader))
      return false;
  for (Operation *reader : readers)
    after[reader].push_back(writer);
  return true;
}

void KernelOrder::apply() {
  Operation *terminator = block.getTerminator();
  DenseMap<Operation *, int64_t> waitsFor;
  for (auto &[op, successors] : after)
    for (Operation *next : successors)
      waitsFor[next]++;
  auto later = [&](Operation *a, Operation *b) { return place[a] > place[b]; };
  std::priority_queue<Operation *, std::vector<Operation *>, decltype(later)> ready(later);
  for (Operation &op : block)
    if (&op != terminator && waitsFor.lookup(&op) == 0)
      ready.push(&op);
  while (!ready.empty()) {
    Operation *op = ready.top();
    ready.pop();
    op->moveBefore(terminator);
    for (Operation *next : after.lookup(op))
      if (--waitsFor[next] == 0 && next != terminator)
        ready.push(next);
  }
}

} // namespace tenon
