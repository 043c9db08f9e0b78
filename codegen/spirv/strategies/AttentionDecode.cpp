//===- AttentionDecode.cpp - Attention of few queries to many keys --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time is that of reading keys and values. A workgroup has a chunk of keys, for up to four
// rows: queries of the heads that share them. What chunks give is combined in a second dispatch
// ("Flash-Decoding", Dao et al. 2023), in their order.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/AttentionDecode.h"

#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <limits>

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::AttentionOperands;
using cpu::AttentionSizes;
using cpu::Matrix;
using cpu::Num;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Decode {
public:
  Decode(SpirvFrame &frame, const AttentionOperands &operands);
  void emit();

private:
  using Values = cpu::TileBuilder::Values;

  static constexpr int64_t kTeam = 128;
  static constexpr int64_t kChunk = 256;
  static constexpr int64_t kMostLanes = 16, kMostKeys = 64;
  /// Rows of values that an invocation loads a part of at a time.
  static constexpr int64_t kAhead = 8;
  /// Numbers of arrays in memory; what is combined has the first ones.
  static constexpr unsigned kSums = 8, kScores = 9;

  struct Item {
    AttentionSizes sizes;
    Value batch, keyHead, firstKey, firstRow, chunk;
    Value keys; ///< of the chunk
  };
  /// A query of one of the heads; whether there is one.
  struct Row {
    Value head, query, exists;
  };
  /// What a row has of keys: the largest score, the sum of exponentials, and this invocation's
  /// columns of the sums of values.
  struct Sums {
    Value top, sum;
    Values o;
  };

  Row row(const Item &item, Value number);
  void emitChunks();
  void emitCombination();
  void scores(const Item &item);
  SmallVector<Values> loadKeys(const Item &item, Value firstKey);
  Value score(const Item &item, Value row, Value key, Value product);
  SmallVector<Sums> softmax(const Item &item);
  void addValues(const Item &item, MutableArrayRef<Sums> rows);
  /// Sums over invocations that have the same columns.
  void overValueGroups(MutableArrayRef<Sums> rows);
  void finish(Value batch, const Row &row, const Sums &sums);
  void storeChunk(const Item &item, int64_t number, const Sums &sums);

  Value load(const Matrix &matrix, Value row, Value column);
  /// A lane's elements of a row that so many lanes share; 0 beyond its end. Neighbours load
  /// neighbours, in vectors where all rows are made of these.
  Values loadRow(const Matrix &matrix, Value row, int64_t width, int64_t lanes);
  /// Where such an element is, and how many there are.
  Value columnOf(Value lane, int64_t lanes, int64_t i) {
    return t.add(t.mul(t.add(lane, i / vector * lanes), vector), i % vector);
  }
  static int64_t eachOf(int64_t width, int64_t lanes, int64_t vector) {
    return llvm::divideCeil(width, lanes * vector) * vector;
  }
  void unpack(Value words, Type storage, Values &elements);
  void storeTo(const Matrix &matrix, Value row, Value column, Value x);
  /// Runs `body` for the invocation's columns of o.
  void forEachColumn(llvm::function_ref<void(size_t i, Value column)> body);
  Value rem(Value x, Value y) { return t.b.createOrFold<arith::RemUIOp>(t.loc, x, y); }
  Value rem(Value x, int64_t y) { return rem(x, t.at(y)); }
  Value div(Value x, int64_t y) { return t.div(x, t.at(y)); }
  Value within(Value x, Value end) { return t.min(x, t.sub(end, t.at(1))); }
  Value exp(Value x) { return cpu::emitExpNonPositive(t.b, t.loc, x); }
  Value memory(unsigned number) {
    int64_t sums = std::max(keysAtOnce * (keyLanes + 1), valueColumns * kTeam);
    return frame.shared(number, t.element, rows * (number == kSums ? sums : kChunk));
  }
  Value loadShared(unsigned number, Value at) {
    return t.b.create<memref::LoadOp>(t.loc, memory(number), at);
  }
  void storeShared(unsigned number, Value at, Value x) {
    t.b.create<memref::StoreOp>(t.loc, x, memory(number), at);
  }
  Values combine(ValueRange own, llvm::function_ref<Value(Value, Value)> merge);
  double lowest() const { // not -inf: the difference to a score of -inf must not be NaN
    return t.element.isF64() ? -std::numeric_limits<double>::max()
                             : -double(std::numeric_limits<float>::max());
  }

  SpirvFrame &frame;
  const AttentionOperands &operands;
  mutable cpu::TileBuilder t;
  int64_t width, valueWidth, queries;
  int64_t rows;         ///< of a workgroup
  int64_t vector = 1;   ///< elements that are loaded together
  int64_t keyLanes;     ///< that share a key
  int64_t keysAtOnce;   ///< scores that are computed at a time
  int64_t valueLanes;   ///< that share a row of values
  int64_t valueColumns; ///< that a lane has of it
  bool isOne;           ///< chunk
  bool knowsGroup;
  unsigned topScratch = 0, sumScratch = 0, outputScratch = 0;
  Value member;
};

} // namespace

