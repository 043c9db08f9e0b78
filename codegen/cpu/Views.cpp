//===- Views.cpp - Tensor values as strides over a buffer -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;

namespace tenon::cpu {

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

static bool before(const Extent::Symbol &a, const Extent::Symbol &b) {
  return std::make_pair(a.first.getAsOpaquePointer(), a.second) <
         std::make_pair(b.first.getAsOpaquePointer(), b.second);
}

std::optional<int64_t> Extent::constant() const {
  if (symbols.empty() || factor == 0)
    return factor;
  return std::nullopt;
}

bool Extent::operator==(const Extent &other) const {
  return factor == other.factor && (factor == 0 || symbols == other.symbols);
}

Extent Extent::operator*(const Extent &other) const {
  Extent product(factor * other.factor);
  product.symbols.resize(symbols.size() + other.symbols.size());
  std::merge(symbols.begin(), symbols.end(), other.symbols.begin(), other.symbols.end(),
             product.symbols.begin(), before);
  return product;
}

std::optional<Extent> Extent::dividedBy(const Extent &other) const {
  if (other.factor == 0 || factor % other.factor != 0)
    return std::nullopt;
  Extent quotient(factor / other.factor);
  quotient.symbols = symbols;
  for (const Symbol &symbol : other.symbols) {
    auto *it = llvm::find(quotient.symbols, symbol);
    if (it == quotient.symbols.end())
      return std::nullopt;
    quotient.symbols.erase(it);
  }
  return quotient;
}

static ArrayRef<int64_t> staticShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Extent symbolOf(Value value, unsigned axis) {
  Extent extent;
  extent.symbols.push_back({value, axis});
  return extent;
}

/// The one dynamic extent of a reshape is what the others leave.
static Extent reshapedExtent(ReshapeOp op, unsigned axis) {
  Extent total, others;
  for (const Extent &extent : shapeOf(op.getX()))
    total = total * extent;
  for (auto [i, size] : llvm::enumerate(staticShape(op.getY())))
    if (i != axis)
      others = others * (ShapedType::isDynamic(size) ? symbolOf(op.getY(), i) : Extent(size));
  return total.dividedBy(others).value_or(symbolOf(op.getY(), axis));
}

static Extent matmulExtent(MatmulOp op, unsigned axis) {
  unsigned rank = staticShape(op.getY()).size();
  if (axis == rank - 2)
    return extentOf(op.getA(), op.getTransposeA() ? rank - 1 : rank - 2);
  if (axis == rank - 1)
    return extentOf(op.getB(), op.getTransposeB() ? rank - 2 : rank - 1);
  return extentOf(op.getA(), axis);
}

Extent extentOf(Value value, unsigned axis) {
  int64_t size = staticShape(value)[axis];
  if (!ShapedType::isDynamic(size))
    return size;
  Operation *op = value.getDefiningOp();
  if (!op)
    return symbolOf(value, axis);
  if (op->hasTrait<trait::Elementwise>())
    return extentOf(op->getOperand(0), axis);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return extentOf(transpose.getX(), transpose.getPermutation()[axis]);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return reshapedExtent(reshape, axis);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getLike() ? extentOf(broadcast.getLike(), axis) : symbolOf(value, axis);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmulExtent(matmul, axis);
  if (isa<AttentionOp>(op)) // o and lse
    return extentOf(op->getOperand(axis == 3 ? 2 : 0), axis);
  if (isa<AttentionGradOp>(op)) // of q, k, v and the mask
    return extentOf(op->getOperand(cast<OpResult>(value).getResultNumber()), axis);
  return symbolOf(value, axis);
}

SmallVector<Extent> shapeOf(Value value) {
  SmallVector<Extent> shape;
  for (unsigned axis = 0; axis < staticShape(value).size(); axis++)
    shape.push_back(extentOf(value, axis));
  return shape;
}

SmallVector<Extent> rowMajorStrides(ArrayRef<Extent> shape) {
  SmallVector<Extent> strides(shape.size());
  Extent stride;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = stride * shape[axis];
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Extents as code
//===----------------------------------------------------------------------===//

static Value mul(KernelFrame &frame, Value a, Value b) {
  return frame.builder().createOrFold<arith::MulIOp>(frame.loc(), a, b);
}
static Value add(KernelFrame &frame, Value a, Value b) {
  return frame.builder().createOrFold<arith::AddIOp>(frame.loc(), a, b);
}

Value emitExtent(KernelFrame &frame, const Extent &extent) {
  if (std::optional<int64_t> constant = extent.constant())
    return frame.index(*constant);
  Value product;
  for (const Extent::Symbol &symbol : extent.symbols) {
    Value factor = emitExtent(frame, symbol.first, symbol.second);
    product = product ? mul(frame, product, factor) : factor;
  }
  return extent.factor == 1 ? product : mul(frame, product, frame.index(extent.factor));
}

/// The extent of a symbol whose tensor is the result of `op`.
static Value emitDefinedExtent(KernelFrame &frame, Operation *op, unsigned axis) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  if (auto slice = dyn_cast<SliceOp>(op)) {
    int64_t step = slice.getStrides()[axis];
    Value end = emitExtent(frame, slice.getX(), axis);
    Value left = add(frame, end, frame.index(step - 1 - slice.getOffsets()[axis]));
    return b.createOrFold<arith::DivUIOp>(loc, left, frame.index(step));
  }
  if (auto pad = dyn_cast<PadOp>(op))
    return add(frame, emitExtent(frame, pad.getX(), axis),
               frame.index(pad.getLow()[axis] + pad.getHigh()[axis]));
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    if (axis != unsigned(concat.getAxis()))
      return emitExtent(frame, concat.getParts()[0], axis);
    Value sum = frame.index(0);
    for (Value part : concat.getParts())
      sum = add(frame, sum, emitExtent(frame, part, axis));
    return sum;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    unsigned idRank = staticShape(gather.getIds()).size();
    return axis < idRank ? emitExtent(frame, gather.getIds(), axis)
                         : emitExtent(frame, gather.getTable(), axis - idRank + 1);
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    Extent total, others;
    for (const Extent &extent : shapeOf(reshape.getX()))
      total = total * extent;
    for (auto [i, size] : llvm::enumerate(staticShape(reshape.getY())))
      if (i != axis && !ShapedType::isDynamic(size))
        others = others * Extent(size);
    return b.createOrFold<arith::DivUIOp>(loc, emitExtent(frame, total), emitExtent(frame, others));
  }
  // An op that takes its shape from its first operand: the shape of `like`.
  for (Value operand : op->getOperands())
    if (staticShape(operand).size() == staticShape(op->getResult(0)).size())
      return emitExtent(frame, operand, axis);
  llvm_unreachable("a dynamic extent that no operand gives");
}

