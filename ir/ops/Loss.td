//===- Loss.td - Losses -----------------------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_LOSS_TD
#define TENON_OPS_LOSS_TD

include "ir/TenonBase.td"

def Tenon_MseLossOp : Tenon_PureOp<"mse_loss"> {
  let summary = "mean of (prediction - target)^2 over all elements, a scalar";
  let description = [{
    Example:
    ```mlir
    %l = tenon.mse_loss %x, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$prediction, Tenon_FloatTensor:$target);
  let results = (outs Tenon_FloatTensor:$loss);
}

def Tenon_CrossEntropyOp : Tenon_PureOp<"cross_entropy"> {
  let summary = "cross entropy of probabilities";
  let description = [{
    `loss[i...] = -sum over c of target[i..., c] * log(clamp(p[i..., c], floor, 1 - floor))`,
    the classes c along the last axis. No gradient flows through a clamped probability.

    Example:
    ```mlir
    %l = tenon.cross_entropy %p, %t {floor = 1.0e-7 : f64}
       : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$probabilities, Tenon_FloatTensor:$target, F64Attr:$floor);
  let results = (outs Tenon_FloatTensor:$loss);
}

def Tenon_SoftmaxCrossEntropyOp : Tenon_PureOp<"softmax_cross_entropy"> {
  let summary = "cross entropy of softmax(logits)";
  let description = [{
    `loss[i...] = -sum over c of t[i..., c] * log(max(p[i..., c], floor))` with
    p = softmax(logits) along the last axis, computed from the log-sum-exp. The target
    is t itself (soft or one-hot) or integer class ids from 0 without the last axis; an
    id out of range has t = 0. The gradient of the logits is
    `(p * sum of t - t) * gradient of loss`, with no regard to the floor.

    Example:
    ```mlir
    %l = tenon.softmax_cross_entropy %x, %ids {floor = 0.0 : f64}
       : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$logits, Tenon_Tensor:$target, F64Attr:$floor);
  let results = (outs Tenon_FloatTensor:$loss);
}

#endif // TENON_OPS_LOSS_TD
