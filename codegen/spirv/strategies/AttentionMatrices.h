//===- AttentionMatrices.h - Attention by cooperative matrices --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONMATRICES_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONMATRICES_H

#include "codegen/cpu/strategies/AttentionOperands.h"
#include "codegen/spirv/SpirvFrame.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::spirv {

/// A word of scratch for each so many queries: not 0 where their results are not finite.
struct QueryFlags {
  unsigned scratch;
  int64_t queries;
};

/// Emits attention with cooperative matrices; false, and nothing emitted, where the device or
/// the operands do not allow it. Where keys are hidden it leaves flags: what is hidden was
/// multiplied with 0, which is no way to hide what is not finite.
bool emitAttentionMatrices(SpirvFrame &frame, const cpu::AttentionOperands &operands,
                           std::optional<QueryFlags> &flags);
/// Of queries from `first` on, `count` of a row of so many: is one flagged?
mlir::Value isFlagged(SpirvFrame &frame, cpu::TileBuilder &t, const QueryFlags &flags,
                      mlir::Value row, mlir::Value queries, mlir::Value first, int64_t count);

/// The same of its gradient, which has no such flags: what is not finite may spread.
bool emitAttentionGradMatrices(SpirvFrame &frame, const cpu::AttentionOperands &operands);

/// Exponentials are powers of two, which is what devices have: exponents are multiplied with this.
constexpr double kLog2e = llvm::numbers::log2e;

/// What both ask for.
bool canUseMatrices(SpirvFrame &frame, const cpu::AttentionOperands &operands);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONMATRICES_H