Value emitExtent(KernelFrame &frame, Value value, unsigned axis) {
  int64_t size = staticShape(value)[axis];
  if (!ShapedType::isDynamic(size))
    return frame.index(size);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return frame.extent(argument.getArgNumber(), axis);
  Extent extent = extentOf(value, axis);
  if (extent != symbolOf(value, axis))
    return emitExtent(frame, extent);
  return emitDefinedExtent(frame, value.getDefiningOp(), axis);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

namespace {
/// Axes [p, pEnd) of one shape hold the same elements as axes [q, qEnd) of another.
struct AxisGroup {
  unsigned p, pEnd, q, qEnd;
};
} // namespace

/// The finest such groups, left to right.
static SmallVector<AxisGroup> groupAxes(ArrayRef<Extent> p, ArrayRef<Extent> q) {
  SmallVector<AxisGroup> groups;
  unsigned i = 0, j = 0;
  while (i < p.size() && j < q.size()) {
    AxisGroup group{i, i, j, j};
    Extent left = p[i++], right = q[j++];
    while (left != right && (i < p.size() || j < q.size())) {
      bool growLeft = left.constant() && right.constant() ? *left.constant() < *right.constant()
                                                          : right.dividedBy(left).has_value();
      if ((growLeft || j == q.size()) && i < p.size())
        left = left * p[i++];
      else if (j < q.size())
        right = right * q[j++];
      else
        break;
    }
    group.pEnd = i;
    group.qEnd = j;
    groups.push_back(group);
  }
  // Axes of extent 1 that are left over, or what could not be told apart.
  if (groups.empty())
    groups.push_back({0, 0, 0, 0});
  groups.back().pEnd = p.size();
  groups.back().qEnd = q.size();
  return groups;
}

/// Strides over shape `q` of elements that lie at `strides` over shape `p`.
static std::optional<SmallVector<Extent>>
reshapeStrides(ArrayRef<Extent> p, ArrayRef<Extent> strides, ArrayRef<Extent> q) {
  SmallVector<Extent> result(q.size(), Extent(0));
  for (const AxisGroup &group : groupAxes(p, q)) {
    std::optional<Extent> inner, next; // of the innermost axis; expected of the next one
    for (unsigned i = group.pEnd; i-- > group.p;) {
      if (p[i].is(1))
        continue;
      if (next && strides[i] != *next)
        return std::nullopt;
      if (!inner)
        inner = strides[i];
      next = strides[i] * p[i];
    }
    Extent stride = inner.value_or(Extent(0));
    for (unsigned j = group.qEnd; j-- > group.q;) {
      result[j] = stride;
      stride = stride * q[j];
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

bool isViewOp(Operation *op) { return isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp>(op); }

static StridedView sliceView(SliceOp op, StridedView view) {
  for (unsigned axis = 0; axis < view.strides.size(); axis++) {
    Extent &stride = view.strides[axis];
    if (op.getOffsets()[axis] != 0 && !stride.is(0))
      view.offset.push_back(stride * Extent(op.getOffsets()[axis]));
    stride = stride * Extent(op.getStrides()[axis]);
  }
  return view;
}

static StridedView broadcastView(BroadcastOp op, const StridedView &x) {
  StridedView view{x.base, x.offset, {}};
  view.strides.assign(staticShape(op.getY()).size(), Extent(0));
  for (auto [axis, dim] : llvm::enumerate(op.getDims())) {
    bool repeated = extentOf(op.getX(), axis).is(1) && !extentOf(op.getY(), dim).is(1);
    view.strides[dim] = repeated ? Extent(0) : x.strides[axis];
  }
  return view;
}

std::optional<StridedView> resolveView(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isViewOp(op))
    return StridedView{value, {}, rowMajorStrides(shapeOf(value))};
  std::optional<StridedView> x = resolveView(op->getOperand(0));
  if (!x)
    return std::nullopt;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    StridedView view{x->base, x->offset, {}};
    for (int64_t axis : transpose.getPermutation())
      view.strides.push_back(x->strides[axis]);
    return view;
  }
  if (auto slice = dyn_cast<SliceOp>(op))
    return sliceView(slice, std::move(*x));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcastView(broadcast, *x);
  auto strides = reshapeStrides(shapeOf(op->getOperand(0)), x->strides, shapeOf(value));
  if (!strides)
    return std::nullopt;
  return StridedView{x->base, x->offset, std::move(*strides)};
}

Value flatBuffer(KernelFrame &frame, unsigned index) {
  Value buffer = frame.buffer(index);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  OpBuilder &b = frame.builder();
  // Its extent is of no use to anyone: the view's user knows what it reaches.
  int64_t size = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  auto flat = MemRefType::get({size}, type.getElementType());
  OpFoldResult extent = b.getIndexAttr(size);
  if (!type.hasStaticShape())
    extent = frame.index(0);
  return b.create<memref::ReinterpretCastOp>(
      frame.loc(), flat, buffer, OpFoldResult(b.getIndexAttr(0)), ArrayRef<OpFoldResult>{extent},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value flatBuffer(KernelFrame &frame, const StridedView &view) {
  return flatBuffer(frame, cast<BlockArgument>(view.base).getArgNumber());
}

Value emitOffset(KernelFrame &frame, const StridedView &view) {
  Value sum = frame.index(0);
  for (const Extent &summand : view.offset)
    sum = add(frame, sum, emitExtent(frame, summand));
  return sum;
}

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

using Path = SmallVector<Operation *>;

/// A way of `value` down to `result` through ops that keep places.
static std::optional<Path> findPath(Value value, Value result,
                                    llvm::DenseMap<Value, std::optional<Path>> &paths) {
  if (result == value)
    return Path{};
  auto [it, inserted] = paths.try_emplace(result, std::nullopt);
  if (!inserted)
    return it->second;
  Operation *op = result.getDefiningOp();
  if (!op || !(op->hasTrait<trait::Elementwise>() || isa<TransposeOp, ReshapeOp>(op)))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (std::optional<Path> path = findPath(value, operand, paths)) {
      path->push_back(op);
      paths[result] = path;
      return path;
    }
  return std::nullopt;
}

/// Strides over the first value of the path in the row-major elements of its last.
static SmallVector<Extent> stridesAlong(const Path &path, Value value) {
  Value last = path.empty() ? value : path.back()->getResult(0);
  SmallVector<Extent> strides = rowMajorStrides(shapeOf(last));
  for (Operation *op : llvm::reverse(path)) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      SmallVector<Extent> permuted(strides.size());
      for (auto [i, axis] : llvm::enumerate(transpose.getPermutation()))
        permuted[axis] = strides[i];
      strides = std::move(permuted);
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      auto moved = reshapeStrides(shapeOf(reshape.getY()), strides, shapeOf(reshape.getX()));
      if (!moved)
        return {};
      strides = std::move(*moved);
    }
  }
  return strides;
}

/// Does `result` depend on `value`, in any way?
static bool dependsOn(Value result, Value value, llvm::DenseMap<Value, bool> &known) {
  if (result == value)
    return true;
  Operation *op = result.getDefiningOp();
  if (!op || op->getBlock() != value.getParentBlock())
    return false;
  if (Operation *source = value.getDefiningOp(); source && op->isBeforeInBlock(source))
    return false;
  auto [it, inserted] = known.try_emplace(result, false);
  if (!inserted)
    return it->second;
  bool depends = llvm::any_of(op->getOperands(),
                              [&](Value operand) { return dependsOn(operand, value, known); });
  known[result] = depends;
  return depends;
}

/// The ops of a path that move elements.
static Path moves(const Path &path) {
  Path result;
  llvm::copy_if(path, std::back_inserter(result),
                [](Operation *op) { return !op->hasTrait<trait::Elementwise>(); });
  return result;
}

static bool sameMoves(const Path &a, const Path &b) {
  Path x = moves(a), y = moves(b);
  return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [](auto pair) {
           auto [i, j] = pair;
           return i->getName() == j->getName() &&
                  i->getAttrDictionary() == j->getAttrDictionary() &&
                  staticShape(i->getResult(0)) == staticShape(j->getResult(0));
         });
}

std::optional<Placement> resolvePlacement(Value value, Value result) {
  llvm::DenseMap<Value, std::optional<Path>> paths;
  llvm::DenseMap<Value, bool> depends;
  std::optional<Path> path = findPath(value, result, paths);
  if (!path)
    return std::nullopt;
  // Every other way must lead to the same place.
  SmallVector<Value> work{result};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (current == value || !seen.insert(current).second)
      continue;
    std::optional<Path> here;
    for (Value operand : current.getDefiningOp()->getOperands()) {
      if (!dependsOn(operand, value, depends))
        continue;
      std::optional<Path> way = findPath(value, operand, paths);
      if (!way || (here && !sameMoves(*here, *way)))
        return std::nullopt;
      here = std::move(way);
      work.push_back(operand);
    }
  }
  SmallVector<Extent> strides = stridesAlong(*path, value);
  return Placement{std::move(*path), std::move(strides)};
}

