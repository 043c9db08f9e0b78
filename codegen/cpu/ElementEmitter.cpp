//===- ElementEmitter.cpp - One vector of a tensor value ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementEmitter.h"

#include "codegen/cpu/ElementRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;

namespace tenon::cpu {

const ElementRules &ElementRules::get() {
  static const ElementRules rules = [] {
    ElementRules made;
    addElementwiseRules(made);
    addShapeRules(made);
    addWindowRules(made);
    addLineRules(made);
    addRandomRules(made);
    addOptimizerRules(made);
    return made;
  }();
  return rules;
}

SmallVector<Num, 4> ElementRules::operands(ElementEmitter &e, Operation *op,
                                           ArrayRef<LaneIndex> indices) {
  SmallVector<Num, 4> x;
  bool vector = false;
  for (Value operand : op->getOperands()) {
    x.emplace_back(e.builder(), e.loc(), e.emit(operand, indices));
    vector |= isa<VectorType>(x.back().type());
  }
  if (vector)
    for (Num &n : x)
      n = n.of(e.splat(n));
  return x;
}

ElementEmitter::ElementEmitter(KernelFrame &frame, int lanes, Value mask, BodyBuffers *buffers)
    : frame(frame), b(frame.builder()), lanes(lanes), mask(mask), ownBuffers(frame),
      buffers(buffers ? buffers : &ownBuffers) {}

Type ElementEmitter::computeType(Type elementType) {
  return elementType.isF16() || elementType.isBF16() ? Float32Type::get(elementType.getContext())
                                                     : elementType;
}

bool ElementEmitter::canEmit(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue()) &&
           cast<DenseElementsAttr>(constant.getValue()).isSplat();
  return ElementRules::get().find(op) != nullptr;
}

//===----------------------------------------------------------------------===//
// Emitting once, and outside the loops
//===----------------------------------------------------------------------===//

/// Does `value` exist at the insertion point?
bool ElementEmitter::isVisible(Value value) {
  Block *block = value.getParentBlock(), *at = b.getInsertionBlock();
  Operation *before = b.getInsertionPoint() == at->end() ? nullptr : &*b.getInsertionPoint();
  while (at != block) {
    before = at->getParentOp();
    if (!before || !(at = before->getBlock()))
      return false;
  }
  Operation *definition = value.getDefiningOp();
  return !definition || !before || definition->isBeforeInBlock(before);
}

void ElementEmitter::hoist(ArrayRef<Value> anchors) {
  while (auto loop = dyn_cast_or_null<scf::ForOp>(b.getInsertionBlock()->getParentOp())) {
    for (Value anchor : anchors)
      if (anchor && loop.getRegion().isAncestor(anchor.getParentRegion()))
        return;
    b.setInsertionPoint(loop);
  }
}

Value ElementEmitter::memo(Memo key, ArrayRef<Value> anchors, llvm::function_ref<Value()> make) {
  Value &slot = memos[key];
  if (slot && isVisible(slot))
    return slot;
  OpBuilder::InsertionGuard guard(b);
  hoist(anchors);
  Value made = make();
  return memos[key] = made;
}

Value ElementEmitter::invariant(Operation *op, int tag, ArrayRef<Value> anchors,
                                llvm::function_ref<Value()> make) {
  return memo({op, nullptr, tag}, anchors, make);
}

const ElementEmitter::Cone &ElementEmitter::coneOf(Value value) {
  auto it = cones.find(value);
  if (it != cones.end())
    return it->second;
  Cone cone;
  auto element = boundElements.find(value);
  if (element != boundElements.end()) {
    cone.anchors.push_back(element->second);
  } else if (bound.count(value)) {
    cone.opaque = true;
  } else if (Operation *op = value.getDefiningOp()) {
    for (Value operand : op->getOperands()) {
      const Cone &inner = coneOf(operand);
      cone.opaque |= inner.opaque;
      for (Value anchor : inner.anchors)
        if (!llvm::is_contained(cone.anchors, anchor))
          cone.anchors.push_back(anchor);
    }
  }
  return cones[value] = std::move(cone);
}

void ElementEmitter::bind(Value value, Compute compute) {
  bound[value] = std::move(compute);
  boundElements.erase(value);
  forget(value);
}

void ElementEmitter::bind(Value value, Value element) {
  boundElements[value] = element;
  bound.erase(value);
  forget(value);
}

