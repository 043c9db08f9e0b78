//===- AttentionMatrices.cpp - Flash attention by cooperative matrices ----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup takes 128 queries of one head and walks over the keys in blocks of 64 (Dao
// 2023): a block of K and V is in its memory, the next one on its way into registers.
// Queries, scores and sums stay in registers as matrices of 16 x 16. A lane knows which
// elements are its own, and those of scores lie as in a left factor: probabilities go into
// the next product without memory, in f16.
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
using Values = SmallVector<Value>;

namespace {

constexpr int64_t kKeys = 64, kQueries = 128;
constexpr int64_t kAcross = kKeys / kMatrix; ///< matrices of scores beside each other
/// Exponents of probabilities, which become f16, are so much larger: small ones keep their digits.
constexpr double kLog2Gain = 12;
/// By so much may a score be more than the maximum that was taken off, which is cheaper to keep
/// than to change (Zadouri et al., "FlashAttention-4", 2026).
constexpr double kSlack = 3;
constexpr double infinity = std::numeric_limits<double>::infinity();

class Forward : Fragments {
public:
  Forward(SpirvFrame &frame, const AttentionOperands &operands)
      : Fragments(frame), operands(operands) {}
  bool emit();
  std::optional<QueryFlags> flags;

private:
  /// What a workgroup computes.
  struct Item {
    AttentionSizes sizes;
    Value batch, head, keyHead, firstQuery, lastKey, firstRow;
    Value flag; ///< where the subgroup's flag is
  };
  void emitItem(const Item &item);
  Values loadQueries(const Item &item);
  Values keyBlock(const Item &item, ValueRange queries, Value firstKey, ValueRange state);
  Values scores(ValueRange queries);
  void hide(const Item &item, Value firstKey, Values &scores);
  void addMask(const Item &item, Value firstKey, Values &scores);
  Values softmax(ValueRange scores, MutableArrayRef<Value> state);
  Values shrink(ValueRange state, ValueRange most);
  Value takenOff(Value maximum);
  void finish(const Item &item, ValueRange state);
  void flag(const Item &item, ValueRange sums);

  Value row(const Item &item, int64_t block, int64_t half) {
    return t.add(item.firstRow, t.add(rowOf(half), block * kMatrix));
  }
  /// Is a score multiplied by the scale only in the exponent?
  bool scalesLate() const { return !operands.hasFloatMask() && operands.scale() > 0; }
  /// By which scores are multiplied in exponents of two.
  double factor() const { return (scalesLate() ? operands.scale() : 1) * kLog2e; }

  // The state that goes from a block of keys to the next: sums, then per row of a lane the
  // maximum and its share of the sum of exponentials.
  int64_t numSums() const { return blocks * valueMatrices; }
  Value &maximum(MutableArrayRef<Value> state, int64_t block, int64_t half) {
    return state[numSums() + block * kHalves + half];
  }
  Value &total(MutableArrayRef<Value> state, int64_t block, int64_t half) {
    return state[numSums() + (blocks + block) * kHalves + half];
  }
  int64_t stateSize() const { return numSums() + 2 * blocks * kHalves; }

  const AttentionOperands &operands;
  int64_t d, e;   ///< widths
  int64_t blocks; ///< of 16 queries, a subgroup has
  int64_t widthMatrices, valueMatrices;
  Panel queries, keys, values, results;
};

} // namespace

bool Forward::emit() {
  d = operands.width(), e = operands.valueWidth();
  if (!canUseMatrices(frame, operands))
    return false;
  // With narrow heads a subgroup has registers for twice the queries.
  blocks = std::max(d, e) <= 64 ? 2 : 1;
  int64_t subgroups = kQueries / (kMatrix * blocks);
  team = subgroups * frame.features().subgroupSize;
  int64_t paddedD = llvm::alignTo(d, kMatrix), paddedE = llvm::alignTo(e, kMatrix);
  widthMatrices = paddedD / kMatrix, valueMatrices = paddedE / kMatrix;
  // Queries and results pass through the memory of keys and values.
  queries = {0, d, paddedD, kQueries}, results = {0, e, paddedE, kQueries};
  keys = {0, d, paddedD, kKeys}, values = {keys.end(), e, paddedE, kKeys};
  reserve(std::max({queries.end(), results.end(), values.end()}));
  if (operands.causal() || operands.hasMask()) {
    auto extent = [&](unsigned axis) { return operands.extentExpr(operands.q(), axis); };
    AffineExpr words = extent(0) * extent(1) * (extent(2).ceilDiv(kQueries) * subgroups);
    flags = {frame.addSharedScratch(b.getI32Type(), {words}), kMatrix * blocks};
  }

  AttentionSizes sizes = operands.sizes(t);
  Value pieces = t.ceilDiv(sizes.queries, t.at(kQueries));
  frame.teams()->forEach(
      t.mul(t.mul(sizes.batch, sizes.heads), pieces), team, [&](Value number, Value member) {
        start(member);
        Item item;
        item.sizes = sizes;
        Value piece = rem(number, pieces), both = t.div(number, pieces);
        if (operands.causal()) // those that take long begin first
          piece = t.sub(t.sub(pieces, t.at(1)), piece);
        item.head = rem(both, sizes.heads), item.batch = t.div(both, sizes.heads);
        item.keyHead = t.div(item.head, sizes.group);
        item.firstQuery = t.mul(piece, kQueries);
        item.flag = t.add(t.mul(t.add(t.mul(both, pieces), piece), subgroups), subgroup);
        item.firstRow = t.add(item.firstQuery, t.mul(subgroup, blocks * kMatrix));
        item.lastKey = sizes.keys;
        if (operands.causal())
          item.lastKey = t.min(item.lastKey, t.add(item.firstQuery, kQueries));
        emitItem(item);
      });
  return true;
}

