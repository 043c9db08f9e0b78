//===- Autodiff.cpp - Registers all backward rules ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/Autodiff.h"
#include "passes/autodiff/Rule.h"

namespace tenon {

void registerAutodiffModels(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, TenonDialect *) {
    autodiff::attachAttentionRules(context);
    autodiff::attachControlRules(context);
    autodiff::attachCustomRules(context);
    autodiff::attachElementwiseRules(context);
    autodiff::attachLineRules(context);
    autodiff::attachLinearRules(context);
    autodiff::attachLossRules(context);
    autodiff::attachNormRules(context);
    autodiff::attachRandomRules(context);
    autodiff::attachReductionRules(context);
    autodiff::attachShapeRules(context);
    autodiff::attachWindowRules(context);
  });
}

} // namespace tenon
