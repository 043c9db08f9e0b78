//===- BoundsChecks.cpp - Checks of every access of a kernel --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffer an address belongs to is read off the load that it came from: a place in
// the list of buffers, which the kernel gets as an argument and a loop's body finds at the
// start of its context (KernelFrame::makeContext).
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/BoundsChecks.h"

#include "passes/TensorTypes.h"
#include "tenon/artifact.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tenon::cpu {

SmallVector<BufferBytes> bufferBytes(KernelOp kernel) {
  SmallVector<BufferBytes> result;
  unsigned symbol = 0;
  auto add = [&](mlir::Type type) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    mlir::Type element = tensor.getElementType();
    BufferBytes &bytes =
        result.emplace_back(BufferBytes{element.isInteger(1) ? 1 : elementBytes(element), {}});
    for (int64_t extent : tensor.getShape()) {
      if (mlir::ShapedType::isDynamic(extent))
        bytes.extents.push_back(symbol++);
      else
        bytes.factor *= extent;
    }
  };
  for (mlir::Type type : kernel.getInputs().getTypes())
    add(type);
  for (mlir::Type type : kernel->getResultTypes())
    add(type);
  return result;
}

void prepareBoundsChecks(Module &module, StringRef kernel) {
  for (Function &function : module) {
    if (function.isDeclaration() || function.getName() == kernel || function.hasAddressTaken())
      continue;
    function.setLinkage(GlobalValue::InternalLinkage);
    function.removeFnAttr(Attribute::NoInline);
    function.addFnAttr(Attribute::AlwaysInline);
  }
}

namespace {

/// An access of an instruction: an operand that is an address, and how many bytes.
struct Access {
  Instruction *instruction;
  unsigned operand;
  Value *mask = nullptr;   ///< of lanes, for masked ones
  Value *length = nullptr; ///< for those of memcpy and its like
  Type *type = nullptr;    ///< otherwise
  bool writes = false;
};

class Checker {
public:
  Checker(Module &module, StringRef kernel, ArrayRef<BufferBytes> buffers)
      : context(module.getContext()), layout(module.getDataLayout()), kernel(kernel),
        buffers(buffers), pointer(PointerType::get(context, 0)), i64(Type::getInt64Ty(context)) {}

  Error check(Function &function);

private:
  Error collect(Instruction &instruction, SmallVectorImpl<Access> &accesses);
  Error collectCall(CallInst &call, SmallVectorImpl<Access> &accesses);
  bool isOwn(Value *address) const;
  int64_t bufferOf(Value *address) const;
  bool isListInContext(const Value *object) const;
  bool isBufferList(const Value *list) const;
  Error emit(const Access &access);
  void emitMasked(const Access &access, IRBuilder<> &b, int64_t bytes, unsigned lanes);
  void emitLanes(const Access &access, IRBuilder<> &b, FixedVectorType *addresses);
  void emitLength(const Access &access, IRBuilder<> &b);
  void begin(Function &function);
  Value *loadFunction(IRBuilder<> &b, size_t offset);
  Value *call(IRBuilder<> &b, Value *address, Value *bytes, int64_t buffer, bool writes);

  LLVMContext &context;
  const DataLayout &layout;
  StringRef kernel;
  ArrayRef<BufferBytes> buffers;
  PointerType *pointer;
  Type *i64;
  Function *current = nullptr;
  Value *checkAccess = nullptr; ///< of the function at hand
};

} // namespace

/// On the stack, a constant, or part of what the runtime or the caller of a body hands over.
bool Checker::isOwn(Value *address) const {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, nullptr, /*MaxLookup=*/0);
  return all_of(objects, [&](const Value *object) {
    return isa<Argument>(object) || isa<AllocaInst>(object) || isa<GlobalVariable>(object) ||
           isListInContext(object);
  });
}

/// The lists of buffers and of extents, as a body finds them.
bool Checker::isListInContext(const Value *object) const {
  auto *load = dyn_cast<LoadInst>(object);
  if (!load || current->getName() == kernel || !load->getType()->isPointerTy())
    return false;
  int64_t offset = 0;
  const Value *base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout);
  return base == current->getArg(1) && (offset == 0 || offset == 8);
}

bool Checker::isBufferList(const Value *list) const {
  if (current->getName() == kernel)
    return list == current->getArg(1);
  auto *load = dyn_cast<LoadInst>(list);
  return load && load->getPointerOperand() == current->getArg(1);
}