void Forward::emitItem(const Item &item) {
  Values queries = loadQueries(item);
  Matrix k = operands.matrix(t, operands.k(), item.batch, item.keyHead);
  Matrix v = operands.matrix(t, operands.v(), item.batch, item.keyHead);
  size_t numKeys = 0;
  auto load = [&](Value firstKey) {
    Values loaded = fetch(keys, k, firstKey, item.sizes.keys);
    numKeys = loaded.size();
    llvm::append_range(loaded, fetch(values, v, firstKey, item.sizes.keys));
    return loaded;
  };
  Values carried(size_t(numSums()), zeros());
  carried.append(size_t(blocks * kHalves), number(-infinity));
  carried.append(size_t(blocks * kHalves), number(0));
  llvm::append_range(carried, load(t.at(0)));
  auto size = size_t(stateSize());
  carried = t.loop(t.at(0), item.lastKey, kKeys, carried, [&](Value firstKey, ValueRange carried) {
    ValueRange loaded = carried.drop_front(size);
    frame.barrier();
    put(keys, loaded.take_front(numKeys));
    put(values, loaded.drop_front(numKeys));
    frame.barrier();
    Values ahead = load(t.add(firstKey, kKeys));
    Values next = keyBlock(item, queries, firstKey, carried.take_front(size));
    llvm::append_range(next, ahead);
    return next;
  });
  frame.barrier();
  finish(item, ValueRange(carried).take_front(size));
}

/// The subgroup's queries as left factors, by way of the memory.
Values Forward::loadQueries(const Item &item) {
  Matrix q = operands.matrix(t, operands.q(), item.batch, item.head);
  put(queries, fetch(queries, q, item.firstQuery, item.sizes.queries));
  frame.barrier();
  Values loaded;
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t k = 0; k < widthMatrices; k++)
      loaded.push_back(left(queries, t.add(t.mul(subgroup, blocks * kMatrix), block * kMatrix), k));
  return loaded;
}

/// Products of the queries and the keys in memory.
Values Forward::scores(ValueRange queries) {
  Values sums(size_t(blocks * kAcross), zeros());
  for (int64_t k = 0; k < widthMatrices; k++)
    for (int64_t n = 0; n < kAcross; n++) {
      Value right = rightTransposed(keys, n * kMatrix, k);
      for (int64_t block = 0; block < blocks; block++) {
        Value &sum = sums[size_t(block * kAcross + n)];
        sum = multiply(queries[size_t(block * widthMatrices + k)], right, sum);
      }
    }
  return sums;
}

void Forward::addMask(const Item &item, Value firstKey, Values &scores) {
  Matrix mask = operands.matrix(t, operands.mask(), item.batch, item.head);
  // What is outside of the mask is hidden, or not stored.
  auto within = [&](Value i, Value extent) { return t.min(i, t.sub(extent, t.at(1))); };
  forEachElement(scores, kAcross,
                 [&](int64_t block, int64_t half, int64_t column, Value score) -> Value {
                   Value i = within(row(item, block, half), item.sizes.queries);
                   Value j = within(t.add(firstKey, columnOf(column)), item.sizes.keys);
                   Value x = b.create<memref::LoadOp>(loc, mask.memory, place(mask, i, j));
                   if (operands.hasFloatMask())
                     return addf(score, toNumber(x));
                   Value seen = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x,
                                                        cpu::splatInteger(b, loc, x.getType(), 0));
                   return b.create<arith::SelectOp>(loc, seen, score, number(-infinity));
                 });
}

