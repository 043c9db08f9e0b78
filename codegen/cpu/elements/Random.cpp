//===- Random.cpp - Elements of random ops --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what ir/Philox.h defines, for vectors in 64-bit lanes, whose multiplication gives both
// halves of a 32-bit product; only the low half of a word counts, so nothing is masked but the
// factors, which the multiplication of low halves does for free. Where the lanes are
// neighbours and start at a block, each block is computed once and its words are dealt
// out; else each lane computes its own block. Scalars have 32 bits.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/elements/Random.h"

#include "codegen/cpu/ElementRules.h"
#include "codegen/cpu/VectorMath.h"
#include "ir/Philox.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;

namespace tenon::cpu {

namespace {
/// The blocks of the lanes, each word in the low half of 64 bits or, of a scalar, in 32.
struct Blocks {
  SmallVector<Num, 4> words;
  std::optional<Num> place; ///< of the lane's element in its block; none: lane % 4
};
} // namespace

static constexpr int64_t kLow = 0xFFFFFFFF;
static Num lowHalf(Num x) { return x & x.likeInteger(kLow); }
static Num highHalf(Num x) { return shiftRightLogical(x, 32); }

/// The low halves of x and, above them, of `high` or nothing. As a shuffle: of a mask and
/// a shift LLVM makes products of 64 bits, which take three times as long.
static Num lowHalves(Num x, std::optional<Num> high = std::nullopt) {
  OpBuilder &b = *x.b;
  auto wide = dyn_cast<VectorType>(x.type());
  if (!wide)
    return lowHalf(x);
  int64_t n = 2 * wide.getNumElements();
  auto narrow = VectorType::get({n}, b.getI32Type());
  Value low = b.create<vector::BitCastOp>(x.loc, narrow, x.v);
  Value above = high ? b.create<vector::BitCastOp>(x.loc, narrow, high->v).getResult()
                     : splatInteger(b, x.loc, narrow, 0);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < n; i += 2)
    llvm::append_range(order, ArrayRef<int64_t>{i, n + i});
  Value both = b.create<vector::ShuffleOp>(x.loc, low, above, order);
  return x.of(b.create<vector::BitCastOp>(x.loc, wide, both));
}

/// The words of block `number`, scalars of 32 bits.
static SmallVector<Num, 4> emitBlock(Num seed, Num step, uint64_t stream, Num number) {
  OpBuilder &b = *seed.b;
  Location loc = seed.loc;
  Type i32 = b.getI32Type();
  auto low = [&](Num x) { return x.of(b.create<arith::TruncIOp>(loc, i32, x.v)); };
  auto high = [&](Num x) { return low(highHalf(x)); };
  Num k0 = low(seed), k1 = high(seed);
  SmallVector<Num, 4> c = {low(number), high(number), high(step) ^ k0.likeInteger(int32_t(stream)),
                           low(step) ^ k0.likeInteger(int32_t(stream >> 32))};
  for (int round = 0; round < philox::kRounds; round++) {
    auto times = [&](Num x, uint32_t factor) {
      return b.create<arith::MulUIExtendedOp>(loc, x.v, x.likeInteger(int32_t(factor)).v);
    };
    auto p0 = times(c[0], philox::kMul0), p1 = times(c[2], philox::kMul1);
    c = {c[1] ^ k0 ^ k0.of(p1.getHigh()), k0.of(p1.getLow()), c[3] ^ k1 ^ k0.of(p0.getHigh()),
         k0.of(p0.getLow())};
    k0 = k0 + k0.likeInteger(int32_t(philox::kWeyl0));
    k1 = k1 + k1.likeInteger(int32_t(philox::kWeyl1));
  }
  return c;
}

