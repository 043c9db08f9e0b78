//===- CollapseAxes.cpp - Fewer axes for the same elements ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each value and each pair of neighbouring axes one bit: may they be one? Ops
// tie pairs of operands and results together, or keep a pair apart; what is tied to a
// pair that is kept apart stays apart as well.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CollapseAxes.h"

#include "codegen/cpu/Decompose.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

class Pairs {
public:
  /// The pair of axes `axis` and `axis + 1`.
  unsigned id(Value value, unsigned axis) {
    auto [it, added] = first.try_emplace(value, unsigned(parent.size()));
    if (added)
      for (int64_t i = 0; i + 1 < rankOf(value); i++) {
        parent.push_back(unsigned(parent.size()));
        apart.push_back(false);
      }
    return it->second + axis;
  }
  void tie(Value a, unsigned i, Value b, unsigned j) {
    unsigned x = find(id(a, i)), y = find(id(b, j));
    apart[y] = apart[y] || apart[x];
    parent[x] = y;
  }
  void tieAll(Value a, Value b) {
    for (int64_t i = 0; i + 1 < rankOf(a); i++)
      tie(a, i, b, i);
  }
  void keepApart(Value value, int64_t axis) {
    if (axis >= 0 && axis + 1 < rankOf(value))
      apart[find(id(value, axis))] = true;
  }
  /// The pairs on both sides of an axis.
  void isolate(Value value, int64_t axis) {
    keepApart(value, axis - 1);
    keepApart(value, axis);
  }
  void keepAllApart(Value value) {
    for (int64_t i = 0; i + 1 < rankOf(value); i++)
      keepApart(value, i);
  }
  bool mayMerge(Value value, unsigned axis) { return !apart[find(id(value, axis))]; }

private:
  unsigned find(unsigned x) {
    while (parent[x] != x)
      x = parent[x] = parent[parent[x]];
    return x;
  }
  DenseMap<Value, unsigned> first;
  SmallVector<unsigned> parent;
  SmallVector<bool> apart;
};

/// Ties and separations by op.
struct Constraints {
  Pairs &pairs;
  BodyBuffers &buffers;

  void broadcast(BroadcastOp op) {
    Value x = op.getX(), y = op.getResult();
    enum Kind { New, Same, Repeated };
    auto kindOf = [&](int64_t axis) {
      auto it = llvm::find(op.getDims(), axis);
      if (it == op.getDims().end())
        return std::make_pair(New, int64_t(-1));
      int64_t from = it - op.getDims().begin();
      if (buffers.extentOf(x, from) == buffers.extentOf(y, axis))
        return std::make_pair(Same, from);
      // A dynamic extent is that of the result, whatever it is.
      return std::make_pair(tensorOf(x).getDimSize(from) == 1 ? Repeated : Same, from);
    };
    SmallVector<bool> tied(std::max<int64_t>(rankOf(x) - 1, 0), false);
    for (int64_t axis = 0; axis + 1 < rankOf(y); axis++) {
      auto [a, i] = kindOf(axis);
      auto [c, j] = kindOf(axis + 1);
      if (a == New && c == New)
        continue;
      if (a == c && j == i + 1) {
        pairs.tie(x, i, y, axis);
        tied[i] = true;
      } else {
        pairs.keepApart(y, axis);
      }
    }
    for (auto [i, isTied] : llvm::enumerate(tied))
      if (!isTied)
        pairs.keepApart(x, i);
    if (op.getLike())
      pairs.tieAll(op.getLike(), y);
  }

  void transpose(TransposeOp op) {
    Value x = op.getX(), y = op.getResult();
    ArrayRef<int64_t> from = op.getPermutation();
    SmallVector<bool> tied(std::max<int64_t>(rankOf(x) - 1, 0), false);
    for (int64_t axis = 0; axis + 1 < rankOf(y); axis++) {
      if (from[axis + 1] == from[axis] + 1) {
        pairs.tie(x, from[axis], y, axis);
        tied[from[axis]] = true;
      } else {
        pairs.keepApart(y, axis);
      }
    }
    for (auto [i, isTied] : llvm::enumerate(tied))
      if (!isTied)
        pairs.keepApart(x, i);
  }