/// What was emitted of a value, and of what is computed from it.
void ElementEmitter::forget(Value value) {
  cones.clear();
  DenseSet<Value> users{value};
  known.erase(value);
  for (Operation &op : *value.getParentBlock()) {
    if (llvm::none_of(op.getOperands(), [&](Value operand) { return users.contains(operand); }))
      continue;
    for (Value result : op.getResults()) {
      users.insert(result);
      known.erase(result);
    }
  }
}

Value ElementEmitter::emit(Value value, ArrayRef<LaneIndex> indices) {
  for (Known &entry : known[value])
    if (entry.mask == mask && ArrayRef<LaneIndex>(entry.indices) == indices &&
        isVisible(entry.result))
      return entry.result;

  OpBuilder::InsertionGuard guard(b);
  const Cone &cone = coneOf(value);
  if (!cone.opaque) {
    SmallVector<Value> anchors(cone.anchors.begin(), cone.anchors.end());
    for (const LaneIndex &index : indices)
      anchors.push_back(index.vector ? index.vector : index.base);
    if (mask)
      anchors.push_back(mask);
    hoist(anchors);
  }
  Value result = compute(value, indices);
  known[value].push_back({SmallVector<LaneIndex, 4>(indices), mask, result});
  return result;
}

Value ElementEmitter::compute(Value value, ArrayRef<LaneIndex> indices) {
  auto element = boundElements.find(value);
  if (element != boundElements.end())
    return element->second;
  auto it = bound.find(value);
  if (it != bound.end())
    if (Value known = it->second(indices))
      return known;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return load(buffers->buffer(argument.getArgNumber()), indices,
                getElementTypeOrSelf(value.getType()).isInteger(1));
  Operation *op = value.getDefiningOp();
  KernelFrame::LocationScope scope(frame, op);
  const ElementRules::Rule *rule = ElementRules::get().find(op);
  assert(rule && "the strategy asks for what canEmit() refuses");
  return (*rule)(*this, op, cast<OpResult>(value).getResultNumber(), indices);
}

Value ElementEmitter::emitVector(Value value, ArrayRef<LaneIndex> indices) {
  return splat(emit(value, indices));
}

Value ElementEmitter::splat(Value value) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return b.create<vector::BroadcastOp>(loc(), VectorType::get({lanes}, value.getType()), value);
}

Value ElementEmitter::constantOf(Value value, double constant) {
  Type element = getElementTypeOrSelf(value.getType()), type = computeType(element);
  if (element.isInteger(1))
    return splatInteger(b, loc(), type, constant != 0);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    double limit = std::ldexp(1.0, integer.getWidth() - 1);
    int64_t most = int64_t((uint64_t(1) << (integer.getWidth() - 1)) - 1);
    int64_t whole = constant != constant ? 0
                    : constant >= limit  ? most
                    : constant < -limit  ? -most - 1
                                         : int64_t(constant);
    return splatInteger(b, loc(), type, whole);
  }
  // f16 and bf16 constants are rounded as they would be in memory.
  auto real = cast<FloatType>(element);
  APFloat rounded(constant);
  bool lost;
  rounded.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return splatConstant(b, loc(), type, rounded.convertToDouble());
}

