//===- Shape.cpp - Elements of shape and index ops ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most of these only compute the index of the operand's element.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementRules.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

using Indices = ArrayRef<LaneIndex>;
using OwnedIndices = SmallVector<LaneIndex, 4>;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Value emitTranspose(ElementEmitter &e, TransposeOp op, Indices indices) {
  OwnedIndices source(indices);
  for (auto [i, axis] : llvm::enumerate(op.getPermutation()))
    source[axis] = indices[i];
  return e.emit(op.getX(), source);
}

static Value emitBroadcast(ElementEmitter &e, BroadcastOp op, Indices indices) {
  auto from = cast<RankedTensorType>(op.getX().getType());
  auto to = cast<RankedTensorType>(op.getType());
  OwnedIndices source;
  for (auto [i, axis] : llvm::enumerate(op.getDims())) {
    LaneIndex index = indices[axis];
    AffineExpr have = e.extentExpr(op.getX(), i), want = e.extentExpr(op.getResult(), axis);
    if (have == want || to.getDimSize(axis) == 1) {
      source.push_back(index);
    } else if (from.getDimSize(i) == 1) {
      source.push_back(e.uniform(e.index(0)));
    } else { // a dynamic extent is that of the result, whatever it is
      source.push_back(index);
    }
  }
  return e.emit(op.getX(), source);
}

static Value emitSlice(ElementEmitter &e, SliceOp op, Indices indices) {
  MLIRContext *context = op.getContext();
  OwnedIndices source;
  for (auto [i, index] : llvm::enumerate(indices))
    source.push_back(e.plus(e.times(index, getAffineConstantExpr(op.getStrides()[i], context)),
                            op.getOffsets()[i]));
  return e.emit(op.getX(), source);
}

namespace {
/// Axes of the operand and of the result of a reshape that hold the same elements.
struct AxisGroup {
  SmallVector<unsigned, 4> from, to;
};
} // namespace

static std::optional<int64_t> constantOf(AffineExpr e) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue();
  return std::nullopt;
}

/// Splits the axes, without those of extent 1, where the products of extents agree.
static SmallVector<AxisGroup> groupAxes(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to,
                                        MLIRContext *context) {
  auto axesOf = [](ArrayRef<AffineExpr> shape) {
    SmallVector<unsigned, 4> axes;
    for (unsigned i = 0; i < shape.size(); i++)
      if (constantOf(shape[i]) != 1)
        axes.push_back(i);
    return axes;
  };
  SmallVector<unsigned, 4> left = axesOf(from), right = axesOf(to);
  SmallVector<AxisGroup> groups;
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    AxisGroup group;
    AffineExpr a = getAffineConstantExpr(1, context), c = a;
    auto takeLeft = [&] { a = a * from[left[i]], group.from.push_back(left[i++]); };
    auto takeRight = [&] { c = c * to[right[j]], group.to.push_back(right[j++]); };
    if (i < left.size())
      takeLeft();
    if (j < right.size())
      takeRight();
    while (a != c && (i < left.size() || j < right.size())) {
      auto known = constantOf(a), other = constantOf(c);
      bool fewer = known && other ? *known < *other : i < left.size();
      if ((fewer || j == right.size()) && i < left.size())
        takeLeft();
      else if (j < right.size())
        takeRight();
      else
        takeLeft();
    }
    // Products that cannot be compared: everything that is left is one group.
    groups.push_back(std::move(group));
  }
  return groups;
}

