//===- Reduction.td - Reductions --------------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_REDUCTION_TD
#define TENON_OPS_REDUCTION_TD

include "ir/TenonBase.td"

class Tenon_ReduceOp<string mnemonic, Type type, string formula, string empty,
                     list<Trait> traits = []>
    : Tenon_PureOp<mnemonic, traits # [Tenon_Reduction]> {
  let arguments = (ins type:$x, DenseI64ArrayAttr:$axes, Tenon_FalseAttr:$keep);
  let results = (outs type:$y);
  let summary = formula;
  let description = formula # [{ over `axes`. With `keep` a reduced axis stays with
    extent 1, else it is dropped. f16 and bf16 accumulate in f32. The order of
    summation depends on the shape alone. Over no elements: }] # empty # [{.

    Example:
    ```mlir
    %y = tenon.}] # mnemonic # [{ %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}
def Tenon_ReduceSumOp : Tenon_ReduceOp<"reduce_sum", Tenon_NumberTensor, "y = sum of x", "0">;
def Tenon_ReduceMeanOp : Tenon_ReduceOp<"reduce_mean", Tenon_FloatTensor, "y = mean of x", "NaN">;
def Tenon_ReduceMaxOp : Tenon_ReduceOp<"reduce_max", Tenon_NumberTensor,
    "y = largest x (NaN wins; a tie's gradient is shared equally)",
    "-inf, or the least integer", [Tenon_FollowsPrecision]>;
def Tenon_ReduceMinOp : Tenon_ReduceOp<"reduce_min", Tenon_NumberTensor,
    "y = smallest x (NaN wins; a tie's gradient is shared equally)",
    "inf, or the largest integer", [Tenon_FollowsPrecision]>;
def Tenon_ReduceProdOp : Tenon_ReduceOp<"reduce_prod", Tenon_NumberTensor, "y = product of x",
                                        "1">;

class Tenon_ArgOp<string mnemonic, string which>
    : Tenon_PureOp<mnemonic, [Tenon_NotDifferentiable]> {
  let arguments = (ins Tenon_NumberTensor:$x, I64Attr:$axis);
  let results = (outs Tenon_IntTensor:$y);
  let summary = "index of the " # which # " element along an axis";
  let description = "y = the first index, from 0, of the " # which # [{ element along
    `axis`, as i64; the axis is dropped. NaN is never chosen; all NaN gives 0.

    Example:
    ```mlir
    %y = tenon.}] # mnemonic # [{ %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
    ```
  }];
}
def Tenon_ArgmaxOp : Tenon_ArgOp<"argmax", "largest">;
def Tenon_ArgminOp : Tenon_ArgOp<"argmin", "smallest">;

#endif // TENON_OPS_REDUCTION_TD
