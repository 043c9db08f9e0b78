//===- AttentionGradMatrices.cpp - Its gradient by cooperative matrices ---===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes that compute probabilities again from lse (Dao 2023): in one a workgroup holds
// keys, and dk and dv, and lets queries pass by; in the other it holds queries and dq, and
// lets keys pass by. What is held stays in registers. Which rows of a tile see which columns
// is all that the two differ in, but for one product. Every sum has one owner: no atomics.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/AttentionMatrices.h"
#include "codegen/spirv/strategies/Fragments.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::AttentionOperands;
using cpu::AttentionSizes;
using cpu::Matrix;

namespace {

/// Probabilities that become f16 are taken so many times: small ones keep their digits.
constexpr double kGain = 0x1p14, kLog2Gain = 14;

class Gradient : Fragments {
public:
  Gradient(SpirvFrame &frame, const AttentionOperands &operands)
      : Fragments(frame), operands(operands), op(cast<AttentionGradOp>(operands.root())) {}
  bool emit();

private:
  /// What a workgroup computes: the part that it holds, and the head that passes by.
  struct Item {
    AttentionSizes sizes;
    Value batch, head, keyHead;
    Value firstHeld, firstRow; ///< of the workgroup, of the subgroup
  };

  void emitDeltas();
  void emitKeyPass();
  void emitQueryPass();
  /// Runs `emit` for each workgroup, which holds a part of so many rows of the heads of `operand`.
  void forEachItem(Value operand, int64_t subgroups,
                   llvm::function_ref<void(const Item &, Value head)> emit);
  void keyItem(Item item);
  void queryItem(Item item);
  Values keyTile(const Item &item, ValueRange k, ValueRange v, Value firstQuery, ValueRange sums);
  Values queryTile(const Item &item, ValueRange q, ValueRange g, ValueRange lse, ValueRange delta,
                   Value firstKey, ValueRange sums);

  /// Products of what is held with 16 rows of a panel, block by block.
  Values products(ValueRange held, const Panel &panel, int64_t row, int64_t count);
  /// sums + factors * 16 rows of a panel.
  void addProducts(MutableArrayRef<Value> sums, ValueRange factors, const Panel &panel,
                   int64_t row);
  /// Query and key of an element.
  struct Pair {
    Value query, key;
  };
  using PairOf = llvm::function_ref<Pair(int64_t block, int64_t half, int64_t column)>;
  using TermOf = llvm::function_ref<Value(int64_t block, int64_t half, int64_t column)>;
  /// kGain e^(score - lse) of matrices beside each other, 0 where a query does not see a key.
  /// `lastKey` and `firstQuery` bound the keys and queries of the subgroup's matrices.
  void toProbabilities(const Item &item, Values &scores, Value lastKey, Value firstQuery,
                       PairOf pairOf, TermOf lse);
  /// p (dp - delta), as left factors; `p` has the gain, and `delta` gives what deltaOf() does.
  Values scoreGradients(ValueRange p, ValueRange dp, TermOf delta);
  Values toLeft(ValueRange matrices);

  /// The subgroup's rows of a matrix as left factors, by way of the memory.
  Values hold(const Matrix &matrix, const Panel &panel, const Item &item, Value lastRow);
  /// Stores sums, times a factor, to the places of a result.
  void finish(const Item &item, unsigned result, Value head, MutableArrayRef<Value> sums,
              const Panel &panel, Value lastRow, double factor);
  Value lseOf(const Item &item, Value query);
  Value deltaOf(const Item &item, Value query);
  Value row(const Item &item, int64_t block, int64_t half) {
    return t.add(item.firstRow, t.add(rowOf(half), block * kMatrix));
  }
  Value firstRowInPanel() { return t.mul(subgroup, blocks * kMatrix); }

  const AttentionOperands &operands;
  AttentionGradOp op;
  int64_t d, e, paddedD, paddedE;
  int64_t blocks;   ///< of 16 rows, a subgroup holds
  int64_t heldRows; ///< of a workgroup
  unsigned deltaScratch = 0;
  Value lseMemory, deltaMemory; ///< of the queries that pass by
};

} // namespace

