//===- SpirvFrame.cpp - The dispatches around a GPU kernel's code ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/SpirvFrame.h"

#include "codegen/cpu/ElementEmitter.h"

#include "tenon/artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

/// On a loop whose iterations are independent: how many members share one.
static constexpr StringLiteral kParallelAttr = "tenon.parallel";

/// A processor with vectors of one element: strategies then emit scalars.
static const cpu::CpuTarget &scalarTarget() {
  static const cpu::CpuTarget target = [] {
    cpu::CpuTarget made;
    made.name = "spirv";
    made.vectorBytes = 1;
    made.hasFma = made.hasF16 = true;
    return made;
  }();
  return target;
}

/// Of the op that the strategy is about, if there is one that is not computed by elements.
static Location locationOf(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!cpu::ElementEmitter::canEmit(&op))
      return op.getLoc();
  return kernel.getLoc();
}

SpirvFrame::SpirvFrame(ModuleOp module, KernelOp kernel, const SpirvFeatures &features)
    : KernelFrame(module.getContext(), kernel, scalarTarget()), module(module), device(features) {
  keepsLocations = features.debugInfo;
  if (keepsLocations)
    location = locationOf(kernel);
  b.setInsertionPointToEnd(module.getBody());
  whole = b.create<func::FuncOp>(location, "whole", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(whole.addEntryBlock());
}

Value SpirvFrame::inPrologue(llvm::function_ref<Value()> emit) {
  OpBuilder::InsertionGuard guard(b);
  Block &entry = whole.getBody().front();
  if (prologue)
    b.setInsertionPointAfter(prologue);
  else
    b.setInsertionPointToStart(&entry);
  Value value = emit();
  if (b.getInsertionPoint() != entry.begin())
    prologue = &*std::prev(b.getInsertionPoint());
  return value;
}

Value SpirvFrame::index(int64_t value) {
  Value &known = indexCache[value];
  if (!known)
    known =
        inPrologue([&]() -> Value { return b.create<arith::ConstantIndexOp>(location, value); });
  return known;
}

Value SpirvFrame::cast(ValueRange operands, Type type, StringRef attribute, int64_t value) {
  auto made = b.create<UnrealizedConversionCastOp>(location, type, operands);
  made->setAttr(attribute, b.getI64IntegerAttr(value));
  return made.getResult(0);
}

Value SpirvFrame::dynamicExtent(unsigned symbol) {
  Value &known = extentCache[symbol];
  if (!known)
    known = inPrologue([&] { return cast({}, b.getIndexType(), kExtentAttr, symbol); });
  return known;
}

Value SpirvFrame::buffer(unsigned number) {
  if (Value known = bufferCache.lookup(number))
    return known;
  RankedTensorType tensor = typeOf(number);
  SmallVector<Value> operands{index(0)};
  for (int64_t d = 0; d < tensor.getRank(); ++d)
    if (tensor.isDynamicDim(d))
      operands.push_back(extent(number, d));
  auto type = MemRefType::get(tensor.getShape(), cpu::storageType(tensor.getElementType()));
  return bufferCache[number] =
             inPrologue([&] { return cast(operands, type, kBindingAttr, number); });
}

Value SpirvFrame::scratch(unsigned id) {
  const Scratch &piece = scratchPiece(id);
  SmallVector<int64_t> shape;
  Value offset = evaluate(piece.offset);
  if (piece.worker) {
    offset = b.create<arith::AddIOp>(location, offset, evaluate(sharedBytes()));
    if (worker)
      offset = b.create<arith::AddIOp>(
          location, offset,
          b.create<arith::MulIOp>(location, worker, evaluate(workerBytes())).getResult());
  }
  SmallVector<Value> operands{offset};
  for (AffineExpr expr : piece.shape) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    shape.push_back(constant ? constant.getValue() : ShapedType::kDynamic);
    if (!constant)
      operands.push_back(evaluate(expr));
  }
  return cast(operands, MemRefType::get(shape, piece.elementType), kBindingAttr,
              TENON_BINDING_SCRATCH);
}