/// Word i of every block.
static SmallVector<Num, 4> emitWords(ElementEmitter &e, Value seed, Value step, uint64_t stream,
                                     Num number) {
  OpBuilder &b = e.builder();
  Num seedNum(b, e.loc(), e.emit(seed, {})), stepNum(b, e.loc(), e.emit(step, {}));
  if (!isa<VectorType>(number.type()))
    return emitBlock(seedNum, stepNum, stream, number);
  auto wide = [&](Num x) {
    return x.of(b.create<vector::BroadcastOp>(e.loc(), number.type(), x.v));
  };
  Num k0 = seedNum, k1 = highHalf(seedNum);
  SmallVector<Num, 4> c = {number, highHalf(number),
                           wide(highHalf(stepNum) ^ stepNum.likeInteger(int64_t(stream & kLow))),
                           wide(stepNum ^ stepNum.likeInteger(int64_t(stream >> 32)))};
  for (int round = 0; round < philox::kRounds; round++) {
    Num p0 = lowHalves(c[0]) * c[0].likeInteger(philox::kMul0);
    Num p1 = lowHalves(c[2]) * c[2].likeInteger(philox::kMul1);
    c = {highHalf(p1) ^ c[1] ^ wide(k0), p1, highHalf(p0) ^ c[3] ^ wide(k1), p0};
    k0 = k0 + k0.likeInteger(philox::kWeyl0);
    k1 = k1 + k1.likeInteger(philox::kWeyl1);
  }
  return c;
}

template <typename Op>
static Blocks blocksOf(ElementEmitter &e, Op op, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  auto words = [&](Num number) {
    return emitWords(e, op.getSeed(), op.getStep(), uint64_t(op.getStream()), number);
  };
  LaneIndex place = e.linear(op->getResult(0), indices);
  int lanes = e.numLanes();
  if (lanes >= 8 && !place.vector && place.step == 1 && place.multiple % 4 == 0) {
    auto type = VectorType::get({lanes / 4}, b.getI64Type());
    Value first = b.create<arith::IndexCastOp>(e.loc(), b.getI64Type(), place.base);
    first = b.create<vector::BroadcastOp>(e.loc(), type, first);
    auto each = llvm::to_vector(llvm::seq<int64_t>(0, lanes / 4));
    Value steps =
        b.create<arith::ConstantOp>(e.loc(), DenseElementsAttr::get(type, ArrayRef(each)));
    return {words(shiftRightLogical(Num(b, e.loc(), first), 2) + Num(b, e.loc(), steps)),
            std::nullopt};
  }
  Value number = e.valueOf(place);
  Type type = withElement(number.getType(), b.getI64Type());
  Num element(b, e.loc(), b.create<arith::IndexCastOp>(e.loc(), type, number));
  return {words(shiftRightLogical(element, 2)), element & element.likeInteger(3)};
}

static Num isSet(Num x, int64_t bit) { return (x & x.likeInteger(bit)) != x.likeInteger(0); }

/// For each lane the word that `wordOf` names for its place in the block, in 32 bits.
static Num deal(const Blocks &blocks, ArrayRef<int> wordOf) {
  const SmallVector<Num, 4> &w = blocks.words;
  OpBuilder &b = *w[0].b;
  Location loc = w[0].loc;
  if (blocks.place) {
    Num odd = isSet(*blocks.place, 1), high = isSet(*blocks.place, 2);
    Num word = select(high, select(odd, w[wordOf[3]], w[wordOf[2]]),
                      select(odd, w[wordOf[1]], w[wordOf[0]]));
    Type i32 = withElement(word.type(), b.getI32Type());
    return word.type() == i32 ? word : word.of(b.create<arith::TruncIOp>(loc, i32, word.v));
  }
  // Two words make 64 bits, the lower one first; two of these a block.
  int64_t n = cast<VectorType>(w[0].type()).getNumElements();
  auto pair = [&](int first, int second) { return lowHalves(w[first], w[second]); };
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < n; i++)
    llvm::append_range(order, ArrayRef<int64_t>{i, n + i});
  Value all = b.create<vector::ShuffleOp>(loc, pair(wordOf[0], wordOf[1]).v,
                                          pair(wordOf[2], wordOf[3]).v, order);
  return w[0].of(b.create<vector::BitCastOp>(loc, VectorType::get({4 * n}, b.getI32Type()), all));
}
static Num wordOf(const Blocks &blocks) { return deal(blocks, {0, 1, 2, 3}); }