int64_t Checker::bufferOf(Value *address) const {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, nullptr, /*MaxLookup=*/0);
  std::optional<int64_t> common;
  for (const Value *object : objects) {
    auto *load = dyn_cast<LoadInst>(object);
    if (!load)
      return TENON_CHECK_ANY;
    int64_t offset = 0, buffer;
    const Value *base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout);
    if (base == current->getArg(0) && offset == int64_t(offsetof(tenon_env, scratch)))
      buffer = TENON_CHECK_SCRATCH;
    else if (isBufferList(base) && offset >= 0 && offset / 8 < int64_t(buffers.size()))
      buffer = offset / 8;
    else
      return TENON_CHECK_ANY;
    if (common && *common != buffer)
      return TENON_CHECK_ANY;
    common = buffer;
  }
  return common ? *common : TENON_CHECK_ANY;
}

static Error unknown(Instruction &instruction) {
  std::string text;
  raw_string_ostream(text) << instruction;
  return createStringError(inconvertibleErrorCode(), "bounds checks: cannot check '" + text + "'");
}

Error Checker::collectCall(CallInst &call, SmallVectorImpl<Access> &accesses) {
  Intrinsic::ID id = call.getIntrinsicID();
  switch (id) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    accesses.push_back({&call, 0, call.getArgOperand(2), nullptr, call.getType(), false});
    return Error::success();
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    accesses.push_back(
        {&call, 1, call.getArgOperand(3), nullptr, call.getArgOperand(0)->getType(), true});
    return Error::success();
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
    accesses.push_back({&call, 1, nullptr, call.getArgOperand(2), nullptr, false});
    [[fallthrough]];
  case Intrinsic::memset:
    accesses.push_back({&call, 0, nullptr, call.getArgOperand(2), nullptr, true});
    return Error::success();
  case Intrinsic::prefetch:
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
    return Error::success();
  default:
    // A call through a pointer: of the runtime. No function of the module is left to call.
    return call.isIndirectCall() || !call.mayReadOrWriteMemory() ? Error::success() : unknown(call);
  }
}

Error Checker::collect(Instruction &instruction, SmallVectorImpl<Access> &accesses) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    accesses.push_back({load, 0, nullptr, nullptr, load->getType(), false});
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    accesses.push_back({store, 1, nullptr, nullptr, store->getValueOperand()->getType(), true});
  else if (auto *call = dyn_cast<CallInst>(&instruction))
    return collectCall(*call, accesses);
  else if (instruction.mayReadOrWriteMemory())
    return unknown(instruction);
  return Error::success();
}

Value *Checker::loadFunction(IRBuilder<> &b, size_t offset) {
  return b.CreateLoad(
      pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), current->getArg(0), uint64_t(offset)));
}

Value *Checker::call(IRBuilder<> &b, Value *address, Value *bytes, int64_t buffer, bool writes) {
  auto *type = FunctionType::get(pointer, {pointer, pointer, i64, i64, i64}, false);
  return b.CreateCall(
      type, checkAccess,
      {current->getArg(0), address, bytes, b.getInt64(uint64_t(buffer)), b.getInt64(writes)});
}

/// The bytes from the first active lane to the last are checked: both lie in one buffer,
/// so what is between does as well.
void Checker::emitMasked(const Access &access, IRBuilder<> &b, int64_t bytes, unsigned lanes) {
  Value *address = access.instruction->getOperand(access.operand);
  // Wide enough for the number of lanes.
  Type *word = b.getIntNTy(std::max(lanes, 64u));
  Value *bits = b.CreateZExt(b.CreateBitCast(access.mask, b.getIntNTy(lanes)), word);
  Value *isEmpty = b.CreateICmpEQ(bits, ConstantInt::get(word, 0));
  auto count = [&](Intrinsic::ID zeros) {
    return b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(zeros, bits, b.getFalse()), i64);
  };
  Value *first = b.CreateSelect(isEmpty, b.getInt64(0), count(Intrinsic::cttz));
  Value *end = b.CreateSub(b.getInt64(std::max(lanes, 64u)), count(Intrinsic::ctlz));
  Value *skipped = b.CreateMul(first, b.getInt64(uint64_t(bytes)));
  Value *size = b.CreateSelect(isEmpty, b.getInt64(0),
                               b.CreateMul(b.CreateSub(end, first), b.getInt64(uint64_t(bytes))));
  Value *start = b.CreateGEP(b.getInt8Ty(), address, skipped);
  Value *checked = call(b, start, size, bufferOf(address), access.writes);
  access.instruction->setOperand(access.operand,
                                 b.CreateGEP(b.getInt8Ty(), checked, b.CreateNeg(skipped)));
}

