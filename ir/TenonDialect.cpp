//===- TenonDialect.cpp - The dialect and table-driven inference ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/TenonDialect.h"
#include "ir/TenonOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/TenonDialect.cpp.inc"
#include "ir/TenonEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TenonAttrs.cpp.inc"
#include "ir/TenonInterfaces.cpp.inc"

namespace tenon {

static_assert(infer::kDynamic == ShapedType::kDynamic);

void TenonDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TenonAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/TenonOps.cpp.inc"
      >();
}

/// `tenon.donates` names an argument that its result may overwrite, each its own.
LogicalResult TenonDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/,
                                                        unsigned result, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || attribute.getName() != "tenon.donates")
    return success();
  auto fail = [&] {
    return emitError(op->getLoc())
           << "result " << result << ": 'tenon.donates' is " << attribute.getValue() << ", ";
  };
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  unsigned count = function.getNumArguments();
  if (!number || number.getValue().getSignificantBits() > 64 || number.getInt() < 0 ||
      number.getInt() >= count)
    return fail() << "expected the number of one of " << count << " arguments";
  mlir::Type own = function.getResultTypes()[result],
             argument = function.getArgumentTypes()[number.getInt()];
  if (getElementTypeOrSelf(own) != getElementTypeOrSelf(argument) ||
      failed(verifyCompatibleShape(own, argument)))
    return fail() << "which is " << argument << ", expected " << own;
  for (unsigned i = 0; i < result; ++i)
    if (auto other = function.getResultAttrOfType<IntegerAttr>(i, "tenon.donates");
        other && other.getValue() == number.getValue())
      return fail() << "expected an argument that result " << i << " does not donate already";
  return success();
}

Operation *TenonDialect::materializeConstant(OpBuilder &builder, Attribute value, mlir::Type type,
                                             Location location) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(location, type, elements);
}

std::optional<tenon_dtype> dtypeOf(mlir::Type type) {
  if (type.isF64())
    return TENON_F64;
  if (type.isF32())
    return TENON_F32;
  if (type.isF16())
    return TENON_F16;
  if (type.isBF16())
    return TENON_BF16;
  if (type.isSignlessInteger(64))
    return TENON_I64;
  if (type.isSignlessInteger(32))
    return TENON_I32;
  if (type.isSignlessInteger(8))
    return TENON_I8;
  if (type.isSignlessInteger(1))
    return TENON_I1;
  return std::nullopt;
}

mlir::Type elementTypeOf(MLIRContext *context, tenon_dtype dtype) {
  Builder builder(context);
  switch (dtype) {
  case TENON_F64:
    return builder.getF64Type();
  case TENON_F32:
    return builder.getF32Type();
  case TENON_F16:
    return builder.getF16Type();
  case TENON_BF16:
    return builder.getBF16Type();
  case TENON_I64:
    return builder.getI64Type();
  case TENON_I32:
    return builder.getI32Type();
  case TENON_I8:
    return builder.getI8Type();
  case TENON_I1:
    return builder.getI1Type();
  }
  llvm_unreachable("a dtype beyond the enum");
}

std::optional<infer::Type> inferTypeOf(mlir::Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() > infer::kMaxRank)
    return std::nullopt;
  std::optional<tenon_dtype> dtype = dtypeOf(tensor.getElementType());
  if (!dtype)
    return std::nullopt;
  infer::Type result;
  result.dtype = *dtype;
  for (int64_t extent : tensor.getShape())
    result.dims[result.rank++] = extent;
  return result;
}

RankedTensorType tensorTypeOf(MLIRContext *context, const infer::Type &type) {
  return RankedTensorType::get(ArrayRef(type.dims, type.rank), elementTypeOf(context, type.dtype));
}

