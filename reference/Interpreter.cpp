//===- Interpreter.cpp - Naive evaluation of tenon programs ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Interpreter.h"
#include "reference/Models.h"

#include "llvm/Support/MathExtras.h"
#include <cstdlib>

using namespace mlir;

namespace tenon::reference {

void registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TenonDialect *) {
    attachAttention(context);
    attachControl(context);
    attachElementwise(context);
    attachLine(context);
    attachLinear(context);
    attachLoss(context);
    attachNorm(context);
    attachOptimizer(context);
    attachRandom(context);
    attachReduction(context);
    attachShape(context);
    attachWindow(context);
  });
}

using Types = std::vector<infer::Type>;

static FailureOr<Types> resultTypes(Operation *op, ArrayRef<const infer::Type *> operands);

/// The operands with null for absent optional ones.
template <typename T>
static SmallVector<const T *> operandsOf(Operation *op, const DenseMap<Value, T> &values) {
  SmallVector<const T *> result;
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!segments || isa<LoopOp, CustomOp>(op)) {
    for (Value operand : op->getOperands())
      result.push_back(&values.find(operand)->second);
    return result;
  }
  unsigned next = 0;
  for (int32_t size : segments.asArrayRef())
    result.push_back(size ? &values.find(op->getOperand(next++))->second : nullptr);
  return result;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Types of the operands of a block's terminator.
static FailureOr<Types> yieldedTypes(Block &block, ArrayRef<infer::Type> arguments) {
  DenseMap<Value, infer::Type> values;
  for (auto [argument, type] : llvm::zip(block.getArguments(), arguments))
    values[argument] = type;
  for (Operation &op : block.without_terminator()) {
    FailureOr<Types> types = resultTypes(&op, operandsOf(&op, values));
    if (failed(types))
      return failure();
    for (auto [value, type] : llvm::zip(op.getResults(), *types))
      values[value] = type;
  }
  Types types;
  for (Value value : block.getTerminator()->getOperands())
    types.push_back(values.find(value)->second);
  return types;
}

/// Of an op whose region tells them, however often it runs.
static FailureOr<Types> regionTypes(Operation *op, ArrayRef<const infer::Type *> operands) {
  Types arguments;
  for (const infer::Type *operand : operands.drop_front(isa<IfOp>(op) ? 1 : 0))
    arguments.push_back(*operand);
  auto loop = dyn_cast<LoopOp>(op);
  unsigned carried = loop ? loop.getCarried().size() : 0;
  if (loop) {
    for (infer::Type &type : MutableArrayRef(arguments).slice(carried, loop.getScanned().size())) {
      std::copy(type.dims + 1, type.dims + type.rank, type.dims);
      type.rank--;
    }
    arguments.insert(arguments.begin(), infer::Type::make(TENON_I64, {})); // the index
  }
  FailureOr<Types> types = yieldedTypes(op->getRegion(0).front(), arguments);
  if (failed(types) || !loop)
    return types;
  for (infer::Type &type : MutableArrayRef(*types).drop_front(carried)) {
    std::copy_backward(type.dims, type.dims + type.rank, type.dims + type.rank + 1);
    type.dims[0] = int64_t(loop.getTrips());
    type.rank++;
  }
  return types;
}

