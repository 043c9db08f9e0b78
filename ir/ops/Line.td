//===- Line.td - Ops along one axis -----------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is all elements that differ in their index along one axis alone. These ops
// treat every line of their operands by itself.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_LINE_TD
#define TENON_OPS_LINE_TD

include "ir/TenonBase.td"

def Tenon_CumsumOp : Tenon_PureOp<"cumsum"> {
  let summary = "running sums along an axis";
  let description = [{
    `y[i] = x[0] + ... + x[i]` along `axis`, added in this order; with `exclusive` without
    `x[i]`, so that `y[0] = 0`; with `reverse` from the other end: `y[i] = x[n - 1] + ... +
    x[i]`. y has the type of x. f16 and bf16 accumulate in f32; integers wrap.

    Example:
    ```mlir
    %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_NumberTensor:$x, I64Attr:$axis, Tenon_FalseAttr:$exclusive,
                   Tenon_FalseAttr:$reverse);
  let results = (outs Tenon_NumberTensor:$y);
}

def Tenon_SortOp : Tenon_PureOp<"sort"> {
  let summary = "the elements of each line in order, and where they were";
  let description = [{
    `values[i] = x[indices[i]]` along `axis`, with `values` ascending, or descending with
    `descending`. NaN comes last in both, 0 equals -0, and equal elements keep their
    order. Indices are i32 and count from 0: an axis has at most 2^31 - 1 elements. Only
    the first `count` are kept, all if it is -1: a few cost about as much as reading x.
    The gradient goes to the elements that were kept.

    Example:
    ```mlir
    %values, %indices = tenon.sort %x {axis = 1 : i64, count = 3 : i64, descending = true}
       : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    ```
  }];
  let arguments = (ins Tenon_NumberTensor:$x, I64Attr:$axis, I64Attr:$count,
                   Tenon_FalseAttr:$descending);
  let results = (outs Tenon_NumberTensor:$values, Tenon_IntTensor:$indices);
}

def Tenon_GatherAlongOp : Tenon_PureOp<"gather_along", [Tenon_FollowsPrecision]> {
  let summary = "elements of each line by number";
  let description = [{
    `y[l..., i, r...] = x[l..., ids[l..., i, r...], r...]`, where i is the index along
    `axis`: x and ids have the same extents but for this axis. Ids count from 0; one that
    is out of range gives NaN (0 for integers) and takes no gradient.

    Example:
    ```mlir
    %y = tenon.gather_along %x, %ids {axis = 1 : i64}
       : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, Tenon_IntTensor:$ids, I64Attr:$axis);
  let results = (outs Tenon_Tensor:$y);
}

def Tenon_ScatterAlongOp : Tenon_PureOp<"scatter_along"> {
  let summary = "sum elements into lines of zeros by number";
  let description = [{
    The adjoint of `tenon.gather_along`: `y[l..., c, r...]` is the sum of `updates[l..., i,
    r...]` over all i with `ids[l..., i, r...] = c`, in the order of i; 0 where there are
    none. y has `extent` elements along `axis`, a dynamic one that of `like`. Ids out of
    range are left out. f16 and bf16 accumulate in f32.

    Example:
    ```mlir
    %y = tenon.scatter_along %ids, %updates {axis = 1 : i64, extent = 8 : i64}
       : (tensor<4x3xi32>, tensor<4x3xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_IntTensor:$ids, Tenon_NumberTensor:$updates,
                   Optional<Tenon_Tensor>:$like, I64Attr:$axis, I64Attr:$extent);
  let results = (outs Tenon_NumberTensor:$y);
}

#endif // TENON_OPS_LINE_TD