/// A gather or a scatter.
void Checker::emitLanes(const Access &access, IRBuilder<> &b, FixedVectorType *addresses) {
  Value *vector = access.instruction->getOperand(access.operand);
  uint64_t bytes = layout.getTypeStoreSize(access.type->getScalarType());
  for (unsigned lane = 0; lane < addresses->getNumElements(); ++lane) {
    Value *address = b.CreateExtractElement(vector, lane);
    Value *size =
        b.CreateSelect(b.CreateExtractElement(access.mask, lane), b.getInt64(bytes), b.getInt64(0));
    vector =
        b.CreateInsertElement(vector, call(b, address, size, TENON_CHECK_ANY, access.writes), lane);
  }
  access.instruction->setOperand(access.operand, vector);
}

/// What is refused copies nothing.
void Checker::emitLength(const Access &access, IRBuilder<> &b) {
  Value *address = access.instruction->getOperand(access.operand);
  Value *checked = call(b, address, access.length, bufferOf(address), access.writes);
  Value *length = b.CreateSelect(b.CreateICmpEQ(checked, address),
                                 access.instruction->getOperand(2), b.getInt64(0));
  access.instruction->setOperand(2, length);
}

Error Checker::emit(const Access &access) {
  IRBuilder<> b(access.instruction);
  Value *address = access.instruction->getOperand(access.operand);
  if (auto *addresses = dyn_cast<FixedVectorType>(address->getType()))
    return emitLanes(access, b, addresses), Error::success();
  if (isOwn(address))
    return Error::success();
  if (access.length)
    return emitLength(access, b), Error::success();
  uint64_t bytes = layout.getTypeStoreSize(access.type).getFixedValue();
  if (bytes > TENON_CHECK_MOST_BYTES)
    return unknown(*access.instruction);
  if (access.mask) {
    unsigned lanes = cast<FixedVectorType>(access.type)->getNumElements();
    emitMasked(access, b, int64_t(bytes / lanes), lanes);
    return Error::success();
  }
  Value *checked = call(b, address, b.getInt64(bytes), bufferOf(address), access.writes);
  access.instruction->setOperand(access.operand, checked);
  return Error::success();
}

/// Tells the runtime of the buffers.
void Checker::begin(Function &function) {
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  Value *list = b.CreateAlloca(ArrayType::get(i64, buffers.size()));
  for (auto [i, buffer] : enumerate(buffers)) {
    Value *bytes = b.getInt64(uint64_t(buffer.factor));
    for (unsigned symbol : buffer.extents)
      bytes = b.CreateMul(
          bytes, b.CreateLoad(i64, b.CreateConstInBoundsGEP1_64(i64, function.getArg(2), symbol)));
    b.CreateStore(bytes, b.CreateConstInBoundsGEP1_64(i64, list, i));
  }
  auto *type = FunctionType::get(b.getVoidTy(), {pointer, i64, pointer, pointer}, false);
  b.CreateCall(type, loadFunction(b, offsetof(tenon_env, begin_checks)),
               {function.getArg(0), b.getInt64(buffers.size()), function.getArg(1), list});
}

Error Checker::check(Function &function) {
  current = &function;
  SmallVector<Access> accesses;
  for (Instruction &instruction : instructions(function))
    if (Error error = collect(instruction, accesses))
      return error;
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  checkAccess = loadFunction(b, offsetof(tenon_env, check_access));
  for (const Access &access : accesses)
    if (Error error = emit(access))
      return error;
  if (function.getName() == kernel)
    begin(function);
  return Error::success();
}

Error addBoundsChecks(Module &module, StringRef kernel, ArrayRef<BufferBytes> buffers) {
  Checker checker(module, kernel, buffers);
  for (Function &function : module)
    if (!function.isDeclaration())
      if (Error error = checker.check(function))
        return error;
  return Error::success();
}

} // namespace tenon::cpu
