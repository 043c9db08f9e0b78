//===- Elementwise.td - One element at a time -------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_ELEMENTWISE_TD
#define TENON_OPS_ELEMENTWISE_TD

include "ir/TenonBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

class Tenon_UnaryOp<string mnemonic, Type type, string formula, list<Trait> traits = []>
    : Tenon_PureOp<mnemonic, traits # [Tenon_Elementwise]> {
  let arguments = (ins type:$x);
  let results = (outs type:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let summary = formula;
  let description = formula # [{, for each element. The result has the type of
    the operand. f16 and bf16 are computed in f32 and rounded once.

    Example:
    ```mlir
    %y = tenon.}] # mnemonic # [{ %x : tensor<4x8x}] #
    !if(!eq(type, Tenon_LogicalTensor), "i1", "f32") # [{>
    ```
  }];
}
class Tenon_FloatUnaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Tenon_UnaryOp<mnemonic, Tenon_FloatTensor, formula, traits>;
class Tenon_TranscendentalOp<string mnemonic, string formula, list<Trait> traits = []>
    : Tenon_FloatUnaryOp<mnemonic, formula, traits # [Tenon_Expensive]>;

def Tenon_NegOp : Tenon_UnaryOp<"neg", Tenon_NumberTensor, "y = -x",
    [Tenon_FollowsPrecision]> {
  let hasFolder = 1;
}
def Tenon_AbsOp : Tenon_UnaryOp<"abs", Tenon_NumberTensor, "y = |x|", [Tenon_FollowsPrecision]>;
def Tenon_SignOp : Tenon_UnaryOp<"sign", Tenon_NumberTensor,
    "y = 1, 0 or -1 as x is above, at or below 0 (NaN stays)",
    [Tenon_NotDifferentiable, Tenon_FollowsPrecision]>;
def Tenon_ExpOp : Tenon_TranscendentalOp<"exp", "y = e^x">;
def Tenon_Expm1Op : Tenon_TranscendentalOp<"expm1", "y = e^x - 1, accurate near 0">;
def Tenon_LogOp : Tenon_TranscendentalOp<"log", "y = natural logarithm of x">;
def Tenon_Log1pOp : Tenon_TranscendentalOp<"log1p", "y = log(1 + x), accurate near 0">;
def Tenon_SqrtOp : Tenon_FloatUnaryOp<"sqrt", "y = square root of x">;
def Tenon_RsqrtOp : Tenon_FloatUnaryOp<"rsqrt", "y = 1 / sqrt(x)">;
def Tenon_SinOp : Tenon_TranscendentalOp<"sin", "y = sin(x), x in radians",
    [Tenon_FollowsPrecision]>;
def Tenon_CosOp : Tenon_TranscendentalOp<"cos", "y = cos(x), x in radians",
    [Tenon_FollowsPrecision]>;
def Tenon_TanhOp : Tenon_TranscendentalOp<"tanh", "y = tanh(x)", [Tenon_FollowsPrecision]>;
def Tenon_ErfOp : Tenon_TranscendentalOp<"erf",
    "y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x", [Tenon_FollowsPrecision]>;
def Tenon_NormalCdfOp : Tenon_TranscendentalOp<"normal_cdf",
    "y = Phi(x), the standard normal distribution function, accurate to what adds to 1",
    [Tenon_FollowsPrecision]>;
def Tenon_SigmoidOp : Tenon_TranscendentalOp<"sigmoid", "y = 1 / (1 + e^-x)",
    [Tenon_FollowsPrecision]>;
def Tenon_ReluOp : Tenon_UnaryOp<"relu", Tenon_NumberTensor,
    "y = max(x, 0); the gradient at 0 is 0", [Tenon_FollowsPrecision]>;
