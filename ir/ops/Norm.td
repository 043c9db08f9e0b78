//===- Norm.td - Softmax and normalizations ---------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_NORM_TD
#define TENON_OPS_NORM_TD

include "ir/TenonBase.td"

class Tenon_SoftmaxLikeOp<string mnemonic, string formula, string note> : Tenon_PureOp<mnemonic> {
  let arguments = (ins Tenon_FloatTensor:$x, I64Attr:$axis);
  let results = (outs Tenon_FloatTensor:$y);
  let summary = formula;
  let description = formula # [{ along `axis`, with the maximum subtracted first. }] # note # [{

    Example:
    ```mlir
    %y = tenon.}] # mnemonic # [{ %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tenon_SoftmaxOp : Tenon_SoftmaxLikeOp<"softmax", "y = e^x / sum of e^x",
    "Where all x are -inf (everything is masked) y is 0.">;
def Tenon_LogSoftmaxOp : Tenon_SoftmaxLikeOp<"log_softmax", "y = x - log(sum of e^x)",
    "Where all x are -inf y is -inf.">;

def Tenon_LayerNormOp : Tenon_PureOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "y = (x - mean) / sqrt(variance + eps) * gamma + beta";
  let description = [{
    Mean and population variance are taken over the last axis (Ba et al. 2016). gamma
    and beta, of that axis' extent, default to 1 and 0.

    Example:
    ```mlir
    %y = tenon.layer_norm %x, %gamma bias %beta {eps = 1.0e-5 : f64}
       : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$x, Optional<Tenon_FloatTensor>:$gamma,
                   Optional<Tenon_FloatTensor>:$beta, F64Attr:$eps);
  let results = (outs Tenon_FloatTensor:$y);
  let assemblyFormat = [{
    $x (`,` $gamma^)? (`bias` $beta^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tenon_RmsNormOp : Tenon_PureOp<"rms_norm"> {
  let summary = "y = x / sqrt(mean of x^2 + eps) * gamma";
  let description = [{
    The mean is taken over the last axis (Zhang and Sennrich 2019). gamma, of that
    axis' extent, defaults to 1.

    Example:
    ```mlir
    %y = tenon.rms_norm %x {eps = 1.0e-5 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$x, Optional<Tenon_FloatTensor>:$gamma, F64Attr:$eps);
  let results = (outs Tenon_FloatTensor:$y);
}

#endif // TENON_OPS_NORM_TD
