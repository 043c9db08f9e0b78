//===- Window.td - Sliding windows ------------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What convolution and pooling are made of. A convolution is a `tenon.matmul` of its
// kernel and the windows of its padded input, pooling a reduction of windows, and a
// transposed convolution the fold of a product.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_WINDOW_TD
#define TENON_OPS_WINDOW_TD

include "ir/TenonBase.td"

def Tenon_WindowsOp : Tenon_PureOp<"windows", [Tenon_Rematerializable, Tenon_FollowsPrecision]> {
  let summary = "the elements under a sliding window";
  let description = [{
    A window of `sizes` slides over the last axes of `x`, one for each size:
    `y[l..., k..., o...] = x[l..., o * strides + k * dilations...]`, where `l` are the
    axes before, `k` the places within a window and `o` the places of the window. There
    are as many of these as fit: `(x - (size - 1) * dilation - 1) / stride + 1`, rounded
    down. Also known as im2col or unfold.

    Example:
    ```mlir
    %y = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>,
                           dilations = array<i64: 1>} : (tensor<4x9xf32>) -> tensor<4x3x4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$dilations);
  let results = (outs Tenon_Tensor:$y);
}

def Tenon_FoldWindowsOp : Tenon_PureOp<"fold_windows", [Tenon_Expensive, Tenon_FollowsPrecision]> {
  let summary = "the sum of overlapping windows";
  let description = [{
    The adjoint of `tenon.windows`: `y[l..., i...]` is the sum of
    `x[l..., k..., o...]` over all `k`, `o` with `o * strides + k * dilations = i`, in the
    order of `k`; 0 where there are none. The last axes of `y` have `extents`, a dynamic
    one that of the axis of `like`, which has the shape of `y`. f16 and bf16 accumulate
    in f32. Also known as col2im or fold.

    Example:
    ```mlir
    %y = tenon.fold_windows %x {extents = array<i64: 9>, strides = array<i64: 2>,
                                dilations = array<i64: 1>} : (tensor<4x3x4xf32>) -> tensor<4x9xf32>
    ```
  }];
  let arguments = (ins Tenon_NumberTensor:$x, Optional<Tenon_Tensor>:$like,
                   DenseI64ArrayAttr:$extents, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$dilations);
  let results = (outs Tenon_NumberTensor:$y);
}

#endif // TENON_OPS_WINDOW_TD
