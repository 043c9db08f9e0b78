//===- Shape.td - Shapes, indices and constants -----------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_SHAPE_TD
#define TENON_OPS_SHAPE_TD

include "ir/TenonBase.td"

// Where an attribute gives a shape, kDynamic (the least i64) stands for an extent
// known at run time only; it comes from the operand `like` where there is one.

def Tenon_ElementsAttr : Attr<CPred<"::llvm::isa<::mlir::DenseElementsAttr>($_self)">,
                              "dense elements"> {
  let storageType = "::mlir::DenseElementsAttr";
  let returnType = "::mlir::DenseElementsAttr";
  let convertFromStorage = "$_self";
}

def Tenon_ConstantOp : Tenon_Op<"constant",
    [Pure, ConstantLike, AllTypesMatch<["value", "y"]>, Tenon_NotDifferentiable]> {
  let summary = "a constant tensor";
  let description = [{
    `y = value`, elements that are known when the program is compiled.

    Example:
    ```mlir
    %y = tenon.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_ElementsAttr:$value);
  let results = (outs Tenon_Tensor:$y);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Tenon_FillOp : Tenon_PureOp<"fill", [Tenon_NotDifferentiable, Tenon_Rematerializable]> {
  let summary = "a tensor of one value";
  let description = [{
    `y[i...] = value`, of the given shape and dtype.

    Example:
    ```mlir
    %y = tenon.fill {shape = array<i64: 2, 3>, value = 1.0 : f64, dtype = f32}
       : () -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Optional<Tenon_Tensor>:$like, DenseI64ArrayAttr:$shape, F64Attr:$value,
                   TypeAttr:$dtype);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

def Tenon_IotaOp : Tenon_PureOp<"iota", [Tenon_NotDifferentiable, Tenon_Rematerializable]> {
  let summary = "indices along an axis";
  let description = [{
    `y[i0, i1, ...] = i_axis`, counted from 0.

    Example:
    ```mlir
    %y = tenon.iota {shape = array<i64: 4, 8>, axis = 1 : i64, dtype = i64}
       : () -> tensor<4x8xi64>
    ```
  }];
  let arguments = (ins Optional<Tenon_Tensor>:$like, DenseI64ArrayAttr:$shape, I64Attr:$axis,
                   TypeAttr:$dtype);
  let results = (outs Tenon_NumberTensor:$y);
}

def Tenon_ReshapeOp : Tenon_PureOp<"reshape", [Tenon_Rematerializable, Tenon_FollowsPrecision]> {
  let summary = "the same elements in row-major order, in another shape";
  let description = [{
    The number of elements stays. At most one extent of `shape` may be dynamic; it
    is what the other extents leave.

    Example:
    ```mlir
    %y = tenon.reshape %x {shape = array<i64: 2, 12>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, DenseI64ArrayAttr:$shape);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

def Tenon_TransposeOp : Tenon_PureOp<"transpose",
    [Tenon_Rematerializable, Tenon_FollowsPrecision]> {
  let summary = "permute the axes";
  let description = [{
    Axis `i` of the result is axis `permutation[i]` of the operand.

    Example:
    ```mlir
    %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

def Tenon_BroadcastOp : Tenon_PureOp<"broadcast",
    [Tenon_Rematerializable, Tenon_FollowsPrecision]> {
  let summary = "repeat along new axes and axes of extent 1";
  let description = [{
    Axis `i` of the operand becomes axis `dims[i]` of the result (increasing); where
    its extent is 1 and the result's is not, the element is repeated.

    Example:
    ```mlir
    %y = tenon.broadcast %x {shape = array<i64: 4, 6>, dims = array<i64: 1>}
       : (tensor<6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, Optional<Tenon_Tensor>:$like, DenseI64ArrayAttr:$shape,
                   DenseI64ArrayAttr:$dims);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

def Tenon_SliceOp : Tenon_PureOp<"slice", [Tenon_Rematerializable, Tenon_FollowsPrecision]> {
  let summary = "a strided box of elements";
  let description = [{
    `y[i...] = x[offsets + i * strides...]` for `sizes` elements along each axis. A
    dynamic size means to the end of the axis.

    Example:
    ```mlir
    %y = tenon.slice %x {offsets = array<i64: 0, 2>, sizes = array<i64: 4, 2>,
                         strides = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes,
                   DenseI64ArrayAttr:$strides);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

def Tenon_ConcatOp : Tenon_PureOp<"concat", [Tenon_FollowsPrecision]> {
  let summary = "join along an axis";
  let description = [{
    The operands one after the other along `axis`; all other extents are equal.

    Example:
    ```mlir
    %y = tenon.concat %a, %b {axis = 0 : i64} : (tensor<2x6xf32>, tensor<3x6xf32>) -> tensor<5x6xf32>
    ```
  }];
  let arguments = (ins Variadic<Tenon_Tensor>:$parts, I64Attr:$axis);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

def Tenon_PadOp : Tenon_PureOp<"pad", [Tenon_FollowsPrecision]> {
  let summary = "a border of one value";
  let description = [{
    `low` and `high` elements of `value` before and after along each axis.

    Example:
    ```mlir
    %y = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = 0.0 : f64}
       : (tensor<2x6xf32>) -> tensor<3x8xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                   F64Attr:$value);
  let results = (outs Tenon_Tensor:$y);
}

def Tenon_GatherOp : Tenon_PureOp<"gather", [Tenon_FollowsPrecision]> {
  let summary = "rows of a table by number";
  let description = [{
    `y[i..., j...] = table[ids[i...], j...]`: the leading axis of the table is
    looked up, the rest is copied. Ids count from 0; one that is out of range gives
    a row of NaN (of 0 for integers) and takes no gradient.

    Example:
    ```mlir
    %y = tenon.gather %table, %ids : (tensor<50x8xf32>, tensor<4x3xi32>) -> tensor<4x3x8xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$table, Tenon_IntTensor:$ids);
  let results = (outs Tenon_Tensor:$y);
}

def Tenon_ScatterAddOp : Tenon_PureOp<"scatter_add"> {
  let summary = "sum rows into a zero table by number";
  let description = [{
    `y[r, j...] = sum of updates[i..., j...] over all i with ids[i...] = r`, for
    `rows` rows, summed in the order of the ids. Ids out of range are left out. A
    dynamic number of rows is that of `like`.

    Example:
    ```mlir
    %y = tenon.scatter_add %ids, %updates {rows = 50 : i64}
       : (tensor<4x3xi32>, tensor<4x3x8xf32>) -> tensor<50x8xf32>
    ```
  }];
  let arguments = (ins Tenon_IntTensor:$ids, Tenon_NumberTensor:$updates,
                   Optional<Tenon_Tensor>:$like, I64Attr:$rows);
  let results = (outs Tenon_NumberTensor:$y);
}

def Tenon_OneHotOp : Tenon_PureOp<"one_hot", [Tenon_NotDifferentiable]> {
  let summary = "a new last axis that is 1 at the id";
  let description = [{
    `y[i..., c] = ids[i...] == c`, for `depth` classes counted from 0. An id out of
    range gives zeros.

    Example:
    ```mlir
    %y = tenon.one_hot %ids {depth = 10 : i64, dtype = f32} : (tensor<4xi32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Tenon_IntTensor:$ids, I64Attr:$depth, TypeAttr:$dtype);
  let results = (outs Tenon_Tensor:$y);
}

#endif // TENON_OPS_SHAPE_TD
