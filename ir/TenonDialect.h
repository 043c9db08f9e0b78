//===- TenonDialect.h - The dialect and its traits --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ side of the dialect: the way between its types and the tables of
// ir/infer, which builders and verifiers share, and the traits by which passes tell
// ops apart.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_TENONDIALECT_H
#define TENON_IR_TENONDIALECT_H

#include "ir/infer/Infer.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "ir/TenonDialect.h.inc"

namespace tenon {

/// The dtype of an element type, if Tenon has it.
std::optional<tenon_dtype> dtypeOf(mlir::Type elementType);
mlir::Type elementTypeOf(mlir::MLIRContext *context, tenon_dtype dtype);

/// Between the inference tables and MLIR.
std::optional<infer::Type> inferTypeOf(mlir::Type type);
mlir::RankedTensorType tensorTypeOf(mlir::MLIRContext *context, const infer::Type &type);

/// Attribute words of a schema from a dictionary; false if one is missing.
bool attrWords(const char *schema, mlir::DictionaryAttr attributes,
               llvm::SmallVectorImpl<int64_t> &words);
/// The reverse: named attributes for an op of this schema.
llvm::SmallVector<mlir::NamedAttribute> namedAttrs(mlir::MLIRContext *context, const char *schema,
                                                   const int64_t *words);

/// Infers by the op's entry of the tables; `name` with the dialect's prefix. The types
/// of the operands that are there may have extents of an infer::ExtentAlgebra. False:
/// `call.message` says why.
bool inferCall(llvm::StringRef name, mlir::DictionaryAttr attributes,
               llvm::ArrayRef<infer::Type> operands, infer::Call &call);
/// The same for the types of values.
llvm::LogicalResult inferReturnTypes(llvm::StringRef name, mlir::MLIRContext *context,
                                     std::optional<mlir::Location> location,
                                     mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// A declared type may be less precise than the inferred one, or more.
bool isCompatibleReturnTypes(mlir::TypeRange inferred, mlir::TypeRange given);

namespace trait {
template <typename ConcreteOp>
class InferredByTable : public mlir::OpTrait::TraitBase<ConcreteOp, InferredByTable> {
public:
  static llvm::LogicalResult inferReturnTypes(mlir::MLIRContext *context,
                                              std::optional<mlir::Location> location,
                                              mlir::ValueRange operands,
                                              mlir::DictionaryAttr attributes,
                                              mlir::OpaqueProperties, mlir::RegionRange,
                                              llvm::SmallVectorImpl<mlir::Type> &types) {
    return ::tenon::inferReturnTypes(ConcreteOp::getOperationName(), context, location, operands,
                                     attributes, types);
  }
};

template <typename ConcreteOp>
class NotDifferentiable : public mlir::OpTrait::TraitBase<ConcreteOp, NotDifferentiable> {};

template <typename ConcreteOp>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteOp, Elementwise> {};

template <typename ConcreteOp>
class ElementwiseUpdate : public mlir::OpTrait::TraitBase<ConcreteOp, ElementwiseUpdate> {};

template <typename ConcreteOp>
class Rematerializable : public mlir::OpTrait::TraitBase<ConcreteOp, Rematerializable> {};

template <typename ConcreteOp>
class Expensive : public mlir::OpTrait::TraitBase<ConcreteOp, Expensive> {};

template <typename ConcreteOp>
class LowPrecision : public mlir::OpTrait::TraitBase<ConcreteOp, LowPrecision> {};

template <typename ConcreteOp>
class FollowsPrecision : public mlir::OpTrait::TraitBase<ConcreteOp, FollowsPrecision> {};

template <typename ConcreteOp>
class Reduction : public mlir::OpTrait::TraitBase<ConcreteOp, Reduction> {};
} // namespace trait

} // namespace tenon

#endif // TENON_IR_TENONDIALECT_H
