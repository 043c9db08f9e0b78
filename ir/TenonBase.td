//===- TenonBase.td - Dialect, types and op base classes --*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_BASE_TD
#define TENON_BASE_TD

include "ir/TenonInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let cppNamespace = "::tenon";
  let summary = "tensor programs: what a model computes, not how";
  let description = [{
    Ops on ranked tensors with value semantics. Tensors are row-major: the last
    axis is contiguous. Nothing aliases, state is explicit, and broadcasting is an
    op of its own (`tenon.broadcast`). Element types are f64, f32, f16, bf16, i64,
    i32, i8 and i1; f16 and bf16 accumulate in f32. Extents are static or dynamic.

    The result types of every op come from one inference function (`ir/infer`),
    which builders and verifiers share.
  }];
  let usePropertiesForAttributes = 0;
  let hasConstantMaterializer = 1;
  let hasRegionResultAttrVerify = 1; // tenon.donates
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tenon_Element : AnyTypeOf<[F64, F32, F16, BF16, I64, I32, I8, I1]>;
def Tenon_Tensor : RankedTensorOf<[Tenon_Element]>;
def Tenon_FloatTensor : RankedTensorOf<[F64, F32, F16, BF16]>;
def Tenon_NumberTensor : RankedTensorOf<[F64, F32, F16, BF16, I64, I32, I8]>;
def Tenon_IntTensor : RankedTensorOf<[I64, I32, I8]>;
def Tenon_BoolTensor : RankedTensorOf<[I1]>;
def Tenon_LogicalTensor : RankedTensorOf<[I64, I32, I8, I1]>;

//===----------------------------------------------------------------------===//
// Op base classes
//===----------------------------------------------------------------------===//

/// Result types from the op's function in `ir/infer`, for builders (by the
/// interface) and for the verifier (by the interface's own check).
def Tenon_Inferred : NativeOpTrait<"InferredByTable"> {
  let cppNamespace = "::tenon::trait";
}

/// Not differentiable: its gradient is zero or does not exist.
def Tenon_NotDifferentiable : NativeOpTrait<"NotDifferentiable"> {
  let cppNamespace = "::tenon::trait";
}

/// One element of the result depends on the element at the same place of each
/// operand, all of one shape.
def Tenon_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::tenon::trait";
}

/// Updates in place: one element of each result depends on the elements at the same
/// place of the operands of its shape, and on scalars.
def Tenon_ElementwiseUpdate : NativeOpTrait<"ElementwiseUpdate"> {
  let cppNamespace = "::tenon::trait";
}

class Tenon_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tenon_Dialect, mnemonic, traits>;

/// Next to no work: computed again wherever it is read, rather than kept. Views, and
/// numbers that follow from indices.
def Tenon_Rematerializable : NativeOpTrait<"Rematerializable"> {
  let cppNamespace = "::tenon::trait";
}

/// Tens of instructions an element: not computed more often than needed.
def Tenon_Expensive : NativeOpTrait<"Expensive"> {
  let cppNamespace = "::tenon::trait";
}

/// Of the classes that tenon-mixed-precision knows: computes in f16 or bf16. Products, which are what
/// low types are fast at, and which add up in f32.
def Tenon_LowPrecision : NativeOpTrait<"LowPrecision"> {
  let cppNamespace = "::tenon::trait";
}

/// Is computed in f16 or bf16 where its operands are. An op with neither trait keeps f32: what adds
/// up many elements, spreads exponents, or is state.
def Tenon_FollowsPrecision : NativeOpTrait<"FollowsPrecision"> {
  let cppNamespace = "::tenon::trait";
}

/// Reduces the axes `axes`, which stay with extent 1 if `keep` is set.
def Tenon_Reduction : NativeOpTrait<"Reduction"> {
  let cppNamespace = "::tenon::trait";
}

/// An op whose result types are inferred and which only computes.
class Tenon_PureOp<string mnemonic, list<Trait> traits = []>
    : Tenon_Op<mnemonic, traits # [Pure, Tenon_Inferred, InferTypeOpInterface]> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::tenon::isCompatibleReturnTypes(inferred, given);
    }
  }];
}

def Tenon_FalseAttr : DefaultValuedAttr<BoolAttr, "false">;

#endif // TENON_BASE_TD
