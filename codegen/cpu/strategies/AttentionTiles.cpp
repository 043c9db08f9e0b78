//===- AttentionTiles.cpp - Loops, vectors and arithmetic -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/AttentionTiles.h"

#include "codegen/cpu/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace tenon::cpu {

Type Matrix::storage() const { return cast<MemRefType>(memory.getType()).getElementType(); }
bool Matrix::contiguous() const { return isConstantIntValue(columnStride, 1); }

TileBuilder::TileBuilder(KernelFrame &frame, Type element)
    : frame(frame), b(frame.builder()), loc(frame.loc()), element(element) {
  lanes = frame.target().lanes(element);
  vector = vectorOf(element);
  // Accumulators, a row of vectors and a broadcast value stay in registers.
  rows = frame.target().vectorRegisters >= 32 ? 8 : 4;
  rows = std::min(rows, 2 * lanes); // a strip of keys is two vectors, and also tiled by rows
}

//===-- Index arithmetic --------------------------------------------------===//

Value TileBuilder::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value TileBuilder::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value TileBuilder::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value TileBuilder::div(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(loc, x, y); }
Value TileBuilder::ceilDiv(Value x, Value y) { return div(sub(add(x, y), at(1)), y); }
Value TileBuilder::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value TileBuilder::max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
Value TileBuilder::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}

//===-- Control -----------------------------------------------------------===//

void TileBuilder::loop(Value begin, Value end, int64_t step, Body body) {
  loop(begin, end, step, {}, [&](Value i, ValueRange) {
    body(i);
    return Values();
  });
}

TileBuilder::Values TileBuilder::loop(Value begin, Value end, int64_t step, ValueRange init,
                                      CarryingBody body) {
  auto first = getConstantIntValue(begin), last = getConstantIntValue(end);
  if (first && last && *last <= *first)
    return Values(init);
  if (first && last && *last <= *first + step)
    return body(begin, init);
  auto op = b.create<scf::ForOp>(loc, begin, end, at(step), init,
                                 [&](OpBuilder &, Location, Value i, ValueRange carried) {
                                   b.create<scf::YieldOp>(loc, body(i, carried));
                                 });
  return Values(op.getResults());
}

void TileBuilder::when(Value condition, llvm::function_ref<void()> then) {
  if (auto known = getConstantIntValue(condition)) {
    if (*known)
      then();
    return;
  }
  b.create<scf::IfOp>(loc, condition, [&](OpBuilder &, Location) {
    then();
    b.create<scf::YieldOp>(loc);
  });
}

TileBuilder::Values TileBuilder::choose(Value condition, llvm::function_ref<Values()> then,
                                        llvm::function_ref<Values()> otherwise) {
  if (auto known = getConstantIntValue(condition))
    return *known ? then() : otherwise();
  auto yield = [&](llvm::function_ref<Values()> emit) {
    return [this, emit](OpBuilder &, Location) { b.create<scf::YieldOp>(loc, emit()); };
  };
  return Values(b.create<scf::IfOp>(loc, condition, yield(then), yield(otherwise)).getResults());
}

void TileBuilder::parallel(Value count, Value work, Body body) {
  // A slice is worth waking a worker for; yet there are slices enough to share out.
  constexpr int64_t sliceWork = 1 << 20, slices = 16;
  Value wanted = ceilDiv(at(sliceWork), max(work, at(1)));
  Value chunk = max(min(wanted, max(ceilDiv(count, at(slices)), div(wanted, at(2)))), at(1));
  frame.parallelFor(count, chunk, {},
                    [&](Value begin, Value end, ValueRange) { loop(begin, end, 1, body); });
}

//===-- Vectors -----------------------------------------------------------===//

Value TileBuilder::constant(double value) {
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(vector, b.getFloatAttr(element, value)));
}
Value TileBuilder::scalar(double value) {
  return b.create<arith::ConstantOp>(loc, b.getFloatAttr(element, value));
}
Value TileBuilder::splat(Value scalar) {
  return b.create<vector::BroadcastOp>(loc, vector, scalar);
}
Value TileBuilder::load(Value memory, Value index) {
  return b.create<vector::LoadOp>(loc, vector, memory, index);
}
Value TileBuilder::splatLoad(Value memory, Value index) {
  return splat(b.create<memref::LoadOp>(loc, memory, index));
}
void TileBuilder::store(Value vector, Value memory, Value index) {
  b.create<vector::StoreOp>(loc, vector, memory, index);
}
Value TileBuilder::addf(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
Value TileBuilder::subf(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
Value TileBuilder::mulf(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }
Value TileBuilder::fma(Value x, Value y, Value z) {
  if (frame.target().hasFma)
    return b.create<vector::FMAOp>(loc, x, y, z);
  return addf(mulf(x, y), z); // llvm.fma would call libm
}
Value TileBuilder::larger(Value x, Value y) {
  return select(b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, x, y), x, y);
}
Value TileBuilder::masked(Value score, Value mask) {
  double infinity = std::numeric_limits<double>::infinity();
  Value hidden = isa<VectorType>(mask.getType()) ? constant(-infinity) : scalar(-infinity);
  Value hides = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, mask, hidden);
  return select(hides, hidden, addf(score, mask));
}
Value TileBuilder::select(Value lanes, Value x, Value y) {
  return b.create<arith::SelectOp>(loc, lanes, x, y);
}

static Value laneNumbers(OpBuilder &b, Location loc, int64_t lanes, Type type) {
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < lanes; i++)
    numbers.push_back(b.getIntegerAttr(type, i));
  auto vector = VectorType::get({lanes}, type);
  return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vector, numbers));
}

