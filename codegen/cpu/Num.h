//===- Num.h - Formulas over values under construction ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Num is a scalar or vector value with a builder, so that emitting a formula reads
// as the formula. Both sides of an operator have one type; a number literal takes
// the type of the other side. No operation is marked fast: what is written is what
// is computed, but `fma` which may fuse.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_NUM_H
#define TENON_CODEGEN_CPU_NUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tenon::cpu {

/// `type` with another element type: vectors stay vectors.
inline mlir::Type withElement(mlir::Type type, mlir::Type element) {
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    return mlir::VectorType::get(vector.getShape(), element);
  return element;
}

/// A constant of any scalar or vector type of floats or integers.
inline mlir::Value splatConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                                 double value) {
  mlir::Type element = getElementTypeOrSelf(type);
  mlir::TypedAttr scalar;
  if (auto real = llvm::dyn_cast<mlir::FloatType>(element))
    scalar = b.getFloatAttr(real, value);
  else
    scalar = b.getIntegerAttr(element, int64_t(value));
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    scalar = mlir::DenseElementsAttr::get(vector, mlir::Attribute(scalar));
  return b.create<mlir::arith::ConstantOp>(loc, scalar);
}
inline mlir::Value splatInteger(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                                int64_t value) {
  mlir::TypedAttr scalar = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    scalar = mlir::DenseElementsAttr::get(vector, mlir::Attribute(scalar));
  return b.create<mlir::arith::ConstantOp>(loc, scalar);
}

struct Num {
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value v;