bool Gradient::emit() {
  d = operands.width(), e = operands.valueWidth();
  // Of one key the gradient of its score is exactly 0: both sums of it have to be the same.
  if (!canUseMatrices(frame, operands) || op.getMaskGrad() || operands.extent(operands.k(), 2) == 1)
    return false;
  blocks = std::max(d, e) <= 64 ? 2 : 1;
  paddedD = llvm::alignTo(d, kMatrix), paddedE = llvm::alignTo(e, kMatrix);
  emitDeltas();
  if (operands.asks(1) || operands.asks(2))
    emitKeyPass();
  if (operands.asks(0))
    emitQueryPass();
  return true;
}

/// delta[i] = sum over c of do[i, c] * o[i, c], a subgroup a query; stored is -delta / gain.
void Gradient::emitDeltas() {
  auto extent = [&](unsigned axis) { return operands.extentExpr(operands.q(), axis); };
  deltaScratch = frame.addSharedScratch(b.getF32Type(), {extent(0) * extent(1) * extent(2)});
  AttentionSizes s = operands.sizes(t);
  constexpr int64_t subgroups = 8;
  team = subgroups * frame.features().subgroupSize;
  Value count = t.mul(t.mul(s.batch, s.heads), s.queries);
  frame.teams()->forEach(t.ceilDiv(count, t.at(subgroups)), team, [&](Value number, Value member) {
    start(member);
    Value query = t.add(t.mul(number, subgroups), subgroup);
    t.when(t.less(query, count), [&] {
      Value i = rem(query, s.queries), both = t.div(query, s.queries);
      Value head = rem(both, s.heads), batch = t.div(both, s.heads);
      Matrix g = operands.matrix(t, op.getGrad(), batch, head);
      Matrix o = operands.matrix(t, op.getO(), batch, head);
      auto load = [&](const Matrix &m, Value j) {
        return toNumber(b.create<memref::LoadOp>(loc, m.memory, place(m, i, j)));
      };
      int64_t lanes = frame.features().subgroupSize;
      Value sum = t.loop(lane, t.at(e), lanes, {this->number(0)}, [&](Value j, ValueRange sum) {
        return Values{fma(load(g, j), load(o, j), sum[0])};
      })[0];
      sum = overLanes(sum, lanes, [&](Value x, Value y) { return addf(x, y); });
      Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, t.at(0));
      t.when(isFirst, [&] {
        b.create<memref::StoreOp>(loc, mulf(sum, this->number(-1 / kGain)),
                                  frame.scratch(deltaScratch), query);
      });
    });
  });
}

void Gradient::forEachItem(Value operand, int64_t subgroups,
                           function_ref<void(const Item &, Value)> emit) {
  team = subgroups * frame.features().subgroupSize;
  heldRows = subgroups * blocks * kMatrix;
  AttentionSizes sizes = operands.sizes(t);
  bool areKeys = operand == operands.k();
  Value heads = areKeys ? sizes.keyHeads : sizes.heads;
  Value pieces = t.ceilDiv(areKeys ? sizes.keys : sizes.queries, t.at(heldRows));
  frame.teams()->forEach(t.mul(t.mul(sizes.batch, heads), pieces), team,
                         [&](Value number, Value member) {
                           start(member);
                           Value piece = rem(number, pieces), both = t.div(number, pieces);
                           if (operands.causal() && !areKeys) // those that take long begin first
                             piece = t.sub(t.sub(pieces, t.at(1)), piece);
                           Item item;
                           item.sizes = sizes, item.batch = t.div(both, heads);
                           item.firstHeld = t.mul(piece, heldRows);
                           item.firstRow = t.add(item.firstHeld, firstRowInPanel());
                           emit(item, rem(both, heads));
                         });
}

Fragments::Values Gradient::hold(const Matrix &matrix, const Panel &panel, const Item &item,
                                 Value lastRow) {
  frame.barrier();
  put(panel, fetch(panel, matrix, item.firstHeld, lastRow));
  frame.barrier();
  Values loaded;
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t k = 0; k < panel.padded / kMatrix; k++)
      loaded.push_back(left(panel, t.add(firstRowInPanel(), block * kMatrix), k));
  return loaded;
}