  /// y has the axes of x but for those that are reduced, which it has if `keep`.
  void reduction(Value x, Value y, ArrayRef<int64_t> axes, bool keep) {
    auto isReduced = [&](int64_t axis) { return llvm::is_contained(axes, axis); };
    int64_t to = 0; // the axis of y that is `axis`, or the next one that is kept
    for (int64_t axis = 0; axis + 1 < rankOf(x); axis++) {
      bool here = isReduced(axis), next = isReduced(axis + 1);
      if (here != next) {
        pairs.keepApart(x, axis);
        if (keep)
          pairs.keepApart(y, axis);
      } else if (keep) {
        pairs.tie(x, axis, y, axis);
      } else if (!here) {
        pairs.tie(x, axis, y, to);
      }
      if (!keep && !here) {
        if (next) // whatever is behind the reduced axes
          pairs.keepApart(y, to);
        to++;
      }
    }
  }

  /// The axes before the last `windowed` ones of the smaller tensor are the same.
  void windows(Value x, Value y, int64_t windowed) {
    int64_t leading = std::min(rankOf(x), rankOf(y)) - windowed;
    for (int64_t axis = 0; axis + 1 < leading; axis++)
      pairs.tie(x, axis, y, axis);
    for (Value value : {x, y})
      for (int64_t axis = std::max<int64_t>(leading - 1, 0); axis + 1 < rankOf(value); axis++)
        pairs.keepApart(value, axis);
  }

  void isolateAxis(Operation *op, int64_t axis) {
    for (Value value :
         llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
      if (rankOf(value) == rankOf(op->getResult(0))) {
        pairs.tieAll(value, op->getResult(0));
        pairs.isolate(value, axis);
      }
  }

  void tieOperands(Operation *op) {
    for (Value result : op->getResults())
      for (Value operand : op->getOperands())
        if (rankOf(operand) == rankOf(result))
          pairs.tieAll(operand, result);
  }

  void visit(Operation *op) {
    if (auto axes = reducedAxes(op)) {
      auto keep = op->getAttrOfType<BoolAttr>("keep");
      return reduction(op->getOperand(0), op->getResult(0), *axes, keep && keep.getValue());
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](BroadcastOp o) { broadcast(o); })
        .Case([&](TransposeOp o) { transpose(o); })
        .Case<FillOp, RandomUniformOp, RandomNormalOp>([&](auto o) {
          if (o.getLike())
            pairs.tieAll(o.getLike(), o.getResult());
        })
        .Case([&](IotaOp o) { isolateAxis(o, o.getAxis()); })
        .Case([&](ConcatOp o) { isolateAxis(o, o.getAxis()); })
        .Case([&](SliceOp o) {
          pairs.tieAll(o.getX(), o.getResult());
          for (int64_t i = 0; i < rankOf(o.getX()); i++)
            if (o.getOffsets()[i] != 0 || o.getStrides()[i] != 1 ||
                buffers.extentOf(o.getX(), i) != buffers.extentOf(o.getResult(), i))
              pairs.isolate(o.getX(), i);
        })
        .Case([&](PadOp o) {
          pairs.tieAll(o.getX(), o.getResult());
          for (int64_t i = 0; i < rankOf(o.getX()); i++)
            if (o.getLow()[i] || o.getHigh()[i])
              pairs.isolate(o.getX(), i);
        })
        .Case([&](GatherOp o) {
          int64_t ids = rankOf(o.getIds());
          for (int64_t i = 0; i + 1 < ids; i++)
            pairs.tie(o.getIds(), i, o.getResult(), i);
          pairs.keepApart(o.getResult(), ids - 1);
          pairs.keepApart(o.getTable(), 0);
          for (int64_t i = 1; i + 1 < rankOf(o.getTable()); i++)
            pairs.tie(o.getTable(), i, o.getResult(), ids + i - 1);
        })
        .Case([&](OneHotOp o) {
          for (int64_t i = 0; i + 1 < rankOf(o.getIds()); i++)
            pairs.tie(o.getIds(), i, o.getResult(), i);
          pairs.keepApart(o.getResult(), rankOf(o.getIds()) - 1);
        })
        .Case([&](WindowsOp o) { windows(o.getX(), o.getResult(), o.getStrides().size()); })
        .Case([&](FoldWindowsOp o) {
          windows(o.getX(), o.getResult(), o.getStrides().size());
          if (o.getLike())
            pairs.tieAll(o.getLike(), o.getResult());
        })
        // The same elements in the same order, whatever the axes.
        .Case([&](ReshapeOp) {})
        .Case<ConstantOp, YieldOp>([](auto) {})
        .Case<SgdOp, MomentumOp, AdamOp, DropoutOp>([&](auto o) { tieOperands(o); })
        .Default([&](Operation *other) {
          if (other->hasTrait<trait::Elementwise>())
            return tieOperands(other);
          for (Value value : other->getOperands())
            pairs.keepAllApart(value);
          for (Value value : other->getResults())
            pairs.keepAllApart(value);
        });
  }
};

