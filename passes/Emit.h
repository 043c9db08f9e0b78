//===- Emit.h - Building tenon ops with few words ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules and patterns write formulas with this. Static and dynamic extents alike:
// where an op needs an operand that gives a dynamic extent, `like` is it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_EMIT_H
#define TENON_PASSES_EMIT_H

#include "ir/TenonOps.h"

namespace tenon {

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline bool isFloatTensor(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::FloatType>(type.getElementType());
}
/// `value` rounded to the float type is neither 0, subnormal nor infinite.
bool isNormal(mlir::Type element, double value);
/// 0, 1, ... rank - 1.
llvm::SmallVector<int64_t> allAxes(int64_t rank);
/// Exchanges the last two axes and keeps the others.
bool swapsLastTwo(llvm::ArrayRef<int64_t> permutation);

class Emit {
public:
  Emit(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// The first result of a new op.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.create<Op>(loc, std::forward<Args>(args)...)->getResult(0);
  }

  /// Every element is `value`; of the type of `like`, or of its shape and `element`.
  mlir::Value splat(mlir::Value like, double value, mlir::Type element = {});
  /// A rank-0 constant.
  mlir::Value scalar(mlir::Type element, double value);

  mlir::Value add(mlir::Value a, mlir::Value b) { return make<AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make<MulOp>(a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return make<DivOp>(a, b); }
  mlir::Value neg(mlir::Value a) { return make<NegOp>(a); }
  mlir::Value exp(mlir::Value a) { return make<ExpOp>(a); }
  /// a * factor and a + term.
  mlir::Value scale(mlir::Value a, double factor) { return mul(a, splat(a, factor)); }
  mlir::Value shift(mlir::Value a, double term) { return add(a, splat(a, term)); }
  mlir::Value compare(mlir::Value a, Predicate predicate, mlir::Value b) {
    return make<CompareOp>(a, b, predicate);
  }
  mlir::Value compare(mlir::Value a, Predicate predicate, double b) {
    return compare(a, predicate, splat(a, b));
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<SelectOp>(condition, a, b);
  }
  /// condition ? a : 0
  mlir::Value keepWhere(mlir::Value condition, mlir::Value a) {
    return select(condition, a, splat(a, 0));
  }
  /// To an element type; the value itself if it has it.
  mlir::Value cast(mlir::Value a, mlir::Type element);
  /// f16 and bf16 to f32, in which they are computed; others stay.
  mlir::Value widen(mlir::Value a);

  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keep = false) {
    return axes.empty() ? x : make<ReduceSumOp>(x, axes, keep);
  }
  /// Sum and mean over the last axis, which stays with extent 1.
  mlir::Value rowSum(mlir::Value x) { return sum(x, {tensorType(x).getRank() - 1}, true); }
  mlir::Value rowMean(mlir::Value x);

  /// Axis i of x becomes axis dims[i] of the shape of `like`.
  mlir::Value broadcast(mlir::Value x, mlir::Value like, llvm::ArrayRef<int64_t> dims);
  /// x has the rank of `like` and extent 1 where it is repeated.
  mlir::Value spread(mlir::Value x, mlir::Value like);
  /// x is the last axis of `like`.
  mlir::Value alongRows(mlir::Value x, mlir::Value like);
  /// x lacks the axes `axes` of `like`.
  mlir::Value withAxes(mlir::Value x, mlir::Value like, llvm::ArrayRef<int64_t> axes);

  /// 0, 1, ... along an axis of x, and the extent of the axis (rank 0), both i64.
  mlir::Value numbersAlong(mlir::Value x, int64_t axis);
  mlir::Value extentOf(mlir::Value x, int64_t axis);

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value matmul(mlir::Value a, mlir::Value b, bool transposeA, bool transposeB) {
    return make<MatmulOp>(a, b, transposeA, transposeB);
  }
};

} // namespace tenon

#endif // TENON_PASSES_EMIT_H
