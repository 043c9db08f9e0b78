//===- AttentionGradient.cpp - Gradient of flash attention on GPUs --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probabilities are computed again from lse, tile by tile (Dao et al. 2022), in passes of
// which each owns the sums that it stores. In one a workgroup has keys, and the queries that
// see them pass by; in the next it has queries, and keys pass by; where the mask has a
// gradient, a third has a tile of that.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/AttentionMatrices.h"
#include "codegen/spirv/strategies/AttentionScores.h"

#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorMath.h"

#include <limits>

using namespace mlir;

namespace tenon::spirv {

using cpu::AttentionOperands;
using cpu::AttentionSizes;
using cpu::Matrix;
using cpu::Num;

namespace {

/// Results of the op.
enum Result : unsigned { Dq, Dk, Dv, Dmask };

class GradientPass : protected AttentionScores {
protected:
  /// For sums of these widths; `deltas` is scratch with a number for each query.
  GradientPass(cpu::KernelFrame &frame, const AttentionOperands &operands, unsigned deltas,
               ArrayRef<int64_t> widths)
      : AttentionScores(frame, operands, widths, /*tiles=*/2),
        op(cast<AttentionGradOp>(operands.root())), deltas(deltas) {}

  struct Item {
    AttentionSizes sizes;
    Value batch, head, keyHead, firstQuery, firstKey;
  };

  Value rem(Value x, Value y) { return t.b.createOrFold<arith::RemUIOp>(t.loc, x, y); }
  Block::Rows queryRows(const Item &item, Value operand, int64_t width) {
    return rows(operand, item.batch, item.head, item.firstQuery, item.sizes.queries, width);
  }
  Block::Rows keyRows(const Item &item, Value operand, int64_t width) {
    return rows(operand, item.batch, item.keyHead, item.firstKey, item.sizes.keys, width);
  }
  /// What the invocation's queries have in a vector.
  Values ofQueries(const Item &item, bool keysAreRows, const Matrix &vector);
  Values lse(const Item &item, bool keysAreRows);
  Values delta(const Item &item, bool keysAreRows);

  /// p = e^(s - lse)
  Values probabilities(const Item &item, const Hidden &hidden, ValueRange lse);
  /// p * (do v^T - delta)
  Values scoreGradients(const Item &item, const Hidden &hidden, ValueRange p, ValueRange delta);
  void store(unsigned result, const Item &item, Value head, ValueRange sums, int64_t width,
             Value first, Value end, double factor);

  AttentionGradOp op;

private:
  Values products(const Block::Rows &queries, const Block::Rows &keys, const Hidden &hidden) {
    return hidden.keysAreRows ? block.products(keys, queries) : block.products(queries, keys);
  }
  static Value ofQuery(ValueRange terms, size_t element, const Hidden &hidden) {
    constexpr int64_t wide = Block::columnsEach;
    return terms[hidden.keysAreRows ? element % wide : element / wide];
  }

  unsigned deltas;
};

/// A workgroup has a tile of keys.
class KeyPass : GradientPass {
public:
  KeyPass(cpu::KernelFrame &frame, const AttentionOperands &operands, unsigned deltas)
      : GradientPass(frame, operands, deltas, widthsOf(operands)) {}
  void emit();

private:
  static SmallVector<int64_t> widthsOf(const AttentionOperands &operands);
  Values tile(const Item &item, ValueRange carried, const Hidden &hidden);
};

/// A workgroup has a tile of queries.
class QueryPass : GradientPass {
public:
  QueryPass(cpu::KernelFrame &frame, const AttentionOperands &operands, unsigned deltas)
      : GradientPass(frame, operands, deltas, {operands.width()}) {}
  void emit();
};

/// A workgroup has a tile of the mask: of the gradients of scores, summed over the batches and
/// heads that share it in their order.
class MaskPass : GradientPass {
public:
  MaskPass(cpu::KernelFrame &frame, const AttentionOperands &operands, unsigned deltas)
      : GradientPass(frame, operands, deltas, {}) {}
  void emit();

private:
  Values sums(Item item, Value maskBatches, Value maskHeads);
  void store(const Item &item, ValueRange sums);
};

} // namespace

//===----------------------------------------------------------------------===//
// What the passes share
//===----------------------------------------------------------------------===//

GradientPass::Values GradientPass::ofQueries(const Item &item, bool keysAreRows,
                                             const Matrix &vector) {
  Values all;
  for (int64_t i = 0; i < (keysAreRows ? Block::columnsEach : block.rowsEach()); i++) {
    Value query = t.add(item.firstQuery, keysAreRows ? block.column(i) : block.row(i));
    query = t.min(query, t.sub(item.sizes.queries, t.at(1)));
    Value at = t.add(vector.offset, t.mul(query, vector.columnStride));
    all.push_back(t.widen(t.b.create<memref::LoadOp>(t.loc, vector.memory, at)));
  }
  return all;
}

GradientPass::Values GradientPass::lse(const Item &item, bool keysAreRows) {
  return ofQueries(item, keysAreRows, operands.matrix(t, op.getLse(), item.batch, item.head));
}

GradientPass::Values GradientPass::delta(const Item &item, bool keysAreRows) {
  Value row = t.add(t.mul(item.batch, item.sizes.heads), item.head);
  return ofQueries(
      item, keysAreRows,
      {frame.scratch(deltas), t.mul(row, item.sizes.queries), t.at(0), /*columnStride=*/t.at(1)});
}

GradientPass::Values GradientPass::probabilities(const Item &item, const Hidden &hidden,
                                                 ValueRange lse) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Block::Rows queries = queryRows(item, operands.q(), operands.width());
  queries.factor = operands.scale();
  Values p = products(queries, keyRows(item, operands.k(), operands.width()), hidden);
  hide(p, item.batch, item.head, {item.firstQuery, item.sizes.queries},
       {item.firstKey, item.sizes.keys}, hidden);
  for (auto [i, x] : llvm::enumerate(p)) {
    Num isHidden = Num(t.b, t.loc, x) == -infinity;
    x = cpu::emitExpNonPositive(t.b, t.loc, t.subf(x, ofQuery(lse, i, hidden)));
    if (hidden.some) // whatever lse is
      x = t.select(isHidden, t.scalar(0), x);
  }
  return p;
}

