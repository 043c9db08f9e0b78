//===- Passes.td - Passes over the dialect ----------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which the pipeline runs them (see codegen/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_TD
#define TENON_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeriveBackwardPass : Pass<"tenon-derive-backward", "::mlir::func::FuncOp"> {
  let summary = "replace tenon.gradient by reverse-mode derivatives";
  let description = [{
    Each `tenon.gradient` becomes the ops that compute it, from the rules of
    `DifferentiableOpInterface`. Gradients of one y with one seed share a pass, and
    only what lies between x and y is derived. Gradients are taken in program order,
    so a gradient may depend on another. Where y does not depend on x, or only
    through ops that are not differentiable, the gradient is a constant zero.

    ```mlir
    %y = tenon.exp %x : tensor<4xf32>
    %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    %g = tenon.gradient %l, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %1 = tenon.constant dense<1.0> : tensor<f32>
    %2 = tenon.broadcast %1 {shape = array<i64: 4>, dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
    %g = tenon.mul %2, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```

    A loop becomes a loop that also stacks the carried values of every trip, and a
    loop in the other direction that computes each trip again. An op without a rule
    is an error at that op. Precondition: x and y stand in the block of the op, and no
    kernels have been formed.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [
    Statistic<"numGradients", "gradients", "Number of gradient ops replaced">,
    Statistic<"numPasses", "passes", "Number of backward passes emitted">];
}

#endif // TENON_PASSES_TD