/// Result types for the actual extents of the operands: the declared ones may be
/// dynamic.
static FailureOr<Types> resultTypes(Operation *op, ArrayRef<const infer::Type *> operands) {
  Types types;
  bool isStatic = true;
  for (mlir::Type type : op->getResultTypes()) {
    std::optional<infer::Type> result = inferTypeOf(type);
    if (!result)
      return op->emitOpError() << "has a result that cannot be evaluated: " << type;
    for (int i = 0; i < result->rank; i++)
      isStatic &= result->dims[i] != infer::kDynamic;
    types.push_back(*result);
  }
  int id = infer::findOp(op->getName().stripDialect().str().c_str());
  if (isStatic)
    return types;
  if (isa<LoopOp, IfOp, KernelOp, CustomOp>(op))
    return regionTypes(op, operands);
  if (id < 0)
    return op->emitOpError("has a dynamic extent that no operand tells");

  const infer::OpSpec &spec = infer::opSpec(id);
  SmallVector<int64_t> words;
  infer::Call call{};
  call.numOperands = operands.size();
  call.operands = operands.data();
  if (!attrWords(spec.schema, op->getAttrDictionary(), words))
    return op->emitOpError("is missing an attribute");
  call.attrs = {spec.schema, words.data()};
  if (!infer::infer(spec, call))
    return op->emitOpError() << call.message;
  return Types(call.results, call.results + call.numResults);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult checkMemory(Operation *op, ArrayRef<infer::Type> types) {
  int64_t bytes = 0;
  bool overflow = false;
  for (const infer::Type &type : types) {
    int64_t size = sizeof(double);
    for (int i = 0; i < type.rank; i++)
      overflow |= llvm::MulOverflow(size, type.dims[i], size);
    overflow |= llvm::AddOverflow(bytes, size, bytes);
  }
  if (overflow)
    return emitError(op->getLoc())
           << "the reference interpreter needs more bytes for the values of '" << op->getName()
           << "' than 64 bits can count";
  // The system is asked: without exceptions a container cannot tell that memory is out.
  // Volatile, as a compiler may take it that memory which nobody uses was to be had.
  void *volatile probe = std::malloc(size_t(bytes) + 1);
  if (!probe)
    return emitError(op->getLoc()) << "the reference interpreter has no memory for the values of '"
                                   << op->getName() << "', which take " << bytes << " bytes";
  std::free(probe);
  return success();
}

LogicalResult evaluateOp(Operation *op, Operands operands, Results results) {
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  if (!reference)
    return op->emitOpError("has no reference evaluation");
  return reference.evaluate(operands, results);
}

FailureOr<std::vector<Array>> evaluateOn(Operation *op, const DenseMap<Value, Array> &values,
                                         EvaluateOp evaluate) {
  SmallVector<const Array *> operands = operandsOf(op, values);
  SmallVector<const infer::Type *> given;
  for (const Array *operand : operands)
    given.push_back(operand ? &operand->type : nullptr);
  FailureOr<Types> types = resultTypes(op, given);
  if (failed(types) || failed(checkMemory(op, *types)))
    return failure();
  std::vector<Array> results(types->begin(), types->end());
  if (failed(evaluate(op, operands, results)))
    return failure();
  return results;
}

FailureOr<std::vector<Array>> evaluateBlock(Block &block, ArrayRef<Array> arguments,
                                            EvaluateOp evaluate) {
  DenseMap<Value, Array> values;
  for (auto [argument, array] : llvm::zip(block.getArguments(), arguments))
    values[argument] = array;
  for (Operation &op : block.without_terminator()) {
    FailureOr<std::vector<Array>> results = evaluateOn(&op, values, evaluate);
    if (failed(results))
      return failure();
    for (auto [value, array] : llvm::zip(op.getResults(), *results))
      values[value] = std::move(array);
  }
  std::vector<Array> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values.find(value)->second);
  return results;
}

LogicalResult checkArguments(func::FuncOp function, ArrayRef<Array> arguments) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected a body of one block");
  if (function.getNumArguments() != arguments.size())
    return function.emitOpError() << "expected " << function.getNumArguments() << " arguments, got "
                                  << arguments.size();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    std::optional<infer::Type> type = inferTypeOf(function.getArgumentTypes()[i]);
    if (!type || type->dtype != argument.type.dtype || !infer::sameShape(*type, argument.type))
      return function.emitOpError()
             << "argument " << i << ": expected " << function.getArgumentTypes()[i] << ", got "
             << tensorTypeOf(function.getContext(), argument.type);
  }
  return success();
}

FailureOr<std::vector<Array>> evaluate(func::FuncOp function, ArrayRef<Array> arguments) {
  if (failed(checkArguments(function, arguments)))
    return failure();
  return evaluateBlock(function.getBody().front(), arguments);
}

} // namespace tenon::reference