//===----------------------------------------------------------------------===//
// Indices of a placement
//===----------------------------------------------------------------------===//

namespace {
class IndexMover {
public:
  IndexMover(KernelFrame &frame, int lanes) : frame(frame), lanes(lanes) {}

  SmallVector<LaneIndex> reshape(ReshapeOp op, ArrayRef<LaneIndex> indices) {
    SmallVector<Extent> p = shapeOf(op.getX()), q = shapeOf(op.getY());
    SmallVector<LaneIndex> result(q.size(), LaneIndex{frame.index(0), 0, nullptr});
    for (const AxisGroup &group : groupAxes(p, q))
      moveGroup(group, p, q, indices, result);
    return result;
  }

private:
  void moveGroup(const AxisGroup &group, ArrayRef<Extent> p, ArrayRef<Extent> q,
                 ArrayRef<LaneIndex> indices, MutableArrayRef<LaneIndex> result) {
    if (group.pEnd - group.p == 1 && group.qEnd - group.q == 1) {
      result[group.q] = indices[group.p];
      return;
    }
    SmallVector<Extent> strides = rowMajorStrides(p.slice(group.p, group.pEnd - group.p));
    LaneIndex linear{frame.index(0), 0, nullptr};
    for (unsigned i = group.p; i < group.pEnd; i++)
      linear = plus(linear, indices[i], strides[i - group.p]);
    split(linear, group, q, result);
  }

