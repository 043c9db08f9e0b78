//===- CpuFrame.cpp - The functions around a CPU kernel's code ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuFrame.h"

#include "tenon/artifact.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include <cstddef>
#include <numeric>

using namespace mlir;

namespace tenon::cpu {

CpuFrame::CpuFrame(ModuleOp module, KernelOp kernel, StringRef symbol, const CpuTarget &target)
    : KernelFrame(module.getContext(), kernel, target), module(module), symbol(symbol) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  func::FuncOp entry = createFunction(symbol, {pointer, pointer, pointer}, {}, /*isPrivate=*/false);
  current.env = entry.getArgument(0);
  current.buffers = entry.getArgument(1);
  current.extents = entry.getArgument(2);
}

func::FuncOp CpuFrame::createFunction(StringRef name, TypeRange arguments, TypeRange results,
                                      bool isPrivate) {
  b.setInsertionPointToEnd(module.getBody());
  auto function = b.create<func::FuncOp>(location, name, b.getFunctionType(arguments, results));
  if (isPrivate) {
    function.setPrivate();
    function->setAttr("llvm.linkage",
                      LLVM::LinkageAttr::get(b.getContext(), LLVM::linkage::Linkage::Internal));
  }
  current = Function();
  current.entry = function.addEntryBlock();
  b.setInsertionPointToEnd(current.entry);
  return function;
}

Value CpuFrame::inPrologue(llvm::function_ref<Value()> emit) {
  OpBuilder::InsertionGuard guard(b);
  if (current.prologue)
    b.setInsertionPointAfter(current.prologue);
  else
    b.setInsertionPointToStart(current.entry);
  Value value = emit();
  // `emit` may have nested prologue values, which stand before its own ops.
  if (Operation *last = b.getInsertionPoint() == current.entry->begin()
                            ? nullptr
                            : &*std::prev(b.getInsertionPoint()))
    current.prologue = last;
  return value;
}

Value CpuFrame::index(int64_t value) {
  auto known = current.indexCache.find(value);
  if (known != current.indexCache.end())
    return known->second;
  Value made =
      inPrologue([&]() -> Value { return b.create<arith::ConstantIndexOp>(location, value); });
  current.indexCache[value] = made;
  return made;
}

//===----------------------------------------------------------------------===//
// Extents and buffers
//===----------------------------------------------------------------------===//

Value CpuFrame::loadAt(Value base, int64_t offset, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value address = base;
  if (offset)
    address = b.create<LLVM::GEPOp>(location, pointer, b.getI8Type(), base,
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  if (!type.isIndex())
    return b.create<LLVM::LoadOp>(location, type, address);
  Value word = b.create<LLVM::LoadOp>(location, b.getI64Type(), address);
  return b.create<arith::IndexCastOp>(location, b.getIndexType(), word);
}

Value CpuFrame::dynamicExtent(unsigned symbol) {
  assert(current.extents && "extents are not available in addFunction");
  Value &known = current.extentCache[symbol];
  if (!known)
    known =
        inPrologue([&] { return loadAt(current.extents, 8 * int64_t(symbol), b.getIndexType()); });
  return known;
}

/// A memref of row-major elements at `address`; `extents` are the dynamic ones.
Value CpuFrame::memrefAt(Value address, MemRefType type, ValueRange extents) {
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), word = b.getI64Type();
  SmallVector<Type> fields = {pointer, pointer, word};
  if (type.getRank() > 0) {
    Type array = LLVM::LLVMArrayType::get(word, type.getRank());
    fields.append({array, array});
  }
  auto descriptor =
      MemRefDescriptor::undef(b, location, LLVM::LLVMStructType::getLiteral(context, fields));
  descriptor.setAllocatedPtr(b, location, address);
  descriptor.setAlignedPtr(b, location, address);
  descriptor.setConstantOffset(b, location, 0);
  Value dynamicStride;
  int64_t staticStride = 1;
  for (int64_t d = type.getRank() - 1, next = int64_t(extents.size()); d >= 0; --d) {
    if (dynamicStride)
      descriptor.setStride(b, location, d, dynamicStride);
    else
      descriptor.setConstantStride(b, location, d, staticStride);
    if (!type.isDynamicDim(d)) {
      descriptor.setConstantSize(b, location, d, type.getDimSize(d));
      staticStride *= type.getDimSize(d);
      if (dynamicStride)
        dynamicStride =
            b.create<LLVM::MulOp>(location, dynamicStride,
                                  b.create<LLVM::ConstantOp>(location, word, type.getDimSize(d)));
      continue;
    }
    Value size = b.create<arith::IndexCastOp>(location, word, extents[--next]);
    descriptor.setSize(b, location, d, size);
    Value stride = dynamicStride ? dynamicStride
                                 : Value(b.create<LLVM::ConstantOp>(location, word, staticStride));
    dynamicStride = b.create<LLVM::MulOp>(location, stride, size);
  }
  return b
      .create<UnrealizedConversionCastOp>(location, TypeRange{type}, ValueRange{Value(descriptor)})
      .getResult(0);
}

