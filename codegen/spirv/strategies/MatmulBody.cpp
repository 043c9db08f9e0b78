//===- MatmulBody.cpp - What kernels around a matrix product share --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/MatmulBody.h"

#include "codegen/cpu/Placement.h"
#include "codegen/cpu/Views.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::ElementEmitter;
using cpu::LaneIndex;

MatmulBody::MatmulBody(SpirvFrame &frame, MatmulOp op)
    : frame(frame), b(frame.builder()), loc(frame.loc()), op(op), axes(op), buffers(frame),
      rank(axes.rank), rows(buffers.extentOf(op.getY(), rank - 2)),
      columns(buffers.extentOf(op.getY(), rank - 1)),
      depth(buffers.extentOf(op.getA(), axes.deepA)),
      type(ElementEmitter::computeType(getElementTypeOrSelf(op.getY().getType()))),
      vectorType(VectorType::get({4}, b.getI32Type())) {}

Value MatmulBody::isInside(Value index, AffineExpr extent, int64_t step) {
  if (frame.isMultiple(extent, step))
    return nullptr;
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, index, buffers.emit(extent));
}

Value MatmulBody::choose(Value condition, Type type, function_ref<Value()> ifTrue,
                         function_ref<Value()> ifFalse) {
  if (!condition)
    return ifTrue();
  auto branch = b.create<scf::IfOp>(loc, type, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(loc, ifTrue());
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, ifFalse());
  return branch.getResult(0);
}

/// Is this a matrix whose rows are the contiguous columns of what it is computed from?
static bool isTransposed(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return false;
  ArrayRef<int64_t> order = transpose.getPermutation();
  return order.back() != int64_t(order.size()) - 1;
}

void MatmulBody::forEachTile(int64_t height, int64_t width, int64_t team,
                             function_ref<void(const Operand &, const Operand &, Value)> emit) {
  SmallVector<AffineExpr> extents;
  for (unsigned axis = 0; axis < rank - 2; axis++)
    extents.push_back(buffers.extentOf(op.getY(), axis));
  extents.push_back(rows.ceilDiv(height));
  extents.push_back(columns.ceilDiv(width));
  AffineExpr count = b.getAffineConstantExpr(1);
  for (AffineExpr extent : extents)
    count = count * extent;
  frame.teams()->forEach(buffers.emit(count), team, [&](Value number, Value member) {
    SmallVector<Value> at = cpu::delinearize(frame, buffers, number, extents);
    batch.clear();
    for (Value i : ArrayRef(at).drop_back(2))
      batch.push_back({i, 0, nullptr, 1});
    // Along the depth lie those whose last axis it is, but for a transposition inside.
    Operand left{op.getA(),
                 0,
                 axes.wideA,
                 axes.deepA,
                 rows,
                 mul(at[rank - 2], height),
                 (axes.deepA == rank - 1) != isTransposed(op.getA())};
    Operand right{op.getB(),
                  1,
                  axes.wideB,
                  axes.deepB,
                  columns,
                  mul(at[rank - 1], width),
                  (axes.deepB == rank - 1) != isTransposed(op.getB())};
    emit(left, right, member);
  });
}

void MatmulBody::bindViews(ElementEmitter &e) {
  for (auto op : frame.kernel().getBody().front().getOps<ReshapeOp>()) {
    auto view = cpu::resolveView(op);
    auto isKnown = [](const cpu::Extent &extent) { return extent.constant().has_value(); };
    if (!view || !isa<BlockArgument>(view->base) || !llvm::all_of(view->strides, isKnown) ||
        !llvm::all_of(view->offset, isKnown))
      continue;
    bool isBool = op.getType().getElementType().isInteger(1);
    e.bind(op, [this, &e, isBool, view = *view](ArrayRef<LaneIndex> place) {
      LaneIndex at = e.uniform(cpu::emitOffset(frame, view));
      for (auto [index, stride] : llvm::zip(place, view.strides))
        if (!stride.is(0))
          at = e.plus(at, e.times(index, b.getAffineConstantExpr(*stride.constant())));
      return e.load(cpu::flatBuffer(frame, view), at, isBool);
    });
  }
}

Value MatmulBody::element(const Operand &operand, Value wide, Value deep) {
  ElementEmitter e(frame, 1, nullptr, &buffers);
  bindViews(e);
  SmallVector<LaneIndex> place(batch);
  place.resize(rank);
  place[operand.wideAxis] = e.uniform(wide);
  place[operand.deepAxis] = e.uniform(deep);
  return e.emit(operand.value, place);
}

/// The buffer that an operand is all of, but for a transposition of its last axes; else null.
static BlockArgument wholeBuffer(Value operand, unsigned rank) {
  if (auto transpose = operand.getDefiningOp<TransposeOp>()) {
    auto outer = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(rank) - 2));
    if (transpose.getPermutation().take_front(rank - 2) != ArrayRef(outer))
      return {};
    operand = transpose.getX();
  }
  return dyn_cast<BlockArgument>(operand);
}