  /// linear + index * stride.
  LaneIndex plus(const LaneIndex &linear, const LaneIndex &index, const Extent &stride) {
    Value scale = emitExtent(frame, stride);
    bool irregular = linear.vector || index.vector || (index.step != 0 && !stride.constant());
    if (irregular) {
      OpBuilder &b = frame.builder();
      Value scales = b.create<vector::BroadcastOp>(frame.loc(), vectorType(), scale);
      Value scaled = b.create<arith::MulIOp>(frame.loc(), vector(index), scales);
      return {nullptr, 0, b.create<arith::AddIOp>(frame.loc(), vector(linear), scaled)};
    }
    int64_t step = index.step ? index.step * *stride.constant() : 0;
    return {add(frame, linear.base, mul(frame, index.base, scale)), linear.step + step, nullptr};
  }

  /// Indices along the axes of a group of a linear index in it.
  void split(LaneIndex linear, const AxisGroup &group, ArrayRef<Extent> q,
             MutableArrayRef<LaneIndex> result) {
    OpBuilder &b = frame.builder();
    for (unsigned j = group.qEnd; j-- > group.q;) {
      if (j == group.q) {
        result[j] = linear;
        return;
      }
      Value extent = emitExtent(frame, q[j]);
      std::optional<int64_t> size = q[j].constant();
      bool inside = linear.step == 0 || (size && linear.step == 1 && *size % lanes == 0);
      if (!linear.vector && inside) {
        result[j] = {b.createOrFold<arith::RemUIOp>(frame.loc(), linear.base, extent), linear.step,
                     nullptr};
        linear = {b.createOrFold<arith::DivUIOp>(frame.loc(), linear.base, extent), 0, nullptr};
        continue;
      }
      Value all = vector(linear);
      Value extents = b.create<vector::BroadcastOp>(frame.loc(), vectorType(), extent);
      result[j] = {nullptr, 0, b.create<arith::RemUIOp>(frame.loc(), all, extents)};
      linear = {nullptr, 0, b.create<arith::DivUIOp>(frame.loc(), all, extents)};
    }
  }

