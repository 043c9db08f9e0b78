//===- Random.cpp - Elements of random ops --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what ir/Philox.h defines, in 64-bit lanes, whose multiplication gives both halves
// of a 32-bit product. Where the lanes are neighbours and start at a block, each block is
// computed once and its words are dealt out; else each lane computes its own block.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementRules.h"
#include "codegen/cpu/VectorMath.h"
#include "ir/Philox.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

namespace {
/// The blocks of the lanes, each word in 64 bits.
struct Blocks {
  SmallVector<Num, 4> words;
  std::optional<Num> place; ///< of the lane's element in its block; none: lane % 4
};
} // namespace

static constexpr int64_t kLow = 0xFFFFFFFF;
static Num lowHalf(Num x) { return x & x.likeInteger(kLow); }
static Num highHalf(Num x) { return shiftRightLogical(x, 32); }

/// Word i of every block.
static SmallVector<Num, 4> emitWords(ElementEmitter &e, Value seed, Value step, uint64_t stream,
                                     Num number) {
  OpBuilder &b = e.builder();
  Num seedNum(b, e.loc(), e.emit(seed, {})), stepNum(b, e.loc(), e.emit(step, {}));
  auto wide = [&](Num x) {
    if (!isa<VectorType>(number.type()))
      return x;
    return x.of(b.create<vector::BroadcastOp>(e.loc(), number.type(), x.v));
  };
  Num k0 = lowHalf(seedNum), k1 = highHalf(seedNum);
  SmallVector<Num, 4> c = {
      lowHalf(number), highHalf(number),
      wide(highHalf(stepNum) ^ stepNum.likeInteger(int64_t(stream & kLow))),
      wide(lowHalf(stepNum) ^ stepNum.likeInteger(int64_t(stream >> 32)))};
  for (int round = 0; round < philox::kRounds; round++) {
    Num p0 = c[0] * c[0].likeInteger(philox::kMul0), p1 = c[2] * c[2].likeInteger(philox::kMul1);
    c = {highHalf(p1) ^ c[1] ^ wide(k0), lowHalf(p1), highHalf(p0) ^ c[3] ^ wide(k1),
         lowHalf(p0)};
    k0 = lowHalf(k0 + k0.likeInteger(philox::kWeyl0));
    k1 = lowHalf(k1 + k1.likeInteger(philox::kWeyl1));
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
    Value steps = b.create<arith::ConstantOp>(e.loc(), DenseElementsAttr::get(type, ArrayRef(each)));
    return {words(shiftRightLogical(Num(b, e.loc(), first), 2) + Num(b, e.loc(), steps)),
            std::nullopt};
  }
  Value number = e.valueOf(place);
  Type type = withElement(number.getType(), b.getI64Type());
  Num element(b, e.loc(), b.create<arith::IndexCastOp>(e.loc(), type, number));
  return {words(shiftRightLogical(element, 2)), element & element.likeInteger(3)};
}

static Num isSet(Num x, int64_t bit) { return (x & x.likeInteger(bit)) != x.likeInteger(0); }

/// For each lane the word that `wordOf` names for its place in the block.
static Num deal(const Blocks &blocks, ArrayRef<int> wordOf) {
  const SmallVector<Num, 4> &w = blocks.words;
  if (blocks.place) {
    Num odd = isSet(*blocks.place, 1), high = isSet(*blocks.place, 2);
    return select(high, select(odd, w[wordOf[3]], w[wordOf[2]]),
                  select(odd, w[wordOf[1]], w[wordOf[0]]));
  }
  // Words 0 and 1, 2 and 3 side by side, then both pairs.
  OpBuilder &b = *w[0].b;
  Location loc = w[0].loc;
  int64_t n = cast<VectorType>(w[0].type()).getNumElements();
  auto join = [&](Value x, Value y, ArrayRef<int64_t> order) -> Value {
    return b.create<vector::ShuffleOp>(loc, x, y, order);
  };
  SmallVector<int64_t> pairs, all;
  for (int64_t i = 0; i < n; i++)
    llvm::append_range(pairs, ArrayRef<int64_t>{i, n + i});
  for (int64_t i = 0; i < n; i++)
    llvm::append_range(all, ArrayRef<int64_t>{2 * i, 2 * i + 1, 2 * n + 2 * i, 2 * n + 2 * i + 1});
  Value first = join(w[wordOf[0]], w[wordOf[1]], pairs);
  Value second = join(w[wordOf[2]], w[wordOf[3]], pairs);
  return w[0].of(join(first, second, all));
}
static Num wordOf(const Blocks &blocks) { return deal(blocks, {0, 1, 2, 3}); }

/// A word as a number in (0, 1) of the type f32 or f64.
static Num uniformOf(Num word, bool isDouble) {
  OpBuilder &b = *word.b;
  Type type = withElement(word.type(), isDouble ? Type(b.getF64Type()) : Type(b.getF32Type()));
  if (!isDouble) {
    Type i32 = withElement(word.type(), b.getI32Type());
    word = word.of(b.create<arith::TruncIOp>(word.loc, i32, (word >> 9).v));
    return (word.of(b.create<arith::SIToFPOp>(word.loc, type, word.v)) + 0.5) * 0x1p-23;
  }
  // Exact without a conversion of 64-bit integers: the word as mantissa of 2^52 + word.
  Num shifted = (word | word.likeInteger(0x4330000000000000)).asFloat();
  return (shifted - 0x1p52 + 0.5) * 0x1p-32;
}

static Value emitNormal(ElementEmitter &e, RandomNormalOp op, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  Blocks blocks = blocksOf(e, op, indices);
  bool isDouble = getElementTypeOrSelf(op.getType()).isF64();
  Num u = uniformOf(deal(blocks, {0, 0, 2, 2}), isDouble);
  Num v = uniformOf(deal(blocks, {1, 1, 3, 3}), isDouble);
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

static Value emitDropout(ElementEmitter &e, DropoutOp op, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  double rate = op.getRate().convertToDouble();
  Num x(b, e.loc(), e.emit(op.getX(), indices));
  Num word = wordOf(blocksOf(e, op, indices));
  // In 32 bits, as signed numbers: half the registers.
  Num half = word.of(e.builder().create<arith::TruncIOp>(
      e.loc(), withElement(word.type(), e.builder().getI32Type()), word.v));
  int32_t threshold = int32_t(philox::dropoutThreshold(rate) ^ 0x80000000u);
  Num keep = (half ^ half.likeInteger(INT32_MIN)) >= half.likeInteger(threshold);
  if (isa<VectorType>(keep.type()))
    x = x.of(e.splat(x));
  return select(keep, x * (1 / (1 - rate)), x.like(0));
}

void addRandomRules(ElementRules &rules) {
  rules.add<RandomUniformOp>(
      [](ElementEmitter &e, RandomUniformOp op, unsigned, ArrayRef<LaneIndex> indices) -> Value {
        bool isDouble = getElementTypeOrSelf(op.getType()).isF64();
        return uniformOf(wordOf(blocksOf(e, op, indices)), isDouble);
      });
  rules.add<RandomNormalOp>(
      [](ElementEmitter &e, RandomNormalOp op, unsigned, ArrayRef<LaneIndex> indices) {
        return emitNormal(e, op, indices);
      });
  rules.add<DropoutOp>([](ElementEmitter &e, DropoutOp op, unsigned,
                          ArrayRef<LaneIndex> indices) { return emitDropout(e, op, indices); });
}

} // namespace tenon::cpu