Value CpuFrame::buffer(unsigned index) {
  assert(current.buffers && "buffers are not available in addFunction");
  if (Value known = current.bufferCache.lookup(index))
    return known;
  RankedTensorType tensor = typeOf(index);
  auto type = MemRefType::get(tensor.getShape(), storageType(tensor.getElementType()));
  SmallVector<Value> extents;
  for (int64_t d = 0; d < tensor.getRank(); ++d)
    if (tensor.isDynamicDim(d))
      extents.push_back(extent(index, d));
  Value made = inPrologue([&] {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    return memrefAt(loadAt(current.buffers, 8 * int64_t(index), pointer), type, extents);
  });
  current.bufferCache[index] = made;
  return made;
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

Value CpuFrame::scratch(unsigned id) {
  assert(current.env && "scratch is not available in addFunction");
  if (Value known = current.scratchCache.lookup(id))
    return known;
  const Scratch &piece = scratchPiece(id);
  SmallVector<int64_t> shape;
  SmallVector<Value> extents;
  for (AffineExpr expr : piece.shape) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    shape.push_back(constant ? constant.getValue() : ShapedType::kDynamic);
    if (!constant)
      extents.push_back(evaluate(expr));
  }
  Value offset = evaluate(piece.offset);
  Value made = inPrologue([&] {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value base = loadAt(current.env, offsetof(tenon_env, scratch), pointer);
    Value bytes = offset;
    if (piece.worker) {
      Type indexType = b.getIndexType();
      Value before = loadAt(current.env, offsetof(tenon_env, scratch_shared), indexType);
      bytes = b.create<arith::AddIOp>(location, bytes, before);
      if (current.worker) {
        Value each = loadAt(current.env, offsetof(tenon_env, scratch_per_worker), indexType);
        Value skip = b.create<arith::MulIOp>(location, current.worker, each);
        bytes = b.create<arith::AddIOp>(location, bytes, skip);
      }
    }
    Value word = b.create<arith::IndexCastOp>(location, b.getI64Type(), bytes);
    Value address =
        b.create<LLVM::GEPOp>(location, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{word});
    return memrefAt(address, MemRefType::get(shape, piece.elementType), extents);
  });
  current.scratchCache[id] = made;
  return made;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Where captures lie in a context: after the buffers and the extents, each in
/// words of its own.
static SmallVector<int64_t> captureOffsets(ValueRange captures, int64_t &bytes) {
  SmallVector<int64_t> offsets;
  bytes = 16;
  for (Value capture : captures) {
    offsets.push_back(bytes);
    bytes += llvm::alignTo(storageBytes(capture.getType()), 8);
  }
  return offsets;
}

void CpuFrame::callParallelFor(Value body, Value context, Value n, Value chunk) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), word = b.getI64Type();
  Value function =
      inPrologue([&] { return loadAt(current.env, offsetof(tenon_env, parallel_for), pointer); });
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, pointer, word, word});
  b.create<LLVM::CallOp>(location, type,
                         ValueRange{function, current.env, body, context, n, chunk});
}

Value CpuFrame::goesOn() {
  assert(current.env && "the run is not known in addFunction");
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), word = b.getI64Type();
  Value null = b.create<LLVM::ZeroOp>(location, pointer);
  Value zero = b.create<LLVM::ConstantOp>(location, word, 0);
  callParallelFor(null, null, zero, zero);
  Value flag =
      inPrologue([&] { return loadAt(current.env, offsetof(tenon_env, cancelled), pointer); });
  Value set = b.create<LLVM::LoadOp>(location, b.getI32Type(), flag, /*alignment=*/4,
                                     /*isVolatile=*/true);
  Value unset = b.create<LLVM::ConstantOp>(location, b.getI32Type(), 0);
  return b.create<LLVM::ICmpOp>(location, LLVM::ICmpPredicate::eq, set, unset);
}

Value CpuFrame::makeContext(ValueRange captures, ArrayRef<int64_t> offsets, int64_t bytes) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), word = b.getI64Type();
  Value context = inPrologue([&]() -> Value {
    Value words = b.create<LLVM::ConstantOp>(location, word, bytes / 8);
    return b.create<LLVM::AllocaOp>(location, pointer, word, words, /*alignment=*/8);
  });
  auto store = [&](Value value, int64_t offset) {
    Value address = b.create<LLVM::GEPOp>(location, pointer, b.getI8Type(), context,
                                          ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    if (value.getType().isIndex())
      value = b.create<arith::IndexCastOp>(location, word, value);
    b.create<LLVM::StoreOp>(location, value, address, /*alignment=*/1);
  };
  store(current.buffers, 0);
  store(current.extents, 8);
  for (auto [capture, offset] : llvm::zip(captures, offsets))
    store(capture, offset);
  return context;
}

