//===- FloatConversions.cpp - f16 and bf16 in integer arithmetic ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/FloatConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tenon::cpu {
namespace {

/// Arithmetic on values of one shape.
struct Bits {
  OpBuilder &b;
  Location loc;
  Type shape; ///< a type of the shape: scalar or vector

  Type like(Type element) const {
    if (auto vector = dyn_cast<VectorType>(shape))
      return vector.clone(element);
    return element;
  }
  Type i32() const { return like(b.getI32Type()); }
  Value constant(Type type, uint64_t value) const {
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), int64_t(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return b.create<arith::ConstantOp>(loc, attr);
  }
  Value word(uint32_t value) const { return constant(i32(), int32_t(value)); }
  Value bitcast(Type element, Value x) const {
    return b.create<arith::BitcastOp>(loc, like(element), x);
  }
  Value widen(Value x) const { return b.create<arith::ExtUIOp>(loc, i32(), x); }
  Value narrow(Value x) const { return b.create<arith::TruncIOp>(loc, like(b.getI16Type()), x); }
  Value add(Value x, Value y) const { return b.create<arith::AddIOp>(loc, x, y); }
  Value andi(Value x, Value y) const { return b.create<arith::AndIOp>(loc, x, y); }
  Value ori(Value x, Value y) const { return b.create<arith::OrIOp>(loc, x, y); }
  Value shl(Value x, uint32_t n) const { return b.create<arith::ShLIOp>(loc, x, word(n)); }
  Value shr(Value x, uint32_t n) const { return b.create<arith::ShRUIOp>(loc, x, word(n)); }
  Value less(Value x, Value y) const {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, y);
  }
  Value select(Value c, Value x, Value y) const { return b.create<arith::SelectOp>(loc, c, x, y); }
};

constexpr uint32_t infinityBits = 0x7f800000, signBit = 0x80000000;

/// f64 -> f32, rounded to odd: rounding the outcome again, to a type that is at
/// least two bits shorter, gives what one rounding would have given.
Value narrowToOdd(const Bits &bits, Value x) {
  OpBuilder &b = bits.b;
  Type f32 = bits.like(b.getF32Type()), f64 = x.getType();
  Value nearest = b.create<arith::TruncFOp>(bits.loc, f32, x);
  Value back = b.create<arith::ExtFOp>(bits.loc, f64, nearest);
  Value word = bits.bitcast(b.getI32Type(), nearest);
  auto magnitude = [&](Value value) {
    Type i64 = bits.like(b.getI64Type());
    Value whole = b.create<arith::BitcastOp>(bits.loc, i64, value);
    return bits.andi(whole, bits.constant(i64, ~0ull >> 1));
  };
  Value away = bits.less(magnitude(x), magnitude(back));
  Value inexact = b.create<arith::CmpFOp>(bits.loc, arith::CmpFPredicate::ONE, back, x);
  word = b.create<arith::SubIOp>(
      bits.loc, word, b.create<arith::ExtUIOp>(bits.loc, bits.i32(), bits.andi(away, inexact)));
  word = bits.ori(word, b.create<arith::ExtUIOp>(bits.loc, bits.i32(), inexact));
  return bits.bitcast(b.getF32Type(), word);
}

/// f32 -> bf16: adds half a unit of the last place that stays, less one where that
/// place is even.
Value toBfloat(const Bits &bits, Value x) {
  Value word = bits.bitcast(bits.b.getI32Type(), x);
  Value odd = bits.andi(bits.shr(word, 16), bits.word(1));
  Value rounded = bits.add(bits.add(word, bits.word(0x7fff)), odd);
  Value quiet = bits.ori(word, bits.word(0x00400000));
  Value nan = bits.less(bits.word(infinityBits), bits.andi(word, bits.word(~signBit)));
  return bits.bitcast(bits.b.getBF16Type(),
                      bits.narrow(bits.shr(bits.select(nan, quiet, rounded), 16)));
}

