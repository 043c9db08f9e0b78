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

def FuseAttentionPass : Pass<"tenon-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "products and softmax into tenon.attention";
  let description = [{
    ```mlir
    %s = tenon.matmul %q, %k {transpose_b = true}
       : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
    %c = tenon.mul %s, %scale : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
    %p = tenon.softmax %c {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
    %o = tenon.matmul %p, %v : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    ```
    becomes `tenon.attention` between reshapes to `[batch, heads, rows, columns]`.

    Scores are of rank 2 to 4, as queries x keys or keys x queries; transposes may be
    ops or attributes. On the way from the product to the softmax there may be factors
    (numbers or rank-0 values; numbers on q and k too), an added bias, a select against
    -inf or a number that hides a key (at most -1e9), and casts. A bias or condition
    that shows key <= query, made of iota or constant, becomes `causal`. A query all of
    whose keys are hidden by a finite number gets 0 instead of the mean of v.

    A concatenation of heads that are slices of the same tensors becomes one attention
    over all heads, reached by reshape and transpose. Keys and values that a broadcast
    repeats for each query head become grouped heads.

    Left alone: scores or probabilities with other uses (dropout, a gradient op), a
    softmax along another axis, two masks, operands of different element types.
    Run it before `tenon-derive-backward`, so that the backward is fused as well.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [Option<"report", "report", "bool", /*default=*/"false",
                        "Emit a remark at each candidate that was not fused, saying why">];
  let statistics = [
    Statistic<"numFused", "fused", "Number of attention ops formed">,
    Statistic<"numMerged", "merged", "Number of concatenations of heads merged">,
    Statistic<"numGrouped", "grouped", "Number of repetitions of key heads removed">];
}

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