void Gradient::finish(const Item &item, unsigned result, Value head, MutableArrayRef<Value> sums,
                      const Panel &panel, Value lastRow, double factor) {
  frame.barrier();
  int64_t wide = panel.padded / kMatrix;
  for (auto [number, sum] : llvm::enumerate(sums)) {
    Value scaled = sum;
    for (int64_t i = 0; factor != 1 && i < kElements; i++)
      scaled = insert(mulf(element(sum, i), this->number(factor)), scaled, i);
    save(panel, scaled, t.add(firstRowInPanel(), int64_t(number) / wide * kMatrix),
         int64_t(number) % wide);
  }
  frame.barrier();
  for (const Matrix &place : operands.places(t, result, item.batch, head))
    copyOut(panel, place, item.firstHeld, lastRow);
}

Fragments::Values Gradient::products(ValueRange held, const Panel &panel, int64_t row,
                                     int64_t count) {
  Values sums(size_t(blocks * count), zeros());
  int64_t wide = panel.padded / kMatrix;
  for (int64_t k = 0; k < wide; k++)
    for (int64_t n = 0; n < count; n++) {
      Value right = rightTransposed(panel, row + n * kMatrix, k);
      for (int64_t block = 0; block < blocks; block++) {
        Value &sum = sums[size_t(block * count + n)];
        sum = multiply(held[size_t(block * wide + k)], right, sum);
      }
    }
  return sums;
}

void Gradient::addProducts(MutableArrayRef<Value> sums, ValueRange factors, const Panel &panel,
                           int64_t row) {
  int64_t wide = panel.padded / kMatrix, count = int64_t(factors.size()) / blocks;
  for (int64_t n = 0; n < count; n++)
    for (int64_t k = 0; k < wide; k++) {
      Value right = this->right(panel, row + n * kMatrix, k);
      for (int64_t block = 0; block < blocks; block++) {
        Value &sum = sums[size_t(block * wide + k)];
        sum = multiply(factors[size_t(block * count + n)], right, sum);
      }
    }
}

void Gradient::toProbabilities(const Item &item, Values &scores, Value lastKey, Value firstQuery,
                               PairOf pairOf, TermOf lse) {
  int64_t across = int64_t(scores.size()) / blocks;
  Value zero = number(0);
  auto hide = [&](Value seen, Value x) {
    return b.create<arith::SelectOp>(loc, seen, x, zero).getResult();
  };
  Matrix mask;
  if (operands.hasMask())
    mask = operands.matrix(t, operands.mask(), item.batch, item.head);
  auto within = [&](Value i, Value extent) { return t.min(i, t.sub(extent, t.at(1))); };
  forEachElement(scores, across, [&](int64_t block, int64_t half, int64_t column, Value score) {
    Value x = fma(score, number(operands.scale() * kLog2e), lse(block, half, column)), seen;
    if (operands.hasMask()) {
      auto [query, key] = pairOf(block, half, column);
      Value at = place(mask, within(query, item.sizes.queries), within(key, item.sizes.keys));
      Value m = b.create<memref::LoadOp>(loc, mask.memory, at);
      if (operands.hasFloatMask())
        x = fma(toNumber(m), number(kLog2e), x);
      else
        seen = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, m,
                                       cpu::splatInteger(b, loc, m.getType(), 0));
    }
    Value p = exp2(x);
    return seen ? hide(seen, p) : p;
  });
  Value hides;
  if (!operands.isMultiple(operands.k(), 2, kMatrix))
    hides = t.less(item.sizes.keys, t.add(lastKey, 1));
  if (operands.causal()) {
    Value crosses = t.less(firstQuery, lastKey);
    hides = hides ? b.create<arith::OrIOp>(loc, hides, crosses).getResult() : crosses;
  }
  if (!hides)
    return;
  scores = t.choose(
      hides,
      [&] {
        Values hidden = scores;
        forEachElement(hidden, across, [&](int64_t block, int64_t half, int64_t column, Value p) {
          auto [query, key] = pairOf(block, half, column);
          Value bound = item.sizes.keys;
          if (operands.causal())
            bound = t.min(bound, t.add(query, 1));
          return hide(t.less(key, bound), p);
        });
        return hidden;
      },
      [&] { return scores; });
}