/// Keys that do not exist and, if causal, those after a query get -inf.
void Forward::hide(const Item &item, Value firstKey, Values &scores) {
  bool hasEdge = !operands.isMultiple(operands.k(), 2, kKeys);
  if (!hasEdge && !operands.causal())
    return;
  Value end = t.add(firstKey, kKeys), hides;
  if (hasEdge)
    hides = t.less(item.sizes.keys, end);
  if (operands.causal()) {
    Value crosses = t.less(t.add(item.firstRow, 1), end);
    hides = hides ? b.create<arith::OrIOp>(loc, hides, crosses).getResult() : crosses;
  }
  scores = t.choose(
      hides,
      [&] {
        Values hidden = scores;
        forEachElement(
            hidden, kAcross, [&](int64_t block, int64_t half, int64_t column, Value score) {
              Value key = t.add(firstKey, columnOf(column)), bound = item.sizes.keys;
              if (operands.causal())
                bound = t.min(bound, t.add(row(item, block, half), 1));
              return b.create<arith::SelectOp>(loc, t.less(key, bound), score, number(-infinity))
                  .getResult();
            });
        return hidden;
      },
      [&] { return scores; });
}

/// What is taken off exponents. -inf - -inf is no number: a query that has seen no key yet has
/// only zeros.
Value Forward::takenOff(Value maximum) {
  Value none = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, maximum, number(-infinity));
  Value finite = b.create<arith::SelectOp>(loc, none, number(0), maximum);
  return mulf(finite, number(-factor()));
}

/// Takes `most` into the maxima; what is there of sums is made smaller by as much as they grow.
Values Forward::shrink(ValueRange old, ValueRange most) {
  Values state(old);
  for (int64_t block = 0; block < blocks; block++) {
    Value shrinks[kHalves];
    for (int64_t half = 0; half < kHalves; half++) {
      Value &own = maximum(state, block, half), before = own, &sum = total(state, block, half);
      own = b.create<spv::GLFMaxOp>(loc, before, most[size_t(block * kHalves + half)]);
      shrinks[half] = exp2(fma(before, number(factor()), takenOff(own)));
      sum = mulf(sum, shrinks[half]);
    }
    for (int64_t j = 0; j < valueMatrices; j++) {
      Value &sum = state[size_t(block * valueMatrices + j)], scaled = sum;
      for (int64_t i = 0; i < kElements; i++)
        scaled = insert(mulf(element(sum, i), shrinks[i / kHalf]), scaled, i);
      sum = scaled;
    }
  }
  return state;
}

/// Exponentials of the scores less a maximum, in f16.
Values Forward::softmax(ValueRange scores, MutableArrayRef<Value> state) {
  auto larger = [&](Value x, Value y) -> Value { return b.create<spv::GLFMaxOp>(loc, x, y); };
  Values most;
  Value grows;
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t half = 0; half < kHalves; half++) {
      Value own;
      for (Value matrix : scores.slice(size_t(block * kAcross), kAcross))
        for (int64_t i = 0; i < kHalf; i++) {
          Value x = element(matrix, half * kHalf + i);
          own = own ? larger(own, x) : x;
        }
      most.push_back(overRow(own, larger));
      Value limit = addf(maximum(state, block, half), number(std::min(kSlack / factor(), 1e30)));
      Value isMore = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, most.back(), limit);
      grows = grows ? b.create<arith::OrIOp>(loc, grows, isMore).getResult() : isMore;
    }
  Values next =
      t.choose(any(grows), [&] { return shrink(state, most); }, [&] { return Values(state); });
  llvm::copy(next, state.begin());
  Values probabilities;
  for (int64_t block = 0; block < blocks; block++) {
    Value shifts[kHalves];
    for (int64_t half = 0; half < kHalves; half++)
      shifts[half] = addf(takenOff(maximum(state, block, half)), number(kLog2Gain));
    for (Value matrix : scores.slice(size_t(block * kAcross), kAcross)) {
      Value narrow = zerosLeft();
      for (int64_t i = 0; i < kElements; i++) {
        Value p = exp2(fma(element(matrix, i), number(factor()), shifts[i / kHalf]));
        Value &sum = total(state, block, i / kHalf);
        sum = addf(sum, p);
        narrow = insert(b.create<arith::TruncFOp>(loc, b.getF16Type(), p), narrow, i);
      }
      probabilities.push_back(narrow);
    }
  }
  return probabilities;
}

Values Forward::keyBlock(const Item &item, ValueRange queries, Value firstKey, ValueRange state) {
  Values next(state), all = scores(queries);
  if (!scalesLate())
    forEachElement(all, kAcross, [&](int64_t, int64_t, int64_t, Value score) {
      return mulf(score, number(operands.scale()));
    });
  if (operands.hasMask())
    addMask(item, firstKey, all);
  hide(item, firstKey, all);
  Values probabilities = softmax(all, next);
  for (int64_t n = 0; n < kAcross; n++)
    for (int64_t j = 0; j < valueMatrices; j++) {
      Value right = this->right(values, n * kMatrix, j);
      for (int64_t block = 0; block < blocks; block++) {
        Value &sum = next[size_t(block * valueMatrices + j)];
        sum = multiply(probabilities[size_t(block * kAcross + n)], right, sum);
      }
    }
  return next;
}