/// A word as a number in (0, 1), of f64 for more than 23 bits and else of f32.
static Num uniformOf(Num word, int bits) {
  OpBuilder &b = *word.b;
  double unit = std::ldexp(1.0, -bits);
  if (bits <= 23) {
    Type type = withElement(word.type(), b.getF32Type());
    Value whole = b.create<arith::SIToFPOp>(word.loc, type, shiftRightLogical(word, 32 - bits).v);
    return (word.of(whole) + 0.5) * unit;
  }
  // Exact without a conversion of 64-bit integers: the word as mantissa of 2^52 + word.
  Type i64 = withElement(word.type(), b.getI64Type());
  word = word.of(b.create<arith::ExtUIOp>(word.loc, i64, word.v));
  Num shifted = (word | word.likeInteger(0x4330000000000000)).asFloat();
  return (shifted - 0x1p52 + 0.5) * unit;
}

static int bitsOf(Type type) {
  return philox::uniformBits(cast<FloatType>(getElementTypeOrSelf(type)).getFPMantissaWidth());
}

static Value emitNormal(ElementEmitter &e, RandomNormalOp op, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  Blocks blocks = blocksOf(e, op, indices);
  bool isDouble = getElementTypeOrSelf(op.getType()).isF64();
  int bits = philox::uniformBits(isDouble ? 53 : 24);
  Num u = uniformOf(deal(blocks, {0, 0, 2, 2}), bits);
  Num v = uniformOf(deal(blocks, {1, 1, 3, 3}), bits);
  Num radius = sqrt(u.of(emitLog(b, e.loc(), u)) * -2);
  auto [sine, cosine] = emitSinCosTurns(b, e.loc(), v);
  if (blocks.place)
    return radius * select(isSet(*blocks.place, 1), u.of(sine), u.of(cosine));
  SmallVector<bool> odd;
  for (int i = 0; i < e.numLanes(); i++)
    odd.push_back(i & 1);
  auto type = VectorType::get({e.numLanes()}, b.getI1Type());
  Value isOdd = b.create<arith::ConstantOp>(e.loc(), DenseElementsAttr::get(type, ArrayRef(odd)));
  return radius * select(u.of(isOdd), u.of(sine), u.of(cosine));
}

static Value emitDropout(ElementEmitter &e, DropoutOp op, Num word, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  double rate = op.getRate().convertToDouble();
  Num x(b, e.loc(), e.emit(op.getX(), indices));
  Num least = word.likeInteger(int64_t(philox::dropoutThreshold(rate)));
  Num keep = word.of(b.create<arith::CmpIOp>(e.loc(), arith::CmpIPredicate::uge, word.v, least.v));
  if (isa<VectorType>(keep.type()))
    x = x.of(e.splat(x));
  return select(keep, x * (1 / (1 - rate)), x.like(0));
}

bool drawsOneWord(Operation *op) { return isa<DropoutOp, RandomUniformOp>(op); }

SmallVector<Value> emitDrawnBlock(ElementEmitter &e, Operation *op, Value number) {
  auto wordsOf = [&](auto op) {
    Num wide(e.builder(), e.loc(),
             e.builder().create<arith::IndexCastOp>(e.loc(), e.builder().getI64Type(), number));
    return llvm::to_vector_of<Value>(
        emitWords(e, op.getSeed(), op.getStep(), uint64_t(op.getStream()), wide));
  };
  if (auto dropout = dyn_cast<DropoutOp>(op))
    return wordsOf(dropout);
  return wordsOf(cast<RandomUniformOp>(op));
}

Value emitOfWord(ElementEmitter &e, Operation *op, Value word, ArrayRef<LaneIndex> indices) {
  Num drawn(e.builder(), e.loc(), word);
  if (auto dropout = dyn_cast<DropoutOp>(op))
    return emitDropout(e, dropout, drawn, indices);
  return uniformOf(drawn, bitsOf(op->getResult(0).getType()));
}

void addRandomRules(ElementRules &rules) {
  rules.add<RandomUniformOp>(
      [](ElementEmitter &e, RandomUniformOp op, unsigned, ArrayRef<LaneIndex> indices) -> Value {
        return uniformOf(wordOf(blocksOf(e, op, indices)), bitsOf(op.getType()));
      });
  rules.add<RandomNormalOp>([](ElementEmitter &e, RandomNormalOp op, unsigned,
                               ArrayRef<LaneIndex> indices) { return emitNormal(e, op, indices); });
  rules.add<DropoutOp>([](ElementEmitter &e, DropoutOp op, unsigned, ArrayRef<LaneIndex> indices) {
    return emitDropout(e, op, wordOf(blocksOf(e, op, indices)), indices);
  });
}

} // namespace tenon::cpu
