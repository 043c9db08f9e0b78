//===- AttentionParts.h - Attention spelled out -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and its gradient as matrix products and elementwise ops, with all scores in
// memory: for derivatives that no fused op has, and for targets without a fused kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_ATTENTIONPARTS_H
#define TENON_PASSES_ATTENTIONPARTS_H

#include "passes/Emit.h"

namespace tenon {

/// The formulas of the ops' descriptions; f16 and bf16 are computed in f32.
class AttentionParts {
public:
  template <typename Op> AttentionParts(Op op, Emit &in);

  /// e^(s - lse)
  mlir::Value probabilities(mlir::Value lse);
  /// For a gradient ds of the scores.
  mlir::Value queryGradient(mlir::Value ds);
  mlir::Value keyGradient(mlir::Value ds);
  mlir::Value maskGradient(mlir::Value ds);

  /// The results of the ops.
  llvm::SmallVector<mlir::Value> results(AttentionOp op);
  llvm::SmallVector<mlir::Value> results(AttentionGradOp op);

private:
  /// scale q k^T + mask, -inf where a key is hidden.
  mlir::Value scores();
  /// The key head of each query head, if they are grouped.
  mlir::Value keyHeads(mlir::Value queries, mlir::Value keys);
  /// [b,g,m,c] to [b,h,m,c], and its adjoint.
  mlir::Value expandHeads(mlir::Value x);
  mlir::Value sumHeads(mlir::Value x, mlir::Value like);

  Emit &in;
  mlir::Value q, k, v, mask, heads;
  mlir::Value keys, values; ///< k and v for each query head
  double scale;
  bool causal;
};

} // namespace tenon

#endif // TENON_PASSES_ATTENTIONPARTS_H