Fragments::Values Gradient::toLeft(ValueRange matrices) {
  Values all;
  for (Value matrix : matrices) {
    Value narrow = zerosLeft();
    for (int64_t i = 0; i < kElements; i++)
      narrow =
          insert(b.create<arith::TruncFOp>(loc, b.getF16Type(), element(matrix, i)), narrow, i);
    all.push_back(narrow);
  }
  return all;
}

Fragments::Values Gradient::scoreGradients(ValueRange p, ValueRange dp, TermOf delta) {
  Values all = llvm::to_vector(dp);
  int64_t across = int64_t(p.size()) / blocks;
  for (auto [number, matrix] : llvm::enumerate(all))
    for (int64_t i = 0; i < kElements; i++) {
      Value term = delta(int64_t(number) / across, i / kHalf,
                         int64_t(number) % across * kMatrix + i % kHalf);
      Value difference = fma(element(matrix, i), this->number(1 / kGain), term);
      matrix = insert(mulf(element(p[number], i), difference), matrix, i);
    }
  return toLeft(all);
}

/// What is added to exponents of two. Of queries that do not exist -inf: their probabilities are 0.
Value Gradient::lseOf(const Item &item, Value query) {
  Matrix m = operands.matrix(t, op.getLse(), item.batch, item.head);
  Value exists = t.less(query, item.sizes.queries);
  Value at = place(m, t.at(0), query);
  at = b.create<arith::SelectOp>(loc, exists, at, t.at(0));
  Value x = toNumber(b.create<memref::LoadOp>(loc, m.memory, at));
  x = fma(x, number(-kLog2e), number(kLog2Gain));
  return b.create<arith::SelectOp>(loc, exists, x,
                                   number(-std::numeric_limits<double>::infinity()));
}

Value Gradient::deltaOf(const Item &item, Value query) {
  Value exists = t.less(query, item.sizes.queries);
  Value row = t.add(t.mul(item.batch, item.sizes.heads), item.head);
  Value at = t.add(t.mul(row, item.sizes.queries), query);
  at = b.create<arith::SelectOp>(loc, exists, at, t.at(0));
  Value x = b.create<memref::LoadOp>(loc, frame.scratch(deltaScratch), at);
  return b.create<arith::SelectOp>(loc, exists, x, number(0));
}

//===-- Keys and values are held ------------------------------------------===//

/// Queries that pass by at a time.
static constexpr int64_t kTile = 32;

void Gradient::emitKeyPass() {
  forEachItem(operands.k(), /*subgroups=*/8, [&](Item item, Value head) {
    item.keyHead = head;
    keyItem(item);
  });
}