static Value emitReshape(ElementEmitter &e, ReshapeOp op, Indices indices) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> from, to;
  for (int64_t i = 0; i < cast<RankedTensorType>(op.getX().getType()).getRank(); i++)
    from.push_back(e.extentExpr(op.getX(), i));
  for (size_t i = 0; i < indices.size(); i++)
    to.push_back(e.extentExpr(op.getResult(), i));
  OwnedIndices source(from.size(), e.uniform(e.index(0)));
  for (const AxisGroup &group : groupAxes(from, to, context)) {
    if (group.from.empty())
      continue;
    if (group.from.size() == 1 && group.to.size() == 1) {
      source[group.from[0]] = indices[group.to[0]];
      continue;
    }
    LaneIndex number = e.uniform(e.index(0));
    // Lanes stay in one run of elements that starts at a multiple of its length; null where
    // they may lie anywhere.
    AffineExpr one = getAffineConstantExpr(1, context), stride = one, run = one;
    for (unsigned axis : llvm::reverse(group.to)) {
      number = e.plus(e.times(indices[axis], stride), number);
      if (!indices[axis].isUniform())
        run = indices[axis].step == 1 && stride == 1 ? to[axis] : AffineExpr();
      stride = stride * to[axis];
    }
    for (unsigned axis : llvm::reverse(ArrayRef(group.from).drop_front())) {
      auto extent = constantOf(from[axis]), length = run ? constantOf(run) : std::nullopt;
      bool apart = extent && length && *length > 0 && *extent % *length == 0;
      bool aligned = extent && number.step == 1 && *extent % e.numLanes() == 0 &&
                     number.multiple % e.numLanes() == 0;
      auto [quotient, rest] = e.divide(number, from[axis], !(apart || aligned));
      source[axis] = rest;
      number = quotient;
      run = one; // a quotient by which lanes still differ has one for each
    }
    source[group.from[0]] = number;
  }
  return e.emit(op.getX(), source);
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// low <= index < high, as i1 or for each lane.
static Value inRange(ElementEmitter &e, LaneIndex index, Value low, Value high) {
  OpBuilder &b = e.builder();
  Value x = e.valueOf(index);
  if (isa<VectorType>(x.getType())) {
    low = e.splat(low);
    high = e.splat(high);
  }
  Value above = b.create<arith::CmpIOp>(e.loc(), arith::CmpIPredicate::sge, x, low);
  Value below = b.create<arith::CmpIOp>(e.loc(), arith::CmpIPredicate::slt, x, high);
  return b.create<arith::AndIOp>(e.loc(), above, below);
}

static Value emitPad(ElementEmitter &e, PadOp op, Indices indices) {
  OpBuilder &b = e.builder();
  OwnedIndices source;
  Value uniform, perLane;
  for (auto [i, index] : llvm::enumerate(indices)) {
    source.push_back(e.plus(index, -op.getLow()[i]));
    if (!op.getLow()[i] && !op.getHigh()[i])
      continue;
    Value inside = inRange(e, source.back(), e.index(0), e.extent(op.getX(), i));
    Value &all = isa<VectorType>(inside.getType()) ? perLane : uniform;
    all = all ? b.create<arith::AndIOp>(e.loc(), all, inside) : inside;
  }
  Value border = e.constantOf(op.getResult(), op.getValue().convertToDouble());
  auto inner = [&] { return e.emit(op.getX(), source); };
  auto lanes = [&] { return perLane ? e.guarded(perLane, border, inner) : inner(); };
  return uniform ? e.guarded(uniform, border, lanes) : lanes();
}