bool attrWords(const char *schema, DictionaryAttr attributes, SmallVectorImpl<int64_t> &words) {
  for (int i = 0, n = infer::numAttrs(schema); i < n; i++) {
    infer::AttrSpec spec = infer::attrSpec(schema, i);
    Attribute value = attributes.get(StringRef(spec.name, spec.nameLength));
    bool ok = true;
    switch (spec.letter) {
    case 'i':
      if ((ok = isa_and_present<IntegerAttr>(value)))
        words.push_back(cast<IntegerAttr>(value).getInt());
      break;
    case 'b': // false by default
      words.push_back(value && isa<BoolAttr>(value) && cast<BoolAttr>(value).getValue());
      break;
    case 'f':
      if ((ok = isa_and_present<FloatAttr>(value)))
        words.push_back(llvm::bit_cast<int64_t>(cast<FloatAttr>(value).getValueAsDouble()));
      break;
    case 'e':
      if ((ok = isa_and_present<PredicateAttr>(value)))
        words.push_back(int64_t(cast<PredicateAttr>(value).getValue()));
      break;
    case 't': {
      auto type = dyn_cast_or_null<TypeAttr>(value);
      std::optional<tenon_dtype> dtype = type ? dtypeOf(type.getValue()) : std::nullopt;
      if ((ok = dtype.has_value()))
        words.push_back(*dtype);
      break;
    }
    case 'I':
      if ((ok = isa_and_present<DenseI64ArrayAttr>(value))) {
        ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(value);
        words.push_back(list.size());
        words.append(list.begin(), list.end());
      }
      break;
    case 's': // of traces alone, of which ops are made
      ok = false;
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

SmallVector<NamedAttribute> namedAttrs(MLIRContext *context, const char *schema,
                                       const int64_t *words) {
  Builder builder(context);
  infer::Attrs attrs{schema, words};
  SmallVector<NamedAttribute> result;
  for (int i = 0, n = infer::numAttrs(schema); i < n; i++) {
    infer::AttrSpec spec = infer::attrSpec(schema, i);
    Attribute value;
    switch (spec.letter) {
    case 'i':
      value = builder.getI64IntegerAttr(attrs.integer(i));
      break;
    case 'b':
      value = builder.getBoolAttr(attrs.integer(i));
      break;
    case 'f':
      value = builder.getF64FloatAttr(attrs.real(i));
      break;
    case 'e':
      value = PredicateAttr::get(context, Predicate(attrs.integer(i)));
      break;
    case 't':
      value = TypeAttr::get(elementTypeOf(context, tenon_dtype(attrs.integer(i))));
      break;
    case 'I': {
      infer::List list = attrs.list(i);
      value = builder.getDenseI64ArrayAttr(ArrayRef(list.data, list.size));
      break;
    }
    case 's':
      value = builder.getStringAttr(attrs.text(i));
      break;
    }
    result.push_back(builder.getNamedAttr(StringRef(spec.name, spec.nameLength), value));
  }
  return result;
}

bool inferCall(StringRef name, DictionaryAttr attributes, ArrayRef<infer::Type> operands,
               infer::Call &call) {
  StringRef mnemonic = name.drop_front(TenonDialect::getDialectNamespace().size() + 1);
  int id = infer::findOp(mnemonic.str().c_str());
  assert(id >= 0 && "an op without an entry in ir/infer");
  const infer::OpSpec &spec = infer::opSpec(id);
  SmallVector<int64_t> words;
  if (!attrWords(spec.schema, attributes, words))
    return call.fail("is missing an attribute of: %s", spec.schema);

  // Absent optional operands are null; which ones are absent, the segments tell.
  SmallVector<const infer::Type *> pointers;
  auto segments = attributes.getAs<DenseI32ArrayAttr>("operandSegmentSizes");
  size_t next = 0, count = segments ? segments.size() : operands.size();
  for (size_t i = 0; i < count; i++) {
    bool present = (!segments || segments[i] != 0) && next < operands.size();
    pointers.push_back(present ? &operands[next++] : nullptr);
  }
  call.numOperands = pointers.size();
  call.operands = pointers.data();
  call.attrs = {spec.schema, words.data()};
  return infer::infer(spec, call);
}

LogicalResult inferReturnTypes(StringRef name, MLIRContext *context,
                               std::optional<Location> location, ValueRange operands,
                               DictionaryAttr attributes, SmallVectorImpl<mlir::Type> &types) {
  SmallVector<infer::Type> operandTypes;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::optional<infer::Type> type = inferTypeOf(operand.getType());
    if (!type)
      return emitOptionalError(location, "'", name, "' op operand ", i,
                               ": expected a ranked tensor of at most ", infer::kMaxRank,
                               " axes of f64, f32, f16, bf16, i64, i32, i8 or i1");
    operandTypes.push_back(*type);
  }
  infer::Call call{};
  if (!inferCall(name, attributes, operandTypes, call))
    return emitOptionalError(location, "'", name, "' op ", StringRef(call.message));
  for (int i = 0; i < call.numResults; i++)
    types.push_back(tensorTypeOf(context, call.results[i]));
  return success();
}

bool isCompatibleReturnTypes(TypeRange inferred, TypeRange given) {
  if (inferred.size() != given.size())
    return false;
  for (auto [a, b] : llvm::zip(inferred, given)) {
    std::optional<infer::Type> x = inferTypeOf(a), y = inferTypeOf(b);
    if (!x || !y || x->dtype != y->dtype || !infer::sameShape(*x, *y))
      return false;
  }
  return true;
}

} // namespace tenon