/// Extents by the axes of before.
class PlainBuffers : public BodyBuffers {
public:
  PlainBuffers(KernelFrame &frame, ArrayRef<unsigned> results)
      : BodyBuffers(frame), results(results) {}
  unsigned bufferOfYield(unsigned operand) override {
    return frame.numOperands() + results[operand];
  }

private:
  ArrayRef<unsigned> results;
};

/// New axes in place of old ones.
struct Renumbering {
  DenseMap<Value, SmallVector<unsigned, 8>> axisOf; ///< old axis -> new axis

  unsigned axis(Value value, int64_t old) { return axisOf[value][old]; }
  /// Entries of a per-axis attribute, the first of each new axis.
  SmallVector<int64_t> firsts(Value value, ArrayRef<int64_t> entries) {
    SmallVector<int64_t> result;
    for (auto [old, entry] : llvm::enumerate(entries))
      if (result.size() == axis(value, old))
        result.push_back(entry);
    return result;
  }
  SmallVector<int64_t> axes(Value value, ArrayRef<int64_t> old) {
    SmallVector<int64_t> result;
    for (int64_t o : old)
      if (!llvm::is_contained(result, int64_t(axis(value, o))))
        result.push_back(axis(value, o));
    return result;
  }

  /// Types are new already.
  void rewrite(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>(
            [&](auto o) { o.setAxes(axes(o.getX(), o.getAxes())); })
        .Case<ArgmaxOp, ArgminOp>([&](auto o) { o.setAxis(axis(o.getX(), o.getAxis())); })
        .Case([&](IotaOp o) {
          o.setAxis(axis(o.getResult(), o.getAxis()));
          o.setShape(shapeOf(o.getResult()));
        })
        .Case([&](ConcatOp o) { o.setAxis(axis(o.getResult(), o.getAxis())); })
        .Case<FillOp, RandomUniformOp, RandomNormalOp, ReshapeOp>(
            [&](auto o) { o.setShape(shapeOf(o.getResult())); })
        .Case([&](BroadcastOp o) {
          o.setDims(axes(o.getResult(), firsts(o.getX(), o.getDims())));
          o.setShape(shapeOf(o.getResult()));
        })
        .Case([&](TransposeOp o) {
          o.setPermutation(axes(o.getX(), firsts(o.getResult(), o.getPermutation())));
        })
        .Case([&](SliceOp o) {
          o.setOffsets(firsts(o.getX(), o.getOffsets()));
          o.setStrides(firsts(o.getX(), o.getStrides()));
          o.setSizes(shapeOf(o.getResult()));
        })
        .Case([&](PadOp o) {
          o.setLow(firsts(o.getX(), o.getLow()));
          o.setHigh(firsts(o.getX(), o.getHigh()));
        })
        .Case([&](ConstantOp o) {
          auto dense = cast<DenseElementsAttr>(o.getValue());
          o.setValueAttr(dense.resizeSplat(tensorOf(o.getResult())));
        });
  }
};

} // namespace