void SpirvFrame::parallelFor(Value count, Value, ValueRange captures,
                             function_ref<void(Value, Value, ValueRange)> body) {
  auto loop = b.create<scf::ForOp>(location, index(0), count, index(1));
  loop->setAttr(kParallelAttr, b.getI64IntegerAttr(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  worker = loop.getInductionVar();
  Value end = b.create<arith::AddIOp>(location, worker, index(1));
  body(worker, end, captures);
  worker = nullptr;
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

int64_t SpirvFrame::sizeFor(std::optional<int64_t> elements) const {
  constexpr int64_t kLeast = 32, kMost = 256;
  if (elements && *elements <= kLeast)
    return 1;
  constexpr int64_t kEach = 16; // in registers
  return elements ? std::clamp<int64_t>(llvm::PowerOf2Ceil(*elements / kEach), kLeast, kMost)
                  : kMost;
}

void SpirvFrame::forEach(Value count, int64_t size, function_ref<void(Value, Value)> body) {
  auto loop = b.create<scf::ForOp>(location, index(0), count, index(1));
  loop->setAttr(kParallelAttr, b.getI64IntegerAttr(size));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  worker = loop.getInductionVar();
  member = cast({}, b.getIndexType(), kMemberAttr, 0);
  teamSize = size;
  body(worker, member);
  worker = member = nullptr;
}

void SpirvFrame::barrier(spv::Scope scope) {
  b.create<spv::ControlBarrierOp>(location, scope, scope,
                                  spv::MemorySemantics::AcquireRelease |
                                      spv::MemorySemantics::WorkgroupMemory);
}

Value SpirvFrame::address(Value memref, Value index) {
  auto type = spv::PointerType::get(mlir::cast<MemRefType>(memref.getType()).getElementType(),
                                    spv::StorageClass::Workgroup);
  return cast({memref, index}, type, kAddressAttr, 0);
}

Value SpirvFrame::bufferOfVectors(unsigned number) {
  return bufferAs(number, VectorType::get({4}, b.getI32Type()));
}

Value SpirvFrame::bufferAs(unsigned number, Type element) {
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  return cast({index(0), index(1)}, type, kBindingAttr, number); // of its extent nobody asks
}

Value SpirvFrame::inVectors(Value memref) {
  while (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    memref = view.getSource();
  return bufferOfVectors(memref.getDefiningOp()->getAttrOfType<IntegerAttr>(kBindingAttr).getInt());
}

Value SpirvFrame::shared(unsigned number, Type type, int64_t elements) {
  return cast({}, MemRefType::get({elements}, cpu::storageType(type)), kSharedAttr, number);
}

bool SpirvFrame::canShuffle(ValueRange values) const {
  return device.shuffle && teamSize % device.subgroupSize == 0 && llvm::all_of(values, [](Value x) {
           return x.getType().isF32() || x.getType().isF64() || x.getType().isInteger(32);
         });
}

SmallVector<Value> SpirvFrame::combine(ValueRange own, Merge merge, int64_t apart) {
  return apart == 1 && canShuffle(own) ? combineSubgroup(own, merge)
                                       : combineInMemory(own, merge, apart);
}

/// Within each subgroup by a butterfly, then over the subgroups in order.
SmallVector<Value> SpirvFrame::combineSubgroup(ValueRange own, Merge merge) {
  SmallVector<Value> values(own);
  Value place = lane();
  for (int64_t step = 1; step < device.subgroupSize; step *= 2) {
    Value bit = b.create<arith::AndIOp>(location, place, index(step));
    Value isFirst = b.create<arith::CmpIOp>(location, arith::CmpIPredicate::eq, bit, index(0));
    Value mask =
        b.create<spv::ConstantOp>(location, b.getI32Type(), b.getI32IntegerAttr(int32_t(step)));
    SmallVector<Value> before, after;
    for (Value x : values) {
      Value other = b.create<spv::GroupNonUniformShuffleXorOp>(location, x.getType(),
                                                               spv::Scope::Subgroup, x, mask);
      before.push_back(b.create<arith::SelectOp>(location, isFirst, x, other));
      after.push_back(b.create<arith::SelectOp>(location, isFirst, other, x));
    }
    values = merge(before, after);
  }
  int64_t count = teamSize / device.subgroupSize;
  if (count == 1)
    return values;
  SmallVector<Value> places;
  for (auto [number, value] : llvm::enumerate(values))
    places.push_back(shared(number, value.getType(), count));
  Value from = subgroup();
  // All lanes have the same: it does not matter which one is last.
  for (auto [memory, value] : llvm::zip(places, values))
    b.create<memref::StoreOp>(location, value, memory, from);
  barrier();
  auto load = [&](int64_t number) {
    SmallVector<Value> loaded;
    for (Value memory : places)
      loaded.push_back(b.create<memref::LoadOp>(location, memory, index(number)));
    return loaded;
  };
  values = load(0);
  for (int64_t i = 1; i < count; i++)
    values = merge(values, load(i));
  barrier(); // before the places are used again
  return values;
}

/// By halves, in the workgroup's memory.
SmallVector<Value> SpirvFrame::combineInMemory(ValueRange own, Merge merge, int64_t apart) {
  SmallVector<Value> places, values;
  for (auto [number, value] : llvm::enumerate(own))
    places.push_back(shared(number, value.getType(), teamSize));
  auto store = [&](ValueRange values) {
    for (auto [place, value] : llvm::zip(places, values))
      b.create<memref::StoreOp>(location, value, place, member);
  };
  auto load = [&](Value at) {
    SmallVector<Value> loaded;
    for (Value place : places)
      loaded.push_back(b.create<memref::LoadOp>(location, place, at));
    return loaded;
  };
  store(own);
  for (int64_t half = teamSize / 2; half >= apart; half /= 2) {
    barrier();
    Value isLow = b.create<arith::CmpIOp>(location, arith::CmpIPredicate::ult, member, index(half));
    auto branch = b.create<scf::IfOp>(location, isLow, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value other = b.create<arith::AddIOp>(location, member, index(half));
    store(merge(load(member), load(other)));
  }
  barrier();
  values = load(apart == 1 ? index(0)
                           : b.create<arith::RemUIOp>(location, member, index(apart)).getResult());
  barrier(); // before the places are used again
  return values;
}

/// In steps that double how far a member has looked back (Hillis and Steele, "Data parallel
/// algorithms", 1986).
SmallVector<Value> SpirvFrame::before(ValueRange own, ValueRange neutral, Merge merge) {
  SmallVector<Value> places, values(own);
  for (auto [number, value] : llvm::enumerate(own))
    places.push_back(shared(number, value.getType(), teamSize));
  auto loadBack = [&](int64_t step, llvm::function_ref<SmallVector<Value>(ValueRange)> found,
                      ValueRange none) {
    Value isThere =
        b.create<arith::CmpIOp>(location, arith::CmpIPredicate::uge, member, index(step));
    auto branch = b.create<scf::IfOp>(location, own.getTypes(), isThere, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value at = b.create<arith::SubIOp>(location, member, index(step));
    SmallVector<Value> loaded;
    for (Value place : places)
      loaded.push_back(b.create<memref::LoadOp>(location, place, at));
    b.create<scf::YieldOp>(location, found(loaded));
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<scf::YieldOp>(location, none);
    return SmallVector<Value>(branch.getResults());
  };
  auto store = [&] {
    for (auto [place, value] : llvm::zip(places, values))
      b.create<memref::StoreOp>(location, value, place, member);
    barrier();
  };
  store();
  for (int64_t step = 1; step < teamSize; step *= 2) {
    values = loadBack(step, [&](ValueRange other) { return merge(other, values); }, values);
    barrier();
    store();
  }
  values = loadBack(1, [](ValueRange other) { return SmallVector<Value>(other); }, neutral);
  barrier(); // before the places are used again
  return values;
}

Value SpirvFrame::goesOn() {
  return b.create<arith::ConstantOp>(location, b.getIntegerAttr(b.getI1Type(), 1));
}

func::FuncOp SpirvFrame::addFunction(StringRef, TypeRange, TypeRange, bool,
                                     function_ref<SmallVector<Value>(ValueRange)>) {
  llvm_unreachable("register tiles are the CPU's");
}

void SpirvFrame::callApart(StringRef, ValueRange captures, function_ref<void(ValueRange)> body) {
  body(captures);
}

void SpirvFrame::finish() {
  b.setInsertionPointToEnd(&whole.getBody().front());
  b.create<func::ReturnOp>(location);
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

AffineExpr SpirvFrame::exprOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return b.getAffineConstantExpr(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto extent = op->getAttrOfType<IntegerAttr>(kExtentAttr))
    return b.getAffineSymbolExpr(extent.getInt());
  if (op->getNumOperands() != 2)
    return {};
  AffineExpr left = exprOf(op->getOperand(0)), right = exprOf(op->getOperand(1));
  if (!left || !right)
    return {};
  if (isa<arith::AddIOp>(op))
    return left + right;
  if (isa<arith::SubIOp>(op))
    return left - right;
  if (isa<arith::MulIOp>(op))
    return left * right;
  if (isa<arith::DivUIOp>(op))
    return left.floorDiv(right);
  if (isa<arith::CeilDivUIOp>(op))
    return left.ceilDiv(right);
  if (isa<arith::RemUIOp>(op))
    return left % right;
  return {};
}

static bool stores(Operation *op) {
  return op->walk([](memref::StoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

namespace {
/// Copies ops into a dispatch, with all that they need of what stands before them.
class Copier {
public:
  explicit Copier(OpBuilder &b) : b(b) {}

  LogicalResult copy(Operation *op) {
    SetVector<Value> needed(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), needed);
    for (Value value : needed)
      if (failed(bring(value)))
        return failure();
    b.clone(*op, mapping);
    return success();
  }
  LogicalResult bring(Value value) {
    if (mapping.contains(value))
      return success();
    Operation *op = value.getDefiningOp();
    if (!op || stores(op))
      return emitError(value.getLoc(), "a dispatch reads what another one computes");
    return copy(op);
  }

  IRMapping mapping;

private:
  OpBuilder &b;
};
} // namespace

LogicalResult SpirvFrame::cut(SmallVectorImpl<DispatchCode> &dispatches) {
  AffineExpr one = b.getAffineConstantExpr(1), most = one;
  auto begin = [&](AffineExpr groups, int64_t size) {
    b.setInsertionPointToEnd(module.getBody());
    auto function = b.create<func::FuncOp>(location, "dispatch" + std::to_string(dispatches.size()),
                                           b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(function.addEntryBlock());
    dispatches.push_back({function, groups, size});
    return Copier(b);
  };
  auto addSerial = [&](SmallVectorImpl<Operation *> &ops) -> LogicalResult {
    if (ops.empty())
      return success();
    Copier copier = begin(one, 1);
    for (Operation *op : ops)
      if (failed(copier.copy(op)))
        return failure();
    b.create<func::ReturnOp>(location);
    ops.clear();
    return success();
  };
  SmallVector<Operation *> serial;
  for (Operation &op : whole.getBody().front().without_terminator()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop->hasAttr(kParallelAttr)) {
      if (stores(&op))
        serial.push_back(&op);
      continue;
    }
    if (failed(addSerial(serial)))
      return failure();
    AffineExpr count = exprOf(loop.getUpperBound());
    if (!count)
      return emitError(location, "the iterations of a parallel loop cannot be told before a run");
    most = most + count; // at least the most of them
    int64_t members = loop->getAttrOfType<IntegerAttr>(kParallelAttr).getInt();
    bool isAlone = members == 1;
    Copier copier =
        begin(isAlone ? count.ceilDiv(kWorkgroup) : count, isAlone ? kWorkgroup : members);
    Value number = cast({}, b.getIndexType(), kGroupAttr, 0);
    if (isAlone) {
      number = b.create<arith::MulIOp>(
          location, number, b.create<arith::ConstantIndexOp>(location, kWorkgroup).getResult());
      number =
          b.create<arith::AddIOp>(location, number, cast({}, b.getIndexType(), kMemberAttr, 0));
    }
    if (failed(copier.bring(loop.getUpperBound())))
      return failure();
    Value exists = b.create<arith::CmpIOp>(location, arith::CmpIPredicate::ult, number,
                                           copier.mapping.lookup(loop.getUpperBound()));
    copier.mapping.map(loop.getInductionVar(), number);
    SetVector<Value> needed;
    getUsedValuesDefinedAbove(loop->getRegions(), needed);
    for (Value value : needed)
      if (failed(copier.bring(value)))
        return failure();
    auto guarded = b.create<scf::IfOp>(location, exists, /*withElse=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(guarded.thenBlock());
      for (Operation &inner : loop.getBody()->without_terminator())
        b.clone(inner, copier.mapping);
    }
    b.create<func::ReturnOp>(location);
  }
  if (failed(addSerial(serial)))
    return failure();
  if (dispatches.empty()) { // nothing has elements
    begin(b.getAffineConstantExpr(0), 1);
    b.create<func::ReturnOp>(location);
  }
  scratchTotal = sharedBytes() + workerBytes() * most;
  whole.erase();
  return success();
}

} // namespace tenon::spirv