  VectorType vectorType() { return VectorType::get({lanes}, frame.builder().getIndexType()); }

  Value vector(const LaneIndex &index) {
    if (index.vector)
      return index.vector;
    OpBuilder &b = frame.builder();
    SmallVector<Attribute> steps;
    for (int lane = 0; lane < lanes; lane++)
      steps.push_back(b.getIndexAttr(lane * index.step));
    Value bases = b.create<vector::BroadcastOp>(frame.loc(), vectorType(), index.base);
    Value offsets =
        b.create<arith::ConstantOp>(frame.loc(), DenseElementsAttr::get(vectorType(), steps));
    return b.create<arith::AddIOp>(frame.loc(), bases, offsets);
  }

  KernelFrame &frame;
  int lanes;
};
} // namespace

SmallVector<LaneIndex> placeIndices(KernelFrame &frame, int lanes, const Placement &placement,
                                    ArrayRef<LaneIndex> indices) {
  IndexMover mover(frame, lanes);
  SmallVector<LaneIndex> current(indices);
  for (Operation *op : placement.path) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      SmallVector<LaneIndex> permuted;
      for (int64_t axis : transpose.getPermutation())
        permuted.push_back(current[axis]);
      current = std::move(permuted);
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      current = mover.reshape(reshape, current);
    }
  }
  return current;
}

} // namespace tenon::cpu