void Gradient::keyItem(Item item) {
  Panel k{0, d, paddedD, heldRows}, v{0, e, paddedE, heldRows};
  Panel q{0, d, paddedD, kTile}, g{q.end(), e, paddedE, kTile};
  reserve(std::max({k.end(), v.end(), g.end()}));
  lseMemory = frame.shared(1, b.getF32Type(), kTile);
  deltaMemory = frame.shared(2, b.getF32Type(), kTile);
  const AttentionSizes &s = item.sizes;
  Values keys = hold(operands.matrix(t, operands.k(), item.batch, item.keyHead), k, item, s.keys);
  Values values = hold(operands.matrix(t, operands.v(), item.batch, item.keyHead), v, item, s.keys);
  // Of each head of the group the queries that may see a key of the workgroup.
  Value firstQuery = operands.causal() ? t.roundDown(item.firstHeld, kTile) : t.at(0);
  Value tiles = t.ceilDiv(t.sub(t.max(s.queries, firstQuery), firstQuery), t.at(kTile));
  Value count = t.mul(tiles, s.group);
  auto begin = [&](Value number) { // of a tile
    item.head = t.add(t.mul(item.keyHead, s.group), t.div(number, t.max(tiles, t.at(1))));
    return t.add(firstQuery, t.mul(rem(number, t.max(tiles, t.at(1))), kTile));
  };
  size_t numQ = 0;
  auto load = [&](Value number) {
    Value first = begin(number);
    Values loaded =
        fetch(q, operands.matrix(t, operands.q(), item.batch, item.head), first, s.queries);
    numQ = loaded.size();
    llvm::append_range(loaded, fetch(g, operands.matrix(t, op.getGrad(), item.batch, item.head),
                                     first, s.queries));
    Value own = t.add(first, t.min(member, t.at(kTile - 1)));
    loaded.push_back(lseOf(item, own));
    loaded.push_back(deltaOf(item, own));
    return loaded;
  };
  auto numDk = size_t(blocks * paddedD / kMatrix), numDv = size_t(blocks * paddedE / kMatrix);
  Values carried(numDk + numDv, zeros());
  llvm::append_range(carried, load(t.at(0)));
  carried = t.loop(t.at(0), count, 1, carried, [&](Value number, ValueRange carried) {
    ValueRange loaded = carried.drop_front(numDk + numDv);
    frame.barrier();
    put(q, loaded.take_front(numQ));
    put(g, loaded.drop_front(numQ).drop_back(2));
    t.when(t.less(member, t.at(kTile)), [&] {
      b.create<memref::StoreOp>(loc, loaded[loaded.size() - 2], lseMemory, member);
      b.create<memref::StoreOp>(loc, loaded.back(), deltaMemory, member);
    });
    frame.barrier();
    Values ahead = load(t.min(t.add(number, 1), t.sub(count, t.at(1))));
    Value first = begin(number);
    ValueRange sums = carried.take_front(numDk + numDv);
    auto compute = [&] { return keyTile(item, keys, values, first, sums); };
    Values next;
    if (operands.causal()) // where no query sees a key of the subgroup
      next = t.choose(
          t.less(t.add(first, kTile - 1), item.firstRow), [&] { return Values(sums); }, compute);
    else
      next = compute();
    llvm::append_range(next, ahead);
    return next;
  });
  MutableArrayRef<Value> sums(carried);
  finish(item, 1, item.keyHead, sums.take_front(numDk), k, s.keys, operands.scale());
  finish(item, 2, item.keyHead, sums.slice(numDk, numDv), v, s.keys, 1 / kGain);
}

/// S, P, dV, dP, dS and dK one after the other: few are alive at a time.
Fragments::Values Gradient::keyTile(const Item &item, ValueRange k, ValueRange v, Value firstQuery,
                                    ValueRange sums) {
  Panel q{0, d, paddedD, kTile}, g{q.end(), e, paddedE, kTile};
  Values next = llvm::to_vector(sums);
  auto numDk = size_t(blocks * paddedD / kMatrix);
  MutableArrayRef<Value> dk = MutableArrayRef<Value>(next).take_front(numDk);
  MutableArrayRef<Value> dv = MutableArrayRef<Value>(next).drop_front(numDk);
  Value lastKey = t.add(item.firstRow, blocks * kMatrix - 1);
  for (int64_t step = 0; step < kTile; step += kMatrix) {
    Value first = t.add(firstQuery, step);
    auto term = [&](Value memory) {
      Values terms;
      for (int64_t i = 0; i < kHalf; i++)
        terms.push_back(b.create<memref::LoadOp>(loc, memory, t.add(columnOf(i), step)));
      return terms;
    };
    Values p = products(k, q, step, 1), lse = term(lseMemory);
    toProbabilities(
        item, p, lastKey, first,
        [&](int64_t block, int64_t half, int64_t column) {
          return Pair{t.add(first, columnOf(column)), row(item, block, half)};
        },
        [&](int64_t, int64_t, int64_t column) { return lse[size_t(column)]; });
    addProducts(dv, toLeft(p), g, step);
    Values dp = products(v, g, step, 1), delta = term(deltaMemory);
    Values ds = scoreGradients(
        p, dp, [&](int64_t, int64_t, int64_t column) { return delta[size_t(column)]; });
    addProducts(dk, ds, q, step);
  }
  return next;
}

//===-- Queries are held --------------------------------------------------===//