/// f32 -> f16.
Value toHalf(const Bits &bits, Value x) {
  OpBuilder &b = bits.b;
  Value word = bits.bitcast(b.getI32Type(), x);
  Value magnitude = bits.andi(word, bits.word(~signBit));
  Value sign = bits.andi(bits.shr(word, 16), bits.word(0x8000));
  // Normal: shift the exponent, round at bit 13.
  Value odd = bits.andi(bits.shr(magnitude, 13), bits.word(1));
  Value normal = bits.shr(
      bits.add(bits.add(magnitude, bits.word((uint32_t(15 - 127) << 23) + 0xfff)), odd), 13);
  // Subnormal: an addition aligns the significand and rounds it.
  constexpr uint32_t aligner = (127 - 15 + 23 - 10 + 1) << 23;
  Value aligned = b.create<arith::AddFOp>(bits.loc, bits.bitcast(b.getF32Type(), magnitude),
                                          bits.bitcast(b.getF32Type(), bits.word(aligner)));
  Value subnormal = bits.add(bits.bitcast(b.getI32Type(), aligned), bits.word(-aligner));
  Value isSubnormal = bits.less(magnitude, bits.word(113u << 23));
  // Too large, infinite, NaN.
  Value payload = bits.andi(bits.shr(magnitude, 13), bits.word(0x3ff));
  Value nan = bits.ori(payload, bits.word(0x7e00));
  Value isNan = bits.less(bits.word(infinityBits), magnitude);
  Value isLarge = bits.less(bits.word(0x477fffff), magnitude);
  Value large = bits.select(isNan, nan, bits.word(0x7c00));
  Value result = bits.select(isLarge, large, bits.select(isSubnormal, subnormal, normal));
  return bits.bitcast(b.getF16Type(), bits.narrow(bits.ori(result, sign)));
}

/// f16 -> f32: the multiplication by 2^112 corrects the exponent, of subnormals too.
Value fromHalf(const Bits &bits, Value x) {
  OpBuilder &b = bits.b;
  Value word = bits.widen(bits.bitcast(b.getI16Type(), x));
  Value sign = bits.shl(bits.andi(word, bits.word(0x8000)), 16);
  Value magnitude = bits.andi(word, bits.word(0x7fff));
  Value scaled =
      b.create<arith::MulFOp>(bits.loc, bits.bitcast(b.getF32Type(), bits.shl(magnitude, 13)),
                              bits.bitcast(b.getF32Type(), bits.word(239u << 23)));
  Value finite = bits.bitcast(b.getI32Type(), scaled);
  Value isFinite = bits.less(magnitude, bits.word(0x7c00));
  Value isNan = bits.less(bits.word(0x7c00), magnitude);
  Value special = bits.ori(bits.shl(magnitude, 13), bits.word(infinityBits));
  special = bits.select(isNan, bits.ori(special, bits.word(0x00400000)), special);
  return bits.bitcast(b.getF32Type(), bits.ori(bits.select(isFinite, finite, special), sign));
}

bool isHalfLike(Type element, bool hasF16) {
  return element.isBF16() || (element.isF16() && !hasF16);
}

struct ExtendPattern : OpRewritePattern<arith::ExtFOp> {
  ExtendPattern(MLIRContext *context, bool hasF16)
      : OpRewritePattern(context, /*benefit=*/2), hasF16(hasF16) {}
  bool hasF16;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!isHalfLike(from, hasF16))
      return rewriter.notifyMatchFailure(op, "the processor extends this");
    Bits bits{rewriter, op.getLoc(), op.getType()};
    Value wide =
        from.isBF16()
            ? bits.bitcast(
                  rewriter.getF32Type(),
                  bits.shl(bits.widen(bits.bitcast(rewriter.getI16Type(), op.getIn())), 16))
            : fromHalf(bits, op.getIn());
    if (to.isF64())
      wide = rewriter.create<arith::ExtFOp>(op.getLoc(), op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct TruncatePattern : OpRewritePattern<arith::TruncFOp> {
  TruncatePattern(MLIRContext *context, bool hasF16)
      : OpRewritePattern(context, /*benefit=*/2), hasF16(hasF16) {}
  bool hasF16;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    // No processor rounds f64 to f16 in one instruction that all have.
    bool viaF32 = from.isF64() && (to.isF16() || to.isBF16());
    if (!isHalfLike(to, hasF16) && !viaF32)
      return rewriter.notifyMatchFailure(op, "the processor truncates this");
    Bits bits{rewriter, op.getLoc(), op.getType()};
    Value narrow = viaF32 ? narrowToOdd(bits, op.getIn()) : op.getIn();
    if (to.isBF16())
      rewriter.replaceOp(op, toBfloat(bits, narrow));
    else if (hasF16)
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), narrow);
    else
      rewriter.replaceOp(op, toHalf(bits, narrow));
    return success();
  }
};

} // namespace

void populateFloatConversionPatterns(RewritePatternSet &patterns, bool hasF16) {
  patterns.add<ExtendPattern, TruncatePattern>(patterns.getContext(), hasF16);
}

} // namespace tenon::cpu