static Value emitConcat(ElementEmitter &e, ConcatOp op, Indices indices) {
  OpBuilder &b = e.builder();
  unsigned axis = op.getAxis();
  Value zero = e.constantOf(op.getResult(), 0);
  LaneIndex place = indices[axis];
  Value result;
  for (Value part : op.getParts()) {
    OwnedIndices source(indices);
    source[axis] = place;
    Value inside = inRange(e, place, e.index(0), e.extent(part, axis));
    Value x = e.guarded(inside, zero, [&] { return e.emit(part, source); });
    if (result) {
      bool vector = isa<VectorType>(x.getType()) || isa<VectorType>(result.getType()) ||
                    isa<VectorType>(inside.getType());
      if (vector) {
        x = e.splat(x);
        result = e.splat(result);
      }
      result = b.create<arith::SelectOp>(e.loc(), inside, x, result);
    } else {
      result = x;
    }
    auto extent = constantOf(e.extentExpr(part, axis));
    if (extent) {
      place = e.plus(place, -*extent);
    } else {
      Value negative = b.create<arith::SubIOp>(e.loc(), e.index(0), e.extent(part, axis));
      place = e.plus(place, e.uniform(negative));
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// An integer element as an index, sign-extended.
static Value toIndex(ElementEmitter &e, Value x) {
  Type type = withElement(x.getType(), e.builder().getIndexType());
  return e.builder().create<arith::IndexCastOp>(e.loc(), type, x);
}

static Value emitGather(ElementEmitter &e, GatherOp op, Indices indices) {
  OpBuilder &b = e.builder();
  unsigned idRank = cast<RankedTensorType>(op.getIds().getType()).getRank();
  Value id = toIndex(e, e.emit(op.getIds(), indices.take_front(idRank)));
  bool perLane = isa<VectorType>(id.getType());
  LaneIndex row = perLane ? LaneIndex{nullptr, 0, id, 1} : e.uniform(id);
  Value known = inRange(e, row, e.index(0), e.extent(op.getTable(), 0));
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getType()));
  Value missing = e.constantOf(op.getResult(), isFloat ? NAN : 0);
  OwnedIndices source{row};
  llvm::append_range(source, indices.drop_front(idRank));
  auto rows = constantOf(e.extentExpr(op.getTable(), 0));
  if (perLane || !rows || *rows == 0)
    return e.guarded(known, missing, [&] { return e.emit(op.getTable(), source); });
  // Row 0 exists: read it instead of branching.
  source[0] = e.uniform(b.create<arith::SelectOp>(e.loc(), known, id, e.index(0)));
  Value x = e.emit(op.getTable(), source);
  if (isa<VectorType>(x.getType()))
    missing = e.splat(missing);
  return b.create<arith::SelectOp>(e.loc(), known, x, missing);
}

static Value emitOneHot(ElementEmitter &e, OneHotOp op, Indices indices) {
  OpBuilder &b = e.builder();
  Value id = toIndex(e, e.emit(op.getIds(), indices.drop_back()));
  Value place = e.valueOf(indices.back());
  if (isa<VectorType>(id.getType()) || isa<VectorType>(place.getType())) {
    id = e.splat(id);
    place = e.splat(place);
  }
  Value hit = b.create<arith::CmpIOp>(e.loc(), arith::CmpIPredicate::eq, id, place);
  Value one = e.constantOf(op.getResult(), 1), zero = e.constantOf(op.getResult(), 0);
  if (isa<VectorType>(hit.getType())) {
    one = e.splat(one);
    zero = e.splat(zero);
  }
  return b.create<arith::SelectOp>(e.loc(), hit, one, zero);
}

//===----------------------------------------------------------------------===//
// Made of nothing
//===----------------------------------------------------------------------===//

static Value emitIota(ElementEmitter &e, IotaOp op, Indices indices) {
  OpBuilder &b = e.builder();
  Value place = e.valueOf(indices[op.getAxis()]);
  Type i64 = withElement(place.getType(), b.getI64Type());
  Value number = b.create<arith::IndexCastOp>(e.loc(), i64, place);
  Type element = ElementEmitter::computeType(getElementTypeOrSelf(op.getType()));
  Type type = withElement(number.getType(), element);
  if (isa<FloatType>(element))
    return b.create<arith::SIToFPOp>(e.loc(), type, number);
  return element.isInteger(64) ? number : b.create<arith::TruncIOp>(e.loc(), type, number);
}

static Value emitConstant(ElementEmitter &e, ConstantOp op) {
  auto dense = cast<DenseElementsAttr>(op.getValue());
  Type element = ElementEmitter::computeType(dense.getElementType());
  OpBuilder &b = e.builder();
  if (isa<FloatType>(element))
    return splatConstant(b, e.loc(), element, dense.getSplatValue<APFloat>().convertToDouble());
  return splatInteger(b, e.loc(), element, dense.getSplatValue<APInt>().getSExtValue());
}

void addShapeRules(ElementRules &rules) {
  rules.add<TransposeOp>([](ElementEmitter &e, TransposeOp op, unsigned, Indices indices) {
    return emitTranspose(e, op, indices);
  });
  rules.add<BroadcastOp>([](ElementEmitter &e, BroadcastOp op, unsigned, Indices indices) {
    return emitBroadcast(e, op, indices);
  });
  rules.add<SliceOp>([](ElementEmitter &e, SliceOp op, unsigned, Indices indices) {
    return emitSlice(e, op, indices);
  });
  rules.add<ReshapeOp>([](ElementEmitter &e, ReshapeOp op, unsigned, Indices indices) {
    return emitReshape(e, op, indices);
  });
  rules.add<PadOp>([](ElementEmitter &e, PadOp op, unsigned, Indices indices) {
    return emitPad(e, op, indices);
  });
  rules.add<ConcatOp>([](ElementEmitter &e, ConcatOp op, unsigned, Indices indices) {
    return emitConcat(e, op, indices);
  });
  rules.add<GatherOp>([](ElementEmitter &e, GatherOp op, unsigned, Indices indices) {
    return emitGather(e, op, indices);
  });
  rules.add<OneHotOp>([](ElementEmitter &e, OneHotOp op, unsigned, Indices indices) {
    return emitOneHot(e, op, indices);
  });
  rules.add<IotaOp>([](ElementEmitter &e, IotaOp op, unsigned, Indices indices) {
    return emitIota(e, op, indices);
  });
  rules.add<FillOp>([](ElementEmitter &e, FillOp op, unsigned, Indices) {
    return e.constantOf(op.getResult(), op.getValue().convertToDouble());
  });
  rules.add<ConstantOp>(
      [](ElementEmitter &e, ConstantOp op, unsigned, Indices) { return emitConstant(e, op); });
}

} // namespace tenon::cpu