CollapsedBuffers::CollapsedBuffers(KernelFrame &frame, KernelOp kernel,
                                   ArrayRef<unsigned> resultNumbers,
                                   ArrayRef<SmallVector<Value>> alike, const ReducedShape &reduced)
    : BodyBuffers(frame), results(resultNumbers) {
  Block &body = kernel.getBody().front();
  // Until the end extents are asked for by old axes.
  PlainBuffers plain(frame, results);
  Pairs pairs;
  Constraints constraints{pairs, plain};
  for (Operation &op : body)
    constraints.visit(&op);
  if (reduced.row)
    constraints.reduction(reduced.full, reduced.row, reduced.axes, /*keep=*/false);
  for (const SmallVector<Value> &values : alike)
    for (Value value : ArrayRef(values).drop_front())
      pairs.tieAll(values.front(), value);

  Renumbering renumbering;
  DenseMap<Value, Type> newTypes;
  auto collapse = [&](Value value) {
    auto old = tensorOf(value);
    SmallVector<unsigned, 8> axisOf;
    SmallVector<int64_t> shape;
    Groups axes;
    for (int64_t i = 0; i < old.getRank(); i++) {
      int64_t extent = old.getDimSize(i);
      if (i > 0 && pairs.mayMerge(value, i - 1)) {
        bool dynamic = ShapedType::isDynamic(extent) || ShapedType::isDynamic(shape.back());
        shape.back() = dynamic ? ShapedType::kDynamic : shape.back() * extent;
        axes.back().push_back(i);
      } else {
        shape.push_back(extent);
        axes.push_back({unsigned(i)});
      }
      axisOf.push_back(shape.size() - 1);
    }
    renumbering.axisOf[value] = axisOf;
    newTypes[value] = old.clone(shape);
    return axes;
  };
  for (Value argument : body.getArguments())
    groups.push_back(collapse(argument));
  for (Operation &op : body)
    for (Value result : op.getResults())
      collapse(result);
  for (Value value : body.getTerminator()->getOperands())
    groups.push_back(collapse(value));

  for (auto [value, type] : newTypes)
    const_cast<Value &>(value).setType(type);
  for (Operation &op : body)
    renumbering.rewrite(&op);
  for (Value argument : body.getArguments())
    types.push_back(argument.getType());
  for (Value value : body.getTerminator()->getOperands())
    types.push_back(value.getType());
}

unsigned CollapsedBuffers::slot(unsigned buffer) {
  unsigned operands = frame.numOperands();
  if (buffer < operands)
    return buffer;
  return operands + (llvm::find(results, buffer - operands) - results.begin());
}

AffineExpr CollapsedBuffers::extent(unsigned index, unsigned dim) {
  AffineExpr product = getAffineConstantExpr(1, types[slot(index)].getContext());
  for (unsigned old : groups[slot(index)][dim])
    product = product * frame.extentExpr(index, old);
  return product;
}

Value CollapsedBuffers::buffer(unsigned index) {
  Value whole = frame.buffer(index);
  auto old = cast<MemRefType>(whole.getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(types[slot(index)]).getShape();
  if (old.getShape() == shape)
    return whole;
  OpBuilder &b = frame.builder();
  SmallVector<OpFoldResult> sizes, strides(shape.size());
  SmallVector<AffineExpr> extents;
  for (unsigned dim = 0; dim < shape.size(); dim++)
    extents.push_back(extent(index, dim));
  auto fold = [&](AffineExpr e) -> OpFoldResult {
    if (auto constant = dyn_cast<AffineConstantExpr>(e))
      return b.getIndexAttr(constant.getValue());
    return emit(e);
  };
  AffineExpr stride = getAffineConstantExpr(1, b.getContext());
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = fold(stride);
    stride = stride * extents[i];
  }
  for (AffineExpr e : extents)
    sizes.push_back(fold(e));
  auto type = MemRefType::get(shape, old.getElementType());
  return b.create<memref::ReinterpretCastOp>(frame.loc(), type, whole, b.getIndexAttr(0), sizes,
                                             strides);
}

} // namespace tenon::cpu