Decode::Decode(SpirvFrame &frame, const AttentionOperands &operands)
    : frame(frame), operands(operands), t(frame, operands.computeType()), width(operands.width()),
      valueWidth(operands.valueWidth()), queries(operands.extent(operands.q(), 2)) {
  int64_t heads = operands.extent(operands.q(), 1), keyHeads = operands.extent(operands.k(), 1);
  knowsGroup = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(keyHeads) && keyHeads > 0;
  int64_t most = t.element.isF64() ? 2 : 4;
  rows = knowsGroup ? std::clamp<int64_t>(queries * heads / keyHeads, 1, most) : 1;
  int64_t inVector = 128 / getElementTypeOrSelf(operands.k().getType()).getIntOrFloatBitWidth();
  if (!t.element.isF64() && operands.liesInVectors(inVector))
    vector = inVector;
  auto lanesOf = [&](int64_t width, int64_t most) {
    int64_t vectors = llvm::divideCeil(width, vector);
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(vectors), 8, most);
  };
  keyLanes = lanesOf(width, kMostLanes);
  keysAtOnce = std::min<int64_t>(vector == 1 ? kMostKeys / 2 : kMostKeys,
                                 llvm::bit_floor(uint64_t(kTeam / rows)));
  valueLanes = lanesOf(valueWidth, kTeam);
  valueColumns = eachOf(valueWidth, valueLanes, vector);
  int64_t keys = operands.extent(operands.k(), 2);
  isOne = !ShapedType::isDynamic(keys) && keys <= kChunk;
}

void Decode::emit() {
  if (!isOne) {
    auto extent = [&](Value operand, unsigned axis) { return operands.extentExpr(operand, axis); };
    AffineExpr count = extent(operands.q(), 0) * extent(operands.q(), 1) * queries *
                       extent(operands.k(), 2).ceilDiv(kChunk);
    topScratch = frame.addSharedScratch(t.element, {count});
    sumScratch = frame.addSharedScratch(t.element, {count});
    outputScratch = frame.addSharedScratch(t.element, {count * valueWidth});
  }
  emitChunks();
  if (!isOne)
    emitCombination();
}

Decode::Row Decode::row(const Item &item, Value number) {
  Value count = t.mul(item.sizes.group, queries), exists = t.less(number, count);
  number = within(number, count);
  Value head = t.add(t.mul(item.keyHead, item.sizes.group), div(number, queries));
  return {head, rem(number, queries), exists};
}

