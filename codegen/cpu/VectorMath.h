//===- VectorMath.h - Functions of vectors, without libm --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function emits arith, math (sqrt, floor and the like, which are
// instructions) and LLVM's fmuladd; x is an f32 or f64 scalar or vector, and so is
// the result. Error at most 2 ulp (2.25 where the target has no fused multiply-add)
// over all of the type, denormals, infinities and NaN included, unless said otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_VECTORMATH_H
#define TENON_CODEGEN_CPU_VECTORMATH_H

#include "codegen/cpu/CpuTarget.h"

#include "mlir/IR/Builders.h"

namespace tenon::cpu {

mlir::Value emitExp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitExp2(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitExpm1(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitLog(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitLog1p(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitTanh(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitErf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitSin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitCos(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitPow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

/// e^x for x <= 0, half the work: what would be denormal is 0.
mlir::Value emitExpNonPositive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
/// The same with fewer operations still, for vectors of targets that can pick their lanes
/// from a register.
mlir::Value emitExpTable(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
bool canEmitExpTable(const CpuTarget &target, mlir::Type type);

/// 1 / (1 + e^-x), at most 2.5 ulp, x / (1 + e^-x), at most 3 ulp, and log(1 + e^x).
mlir::Value emitSigmoid(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitSilu(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitSoftplus(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

/// Phi(x). Error at most 2 ulp of 1: a small one is as exact as a sum with others needs.
mlir::Value emitNormalCdf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

/// x * Phi(x), or its approximation by tanh. Error at most 2 ulp of x: where x is
/// negative the result is far smaller than its terms.
mlir::Value emitGelu(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, bool approximate);

/// sin(2 pi x) and cos(2 pi x) for 0 <= x <= 1, of which 4x is exact.
std::pair<mlir::Value, mlir::Value> emitSinCosTurns(mlir::OpBuilder &b, mlir::Location loc,
                                                    mlir::Value x);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_VECTORMATH_H
