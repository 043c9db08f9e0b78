//===- Random.cpp - Elements of random ops --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what ir/Philox.h defines. Each lane computes the block of its own element, in
// 64-bit lanes, whose multiplication gives both halves of a 32-bit product.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementRules.h"
#include "codegen/cpu/VectorMath.h"
#include "ir/Philox.h"

using namespace mlir;

namespace tenon::cpu {

namespace {
/// The block of an element, each word in 64 bits, and the element's place in it.
struct Block {
  SmallVector<Num, 4> words;
  Num place;
};
} // namespace

static constexpr int64_t kLow = 0xFFFFFFFF;
static Num lowHalf(Num x) { return x & x.likeInteger(kLow); }
static Num highHalf(Num x) { return shiftRightLogical(x, 32); }

/// The number of the element in its tensor, as i64 or vector<lanes x i64>.
static Num elementNumber(ElementEmitter &e, Value tensor, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  Value number = e.valueOf(e.linear(tensor, indices));
  Type type = withElement(number.getType(), b.getI64Type());
  return Num(b, e.loc(), b.create<arith::IndexCastOp>(e.loc(), type, number));
}

static Block emitBlock(ElementEmitter &e, Value seed, Value step, uint64_t stream, Num element) {
  OpBuilder &b = e.builder();
  Num seedNum(b, e.loc(), e.emit(seed, {})), stepNum(b, e.loc(), e.emit(step, {}));
  auto wide = [&](Num x) { return x.of(isa<VectorType>(element.type()) ? e.splat(x) : x.v); };
  Num k0 = lowHalf(seedNum), k1 = highHalf(seedNum);
  Num number = shiftRightLogical(element, 2);
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
  return {c, element & element.likeInteger(3)};
}

static Num isSet(Num x, int64_t bit) { return (x & x.likeInteger(bit)) != x.likeInteger(0); }

static Num wordOf(const Block &block) {
  Num odd = isSet(block.place, 1), high = isSet(block.place, 2);
  return select(high, select(odd, block.words[3], block.words[2]),
                select(odd, block.words[1], block.words[0]));
}

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

template <typename Op>
static Block blockOf(ElementEmitter &e, Op op, ArrayRef<LaneIndex> indices) {
  return emitBlock(e, op.getSeed(), op.getStep(), uint64_t(op.getStream()),
                   elementNumber(e, op->getResult(0), indices));
}

static Value emitNormal(ElementEmitter &e, RandomNormalOp op, ArrayRef<LaneIndex> indices) {
  Block block = blockOf(e, op, indices);
  bool isDouble = getElementTypeOrSelf(op.getType()).isF64();
  Num second = isSet(block.place, 2);
  Num u = uniformOf(select(second, block.words[2], block.words[0]), isDouble);
  Num v = uniformOf(select(second, block.words[3], block.words[1]), isDouble);
  Num radius = sqrt(u.of(emitLog(e.builder(), e.loc(), u)) * -2);
  auto [sine, cosine] = emitSinCosTurns(e.builder(), e.loc(), v);
  return radius * select(isSet(block.place, 1), u.of(sine), u.of(cosine));
}

static Value emitDropout(ElementEmitter &e, DropoutOp op, ArrayRef<LaneIndex> indices) {
  OpBuilder &b = e.builder();
  double rate = op.getRate().convertToDouble();
  Num x(b, e.loc(), e.emit(op.getX(), indices));
  Num word = wordOf(blockOf(e, op, indices));
  Num keep = word >= word.likeInteger(philox::dropoutThreshold(rate));
  if (isa<VectorType>(keep.type()))
    x = x.of(e.splat(x));
  return select(keep, x * (1 / (1 - rate)), x.like(0));
}

void addRandomRules(ElementRules &rules) {
  rules.add<RandomUniformOp>(
      [](ElementEmitter &e, RandomUniformOp op, unsigned, ArrayRef<LaneIndex> indices) -> Value {
        bool isDouble = getElementTypeOrSelf(op.getType()).isF64();
        return uniformOf(wordOf(blockOf(e, op, indices)), isDouble);
      });
  rules.add<RandomNormalOp>(
      [](ElementEmitter &e, RandomNormalOp op, unsigned, ArrayRef<LaneIndex> indices) {
        return emitNormal(e, op, indices);
      });
  rules.add<DropoutOp>([](ElementEmitter &e, DropoutOp op, unsigned,
                          ArrayRef<LaneIndex> indices) { return emitDropout(e, op, indices); });
}

} // namespace tenon::cpu