void Decode::emitChunks() {
  AttentionSizes outside = operands.sizes(t);
  Value pieces = t.ceilDiv(t.mul(outside.group, queries), t.at(rows));
  Value chunks = t.ceilDiv(outside.keys, t.at(kChunk));
  // How many queries share a key no expression tells; a workgroup has one row then.
  Value ofBatch = knowsGroup ? t.mul(outside.keyHeads, pieces) : t.mul(outside.heads, queries);
  Value count = t.mul(t.mul(outside.batch, chunks), ofBatch);
  frame.teams()->forEach(count, kTeam, [&](Value number, Value ownMember) {
    member = ownMember;
    Item it;
    it.sizes = operands.sizes(t);
    it.firstRow = t.mul(rem(number, pieces), rows);
    Value rest = t.div(number, pieces), both = t.div(rest, chunks);
    it.chunk = rem(rest, chunks);
    it.firstKey = t.mul(it.chunk, kChunk);
    it.keys = t.min(t.sub(it.sizes.keys, it.firstKey), t.at(kChunk));
    it.batch = t.div(both, it.sizes.keyHeads);
    it.keyHead = rem(both, it.sizes.keyHeads);

    scores(it);
    SmallVector<Sums> all = softmax(it);
    addValues(it, all);
    overValueGroups(all);
    for (int64_t i = 0; i < rows; i++) {
      Row own = row(it, t.add(it.firstRow, i));
      t.when(own.exists, [&] {
        if (isOne)
          finish(it.batch, own, all[i]);
        else
          storeChunk(it, i, all[i]);
      });
    }
  });
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

Value Decode::load(const Matrix &matrix, Value row, Value column) {
  Value at =
      t.add(matrix.offset, t.add(t.mul(row, matrix.rowStride), t.mul(column, matrix.columnStride)));
  return t.widen(t.b.create<memref::LoadOp>(t.loc, matrix.memory, at));
}

void Decode::storeTo(const Matrix &matrix, Value row, Value column, Value x) {
  Value at =
      t.add(matrix.offset, t.add(t.mul(row, matrix.rowStride), t.mul(column, matrix.columnStride)));
  t.b.create<memref::StoreOp>(t.loc, t.narrow(x, matrix.storage()), matrix.memory, at);
}

Decode::Values Decode::combine(ValueRange own, function_ref<Value(Value, Value)> merge) {
  return frame.teams()->combine(own, [&](ValueRange a, ValueRange b) {
    Values merged;
    for (auto [x, y] : llvm::zip(a, b))
      merged.push_back(merge(x, y));
    return merged;
  });
}

void Decode::unpack(Value words, Type storage, Values &elements) {
  OpBuilder &b = t.b;
  auto extract = [&](Value composite, int32_t i) {
    return b.create<spv::CompositeExtractOp>(t.loc, composite, ArrayRef<int32_t>{i}).getResult();
  };
  for (int32_t i = 0; i < 4; i++) {
    Value word = extract(words, i);
    auto number = [&](Value bits) { return b.create<arith::BitcastOp>(t.loc, t.element, bits); };
    auto constant = [&](int32_t x) { return cpu::splatInteger(b, t.loc, b.getI32Type(), x); };
    if (storage.isF32()) {
      elements.push_back(number(word));
    } else if (storage.isBF16()) { // the upper half of an f32
      elements.push_back(number(b.create<arith::ShLIOp>(t.loc, word, constant(16))));
      elements.push_back(number(b.create<arith::AndIOp>(t.loc, word, constant(-(1 << 16)))));
    } else {
      Value pair = b.create<spv::BitcastOp>(t.loc, VectorType::get({2}, storage), word);
      elements.push_back(t.widen(extract(pair, 0)));
      elements.push_back(t.widen(extract(pair, 1)));
    }
  }
}

Decode::Values Decode::loadRow(const Matrix &matrix, Value row, int64_t width, int64_t lanes) {
  Value lane = rem(member, lanes),
        memory = vector == 1 ? matrix.memory : frame.inVectors(matrix.memory);
  Value line = div(t.add(matrix.offset, t.mul(row, matrix.rowStride)), vector);
  int64_t count = llvm::divideCeil(width, vector); // liesInVectors(): nothing is left over
  Values elements;
  for (int64_t first = 0; first < count; first += lanes) {
    Value at = t.add(lane, first), exists;
    if (first + lanes > count) {
      exists = t.less(at, t.at(count));
      at = t.min(at, t.at(count - 1));
    }
    if (vector == 1)
      at = t.mul(at, matrix.columnStride);
    Values loaded;
    Value x = t.b.create<memref::LoadOp>(t.loc, memory, t.add(line, at));
    if (vector == 1)
      loaded.push_back(t.widen(x));
    else
      unpack(x, matrix.storage(), loaded);
    for (Value x : loaded)
      elements.push_back(exists ? t.select(exists, x, t.scalar(0)) : x);
  }
  return elements;
}

/// Leaves all scores of the chunk's keys in memory.
void Decode::scores(const Item &item) {
  Value lane = rem(member, keyLanes), group = div(member, keyLanes);
  int64_t groups = kTeam / keyLanes, each = eachOf(width, keyLanes, vector);
  Values q;
  for (int64_t r = 0; r < rows; r++) {
    Row own = row(item, t.add(item.firstRow, r));
    Matrix matrix = operands.matrix(t, operands.q(), item.batch, own.head);
    for (int64_t i = 0; i < each; i++) {
      Value column = t.min(columnOf(lane, keyLanes, i), t.at(width - 1));
      q.push_back(t.mulf(load(matrix, own.query, column), t.scalar(operands.scale())));
    }
  }
  t.loop(t.at(0), item.keys, keysAtOnce, [&](Value first) {
    frame.barrier();
    SmallVector<Values> keys = loadKeys(item, first);
    for (int64_t r = 0; r < rows; r++)
      for (auto [number, key] : llvm::enumerate(keys)) {
        Num sum(t.b, t.loc, t.scalar(0));
        for (int64_t i = 0; i < each; i++)
          sum = fma(Num(t.b, t.loc, q[r * each + i]), Num(t.b, t.loc, key[i]), sum);
        Value line = t.add(group, r * keysAtOnce + int64_t(number) * groups);
        storeShared(kSums, t.add(t.mul(line, keyLanes + 1), lane), sum);
      }
    frame.barrier();
    t.when(t.less(member, t.at(rows * keysAtOnce)), [&] { // a score each
      Value sum = loadShared(kSums, t.mul(member, keyLanes + 1));
      for (int64_t i = 1; i < keyLanes; i++)
        sum = t.addf(sum, loadShared(kSums, t.add(t.mul(member, keyLanes + 1), i)));
      Value row = div(member, keysAtOnce), key = t.add(first, rem(member, keysAtOnce));
      storeShared(kScores, t.add(t.mul(row, kChunk), key), score(item, row, key, sum));
    });
  });
  frame.barrier();
}

/// This lane's part of its keys.
SmallVector<Decode::Values> Decode::loadKeys(const Item &item, Value firstKey) {
  Matrix matrix = operands.matrix(t, operands.k(), item.batch, item.keyHead);
  Value first = t.add(t.add(item.firstKey, firstKey), div(member, keyLanes));
  SmallVector<Values> keys;
  for (int64_t i = 0; i < keysAtOnce; i += kTeam / keyLanes)
    keys.push_back(loadRow(matrix, within(t.add(first, i), item.sizes.keys), width, keyLanes));
  return keys;
}

Value Decode::score(const Item &item, Value number, Value key, Value product) {
  if (!operands.hasMask())
    return product;
  Row own = row(item, t.add(item.firstRow, number));
  Matrix mask = operands.matrix(t, operands.mask(), item.batch, own.head);
  Value place = within(t.add(item.firstKey, key), item.sizes.keys);
  Value at =
      t.add(mask.offset, t.add(t.mul(own.query, mask.rowStride), t.mul(place, mask.columnStride)));
  Value m = t.widen(t.b.create<memref::LoadOp>(t.loc, mask.memory, at));
  if (operands.hasFloatMask())
    return t.masked(product, m);
  return t.select(Num(t.b, t.loc, m) == 0.0, product, t.scalar(-infinity)); // of true 0
}

/// Replaces scores in memory by exponentials; 0 of keys that do not exist.
SmallVector<Decode::Sums> Decode::softmax(const Item &item) {
  SmallVector<Sums> all;
  Values scores, tops, sums;
  auto place = [&](int64_t row, int64_t i) { return t.add(member, row * kChunk + i); };
  for (int64_t r = 0; r < rows; r++) {
    Value top = t.scalar(lowest());
    for (int64_t i = 0; i < kChunk; i += kTeam) {
      Value exists = t.less(t.add(member, i), item.keys);
      scores.push_back(t.select(exists, loadShared(kScores, place(r, i)), t.scalar(-infinity)));
      top = t.larger(top, scores.back());
    }
    tops.push_back(top);
  }
  tops = combine(tops, [&](Value x, Value y) { return t.larger(x, y); });
  size_t next = 0;
  for (int64_t r = 0; r < rows; r++) {
    Value sum = t.scalar(0);
    for (int64_t i = 0; i < kChunk; i += kTeam) {
      Value p = exp(t.subf(scores[next++], tops[r]));
      storeShared(kScores, place(r, i), p);
      sum = t.addf(sum, p);
    }
    sums.push_back(sum);
  }
  sums = combine(sums, [&](Value x, Value y) { return t.addf(x, y); });
  frame.barrier();
  for (int64_t r = 0; r < rows; r++)
    all.push_back({tops[r], sums[r], {}});
  return all;
}

void Decode::forEachColumn(function_ref<void(size_t, Value)> body) {
  for (int64_t i = 0; i < valueColumns; i++)
    body(size_t(i), columnOf(rem(member, valueLanes), valueLanes, i));
}

void Decode::addValues(const Item &item, MutableArrayRef<Sums> all) {
  Matrix values = operands.matrix(t, operands.v(), item.batch, item.keyHead);
  int64_t groups = kTeam / valueLanes;
  bool isWhole = operands.isMultiple(operands.k(), 2, kChunk);
  static_assert(kChunk % (kTeam / 8 * kAhead) == 0, "no piece crosses the end of a chunk");
  Values zeros(size_t(rows * valueColumns), t.scalar(0));
  Values o = t.loop(t.at(0), item.keys, groups * kAhead, zeros, [&](Value first, ValueRange sums) {
    Values next(sums), v;
    auto key = [&](int64_t i) { return t.add(first, t.add(div(member, valueLanes), i * groups)); };
    for (int64_t i = 0; i < kAhead; i++) {
      Value place = t.add(item.firstKey, key(i));
      if (!isWhole)
        place = within(place, item.sizes.keys);
      for (Value x : loadRow(values, place, valueWidth, valueLanes))
        v.push_back(isWhole ? x : t.select(t.less(key(i), item.keys), x, t.scalar(0)));
    }
    for (int64_t i = 0; i < kAhead; i++)
      for (int64_t r = 0; r < rows; r++) {
        Num p(t.b, t.loc, loadShared(kScores, t.add(key(i), r * kChunk)));
        for (int64_t c = 0; c < valueColumns; c++) {
          Num x(t.b, t.loc, v[i * valueColumns + c]);
          if (operands.hasMask()) // what it hides may be anything
            x = select(p == 0.0, x.like(0), x);
          Value &sum = next[r * valueColumns + c];
          sum = fma(p, x, Num(t.b, t.loc, sum));
        }
      }
    return next;
  });
  for (auto [r, row] : llvm::enumerate(all))
    row.o = Values(ValueRange(o).slice(r * valueColumns, valueColumns));
}

void Decode::overValueGroups(MutableArrayRef<Sums> all) {
  if (valueLanes == kTeam)
    return;
  frame.barrier();
  auto place = [&](Value of, int64_t row, int64_t column) {
    return t.add(of, (row * valueColumns + column) * kTeam);
  };
  for (auto [r, row] : llvm::enumerate(all))
    for (auto [c, x] : llvm::enumerate(row.o))
      storeShared(kSums, place(member, r, c), x);
  frame.barrier();
  Value lane = rem(member, valueLanes);
  for (auto [r, row] : llvm::enumerate(all))
    for (auto [c, x] : llvm::enumerate(row.o)) {
      x = loadShared(kSums, place(lane, r, c));
      for (int64_t other = valueLanes; other < kTeam; other += valueLanes)
        x = t.addf(x, loadShared(kSums, place(t.add(lane, other), r, c)));
    }
}

void Decode::storeChunk(const Item &item, int64_t number, const Sums &sums) {
  Value chunks = t.ceilDiv(item.sizes.keys, t.at(kChunk));
  Value row = t.add(t.mul(t.add(t.mul(item.batch, item.sizes.keyHeads), item.keyHead),
                          t.mul(item.sizes.group, queries)),
                    t.add(item.firstRow, number));
  Value at = t.add(t.mul(row, chunks), item.chunk);
  t.when(t.less(member, t.at(valueLanes)), [&] {
    forEachColumn([&](size_t i, Value column) {
      t.when(t.less(column, t.at(valueWidth)), [&] {
        t.b.create<memref::StoreOp>(t.loc, sums.o[i], frame.scratch(outputScratch),
                                    t.add(t.mul(at, valueWidth), column));
      });
    });
  });
  t.when(t.less(member, t.at(1)), [&] {
    t.b.create<memref::StoreOp>(t.loc, sums.top, frame.scratch(topScratch), at);
    t.b.create<memref::StoreOp>(t.loc, sums.sum, frame.scratch(sumScratch), at);
  });
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// A workgroup a row.
void Decode::emitCombination() {
  rows = 1;
  AttentionSizes outside = operands.sizes(t);
  Value count = t.mul(t.mul(outside.batch, outside.heads), queries);
  frame.teams()->forEach(count, kTeam, [&](Value number, Value ownMember) {
    member = ownMember;
    AttentionSizes s = operands.sizes(t);
    Value chunks = t.ceilDiv(s.keys, t.at(kChunk)), first = t.mul(number, chunks);
    auto loadChunk = [&](unsigned scratch, Value at) {
      return t.b.create<memref::LoadOp>(t.loc, frame.scratch(scratch), at).getResult();
    };
    auto top = [&](Value chunk) { return loadChunk(topScratch, t.add(first, chunk)); };
    Sums all;
    Value own =
        t.loop(member, chunks, kTeam, {t.scalar(lowest())}, [&](Value chunk, ValueRange own) {
          return Values{t.larger(own[0], top(chunk))};
        })[0];
    all.top = combine(own, [&](Value x, Value y) { return t.larger(x, y); })[0];
    auto weight = [&](Value chunk) { return exp(t.subf(top(chunk), all.top)); };
    own = t.loop(member, chunks, kTeam, {t.scalar(0)}, [&](Value chunk, ValueRange own) {
      Value sum = loadChunk(sumScratch, t.add(first, chunk));
      return Values{t.addf(own[0], t.mulf(weight(chunk), sum))};
    })[0];
    all.sum = combine(own, [&](Value x, Value y) { return t.addf(x, y); })[0];
    Values zeros(size_t(valueColumns), t.scalar(0));
    all.o = t.loop(div(member, valueLanes), chunks, kTeam / valueLanes, zeros,
                   [&](Value chunk, ValueRange sums) {
                     Values next(sums);
                     Num w(t.b, t.loc, weight(chunk));
                     Value line = t.mul(t.add(first, chunk), valueWidth);
                     forEachColumn([&](size_t i, Value column) {
                       column = t.min(column, t.at(valueWidth - 1));
                       Value x = loadChunk(outputScratch, t.add(line, column));
                       next[i] = fma(w, Num(t.b, t.loc, x), Num(t.b, t.loc, sums[i]));
                     });
                     return next;
                   });
    overValueGroups(all);
    Value both = div(number, queries);
    finish(t.div(both, s.heads), {rem(both, s.heads), rem(number, queries), {}}, all);
  });
}

/// Divides by the sum. A sum of 0 means that all keys are hidden.
void Decode::finish(Value batch, const Row &row, const Sums &sums) {
  Num none = Num(t.b, t.loc, sums.sum) == 0.0;
  t.when(t.less(member, t.at(valueLanes)), [&] {
    for (const Matrix &place : operands.places(t, 0, batch, row.head))
      forEachColumn([&](size_t i, Value column) {
        t.when(t.less(column, t.at(valueWidth)), [&] {
          Value x = t.b.create<arith::DivFOp>(t.loc, sums.o[i], sums.sum);
          storeTo(place, row.query, column, t.select(none, t.scalar(0), x));
        });
      });
  });
  t.when(t.less(member, t.at(1)), [&] {
    Value lse = t.addf(sums.top, cpu::emitLog(t.b, t.loc, sums.sum));
    for (const Matrix &place : operands.places(t, 1, batch, row.head))
      storeTo(place, t.at(0), row.query, t.select(none, t.scalar(infinity), lse));
  });
}

bool emitAttentionDecode(SpirvFrame &frame, const AttentionOperands &operands) {
  constexpr int64_t mostQueries = 4;
  int64_t queries = operands.extent(operands.q(), 2), keys = operands.extent(operands.k(), 2);
  if (operands.causal() || queries < 1 || queries > mostQueries || keys == 0 ||
      operands.width() == 0)
    return false;
  Decode(frame, operands).emit();
  return true;
}

} // namespace tenon::spirv
