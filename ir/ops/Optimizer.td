//===- Optimizer.td - Optimizer steps ---------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_OPTIMIZER_TD
#define TENON_OPS_OPTIMIZER_TD

include "ir/TenonBase.td"

// Elementwise; the results of a step are the parameter, then the moments, of its operands of which the
// gradient is the second. Parameter, gradient and moments have one type, the learning rate lr is
// a scalar of their dtype, so that a schedule needs no new program.

def Tenon_SgdOp : Tenon_PureOp<"sgd", [Tenon_NotDifferentiable, Tenon_ElementwiseUpdate]> {
  let summary = "p' = p - lr * g";
  let description = [{
    Example:
    ```mlir
    %p2 = tenon.sgd %p, %g, %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$parameter, Tenon_FloatTensor:$gradient,
                   Tenon_FloatTensor:$lr);
  let results = (outs Tenon_FloatTensor:$new_parameter);
}

def Tenon_MomentumOp : Tenon_PureOp<"momentum", [Tenon_NotDifferentiable, Tenon_ElementwiseUpdate]> {
  let summary = "v' = mu * v + g, p' = p - lr * v'";
  let description = [{
    Example:
    ```mlir
    %p2, %v2 = tenon.momentum %p, %g, %v, %lr {mu = 0.9 : f64}
       : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$parameter, Tenon_FloatTensor:$gradient,
                   Tenon_FloatTensor:$velocity, Tenon_FloatTensor:$lr, F64Attr:$mu);
  let results = (outs Tenon_FloatTensor:$new_parameter, Tenon_FloatTensor:$new_velocity);
}

def Tenon_AdamOp : Tenon_PureOp<"adam", [Tenon_NotDifferentiable, Tenon_ElementwiseUpdate]> {
  let summary = "Adam, and AdamW with weight decay";
  let description = [{
        m' = beta1 * m + (1 - beta1) * g
        v' = beta2 * v + (1 - beta2) * g^2
        p' = p - lr * (weight_decay * p + m' / (1 - beta1^t) / (sqrt(v' / (1 - beta2^t)) + eps))

    with t the scalar `step` (i64), 1 at the first step (Kingma and Ba 2015; Loshchilov
    and Hutter 2019 for the decoupled weight decay).

    Example:
    ```mlir
    %p2, %m2, %v2 = tenon.adam %p, %g, %m, %v, %lr, %t
        {beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-8 : f64, weight_decay = 0.0 : f64}
       : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$parameter, Tenon_FloatTensor:$gradient,
                   Tenon_FloatTensor:$m, Tenon_FloatTensor:$v, Tenon_FloatTensor:$lr,
                   Tenon_Tensor:$step, F64Attr:$beta1, F64Attr:$beta2, F64Attr:$eps,
                   F64Attr:$weight_decay);
  let results = (outs Tenon_FloatTensor:$new_parameter, Tenon_FloatTensor:$new_m,
                 Tenon_FloatTensor:$new_v);
}

def Tenon_LossScaleOp : Tenon_PureOp<"loss_scale", [Tenon_NotDifferentiable, Tenon_Elementwise]> {
  let summary = "the next state of dynamic loss scaling";
  let description = [{
    Says that gradients of its block may be scaled, by the state x: `[scale, good steps]`. Where
    products are computed in f16, whose gradients may be too small or too large for it,
    `tenon-scale-loss` multiplies the loss's gradient by the scale and divides the
    parameters' gradients by it. If one of them is not finite, parameters and moments stay as they
    are and the scale is halved; after `interval` steps without that it is doubled. Elsewhere `y = x`.
    A state to begin with is `[65536, 0]`.

    Example:
    ```mlir
    %y = tenon.loss_scale %x {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$x, I64Attr:$interval);
  let results = (outs Tenon_FloatTensor:$y);
}

#endif // TENON_OPS_OPTIMIZER_TD
