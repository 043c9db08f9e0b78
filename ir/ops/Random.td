//===- Random.td - Random numbers -------------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_RANDOM_TD
#define TENON_OPS_RANDOM_TD

include "ir/TenonBase.td"

// Numbers are a pure function of (seed, stream, step, element): Philox 4x32-10
// (Salmon et al. 2011). ir/Philox.h defines key, counter and how words become numbers.

class Tenon_RandomOp<string mnemonic, string what>
    : Tenon_PureOp<mnemonic, [Tenon_NotDifferentiable, Tenon_Expensive]> {
  let arguments = (ins Tenon_Tensor:$seed, Tenon_Tensor:$step, Optional<Tenon_Tensor>:$like,
                   DenseI64ArrayAttr:$shape, I64Attr:$stream, TypeAttr:$dtype);
  let results = (outs Tenon_FloatTensor:$y);
  let summary = what;
  let description = what # [{. The same seed (i64), stream and step (i64) give the same
    numbers on every device (Philox 4x32-10, see ir/Philox.h).

    Example:
    ```mlir
    %y = tenon.}] # mnemonic # [{ %seed, %step {shape = array<i64: 4, 8>, stream = 0 : i64, dtype = f32}
       : (tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
    ```
  }];
}
def Tenon_RandomUniformOp : Tenon_RandomOp<"random_uniform", "uniform numbers in (0, 1)">;
def Tenon_RandomNormalOp : Tenon_RandomOp<"random_normal",
    "standard normal numbers by the Box-Muller transform">;

def Tenon_DropoutOp : Tenon_PureOp<"dropout", [Tenon_Expensive, Tenon_FollowsPrecision]> {
  let summary = "zero some elements at random and scale the rest";
  let description = [{
    `y = u >= rate ? x / (1 - rate) : 0` with u = random_uniform(seed, step, stream) at
    the element's place. The gradient is dropout with the same seed, step and stream:
    no mask is kept.

    Example:
    ```mlir
    %y = tenon.dropout %x, %seed, %step {rate = 0.1 : f64, stream = 0 : i64}
       : (tensor<4x8xf32>, tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$x, Tenon_Tensor:$seed, Tenon_Tensor:$step,
                   F64Attr:$rate, I64Attr:$stream);
  let results = (outs Tenon_FloatTensor:$y);
}

#endif // TENON_OPS_RANDOM_TD
