//===- Rule.h - Backward rules as functions ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule is a function of an op; `attachRule` makes it the op's model of
// DifferentiableOpInterface. Rules emit tenon ops only.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_AUTODIFF_RULE_H
#define TENON_PASSES_AUTODIFF_RULE_H

#include "passes/Emit.h"

namespace tenon::autodiff {

/// What a rule is given besides its op.
struct Incoming : Emit {
  Incoming(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange gradients,
           llvm::ArrayRef<bool> needed)
      : Emit(builder, loc), gradients(gradients), needed(needed) {}

  /// Gradients of the results, null where nothing flows; `dy()` is the first.
  mlir::ValueRange gradients;
  /// For each operand: is its gradient asked for?
  llvm::ArrayRef<bool> needed;

  mlir::Value dy() const { return gradients.front(); }
};

/// A gradient per operand, null = zero or not needed; failure after an error.
using Gradients = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;

inline Gradients give(std::initializer_list<mlir::Value> values) {
  return llvm::SmallVector<mlir::Value>(values);
}

template <typename Op, Gradients (*rule)(Op, Incoming &)>
struct RuleModel : DifferentiableOpInterface::ExternalModel<RuleModel<Op, rule>, Op> {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> backward(mlir::Operation *op,
                                                           mlir::OpBuilder &builder,
                                                           mlir::ValueRange gradients,
                                                           llvm::ArrayRef<bool> needed) const {
    Incoming in(builder, op->getLoc(), gradients, needed);
    return rule(llvm::cast<Op>(op), in);
  }
};

/// For y = f(x): the product of dy and f'(x).
template <typename Op, mlir::Value (*rule)(Op, Incoming &)>
struct UnaryRuleModel : DifferentiableOpInterface::ExternalModel<UnaryRuleModel<Op, rule>, Op> {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> backward(mlir::Operation *op,
                                                           mlir::OpBuilder &builder,
                                                           mlir::ValueRange gradients,
                                                           llvm::ArrayRef<bool> needed) const {
    Incoming in(builder, op->getLoc(), gradients, needed);
    return llvm::SmallVector<mlir::Value>{rule(llvm::cast<Op>(op), in)};
  }
};

template <typename Op, Gradients (*rule)(Op, Incoming &)>
void attachRule(mlir::MLIRContext *context) {
  Op::template attachInterface<RuleModel<Op, rule>>(*context);
}
template <typename Op, mlir::Value (*rule)(Op, Incoming &)>
void attachRule(mlir::MLIRContext *context) {
  Op::template attachInterface<UnaryRuleModel<Op, rule>>(*context);
}

// One per family, in autodiff/<Family>.cpp.
void attachAttentionRules(mlir::MLIRContext *context);
void attachControlRules(mlir::MLIRContext *context);
void attachCustomRules(mlir::MLIRContext *context);
void attachElementwiseRules(mlir::MLIRContext *context);
void attachLineRules(mlir::MLIRContext *context);
void attachLinearRules(mlir::MLIRContext *context);
void attachLossRules(mlir::MLIRContext *context);
void attachNormRules(mlir::MLIRContext *context);
void attachRandomRules(mlir::MLIRContext *context);
void attachReductionRules(mlir::MLIRContext *context);
void attachShapeRules(mlir::MLIRContext *context);
void attachWindowRules(mlir::MLIRContext *context);

} // namespace tenon::autodiff

#endif // TENON_PASSES_AUTODIFF_RULE_H