def Tenon_SiluOp : Tenon_TranscendentalOp<"silu", "y = x / (1 + e^-x)", [Tenon_FollowsPrecision]>;
def Tenon_SoftplusOp : Tenon_TranscendentalOp<"softplus", "y = log(1 + e^x)">;
def Tenon_GeluOp : Tenon_TranscendentalOp<"gelu",
    "y = x * Phi(x), Phi the normal distribution function; with `approximate` "
    "y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016)",
    [Tenon_FollowsPrecision]> {
  let arguments = (ins Tenon_FloatTensor:$x, Tenon_FalseAttr:$approximate);
}
def Tenon_FloorOp : Tenon_FloatUnaryOp<"floor", "y = largest integer not above x",
                                       [Tenon_NotDifferentiable, Tenon_FollowsPrecision]>;
def Tenon_CeilOp : Tenon_FloatUnaryOp<"ceil", "y = smallest integer not below x",
                                      [Tenon_NotDifferentiable, Tenon_FollowsPrecision]>;
def Tenon_RoundOp : Tenon_FloatUnaryOp<"round", "y = x rounded to an integer, ties to even",
                                       [Tenon_NotDifferentiable, Tenon_FollowsPrecision]>;
def Tenon_NotOp : Tenon_UnaryOp<"not", Tenon_LogicalTensor,
    "y = not x: logical for i1, bitwise for integers", [Tenon_NotDifferentiable]>;
def Tenon_StopGradientOp : Tenon_UnaryOp<"stop_gradient", Tenon_Tensor,
    "y = x, and no gradient flows through", [Tenon_NotDifferentiable, Tenon_FollowsPrecision]>;
def Tenon_WatchOp : Tenon_Op<"watch", [Tenon_Elementwise, Tenon_Inferred, InferTypeOpInterface]> {
  let summary = "y = x, a value that gradients may be taken by";
  let description = [{
    `tenon.gradient` differentiates by a result of this op or by an argument. Each is a
    value of its own: equal ones are not merged, and no rewrite looks through one.
    `tenon-derive-backward` removes them.

    Example:
    ```mlir
    %y = tenon.watch %x : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$x);
  // Fresh, so that CSE keeps it while an unused one is dropped.
  let results = (outs Res<Tenon_FloatTensor, "", [MemAlloc]>:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::tenon::isCompatibleReturnTypes(inferred, given);
    }
  }];
}
def Tenon_ClampOp : Tenon_UnaryOp<"clamp", Tenon_NumberTensor,
    "y = min(max(x, lo), hi); the gradient is 1 strictly between lo and hi, else 0",
    [Tenon_FollowsPrecision]> {
  let arguments = (ins Tenon_NumberTensor:$x, F64Attr:$lo, F64Attr:$hi);
  let description = [{
    `y = min(max(x, lo), hi)`. NaN stays NaN. `lo <= hi` is required. The gradient
    is 1 strictly between the bounds and 0 elsewhere.

    Example:
    ```mlir
    %y = tenon.clamp %x {lo = -1.0 : f64, hi = 1.0 : f64} : tensor<4xf32>
    ```
  }];
}
def Tenon_CastOp : Tenon_PureOp<"cast", [Tenon_Elementwise]> {
  let summary = "convert the element type";
  let description = [{
    `y = x` in the element type `dtype`. Float to float rounds to nearest, float to
    integer rounds toward zero and saturates (NaN gives 0), to i1 is `x != 0`, and
    i1 gives 0 or 1. The gradient is cast back; it exists between float types.

    Example:
    ```mlir
    %y = tenon.cast %x {dtype = f32} : (tensor<4xf64>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$x, TypeAttr:$dtype);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

class Tenon_BinaryOp<string mnemonic, Type type, string formula, list<Trait> traits = []>
    : Tenon_PureOp<mnemonic, traits # [Tenon_Elementwise]> {
  let arguments = (ins type:$a, type:$b);
  let results = (outs type:$y);
  let summary = formula;
  let description = formula # [{, for each element. Both operands have the dtype
    of the result and one shape: broadcasting is `tenon.broadcast`.

    Example:
    ```mlir
    %y = tenon.}] # mnemonic # [{ %a, %b : (tensor<4x8x}] #
    !if(!eq(type, Tenon_LogicalTensor), "i1", "f32") # [{>, tensor<4x8x}] #
    !if(!eq(type, Tenon_LogicalTensor), "i1", "f32") # [{>) -> tensor<4x8x}] #
    !if(!eq(type, Tenon_LogicalTensor), "i1", "f32") # [{>
    ```
  }];
}

