//===- Control.td - Gradient, loop, if, kernel ------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_CONTROL_TD
#define TENON_OPS_CONTROL_TD

include "ir/TenonBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tenon_GradientOp : Tenon_PureOp<"gradient", [Tenon_NotDifferentiable]> {
  let summary = "gradient of one value by another";
  let description = [{
    `g = seed^T dy/dx`, the derivative of y by x in the program text that computes y
    from x, an argument or the result of `tenon.watch` in the same block. Without a seed y is a scalar and the seed
    is 1. Zero where y does not depend on x. `tenon-derive-backward` replaces the op;
    gradients of one y share their backward pass. A gradient may itself be
    differentiated.

    Example:
    ```mlir
    %g = tenon.gradient %loss, %w : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$y, Tenon_FloatTensor:$x,
                   Optional<Tenon_FloatTensor>:$seed);
  let results = (outs Tenon_FloatTensor:$g);
  let hasVerifier = 1;
}

def Tenon_YieldOp : Tenon_Op<"yield", [Pure, Terminator, ReturnLike,
                                       ParentOneOf<["LoopOp", "IfOp", "KernelOp", "CustomOp"]>,
                                       Tenon_NotDifferentiable]> {
  let summary = "end of a region: its values";
  let arguments = (ins Variadic<Tenon_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{}]>];
}

def Tenon_LoopOp : Tenon_Op<"loop", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
                                     RecursiveMemoryEffects]> {
  let summary = "a counted loop with carried, scanned and stacked values";
  let description = [{
    Runs its body `trips` times, t = 0, 1, ... (in reverse: trips-1, ..., 0). The
    body's arguments are t (an i64 scalar), the carried values, slice t along the
    leading axis of each scanned value, and the invariant values. It yields the new
    carried values, then values that are stacked along a new leading axis, at place t.
    Results are the last carried values and the stacked ones. The extent of the leading
    axis of every scanned value is `trips`. With no trips carried values are the
    initial ones.

    Example:
    ```mlir
    %sum, %partial = tenon.loop trips 4 carry(%zero) scan(%x) use()
        : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    ^bb0(%t: tensor<i64>, %s: tensor<f32>, %xt: tensor<f32>):
      %n = tenon.add %s, %xt : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tenon.yield %n, %n : tensor<f32>, tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tenon_Tensor>:$carried, Variadic<Tenon_Tensor>:$scanned,
                   Variadic<Tenon_Tensor>:$invariant, I64Attr:$trips, UnitAttr:$reverse);
  let results = (outs Variadic<Tenon_Tensor>:$finals);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    `trips` $trips (`reverse` $reverse^)? `carry` `(` $carried `)` `scan` `(` $scanned `)`
    `use` `(` $invariant `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let extraClassDeclaration = [{
    /// Number of results that are stacked.
    unsigned getNumStacked() { return getNumResults() - getCarried().size(); }
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
  }];
}

def Tenon_IfOp : Tenon_Op<"if", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "one of two bodies, by a condition";
  let description = [{
    Runs its first body if the condition, an i1 scalar, is true, else the second, and
    that one alone. The arguments of both are the used values; both yield the results.
    What extents have to fulfil in a body is required whichever is run.

    The gradient is an if that computes the body that was run again; a used value that it
    does not read has a gradient of zero. So what the other body would give, infinite
    or no number, does not matter, as it does with `tenon.select`.

    Example:
    ```mlir
    %y = tenon.if %c use(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %e = tenon.exp %a : tensor<4xf32>
      tenon.yield %e : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>):
      tenon.yield %a : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Tenon_BoolTensor:$condition, Variadic<Tenon_Tensor>:$used);
  let results = (outs Variadic<Tenon_Tensor>:$chosen);
  let regions = (region SizedRegion<1>:$thenBody, SizedRegion<1>:$elseBody);
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $condition `use` `(` $used `)` attr-dict `:` functional-type(operands, results)
    $thenBody `else` $elseBody
  }];
  let extraClassDeclaration = [{
    ::mlir::Block &getBranch(bool isThen) {
      return (isThen ? getThenBody() : getElseBody()).front();
    }
  }];
}

def Tenon_KernelOp : Tenon_Op<"kernel", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects,
                                         Tenon_NotDifferentiable]> {
  let summary = "ops that are compiled to one kernel";
  let description = [{
    The unit of code generation, profiling and reports. The region computes the
    results from the operands, which are its block arguments; it holds tenon ops and
    may be compiled in any order and any number of times. `strategy` names the kernel
    strategy that emits it.

    Example:
    ```mlir
    %y = tenon.kernel "elementwise" (%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      %e = tenon.exp %x : tensor<4xf32>
      tenon.yield %e : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tenon_Tensor>:$inputs, StrAttr:$strategy);
  let results = (outs Variadic<Tenon_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $strategy `(` $inputs `)` attr-dict `:` functional-type(operands, results) $body
  }];
}

#endif // TENON_OPS_CONTROL_TD
