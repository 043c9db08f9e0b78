//===- AttentionMask.h - What a mask on scores means ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises the ways in which scores are masked: an added bias, a condition that
// replaces scores by a large negative number, and either of them when it is causal.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_ATTENTIONMASK_H
#define TENON_PASSES_ATTENTIONMASK_H

#include "passes/Emit.h"

namespace tenon {

/// Finite numbers from here down hide a key as -inf does: e^x of the difference to
/// any score is 0.
constexpr double kHidden = -1e9;

/// The shape of scores at one place of the chain: which axis counts queries.
struct ScoreAxes {
  mlir::RankedTensorType type;
  bool keysLast = true; ///< [.., queries, keys], else [.., keys, queries]

  int64_t queryAxis() const { return type.getRank() - (keysLast ? 2 : 1); }
  int64_t keyAxis() const { return type.getRank() - (keysLast ? 1 : 2); }
};

/// All that masks one attention.
class AttentionMask {
public:
  /// Scores are added to `bias`, and the sum is scaled by `scale`. False, with a
  /// reason, if it cannot be part of attention.
  bool addBias(mlir::Value bias, const ScoreAxes &axes, double scale, std::string &reason);
  /// Scores stay where `condition` is `visible`, elsewhere they are hidden.
  bool addCondition(mlir::Value condition, bool visible, const ScoreAxes &axes,
                    std::string &reason);

  bool isCausal() const { return causal; }
  bool hasMask() const { return bool(part.value); }
  /// The mask as an operand of tenon.attention, [b or 1, h or 1, n, m], for scores of
  /// rank 2 ([n,m]), 3 ([b,n,m], one head) or 4.
  mlir::Value emit(Emit &emit) const;

private:
  /// A value whose axis i is axis dims[i] of the scores.
  struct Part {
    mlir::Value value;
    llvm::SmallVector<int64_t> dims;
    ScoreAxes axes;
    double scale = 1;
    bool visible = true; ///< of a condition: which value shows a key
  };
  static Part peel(mlir::Value value, const ScoreAxes &axes);
  static void peelMore(Part &part);
  bool set(Part next, std::string &reason);
  bool setCondition(Part next, std::string &reason);
  static bool isCausalCondition(const Part &part);
  static bool isCausalConstant(const Part &part, bool condition);

  bool causal = false;
  Part part;
};

} // namespace tenon

#endif // TENON_PASSES_ATTENTIONMASK_H