def Tenon_AddOp : Tenon_BinaryOp<"add", Tenon_NumberTensor, "y = a + b",
    [Commutative, Tenon_FollowsPrecision]> {
  let hasFolder = 1;
}
def Tenon_SubOp : Tenon_BinaryOp<"sub", Tenon_NumberTensor, "y = a - b",
    [Tenon_FollowsPrecision]> {
  let hasFolder = 1;
}
def Tenon_MulOp : Tenon_BinaryOp<"mul", Tenon_NumberTensor, "y = a * b",
    [Commutative, Tenon_FollowsPrecision]> {
  let hasFolder = 1;
}
def Tenon_DivOp : Tenon_BinaryOp<"div", Tenon_NumberTensor,
    "y = a / b; integers round toward zero, and x / 0 = 0 for them",
    [Tenon_FollowsPrecision]> {
  let hasFolder = 1;
}
def Tenon_PowOp : Tenon_BinaryOp<"pow", Tenon_NumberTensor, "y = a to the power of b",
                                 [Tenon_Expensive]>;
def Tenon_RemOp : Tenon_BinaryOp<"rem", Tenon_NumberTensor,
    "y = a - b * trunc(a / b), and x rem 0 = 0 for integers", [Tenon_Expensive]>;
def Tenon_MaxOp : Tenon_BinaryOp<"max", Tenon_NumberTensor,
    "y = the larger of a and b, NaN if either is; a tie's gradient goes half to each",
    [Commutative, Tenon_FollowsPrecision]>;
def Tenon_MinOp : Tenon_BinaryOp<"min", Tenon_NumberTensor,
    "y = the smaller of a and b, NaN if either is; a tie's gradient goes half to each",
    [Commutative, Tenon_FollowsPrecision]>;
def Tenon_AndOp : Tenon_BinaryOp<"and", Tenon_LogicalTensor, "y = a and b (bitwise)",
                                 [Commutative, Tenon_NotDifferentiable]>;
def Tenon_OrOp : Tenon_BinaryOp<"or", Tenon_LogicalTensor, "y = a or b (bitwise)",
                                [Commutative, Tenon_NotDifferentiable]>;
def Tenon_XorOp : Tenon_BinaryOp<"xor", Tenon_LogicalTensor, "y = a xor b (bitwise)",
                                 [Commutative, Tenon_NotDifferentiable]>;

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

def Tenon_Predicate : I64EnumAttr<"Predicate", "how two elements compare", [
    I64EnumAttrCase<"eq", 0>, I64EnumAttrCase<"ne", 1>, I64EnumAttrCase<"lt", 2>,
    I64EnumAttrCase<"le", 3>, I64EnumAttrCase<"gt", 4>, I64EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::tenon";
  let genSpecializedAttr = 0;
}
def Tenon_PredicateAttr : EnumAttr<Tenon_Dialect, Tenon_Predicate, "predicate"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tenon_CompareOp : Tenon_PureOp<"compare", [Tenon_Elementwise, Tenon_NotDifferentiable]> {
  let summary = "compare elements";
  let description = [{
    `y = a <predicate> b`, an i1 tensor of the operands' shape. A comparison with
    NaN is false, but `ne` is true.

    Example:
    ```mlir
    %y = tenon.compare %a, %b {predicate = #tenon.predicate<lt>}
       : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_PredicateAttr:$predicate);
  let results = (outs Tenon_BoolTensor:$y);
}

def Tenon_SelectOp : Tenon_PureOp<"select", [Tenon_Elementwise, Tenon_FollowsPrecision]> {
  let summary = "choose elements by a condition";
  let description = [{
    `y = condition ? a : b`, all of one shape; a and b have one dtype.

    Example:
    ```mlir
    %y = tenon.select %c, %a, %b
       : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_BoolTensor:$condition, Tenon_Tensor:$a, Tenon_Tensor:$b);
  let results = (outs Tenon_Tensor:$y);
  let hasFolder = 1;
}

#endif // TENON_OPS_ELEMENTWISE_TD