SmallVector<Value> CpuFrame::openContext(Value context, ArrayRef<Type> types,
                                         ArrayRef<int64_t> offsets) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Value> values;
  inPrologue([&]() -> Value {
    current.buffers = loadAt(context, 0, pointer);
    current.extents = loadAt(context, 8, pointer);
    for (auto [type, offset] : llvm::zip(types, offsets)) {
      Value value = loadAt(context, offset, type);
      if (auto load = value.getDefiningOp<LLVM::LoadOp>())
        load.setAlignment(1);
      values.push_back(value);
    }
    return nullptr;
  });
  return values;
}

void CpuFrame::parallelFor(Value count, Value chunk, ValueRange captures,
                           function_ref<void(Value, Value, ValueRange)> body) {
  assert(inEntry && "a parallel loop inside a parallel loop");
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type word = b.getI64Type(), indexType = b.getIndexType();
  int64_t bytes;
  SmallVector<int64_t> offsets = captureOffsets(captures, bytes);
  SmallVector<Type> types(captures.getTypes());
  SmallVector<Type> arguments = {pointer, pointer, indexType, indexType, indexType};
  std::string name = symbol + "_body" + std::to_string(numBodies++);

  Value context = makeContext(captures, offsets, bytes);
  auto bodyType = b.getFunctionType(arguments, {});
  Value constant =
      b.create<func::ConstantOp>(location, bodyType, SymbolRefAttr::get(b.getContext(), name));
  Value address = b.create<UnrealizedConversionCastOp>(location, pointer, constant).getResult(0);
  Value n = b.create<arith::IndexCastOp>(location, word, count);
  Value slice = b.create<arith::IndexCastOp>(location, word, chunk);
  callParallelFor(address, context, n, slice);

  OpBuilder::InsertionGuard guard(b);
  Function outer = std::move(current);
  inEntry = false;
  func::FuncOp function = createFunction(name, arguments, {}, /*isPrivate=*/true);
  current.env = function.getArgument(0);
  current.worker = function.getArgument(4);
  SmallVector<Value> values = openContext(function.getArgument(1), types, offsets);
  // Slices begin at multiples of the chunk, and end there or with the last iteration.
  noteDivisor(function.getArgument(2), divisorOf(chunk));
  noteDivisor(function.getArgument(3), std::gcd(divisorOf(count), divisorOf(chunk)));
  for (auto [value, capture] : llvm::zip(values, captures))
    noteDivisor(value, divisorOf(capture));
  body(function.getArgument(2), function.getArgument(3), values);
  b.setInsertionPointToEnd(current.entry);
  b.create<func::ReturnOp>(location);
  current = std::move(outer);
  inEntry = true;
}

func::FuncOp CpuFrame::addFunction(StringRef name, TypeRange arguments, TypeRange results,
                                   bool inlined,
                                   function_ref<SmallVector<Value>(ValueRange)> emit) {
  OpBuilder::InsertionGuard guard(b);
  Function outer = std::move(current);
  std::string full = symbol + "_" + name.str() + std::to_string(numFunctions++);
  func::FuncOp function = createFunction(full, arguments, results, /*isPrivate=*/true);
  function->setAttr("passthrough", b.getStrArrayAttr({inlined ? "alwaysinline" : "noinline"}));
  SmallVector<Value> values = emit(function.getArguments());
  b.setInsertionPointToEnd(current.entry);
  b.create<func::ReturnOp>(location, values);
  current = std::move(outer);
  return function;
}

void CpuFrame::callApart(StringRef name, ValueRange captures, function_ref<void(ValueRange)> body) {
  // A parallel body knows its worker; the entry is worker 0.
  Value worker = current.worker ? current.worker : index(0);
  SmallVector<Value> operands{current.env, current.buffers, current.extents, worker};
  size_t own = operands.size();
  llvm::append_range(operands, captures);
  bool wasInEntry = std::exchange(inEntry, false);
  func::FuncOp function = addFunction(name, ValueRange(operands).getTypes(), {}, /*inlined=*/false,
                                      [&](ValueRange arguments) {
                                        current.env = arguments[0];
                                        current.buffers = arguments[1];
                                        current.extents = arguments[2];
                                        current.worker = arguments[3];
                                        ValueRange values = arguments.drop_front(own);
                                        for (auto [value, capture] : llvm::zip(values, captures))
                                          noteDivisor(value, divisorOf(capture));
                                        body(values);
                                        return SmallVector<Value>();
                                      });
  inEntry = wasInEntry;
  b.create<func::CallOp>(location, function, operands);
}

void CpuFrame::finish() {
  b.setInsertionPointToEnd(current.entry);
  b.create<func::ReturnOp>(location);
}

} // namespace tenon::cpu