Value ElementEmitter::guarded(Value condition, Value outside, llvm::function_ref<Value()> inside) {
  if (isa<VectorType>(condition.getType())) {
    Value before = mask;
    mask = before ? b.create<arith::AndIOp>(loc(), before, condition) : condition;
    Value x = splat(inside());
    mask = before;
    return b.create<arith::SelectOp>(loc(), condition, x, splat(outside));
  }
  // The branch's type is known once it is emitted.
  auto branch = b.create<scf::IfOp>(loc(), TypeRange{outside.getType()}, condition,
                                    /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value x = inside();
  b.create<scf::YieldOp>(loc(), x);
  b.setInsertionPointToStart(branch.elseBlock());
  Value other = isa<VectorType>(x.getType()) ? splat(outside) : outside;
  b.create<scf::YieldOp>(loc(), other);
  branch.getResult(0).setType(x.getType());
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value ElementEmitter::extent(Value value, unsigned dim) {
  return buffers->emit(buffers->extentOf(value, dim));
}
AffineExpr ElementEmitter::extentExpr(Value value, unsigned dim) {
  return buffers->extentOf(value, dim);
}

static std::optional<int64_t> constantIndex(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Value ElementEmitter::addIndex(Value a, Value c) {
  if (constantIndex(a) == 0)
    return c;
  if (constantIndex(c) == 0)
    return a;
  return memo({a.getAsOpaquePointer(), c.getAsOpaquePointer(), -1}, {a, c},
              [&] { return b.createOrFold<arith::AddIOp>(loc(), a, c); });
}
Value ElementEmitter::mulIndex(Value a, Value c) {
  if (constantIndex(a) == 1)
    return c;
  if (constantIndex(c) == 1)
    return a;
  return memo({a.getAsOpaquePointer(), c.getAsOpaquePointer(), -2}, {a, c},
              [&] { return b.createOrFold<arith::MulIOp>(loc(), a, c); });
}

/// 0, step, 2 step ... of an integer or index type.
static Value steps(OpBuilder &b, Location loc, int lanes, int64_t step, Type element) {
  SmallVector<APInt> values;
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  for (int i = 0; i < lanes; i++)
    values.push_back(APInt(width, uint64_t(i * step), true));
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get({lanes}, element), values));
}

Value ElementEmitter::valueOf(LaneIndex index) {
  if (index.vector)
    return index.vector;
  if (index.step == 0 || lanes == 1)
    return index.base;
  return memo({index.base.getAsOpaquePointer(), nullptr, -1000 - index.step}, index.base, [&] {
    Value lanesOf = steps(b, loc(), lanes, index.step, b.getIndexType());
    return b.create<arith::AddIOp>(loc(), splat(index.base), lanesOf).getResult();
  });
}

LaneIndex ElementEmitter::plus(LaneIndex x, LaneIndex y) {
  if (x.vector || y.vector) {
    Value sum = b.create<arith::AddIOp>(loc(), splat(valueOf(x)), splat(valueOf(y)));
    return {nullptr, 0, sum, 1};
  }
  auto multiple = [](const LaneIndex &i) {
    auto constant = constantIndex(i.base);
    return constant ? *constant : i.multiple;
  };
  return {addIndex(x.base, y.base), x.step + y.step, nullptr,
          std::max<int64_t>(std::gcd(multiple(x), multiple(y)), 1)};
}

LaneIndex ElementEmitter::plus(LaneIndex x, int64_t offset) {
  return offset == 0 ? x : plus(x, uniform(frame.index(offset)));
}

LaneIndex ElementEmitter::times(LaneIndex x, AffineExpr factor) {
  auto constant = dyn_cast<AffineConstantExpr>(factor);
  if (constant && constant.getValue() == 1)
    return x;
  Value by = buffers->emit(factor);
  if (!x.vector && (constant || x.step == 0)) {
    int64_t scale = constant ? constant.getValue() : 1;
    return {mulIndex(x.base, by), x.step * scale, nullptr,
            std::max<int64_t>(x.multiple * scale, 1)};
  }
  Value product = b.create<arith::MulIOp>(loc(), valueOf(x), splat(by));
  return {nullptr, 0, product, 1};
}

std::pair<LaneIndex, LaneIndex> ElementEmitter::divide(LaneIndex x, AffineExpr divisor,
                                                       bool crosses) {
  auto constant = dyn_cast<AffineConstantExpr>(divisor);
  if (constant && constant.getValue() == 1)
    return {x, uniform(frame.index(0))};
  Value by = buffers->emit(divisor);
  if (x.isUniform() || (!x.vector && !crosses)) {
    Value quotient = memo({x.base.getAsOpaquePointer(), by.getAsOpaquePointer(), -3}, {x.base, by},
                          [&] { return b.createOrFold<arith::DivUIOp>(loc(), x.base, by); });
    Value rest = memo({x.base.getAsOpaquePointer(), by.getAsOpaquePointer(), -4}, {x.base, by},
                      [&] { return b.createOrFold<arith::RemUIOp>(loc(), x.base, by); });
    int64_t multiple = constant ? std::gcd(x.multiple, constant.getValue()) : 1;
    return {uniform(quotient), LaneIndex{rest, x.step, nullptr, std::max<int64_t>(multiple, 1)}};
  }
  Value number = valueOf(x), wide = splat(by);
  Value quotient = b.create<arith::DivUIOp>(loc(), number, wide);
  Value rest = b.create<arith::RemUIOp>(loc(), number, wide);
  return {LaneIndex{nullptr, 0, quotient, 1}, LaneIndex{nullptr, 0, rest, 1}};
}

LaneIndex ElementEmitter::linear(Value value, ArrayRef<LaneIndex> indices) {
  LaneIndex number = uniform(frame.index(0));
  AffineExpr stride = getAffineConstantExpr(1, value.getContext());
  for (size_t i = indices.size(); i-- > 0;) {
    number = plus(times(indices[i], stride), number);
    stride = stride * extentExpr(value, i);
  }
  return number;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value ElementEmitter::fullMask() {
  if (mask)
    return mask;
  return splatInteger(b, loc(), VectorType::get({lanes}, b.getI1Type()), 1);
}

Value ElementEmitter::gatherOffsets(Value buffer, ArrayRef<LaneIndex> indices,
                                    SmallVectorImpl<Value> &bases) {
  auto type = cast<MemRefType>(buffer.getType());
  // Constant offsets where strides are known; i32 if all of them fit.
  SmallVector<int64_t> strides(indices.size(), 1);
  bool known = true;
  for (size_t i = indices.size(); i-- > 1;) {
    known &= !type.isDynamicDim(i);
    strides[i - 1] = known ? strides[i] * type.getDimSize(i) : ShapedType::kDynamic;
  }
  int64_t step = 0;
  Value offsets;
  auto add = [&](Value more) {
    offsets = offsets ? b.create<arith::AddIOp>(loc(), offsets, more) : more;
  };
  for (auto [i, index] : llvm::enumerate(indices)) {
    bases.push_back(index.vector ? frame.index(0) : index.base);
    if (index.isUniform())
      continue;
    bool fixed = !ShapedType::isDynamic(strides[i]);
    if (!index.vector && fixed) {
      step += index.step * strides[i];
      continue;
    }
    Value lanesOf =
        index.vector ? index.vector : steps(b, loc(), lanes, index.step, b.getIndexType());
    Value stride = frame.index(1);
    for (size_t d = i + 1; d < indices.size(); d++)
      stride = b.createOrFold<arith::MulIOp>(
          loc(), stride, b.create<memref::DimOp>(loc(), buffer, int64_t(d)).getResult());
    if (fixed)
      stride = frame.index(strides[i]);
    add(constantIndex(stride) == 1 ? lanesOf
                                   : b.create<arith::MulIOp>(loc(), lanesOf, splat(stride)));
  }
  if (!offsets) {
    bool narrow = std::abs(step) * lanes < INT32_MAX;
    return steps(b, loc(), lanes, step, narrow ? Type(b.getI32Type()) : Type(b.getI64Type()));
  }
  if (step)
    add(steps(b, loc(), lanes, step, b.getIndexType()));
  bool narrow = type.hasStaticShape() && type.getNumElements() < INT32_MAX;
  Type integer = narrow ? Type(b.getI32Type()) : Type(b.getI64Type());
  return b.create<arith::IndexCastOp>(loc(), VectorType::get({lanes}, integer), offsets);
}

/// Lanes lie one after the other.
static bool isContiguous(ArrayRef<LaneIndex> indices) {
  for (const LaneIndex &index : indices.drop_back())
    if (!index.isUniform())
      return false;
  return !indices.empty() && !indices.back().vector && indices.back().step == 1;
}
static bool allUniform(ArrayRef<LaneIndex> indices) {
  return llvm::all_of(indices, [](const LaneIndex &index) { return index.isUniform(); });
}
static SmallVector<Value> basesOf(ArrayRef<LaneIndex> indices) {
  return llvm::map_to_vector(indices, [](const LaneIndex &index) { return index.base; });
}

/// Would LLVM convert 16-bit floats, which it has no registers for, to move them?
bool ElementEmitter::movesLaneByLane(Type element, ArrayRef<LaneIndex> indices) const {
  bool plain = isContiguous(indices) && !mask;
  return (element.isF16() || element.isBF16()) && !frame.target().hasMaskedMemory && !plain;
}

SmallVector<Value> ElementEmitter::indicesOfLane(ArrayRef<LaneIndex> indices, Value lane) {
  SmallVector<Value> result;
  for (const LaneIndex &index : indices) {
    if (index.vector) {
      result.push_back(b.create<vector::ExtractElementOp>(loc(), index.vector, lane));
      continue;
    }
    Value offset = b.createOrFold<arith::MulIOp>(loc(), lane, frame.index(index.step));
    result.push_back(b.createOrFold<arith::AddIOp>(loc(), index.base, offset));
  }
  return result;
}

/// A loop over the lanes that exist. `visit` may change a carried value.
Value ElementEmitter::forEachLane(Value carried,
                                  llvm::function_ref<Value(Value lane, Value carried)> visit) {
  ValueRange inits = carried ? ValueRange(carried) : ValueRange();
  auto loop =
      b.create<scf::ForOp>(loc(), frame.index(0), frame.index(lanes), frame.index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  Value bit = b.create<vector::ExtractElementOp>(loc(), fullMask(), lane);
  auto branch = b.create<scf::IfOp>(loc(), inits.getTypes(), bit, /*withElse=*/bool(carried));
  b.setInsertionPointToStart(branch.thenBlock());
  Value next = visit(lane, carried ? loop.getRegionIterArg(0) : Value());
  if (!carried)
    return nullptr;
  b.create<scf::YieldOp>(loc(), next);
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc(), loop.getRegionIterArgs());
  b.setInsertionPointAfter(branch);
  b.create<scf::YieldOp>(loc(), branch.getResults());
  return loop.getResult(0);
}

Value ElementEmitter::load(Value buffer, ArrayRef<LaneIndex> indices, bool isBool) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value x;
  if (lanes > 1 && !allUniform(indices) && movesLaneByLane(element, indices)) {
    Type compute = computeType(element);
    Value zero = splatConstant(b, loc(), VectorType::get({lanes}, compute), 0);
    return forEachLane(zero, [&](Value lane, Value carried) -> Value {
      Value scalar = b.create<memref::LoadOp>(loc(), buffer, indicesOfLane(indices, lane));
      scalar = b.create<arith::ExtFOp>(loc(), compute, scalar);
      return b.create<vector::InsertElementOp>(loc(), scalar, carried, lane);
    });
  }
  if (allUniform(indices) || lanes == 1) {
    SmallVector<Value> bases;
    for (const LaneIndex &index : indices)
      bases.push_back(index.vector ? b.create<vector::ExtractOp>(loc(), index.vector, 0)
                                   : index.base);
    x = b.create<memref::LoadOp>(loc(), buffer, bases);
  } else {
    auto type = VectorType::get({lanes}, element);
    if (isContiguous(indices) && !mask) {
      x = b.create<vector::LoadOp>(loc(), type, buffer, basesOf(indices));
    } else {
      Value nothing = splatConstant(b, loc(), type, 0);
      if (isContiguous(indices)) {
        x = b.create<vector::MaskedLoadOp>(loc(), type, buffer, basesOf(indices), mask, nothing);
      } else {
        SmallVector<Value> bases;
        Value offsets = gatherOffsets(buffer, indices, bases);
        x = b.create<vector::GatherOp>(loc(), type, buffer, bases, offsets, fullMask(), nothing);
      }
    }
  }
  if (isBool)
    return Num(b, loc(), x) != Num(b, loc(), x).likeInteger(0);
  Type compute = computeType(element);
  return compute == element
             ? x
             : b.create<arith::ExtFOp>(loc(), withElement(x.getType(), compute), x).getResult();
}

void ElementEmitter::store(Value x, Value buffer, ArrayRef<LaneIndex> indices) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (lanes > 1 && !allUniform(indices) && movesLaneByLane(element, indices)) {
    x = splat(x);
    forEachLane(nullptr, [&](Value lane, Value) -> Value {
      Value scalar = b.create<vector::ExtractElementOp>(loc(), x, lane);
      if (scalar.getType() != element)
        scalar = b.create<arith::TruncFOp>(loc(), element, scalar);
      b.create<memref::StoreOp>(loc(), scalar, buffer, indicesOfLane(indices, lane));
      return nullptr;
    });
    return;
  }
  Type type = withElement(x.getType(), element);
  if (x.getType() != type) {
    if (isa<FloatType>(element))
      x = b.create<arith::TruncFOp>(loc(), type, x);
    else
      x = b.create<arith::ExtUIOp>(loc(), type, x); // i1 to a byte
  }
  if (lanes == 1 || allUniform(indices)) {
    if (isa<VectorType>(x.getType())) // all lanes agree
      x = b.create<vector::ExtractOp>(loc(), x, 0);
    b.create<memref::StoreOp>(loc(), x, buffer, basesOf(indices));
    return;
  }
  x = splat(x);
  if (!isContiguous(indices)) {
    SmallVector<Value> bases;
    Value offsets = gatherOffsets(buffer, indices, bases);
    b.create<vector::ScatterOp>(loc(), buffer, bases, offsets, fullMask(), x);
  } else if (mask) {
    b.create<vector::MaskedStoreOp>(loc(), buffer, basesOf(indices), mask, x);
  } else {
    b.create<vector::StoreOp>(loc(), x, buffer, basesOf(indices));
  }
}

} // namespace tenon::cpu
