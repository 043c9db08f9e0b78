//===- Linear.td - Matrix products ------------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_LINEAR_TD
#define TENON_OPS_LINEAR_TD

include "ir/TenonBase.td"

def Tenon_MatmulOp : Tenon_PureOp<"matmul", [Tenon_LowPrecision]> {
  let summary = "batched matrix product";
  let description = [{
    `y[..., i, j] = sum over k of a[..., i, k] * b[..., k, j]`. `transpose_a` and
    `transpose_b` exchange the last two axes of an operand first. Leading axes are
    batch axes and equal: broadcast them with `tenon.broadcast`. Operands and result
    have one dtype; f16 and bf16 accumulate in f32.

    Example:
    ```mlir
    %y = tenon.matmul %a, %b {transpose_b = true}
       : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$a, Tenon_FloatTensor:$b, Tenon_FalseAttr:$transpose_a,
                   Tenon_FalseAttr:$transpose_b);
  let results = (outs Tenon_FloatTensor:$y);
}

#endif // TENON_OPS_LINEAR_TD