/// Stores whether an element of the subgroup's sums is not finite.
void Forward::flag(const Item &item, ValueRange sums) {
  constexpr int32_t magnitude = 0x7fffffff, infinite = 0x7f800000; // of the bits of an f32
  auto word = [&](int32_t value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
  };
  auto larger = [&](Value x, Value y) -> Value { return b.create<arith::MaxSIOp>(loc, x, y); };
  Value most = word(0);
  for (Value matrix : sums)
    for (int64_t i = 0; i < kElements; i++) {
      Value bits = b.create<arith::BitcastOp>(loc, b.getI32Type(), element(matrix, i));
      most = larger(most, b.create<arith::AndIOp>(loc, bits, word(magnitude)));
    }
  most = overLanes(most, frame.features().subgroupSize, larger);
  Value isOpen = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, most, word(infinite));
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, t.at(0));
  t.when(isFirst, [&] {
    b.create<memref::StoreOp>(loc, b.create<arith::ExtUIOp>(loc, b.getI32Type(), isOpen),
                              frame.scratch(flags->scratch), item.flag);
  });
}

void Forward::finish(const Item &item, ValueRange state) {
  Values last(state);
  if (flags)
    flag(item, state.take_front(size_t(numSums())));
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t half = 0; half < kHalves; half++) {
      Value &sum = total(last, block, half);
      sum = overRow(sum, [&](Value x, Value y) { return addf(x, y); });
      Value none = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, sum, number(0));
      Value most = mulf(maximum(last, block, half), number(scalesLate() ? operands.scale() : 1));
      Value lse = addf(addf(most, b.create<math::LogOp>(loc, sum)),
                       number(-kLog2Gain * llvm::numbers::ln2));
      lse = b.create<arith::SelectOp>(loc, none, number(infinity), lse);
      sum = b.create<arith::SelectOp>(loc, none, number(0), divf(number(1), sum));
      Value i = row(item, block, half);
      Value isOwn = b.create<arith::AndIOp>(loc, isFirstOfRow(), t.less(i, item.sizes.queries));
      t.when(isOwn, [&] {
        for (const Matrix &m : operands.places(t, 1, item.batch, item.head))
          b.create<memref::StoreOp>(loc, ofNumber(lse, m.storage()), m.memory,
                                    place(m, t.at(0), i));
      });
    }
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t j = 0; j < valueMatrices; j++) {
      Value sum = last[size_t(block * valueMatrices + j)], scaled = sum;
      for (int64_t i = 0; i < kElements; i++)
        scaled = insert(mulf(element(sum, i), total(last, block, i / kHalf)), scaled, i);
      save(results, scaled, t.add(t.mul(subgroup, blocks * kMatrix), block * kMatrix), j);
    }
  frame.barrier();
  for (const Matrix &o : operands.places(t, 0, item.batch, item.head))
    copyOut(results, o, item.firstQuery, item.sizes.queries);
}

bool canUseMatrices(SpirvFrame &frame, const AttentionOperands &operands) {
  auto isUsable = [](int64_t width) { return width > 0 && width <= 128; };
  return frame.features().fragments && getElementTypeOrSelf(operands.q().getType()).isF16() &&
         isUsable(operands.width()) && isUsable(operands.valueWidth()) &&
         operands.liesInVectors(kVector);
}

bool emitAttentionMatrices(SpirvFrame &frame, const AttentionOperands &operands,
                           std::optional<QueryFlags> &flags) {
  Forward forward(frame, operands);
  bool isEmitted = forward.emit();
  flags = forward.flags;
  return isEmitted;
}

Value isFlagged(SpirvFrame &frame, cpu::TileBuilder &t, const QueryFlags &flags, Value row,
                Value queries, Value first, int64_t count) {
  Value pitch = t.mul(t.ceilDiv(queries, t.at(kQueries)), kQueries / flags.queries), any;
  Value at = t.add(t.mul(row, pitch), t.div(first, t.at(flags.queries)));
  for (int64_t i = 0; i < count; i += flags.queries) {
    Value flag = t.b.create<memref::LoadOp>(t.loc, frame.scratch(flags.scratch),
                                            t.add(at, i / flags.queries));
    any = any ? t.b.create<arith::OrIOp>(t.loc, any, flag).getResult() : flag;
  }
  return t.b.create<arith::CmpIOp>(t.loc, arith::CmpIPredicate::ne, any,
                                   cpu::splatInteger(t.b, t.loc, any.getType(), 0));
}

} // namespace tenon::spirv
