//===- AttentionForward.cpp - Flash attention on GPUs ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup has a tile of queries of one head; keys pass by tile by tile, and sums are
// scaled as the largest score grows (Dao et al. 2022). No score leaves the workgroup.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/AttentionDecode.h"
#include "codegen/spirv/strategies/AttentionMatrices.h"
#include "codegen/spirv/strategies/AttentionScores.h"

#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorMath.h"

#include <limits>

using namespace mlir;

namespace tenon::spirv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class ForwardEmitter : AttentionScores {
public:
  ForwardEmitter(cpu::KernelFrame &frame, const cpu::AttentionOperands &operands)
      : AttentionScores(frame, operands, {operands.valueWidth()}), each(size_t(block.rowsEach())) {}
  void emit();

private:
  struct Item {
    cpu::AttentionSizes sizes;
    Value batch, head, keyHead, firstQuery;
  };
  void emitItem(const Item &item);
  Values tile(const Item &item, Value firstKey, ValueRange carried, const Hidden &hidden);
  void finish(const Item &item, ValueRange carried);

  size_t each;
};

} // namespace

void ForwardEmitter::emit() {
  if (emitAttentionDecode(frame, operands))
    return;
  std::optional<QueryFlags> flags;
  if (emitAttentionMatrices(frame, operands, flags) && !flags)
    return;
  cpu::AttentionSizes outside = operands.sizes(t);
  Value blocks = t.ceilDiv(outside.queries, t.at(block.rows()));
  Value count = t.mul(t.mul(outside.batch, outside.heads), blocks);
  frame.teams()->forEach(count, block.team, [&](Value number, Value member) {
    block.setMember(member);
    Item it;
    it.sizes = operands.sizes(t);
    Value blocks = t.ceilDiv(it.sizes.queries, t.at(block.rows())), row = t.div(number, blocks);
    Value tileNumber = t.sub(number, t.mul(row, blocks));
    if (operands.causal()) // the most work first
      tileNumber = t.sub(t.sub(blocks, t.at(1)), tileNumber);
    it.firstQuery = t.mul(tileNumber, block.rows());
    it.batch = t.div(row, it.sizes.heads);
    it.head = t.sub(row, t.mul(it.batch, it.sizes.heads));
    it.keyHead = t.div(it.head, it.sizes.group);
    if (!flags)
      return emitItem(it);
    Value again = isFlagged(frame, t, *flags, row, it.sizes.queries, it.firstQuery, block.rows());
    t.when(again, [&] { emitItem(it); });
  });
}

void ForwardEmitter::emitItem(const Item &item) {
  // Not -inf: the difference to a score of -inf must not be NaN.
  double lowest = t.element.isF64() ? -std::numeric_limits<double>::max()
                                    : -double(std::numeric_limits<float>::max());
  Values carried(each, t.scalar(lowest));
  carried.append(each, t.scalar(0));
  llvm::append_range(carried, block.zeroSums(operands.valueWidth()));
  carried = overKeys(item.sizes, item.firstQuery, carried,
                     [&](Value firstKey, ValueRange carried, const Hidden &hidden) {
                       return tile(item, firstKey, carried, hidden);
                     });
  finish(item, carried);
}

/// Carried are, of each own row, the largest score so far, this invocation's sum of exponentials
/// and its sums of values.
ForwardEmitter::Values ForwardEmitter::tile(const Item &item, Value firstKey, ValueRange carried,
                                            const Hidden &hidden) {
  auto rowsOf = [&](Value operand, Value head, Value first, Value end, int64_t width) {
    return rows(operand, item.batch, head, first, end, width);
  };
  const cpu::AttentionSizes &s = item.sizes;
  Block::Rows queries =
      rowsOf(operands.q(), item.head, item.firstQuery, s.queries, operands.width());
  Block::Rows keys = rowsOf(operands.k(), item.keyHead, firstKey, s.keys, operands.width());
  Block::Rows values = rowsOf(operands.v(), item.keyHead, firstKey, s.keys, operands.valueWidth());
  queries.factor = operands.scale();
  Values p = block.products(queries, keys);
  hide(p, item.batch, item.head, {item.firstQuery, s.queries}, {firstKey, s.keys}, hidden);

  constexpr int64_t wide = Block::columnsEach;
  ValueRange before = carried.take_front(each);
  Values top(before);
  for (auto [i, x] : llvm::enumerate(p))
    top[i / wide] = t.larger(top[i / wide], x);
  top = block.overRows(top, [&](Value x, Value y) { return t.larger(x, y); });

  Values next(top), alpha;
  for (size_t i = 0; i < each; i++) {
    alpha.push_back(cpu::emitExpNonPositive(t.b, t.loc, t.subf(before[i], top[i])));
    next.push_back(t.mulf(carried[each + i], alpha[i]));
  }
  for (auto [i, x] : llvm::enumerate(p)) {
    x = cpu::emitExpNonPositive(t.b, t.loc, t.subf(x, top[i / wide]));
    Value &sum = next[each + i / wide];
    sum = t.addf(sum, x);
  }
  block.keep(p);
  ValueRange sums = carried.drop_front(2 * each);
  Values scaled;
  for (auto [i, sum] : llvm::enumerate(sums))
    scaled.push_back(t.mulf(sum, alpha[i / (sums.size() / each)]));
  llvm::append_range(next, block.addProducts(scaled, values, hidden.some));
  return next;
}

/// Divides by the sums. A sum of 0 means that all keys are hidden.
void ForwardEmitter::finish(const Item &item, ValueRange carried) {
  Values sums =
      block.overRows(carried.slice(each, each), [&](Value x, Value y) { return t.addf(x, y); });
  Values o(carried.drop_front(2 * each)), none;
  for (size_t i = 0; i < each; i++)
    none.push_back(cpu::Num(t.b, t.loc, sums[i]) == 0.0);
  size_t wide = o.size() / each;
  for (auto [i, x] : llvm::enumerate(o))
    x = t.select(none[i / wide], t.scalar(0), t.b.create<arith::DivFOp>(t.loc, x, sums[i / wide]));
  Value queries = item.sizes.queries;
  for (cpu::Matrix place : operands.places(t, 0, item.batch, item.head))
    block.store(o, operands.valueWidth(), place, item.firstQuery, queries);
  for (cpu::Matrix place : operands.places(t, 1, item.batch, item.head))
    t.when(block.isFirstOfRow(), [&] {
      for (size_t i = 0; i < each; i++) {
        Value query = t.add(item.firstQuery, block.row(int64_t(i)));
        t.when(t.less(query, queries), [&] {
          Value lse = t.addf(carried[i], cpu::emitLog(t.b, t.loc, sums[i]));
          lse = t.narrow(t.select(none[i], t.scalar(infinity), lse), place.storage());
          t.b.create<memref::StoreOp>(t.loc, lse, place.memory,
                                      t.add(place.offset, t.mul(query, place.columnStride)));
        });
      }
    });
}

namespace {
class ForwardStrategy final : public cpu::AttentionStrategy<AttentionOp, ForwardEmitter> {
public:
  ForwardStrategy() : AttentionStrategy("attention", 90) {}
  bool canRoot(Operation *op) const override {
    return AttentionStrategy::canRoot(op) && AttentionScores::canEmit(op);
  }
};
} // namespace

std::unique_ptr<cpu::CpuStrategy> createAttentionStrategy() {
  return std::make_unique<ForwardStrategy>();
}

} // namespace tenon::spirv