  Num(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : b(&builder), loc(loc), v(value) {}
  operator mlir::Value() const { return v; }

  mlir::Type type() const { return v.getType(); }
  mlir::Type element() const { return getElementTypeOrSelf(v.getType()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element()); }
  bool isDouble() const { return element().isF64(); }

  Num of(mlir::Value value) const { return Num(*b, loc, value); }
  /// A constant of this value's type.
  Num like(double value) const { return of(splatConstant(*b, loc, type(), value)); }
  Num likeInteger(int64_t value) const { return of(splatInteger(*b, loc, type(), value)); }
  template <typename FloatOp, typename IntOp> Num binary(Num other) const {
    return of(isFloat() ? b->create<FloatOp>(loc, v, other.v)->getResult(0)
                        : b->create<IntOp>(loc, v, other.v)->getResult(0));
  }

  /// The bits of a float as an integer of its width, and back.
  Num bits() const {
    mlir::Type integer = b->getIntegerType(element().getIntOrFloatBitWidth());
    return of(b->create<mlir::arith::BitcastOp>(loc, withElement(type(), integer), v));
  }
  Num asFloat() const {
    mlir::Type real = element().getIntOrFloatBitWidth() == 64 ? mlir::Type(b->getF64Type())
                                                              : mlir::Type(b->getF32Type());
    return of(b->create<mlir::arith::BitcastOp>(loc, withElement(type(), real), v));
  }
};

inline Num operator+(Num x, Num y) { return x.binary<mlir::arith::AddFOp, mlir::arith::AddIOp>(y); }
inline Num operator-(Num x, Num y) { return x.binary<mlir::arith::SubFOp, mlir::arith::SubIOp>(y); }
inline Num operator*(Num x, Num y) { return x.binary<mlir::arith::MulFOp, mlir::arith::MulIOp>(y); }
inline Num operator/(Num x, Num y) {
  return x.binary<mlir::arith::DivFOp, mlir::arith::DivSIOp>(y);
}
inline Num operator+(Num x, double y) { return x + x.like(y); }
inline Num operator-(Num x, double y) { return x - x.like(y); }
inline Num operator*(Num x, double y) { return x * x.like(y); }
inline Num operator/(Num x, double y) { return x / x.like(y); }
inline Num operator+(double x, Num y) { return y.like(x) + y; }
inline Num operator-(double x, Num y) { return y.like(x) - y; }
inline Num operator*(double x, Num y) { return y.like(x) * y; }
inline Num operator/(double x, Num y) { return y.like(x) / y; }
inline Num operator-(Num x) {
  return x.isFloat() ? x.of(x.b->create<mlir::arith::NegFOp>(x.loc, x.v)) : x.like(0) - x;
}
// Bit operations, on integers and i1.
inline Num operator&(Num x, Num y) {
  return x.of(x.b->create<mlir::arith::AndIOp>(x.loc, x.v, y.v));
}
inline Num operator|(Num x, Num y) {
  return x.of(x.b->create<mlir::arith::OrIOp>(x.loc, x.v, y.v));
}
inline Num operator^(Num x, Num y) {
  return x.of(x.b->create<mlir::arith::XOrIOp>(x.loc, x.v, y.v));
}
inline Num operator!(Num x) { return x ^ x.likeInteger(-1); }
inline Num operator<<(Num x, int n) {
  return x.of(x.b->create<mlir::arith::ShLIOp>(x.loc, x.v, x.likeInteger(n).v));
}
inline Num operator>>(Num x, int n) { // arithmetic
  return x.of(x.b->create<mlir::arith::ShRSIOp>(x.loc, x.v, x.likeInteger(n).v));
}
inline Num shiftRightLogical(Num x, int n) {
  return x.of(x.b->create<mlir::arith::ShRUIOp>(x.loc, x.v, x.likeInteger(n).v));
}

/// Comparisons: ordered for floats (false with NaN), signed for integers; `!=` is
/// true with NaN.
inline Num compare(Num x, Num y, mlir::arith::CmpFPredicate real,
                   mlir::arith::CmpIPredicate whole) {
  return x.of(x.isFloat() ? x.b->create<mlir::arith::CmpFOp>(x.loc, real, x.v, y.v)->getResult(0)
                          : x.b->create<mlir::arith::CmpIOp>(x.loc, whole, x.v, y.v)->getResult(0));
}
#define TENON_NUM_COMPARE(op, real, whole)                                                         \
  inline Num operator op(Num x, Num y) {                                                           \
    return compare(x, y, mlir::arith::CmpFPredicate::real, mlir::arith::CmpIPredicate::whole);     \
  }                                                                                                \
  inline Num operator op(Num x, double y) { return x op x.like(y); }
TENON_NUM_COMPARE(==, OEQ, eq)
TENON_NUM_COMPARE(!=, UNE, ne)
TENON_NUM_COMPARE(<, OLT, slt)
TENON_NUM_COMPARE(<=, OLE, sle)
TENON_NUM_COMPARE(>, OGT, sgt)
TENON_NUM_COMPARE(>=, OGE, sge)
#undef TENON_NUM_COMPARE
inline Num isNan(Num x) { return x != x; }

inline Num select(Num condition, Num x, Num y) {
  return x.of(x.b->create<mlir::arith::SelectOp>(x.loc, condition.v, x.v, y.v));
}
/// The smaller (larger), x where x is NaN: one instruction on most targets.
inline Num atMost(Num x, double bound) { return select(x > bound, x.like(bound), x); }
inline Num atLeast(Num x, double bound) { return select(x < bound, x.like(bound), x); }

/// x * y + z, fused where the target does that at no cost.
inline Num fma(Num x, Num y, Num z) {
  return x.of(x.b->create<mlir::LLVM::FMulAddOp>(x.loc, x.v, y.v, z.v));
}
inline Num fma(Num x, Num y, double z) { return fma(x, y, x.like(z)); }
inline Num fma(Num x, double y, Num z) { return fma(x, x.like(y), z); }

inline Num abs(Num x) { return x.of(x.b->create<mlir::math::AbsFOp>(x.loc, x.v)); }
inline Num sqrt(Num x) { return x.of(x.b->create<mlir::math::SqrtOp>(x.loc, x.v)); }
inline Num floor(Num x) { return x.of(x.b->create<mlir::math::FloorOp>(x.loc, x.v)); }
inline Num trunc(Num x) { return x.of(x.b->create<mlir::math::TruncOp>(x.loc, x.v)); }

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_NUM_H