bool MatmulBody::isInVectors(Value operand, Type element) const {
  BlockArgument source = wholeBuffer(operand, rank);
  if (!source || getElementTypeOrSelf(source.getType()) != element)
    return false;
  int64_t line = cast<RankedTensorType>(source.getType()).getShape().back();
  return !ShapedType::isDynamic(line) && line > 0 &&
         line % (128 / element.getIntOrFloatBitWidth()) == 0;
}

Value MatmulBody::vectorAt(const Operand &operand, Type element, Value wide, Value deep,
                           Value exists) {
  if (!isInVectors(operand.value, element))
    return nullptr;
  BlockArgument source = wholeBuffer(operand.value, rank);
  int64_t line = cast<RankedTensorType>(source.getType()).getShape().back();
  int64_t perVector = 128 / element.getIntOrFloatBitWidth();
  Value at = frame.index(0);
  for (unsigned axis = 0; axis + 1 < rank; axis++) {
    at = b.createOrFold<arith::MulIOp>(loc, at, buffers.emit(buffers.extentOf(source, axis)));
    at = add(at, axis + 2 < rank ? batch[axis].base : (operand.deepFirst ? wide : deep));
  }
  at = add(mul(at, line / perVector), div(operand.deepFirst ? deep : wide, perVector));
  // No branches: where there is nothing, what is there anyway is loaded and not taken.
  if (exists)
    at = b.create<arith::SelectOp>(loc, exists, at, frame.index(0));
  Value vector = b.create<memref::LoadOp>(loc, frame.bufferOfVectors(source.getArgNumber()), at);
  if (!exists)
    return vector;
  Value nothing = b.create<spv::ConstantOp>(loc, vectorType, b.getZeroAttr(vectorType));
  // Before SPIR-V 1.4 a vector is chosen by a vector.
  Value each = b.create<spv::CompositeConstructOp>(loc, VectorType::get({4}, b.getI1Type()),
                                                   SmallVector<Value>(4, exists));
  return b.create<arith::SelectOp>(loc, each, vector, nothing);
}

cpu::Values MatmulBody::sumOverDepth(const Operand &left, const Operand &right, ValueRange sums,
                                     const Pieces &pieces) {
  size_t numLeft = 0;
  auto load = [&](Value from) {
    cpu::Values loaded = pieces.load(left, from);
    numLeft = loaded.size();
    llvm::append_range(loaded, pieces.load(right, from));
    return loaded;
  };
  auto store = [&](ValueRange loaded) {
    pieces.store(left, loaded.take_front(numLeft));
    pieces.store(right, loaded.drop_front(numLeft));
    frame.barrier();
  };
  store(load(frame.index(0)));
  // The last piece is used after the loop: nothing is loaded that is not stored, and what is on
  // its way is not carried around the loop. With that NVIDIA's compiler gets by with registers for
  // two workgroups at a time.
  Value last = buffers.emit((depth.ceilDiv(pieces.depth) - 1) * pieces.depth);
  cpu::Values before = cpu::emitLoop(
      frame, frame.index(0), last, sums,
      [&](Value from, ValueRange sums) {
        cpu::Values ahead = load(add(from, pieces.depth));
        cpu::Values next = pieces.multiply(sums);
        frame.barrier();
        store(ahead);
        return next;
      },
      pieces.depth);
  return pieces.multiply(before);
}

void MatmulBody::whenInside(Value row, Value column, int64_t height, int64_t width,
                            function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  if (Value exists = both(isInside(row, rows, height), isInside(column, columns, width)))
    b.setInsertionPointToStart(b.create<scf::IfOp>(loc, exists).thenBlock());
  emit();
}

ValueRange MatmulBody::yielded() {
  return cast<YieldOp>(frame.kernel().getBody().front().getTerminator()).getValues();
}

MatmulBody::Results MatmulBody::resultsAt(Value row, Value column, Value sum,
                                          function_ref<void(ElementEmitter &)> bind) {
  ElementEmitter e(frame, 1, nullptr, &buffers);
  bind(e);
  SmallVector<LaneIndex> place(batch);
  place.push_back(e.uniform(row));
  place.push_back(e.uniform(column));
  Value product = op.getY();
  e.bind(product, [=](ArrayRef<LaneIndex>) { return sum; });
  Results results;
  for (Value value : yielded()) {
    cpu::Placement placement = *cpu::resolvePlacement(product, value);
    SmallVector<LaneIndex> at = cpu::placeIndices(frame, 1, placement, place);
    Value result = e.emit(value, at);
    results.push_back({result, at});
    if (value != product) // others may be computed from it
      e.bind(value, [=](ArrayRef<LaneIndex>) { return result; });
  }
  return results;
}

void MatmulBody::finish(Value row, Value column, int64_t height, int64_t width, Value sum) {
  whenInside(row, column, height, width, [&] {
    ElementEmitter e(frame, 1, nullptr, &buffers);
    for (auto [number, result] : llvm::enumerate(resultsAt(row, column, sum, [](auto &) {})))
      e.store(result.first, frame.result(number), result.second);
  });
}

} // namespace tenon::spirv
