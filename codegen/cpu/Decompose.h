//===- Decompose.h - Composite ops as simpler ones --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows kernels emit elementwise ops and reductions only; what is made of these is
// taken apart here, by the formulas of the ops' descriptions.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_DECOMPOSE_H
#define TENON_CODEGEN_CPU_DECOMPOSE_H

#include "ir/TenonOps.h"

namespace tenon::cpu {

/// On an exp whose operand is known to be at most 0.
constexpr llvm::StringLiteral kNonPositiveAttr = "nonpositive";
/// On a maximum that may leave out NaN, as what is computed from it is NaN all the same.
constexpr llvm::StringLiteral kOfNumbersAttr = "of_numbers";

/// Is this a softmax, norm or loss, which is made of elementwise ops and reductions?
bool isComposite(mlir::Operation *op);

/// The axes over which a composite op or a reduction reduces its first operand.
std::optional<llvm::SmallVector<int64_t>> reducedAxes(mlir::Operation *op);

/// Replaces the composite ops of a kernel's body, then removes what is computed twice
/// or not used. f16 and bf16 are widened to f32 first.
void decompose(KernelOp kernel);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_DECOMPOSE_H
