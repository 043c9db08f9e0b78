//===- FloatConversions.h - f16 and bf16 in integer arithmetic --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions from and to 16-bit floats that LLVM would make library calls of.
// They round to nearest even, keep infinities, and NaN stays NaN (quiet when it is
// made shorter): the same bits as the processor's own instructions.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_FLOATCONVERSIONS_H
#define TENON_CODEGEN_CPU_FLOATCONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace tenon::cpu {

/// Rewrites arith.extf and arith.truncf from and to bf16, and, unless the
/// processor converts it (`hasF16`), f16.
void populateFloatConversionPatterns(mlir::RewritePatternSet &patterns, bool hasF16);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_FLOATCONVERSIONS_H
