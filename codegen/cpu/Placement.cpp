//===- Placement.cpp - Where results put the elements of a value ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

static ArrayRef<int64_t> staticShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
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
    OpBuilder &b = frame.builder();
    Value moved = b.createOrFold<arith::MulIOp>(frame.loc(), index.base, scale);
    moved = b.createOrFold<arith::AddIOp>(frame.loc(), linear.base, moved);
    return {moved, linear.step + step, nullptr};
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