Value TileBuilder::lanesFrom(Value first, Value bound) {
  // As wide as the elements, so that the mask has the vector's shape on every target.
  Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  Value least = b.create<arith::IndexCastOp>(loc, integer, sub(bound, first));
  Value splatted = b.create<vector::BroadcastOp>(loc, vectorOf(integer), least);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                 laneNumbers(b, loc, lanes, integer), splatted);
}

Value TileBuilder::firstLanes(Value count) {
  Type integer = b.getI32Type();
  Value end = b.create<arith::IndexCastOp>(loc, integer, count);
  Value splatted = b.create<vector::BroadcastOp>(loc, vectorOf(integer), end);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                 laneNumbers(b, loc, lanes, integer), splatted);
}

Value TileBuilder::sum(Value x) {
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> rotated;
    for (int64_t i = 0; i < lanes; i++)
      rotated.push_back((i + half) % lanes);
    x = addf(x, b.create<vector::ShuffleOp>(loc, x, x, rotated));
  }
  return b.create<vector::ExtractOp>(loc, x, ArrayRef<int64_t>{0});
}

Value TileBuilder::exp2(Value x) {
  // The polynomials interpolate (2^r - 1) / r on [-0.5, 0.5] at Chebyshev's points; the
  // constant coefficient is exactly 1. Adding 1.5 * 2^mantissa rounds x to an integer
  // that stands in the low bits of the sum.
  static constexpr double single[] = {1.0,
                                      0.6931471880262288,
                                      0.24022650760568126,
                                      0.05550357114219078,
                                      0.009618082557277852,
                                      0.0013390863364671234,
                                      0.0001545316294512069};
  static constexpr double precise[] = {1.0,
                                       0.6931471805599453,
                                       0.24022650695910097,
                                       0.0555041086648216,
                                       0.009618129107606888,
                                       0.0013333558146416936,
                                       0.0001540353044173605,
                                       1.525273382983612e-05,
                                       1.321544258792169e-06,
                                       1.0178062445845774e-07,
                                       7.072585949269223e-09,
                                       4.4549605981865186e-10};
  bool isDouble = element.isF64();
  ArrayRef<double> coefficients = isDouble ? ArrayRef<double>(precise) : ArrayRef<double>(single);
  int mantissa = isDouble ? 52 : 23, bias = isDouble ? 1023 : 127;
  Value magic = constant(1.5 * double(int64_t(1) << mantissa));
  Value clamped = larger(constant(-bias), x);
  Value sum = addf(clamped, magic), fraction = subf(clamped, subf(sum, magic));
  Value p = constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    p = fma(p, fraction, constant(c));
  Type integers = vectorOf(b.getIntegerType(isDouble ? 64 : 32));
  auto integer = [&](int64_t value) -> Value {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(cast<VectorType>(integers),
                                    b.getIntegerAttr(getElementTypeOrSelf(integers), value)));
  };
  Value bits = b.create<arith::BitcastOp>(loc, integers, sum);
  bits = b.create<arith::ShLIOp>(loc, bits, integer(mantissa));
  bits = b.create<arith::AddIOp>(loc, bits, integer(int64_t(bias) << mantissa));
  // A product keeps every NaN; adding to the exponent would not.
  return mulf(p, b.create<arith::BitcastOp>(loc, vector, bits));
}

TileBuilder::Values TileBuilder::multiply(Values acc, int64_t height, Value begin, Value end,
                                          int64_t unroll, Operand a, Operand b) {
  int64_t width = acc.size() / height;
  return loop(begin, end, unroll, acc, [&](Value k, ValueRange carried) {
    Values sums(carried);
    for (int64_t u = 0; u < unroll; u++) {
      Value ku = add(k, u);
      Values vectors;
      for (int64_t v = 0; v < width; v++)
        vectors.push_back(b(ku, v));
      for (int64_t r = 0; r < height; r++) {
        Value x = a(ku, r);
        for (int64_t v = 0; v < width; v++)
          sums[r * width + v] = fma(x, vectors[v], sums[r * width + v]);
      }
    }
    return sums;
  });
}

//===-- Conversion --------------------------------------------------------===//

Value TileBuilder::widen(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type == element)
    return value;
  auto shaped = dyn_cast<VectorType>(value.getType());
  if (type.isInteger(8)) { // i1: true may be attended to
    auto splatted = [&](TypedAttr x) -> Value {
      if (!shaped)
        return b.create<arith::ConstantOp>(loc, x);
      return b.create<arith::ConstantOp>(
          loc, cast<TypedAttr>(Attribute(DenseElementsAttr::get(
                   VectorType::get(shaped.getShape(), x.getType()), Attribute(x)))));
    };
    Value zero = splatted(b.getI8IntegerAttr(0));
    Value seen = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, zero);
    double inf = std::numeric_limits<double>::infinity();
    return select(seen, splatted(b.getFloatAttr(element, 0)),
                  splatted(b.getFloatAttr(element, -inf)));
  }
  Type to = shaped ? Type(VectorType::get(shaped.getShape(), element)) : element;
  if (type.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return b.create<arith::ExtFOp>(loc, to, value);
  return b.create<arith::TruncFOp>(loc, to, value);
}

Value TileBuilder::narrow(Value value, Type storage) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type == storage)
    return value;
  auto shaped = dyn_cast<VectorType>(value.getType());
  Type to = shaped ? Type(VectorType::get(shaped.getShape(), storage)) : storage;
  if (type.getIntOrFloatBitWidth() < storage.getIntOrFloatBitWidth())
    return b.create<arith::ExtFOp>(loc, to, value);
  return b.create<arith::TruncFOp>(loc, to, value);
}

} // namespace tenon::cpu