GradientPass::Values GradientPass::scoreGradients(const Item &item, const Hidden &hidden,
                                                  ValueRange p, ValueRange delta) {
  Values ds = products(queryRows(item, op.getGrad(), operands.valueWidth()),
                       keyRows(item, operands.v(), operands.valueWidth()), hidden);
  for (auto [i, x] : llvm::enumerate(ds)) {
    x = t.mulf(p[i], t.subf(x, ofQuery(delta, i, hidden)));
    if (hidden.some) // whatever the hidden value is
      x = t.select(Num(t.b, t.loc, p[i]) == 0.0, t.scalar(0), x);
  }
  return ds;
}

void GradientPass::store(unsigned result, const Item &item, Value head, ValueRange sums,
                         int64_t width, Value first, Value end, double factor) {
  Values scaled(sums);
  if (factor != 1)
    for (Value &x : scaled)
      x = t.mulf(x, t.scalar(factor));
  for (const Matrix &place : operands.places(t, result, item.batch, head))
    block.store(scaled, width, place, first, end);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> KeyPass::widthsOf(const AttentionOperands &operands) {
  SmallVector<int64_t> widths;
  if (operands.asks(Dk))
    widths.push_back(operands.width());
  if (operands.asks(Dv))
    widths.push_back(operands.valueWidth());
  return widths;
}

void KeyPass::emit() {
  AttentionSizes s = operands.sizes(t);
  Value blocks = t.ceilDiv(s.keys, t.at(block.rows()));
  Value count = t.mul(t.mul(s.batch, s.keyHeads), blocks);
  frame.teams()->forEach(count, block.team, [&](Value number, Value member) {
    block.setMember(member);
    Item it;
    it.sizes = operands.sizes(t);
    Value row = t.div(number, blocks);
    it.firstKey = t.mul(rem(number, blocks), block.rows());
    it.batch = t.div(row, it.sizes.keyHeads);
    it.keyHead = rem(row, it.sizes.keyHeads);

    Values dk, dv;
    if (operands.asks(Dk))
      dk = block.zeroSums(operands.width());
    if (operands.asks(Dv))
      dv = block.zeroSums(operands.valueWidth());
    Values carried = dk;
    llvm::append_range(carried, dv);
    carried = t.loop(t.at(0), it.sizes.group, 1, carried, [&](Value i, ValueRange carried) {
      it.head = t.add(t.mul(it.keyHead, it.sizes.group), i);
      return overQueries(it.sizes, it.firstKey, carried,
                         [&](Value firstQuery, ValueRange carried, const Hidden &hidden) {
                           it.firstQuery = firstQuery;
                           return tile(it, carried, hidden);
                         });
    });
    ValueRange sums = carried;
    store(Dk, it, it.keyHead, sums.take_front(dk.size()), operands.width(), it.firstKey,
          it.sizes.keys, operands.scale());
    store(Dv, it, it.keyHead, sums.drop_front(dk.size()), operands.valueWidth(), it.firstKey,
          it.sizes.keys, 1);
  });
}

/// Carried are sums of dk and dv, as far as they are asked for. One after the other: few tiles
/// are alive at a time.
KeyPass::Values KeyPass::tile(const Item &item, ValueRange carried, const Hidden &hidden) {
  Values p = probabilities(item, hidden, lse(item, hidden.keysAreRows));
  size_t numDk = operands.asks(Dk) ? block.zeroSums(operands.width()).size() : 0;
  Values dk(carried.take_front(numDk)), dv(carried.drop_front(numDk));
  if (operands.asks(Dv)) {
    block.keep(p);
    dv = block.addProducts(dv, queryRows(item, op.getGrad(), operands.valueWidth()), hidden.some);
  }
  if (operands.asks(Dk)) {
    block.keep(scoreGradients(item, hidden, p, delta(item, hidden.keysAreRows)));
    dk = block.addProducts(dk, queryRows(item, operands.q(), operands.width()), hidden.some);
  }
  llvm::append_range(dk, dv);
  return dk;
}

void QueryPass::emit() {
  AttentionSizes s = operands.sizes(t);
  Value blocks = t.ceilDiv(s.queries, t.at(block.rows()));
  Value count = t.mul(t.mul(s.batch, s.heads), blocks);
  frame.teams()->forEach(count, block.team, [&](Value number, Value member) {
    block.setMember(member);
    Item it;
    it.sizes = operands.sizes(t);
    Value row = t.div(number, blocks), tileNumber = rem(number, blocks);
    if (operands.causal()) // the most work first
      tileNumber = t.sub(t.sub(blocks, t.at(1)), tileNumber);
    it.firstQuery = t.mul(tileNumber, block.rows());
    it.batch = t.div(row, it.sizes.heads);
    it.head = rem(row, it.sizes.heads);
    it.keyHead = t.div(it.head, it.sizes.group);

    Values ownLse = lse(it, false), ownDelta = delta(it, false);
    Values dq = overKeys(it.sizes, it.firstQuery, block.zeroSums(operands.width()),
                         [&](Value firstKey, ValueRange dq, const Hidden &hidden) {
                           it.firstKey = firstKey;
                           Values p = probabilities(it, hidden, ownLse);
                           block.keep(scoreGradients(it, hidden, p, ownDelta));
                           return block.addProducts(dq, keyRows(it, operands.k(), operands.width()),
                                                    hidden.some);
                         });
    store(Dq, it, it.head, dq, operands.width(), it.firstQuery, it.sizes.queries, operands.scale());
  });
}

void MaskPass::emit() {
  auto extent = [&](unsigned axis) { return cpu::emitExtent(frame, operands.mask(), axis); };
  AttentionSizes s = operands.sizes(t);
  Value blocks = t.ceilDiv(s.queries, t.at(block.rows()));
  Value tiles = t.ceilDiv(s.keys, t.at(Block::columns));
  Value maskBatches = extent(0), maskHeads = extent(1);
  Value count = t.mul(t.mul(maskBatches, maskHeads), t.mul(blocks, tiles));
  frame.teams()->forEach(count, block.team, [&](Value number, Value member) {
    block.setMember(member);
    Item it;
    it.sizes = operands.sizes(t);
    Value both = t.div(number, tiles), row = t.div(both, blocks);
    it.firstKey = t.mul(rem(number, tiles), Block::columns);
    it.firstQuery = t.mul(rem(both, blocks), block.rows());
    it.batch = t.div(row, maskHeads);
    it.head = rem(row, maskHeads);
    store(it, sums(it, maskBatches, maskHeads));
  });
}

/// Batches (heads) are the item's own, or all where the mask has one.
MaskPass::Values MaskPass::sums(Item item, Value maskBatches, Value maskHeads) {
  const AttentionSizes &s = item.sizes;
  Hidden hidden;
  hidden.some = true;
  hidden.ends = false; // they are not stored
  hidden.isCausal = operands.causal();
  Value batches = t.div(s.batch, maskBatches), heads = t.div(s.heads, maskHeads);
  if (operands.causal()) { // of a tile that no query sees, none
    Value isSeen = t.less(item.firstKey, t.add(item.firstQuery, block.rows()));
    batches = t.select(isSeen, batches, t.at(0));
  }
  Values zeros(size_t(block.rowsEach() * Block::columnsEach), t.scalar(0));
  Item it = item;
  return t.loop(t.at(0), batches, 1, zeros, [&](Value i, ValueRange sums) {
    it.batch = t.add(item.batch, t.mul(i, maskBatches));
    return t.loop(t.at(0), heads, 1, sums, [&](Value j, ValueRange sums) {
      it.head = t.add(item.head, t.mul(j, maskHeads));
      it.keyHead = t.div(it.head, s.group);
      Values p = probabilities(it, hidden, lse(it, false));
      Values next = scoreGradients(it, hidden, p, delta(it, false));
      for (auto [i, x] : llvm::enumerate(next))
        x = t.addf(sums[i], x);
      return next;
    });
  });
}

void MaskPass::store(const Item &item, ValueRange sums) {
  for (const Matrix &place : operands.places(t, Dmask, item.batch, item.head))
    for (int64_t i = 0; i < block.rowsEach(); i++) {
      Value query = t.add(item.firstQuery, block.row(i));
      Value line = t.add(place.offset, t.mul(query, place.rowStride));
      for (int64_t j = 0; j < Block::columnsEach; j++) {
        Value key = t.add(item.firstKey, block.column(j));
        Value x = sums[size_t(i * Block::columnsEach + j)];
        t.when(t.less(query, item.sizes.queries), [&] {
          t.when(t.less(key, item.sizes.keys), [&] {
            t.b.create<memref::StoreOp>(t.loc, t.narrow(x, place.storage()), place.memory,
                                        t.add(line, t.mul(key, place.columnStride)));
          });
        });
      }
    }
}

//===----------------------------------------------------------------------===//
// The strategy
//===----------------------------------------------------------------------===//

namespace {

class GradientEmitter {
public:
  GradientEmitter(cpu::KernelFrame &frame, const AttentionOperands &operands)
      : frame(frame), operands(operands) {}
  void emit();

private:
  unsigned emitDeltas();

  cpu::KernelFrame &frame;
  const AttentionOperands &operands;
};

class GradientStrategy final : public cpu::AttentionStrategy<AttentionGradOp, GradientEmitter> {
public:
  GradientStrategy() : AttentionStrategy("attention_grad", 91) {}
  bool canRoot(Operation *op) const override {
    return AttentionStrategy::canRoot(op) && AttentionScores::canEmit(op);
  }
};

} // namespace

void GradientEmitter::emit() {
  if (emitAttentionGradMatrices(static_cast<SpirvFrame &>(frame), operands))
    return;
  unsigned deltas = 0;
  if (operands.asks(Dq) || operands.asks(Dk) || operands.asks(Dmask))
    deltas = emitDeltas();
  if (operands.asks(Dk) || operands.asks(Dv))
    KeyPass(frame, operands, deltas).emit();
  if (operands.asks(Dq))
    QueryPass(frame, operands, deltas).emit();
  if (operands.asks(Dmask))
    MaskPass(frame, operands, deltas).emit();
}

/// delta = sum over c of do[i, c] * o[i, c], in the order of products(): of one key it is what
/// that gives, and the gradient of its score exactly 0.
unsigned GradientEmitter::emitDeltas() {
  cpu::TileBuilder t(frame, operands.computeType());
  auto op = cast<AttentionGradOp>(operands.root());
  auto extent = [&](unsigned axis) { return operands.extentExpr(operands.q(), axis); };
  unsigned deltas = frame.addSharedScratch(t.element, {extent(0) * extent(1) * extent(2)});
  AttentionSizes s = operands.sizes(t);
  Value count = t.mul(t.mul(s.batch, s.heads), s.queries);
  t.parallel(count, t.at(operands.valueWidth()), [&](Value number) {
    AttentionSizes s = operands.sizes(t);
    Value row = t.div(number, s.queries), query = t.sub(number, t.mul(row, s.queries));
    Value batch = t.div(row, s.heads), head = t.sub(row, t.mul(batch, s.heads));
    Matrix grad = operands.matrix(t, op.getGrad(), batch, head);
    Matrix o = operands.matrix(t, op.getO(), batch, head);
    auto load = [&](const Matrix &matrix, Value column) {
      Value at = t.add(matrix.offset,
                       t.add(t.mul(query, matrix.rowStride), t.mul(column, matrix.columnStride)));
      Value x = t.widen(t.b.create<memref::LoadOp>(t.loc, matrix.memory, at));
      return Num(t.b, t.loc, x);
    };
    auto sum = t.loop(t.at(0), t.at(operands.valueWidth()), 1, {t.scalar(0)},
                      [&](Value c, ValueRange sum) -> cpu::TileBuilder::Values {
                        return {fma(load(grad, c), load(o, c), Num(t.b, t.loc, sum[0]))};
                      });
    t.b.create<memref::StoreOp>(t.loc, sum[0], frame.scratch(deltas), number);
  });
  return deltas;
}

std::unique_ptr<cpu::CpuStrategy> createAttentionGradStrategy() {
  return std::make_unique<GradientStrategy>();
}

} // namespace tenon::spirv
