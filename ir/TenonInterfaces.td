//===- TenonInterfaces.td - What ops answer ---------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_INTERFACES_TD
#define TENON_INTERFACES_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{
    The backward rule of an op. Rules are external models in
    `passes/autodiff/<Family>.cpp` and emit tenon ops only, so that a gradient can
    be differentiated again.
  }];
  let methods = [InterfaceMethod<[{
      Given the gradients of the results (null where nothing flows), returns the
      gradient of each operand. An entry may be null: zero, or `needed` was false
      for that operand. The builder's insertion point is after all values at hand.
    }],
    "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "backward",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
         "::llvm::ArrayRef<bool>":$needed)>];
}

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{
    Naive evaluation in double precision, an external model in
    `reference/<Family>.cpp`.
  }];
  let methods = [InterfaceMethod<[{
      Computes the results. `results` come with their types and zeroed elements.
    }],
    "::llvm::LogicalResult", "evaluate",
    (ins "::llvm::ArrayRef<const ::tenon::reference::Array *>":$operands,
         "::llvm::MutableArrayRef<::tenon::reference::Array>":$results)>];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::tenon";
  let description = "What an op costs, for reports and kernel formation.";
  let methods = [InterfaceMethod<[{
      Floating point operations, as an expression over symbols: the dynamic
      extents of the operands, then of the results, in order.
    }],
    "::mlir::AffineExpr", "flops", (ins)>];
}

#endif // TENON_INTERFACES_TD