void Gradient::emitQueryPass() {
  forEachItem(operands.q(), /*subgroups=*/blocks == 2 ? 4 : 8, [&](Item item, Value head) {
    item.head = head;
    item.keyHead = t.div(head, item.sizes.group);
    queryItem(item);
  });
}

void Gradient::queryItem(Item item) {
  int64_t tile = blocks == 2 ? 32 : 64;
  Panel q{0, d, paddedD, heldRows}, g{0, e, paddedE, heldRows};
  Panel k{0, d, paddedD, tile}, v{k.end(), e, paddedE, tile};
  reserve(std::max({q.end(), g.end(), v.end()}));
  const AttentionSizes &s = item.sizes;
  Values queries =
      hold(operands.matrix(t, operands.q(), item.batch, item.head), q, item, s.queries);
  Values gradients =
      hold(operands.matrix(t, op.getGrad(), item.batch, item.head), g, item, s.queries);
  Values lse, delta;
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t half = 0; half < kHalves; half++) {
      lse.push_back(lseOf(item, row(item, block, half)));
      delta.push_back(deltaOf(item, row(item, block, half)));
    }
  Matrix keys = operands.matrix(t, operands.k(), item.batch, item.keyHead);
  Matrix values = operands.matrix(t, operands.v(), item.batch, item.keyHead);
  size_t numK = 0;
  auto load = [&](Value firstKey) {
    Values loaded = fetch(k, keys, firstKey, s.keys);
    numK = loaded.size();
    llvm::append_range(loaded, fetch(v, values, firstKey, s.keys));
    return loaded;
  };
  Value lastKey = s.keys;
  if (operands.causal())
    lastKey = t.min(lastKey, t.add(item.firstHeld, heldRows));
  auto numDq = size_t(blocks * paddedD / kMatrix);
  Values carried(numDq, zeros());
  llvm::append_range(carried, load(t.at(0)));
  carried = t.loop(t.at(0), lastKey, tile, carried, [&](Value firstKey, ValueRange carried) {
    ValueRange loaded = carried.drop_front(numDq), sums = carried.take_front(numDq);
    frame.barrier();
    put(k, loaded.take_front(numK));
    put(v, loaded.drop_front(numK));
    frame.barrier();
    Values ahead = load(t.add(firstKey, tile));
    auto compute = [&] { return queryTile(item, queries, gradients, lse, delta, firstKey, sums); };
    Values next;
    if (operands.causal())
      next = t.choose(
          t.less(t.add(item.firstRow, blocks * kMatrix - 1), firstKey),
          [&] { return Values(sums); }, compute);
    else
      next = compute();
    llvm::append_range(next, ahead);
    return next;
  });
  finish(item, 0, item.head, MutableArrayRef<Value>(carried).take_front(numDq), q, s.queries,
         operands.scale());
}

Fragments::Values Gradient::queryTile(const Item &item, ValueRange q, ValueRange g, ValueRange lse,
                                      ValueRange delta, Value firstKey, ValueRange sums) {
  int64_t tile = blocks == 2 ? 32 : 64;
  constexpr int64_t together = 2; // matrices of scores beside each other
  Panel k{0, d, paddedD, tile}, v{k.end(), e, paddedE, tile};
  Values next = llvm::to_vector(sums);
  for (int64_t step = 0; step < tile; step += together * kMatrix) {
    Value first = t.add(firstKey, step);
    Values p = products(q, k, step, together);
    auto ofRow = [&](ValueRange terms) {
      return [=](int64_t block, int64_t half, int64_t) {
        return terms[size_t(block * kHalves + half)];
      };
    };
    toProbabilities(
        item, p, t.add(first, together * kMatrix - 1), item.firstRow,
        [&](int64_t block, int64_t half, int64_t column) {
          return Pair{row(item, block, half), t.add(first, columnOf(column))};
        },
        ofRow(lse));
    Values dp = products(g, v, step, together);
    addProducts(next, scoreGradients(p, dp, ofRow(delta)), k, step);
  }
  return next;
}

bool emitAttentionGradMatrices(SpirvFrame &frame, const AttentionOperands &operands) {
  return Gradient(frame, operands).emit();
}

} // namespace tenon::spirv
