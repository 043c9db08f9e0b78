//===- Models.h - How generators of ops are written -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function a kind of op, or one for many kinds that are alike.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_MODELS_H
#define TENON_TOOLS_FUZZ_MODELS_H

#include "ir/TenonOps.h"
#include "tools/fuzz/Generator.h"

#include "tools/fuzz/GenerateOpInterface.h.inc"

namespace tenon::fuzz {

/// Attaches `function(generator, mnemonic)` to each of Ops.
template <auto function, typename... Ops> void attach(mlir::MLIRContext *context) {
  (
      [&] {
        struct Model : GenerateOpInterface::ExternalModel<Model, Ops> {
          static bool generate(Generator &generator) {
            return function(generator, Ops::getOperationName().split('.').second);
          }
        };
        Ops::template attachInterface<Model>(*context);
      }(),
      ...);
}

// One per file.
void attachAttention(mlir::MLIRContext *context);
void attachControl(mlir::MLIRContext *context);
void attachElementwise(mlir::MLIRContext *context);
void attachLine(mlir::MLIRContext *context);
void attachLinear(mlir::MLIRContext *context);
void attachLoss(mlir::MLIRContext *context);
void attachNorm(mlir::MLIRContext *context);
void attachOptimizer(mlir::MLIRContext *context);
void attachRandom(mlir::MLIRContext *context);
void attachReduction(mlir::MLIRContext *context);
void attachShape(mlir::MLIRContext *context);
void attachWindow(mlir::MLIRContext *context);

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_MODELS_H
