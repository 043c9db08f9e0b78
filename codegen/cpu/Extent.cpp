//===- Extent.cpp - Extents as products of other extents ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Extent.h"

#include "passes/ExtentExpressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

int64_t divisorOf(KernelFrame &frame, const Extent &extent) {
  int64_t product = extent.factor;
  for (auto [value, axis] : extent.symbols)
    if (auto argument = dyn_cast<BlockArgument>(value))
      product = divisorOfProduct(product,
                                 frame.divisorOf(frame.extentExpr(argument.getArgNumber(), axis)));
  return product;
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
  if (auto gather = dyn_cast<GatherAlongOp>(op))
    return emitExtent(frame, gather.getIds(), axis);
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

SmallVector<AxisGroup> groupAxes(ArrayRef<Extent> p, ArrayRef<Extent> q) {
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

std::optional<SmallVector<Extent>> reshapeStrides(ArrayRef<Extent> p, ArrayRef<Extent> strides,
                                                  ArrayRef<Extent> q) {
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

} // namespace tenon::cpu
