//===- Fragments.cpp - Cooperative matrices whose elements are known ------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/Fragments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::Matrix;
using Use = spv::CooperativeMatrixUseKHR;
using Layout = spv::CooperativeMatrixLayoutKHR;

Fragments::Fragments(SpirvFrame &frame)
    : frame(frame), t(frame, frame.builder().getF32Type()), b(frame.builder()), loc(frame.loc()),
      vectorType(VectorType::get({4}, b.getI32Type())) {}

void Fragments::start(Value number) {
  frame.usesFragments = true;
  member = number;
  subgroup = frame.subgroup(), lane = frame.lane();
}

//===-- Between tensors and panels ----------------------------------------===//

Value Fragments::place(const Matrix &matrix, Value i, Value j) {
  Value row = t.add(matrix.offset, t.mul(i, matrix.rowStride));
  return t.add(row, t.mul(j, matrix.columnStride));
}

Value Fragments::at(const Panel &panel, Value row, Value vector) {
  return t.add(t.add(t.mul(row, panel.pitch()), vector), panel.first);
}

Value Fragments::both(Value x, Value y) { return b.createOrFold<arith::AndIOp>(loc, x, y); }

/// Is there a vector with this number, `first` plus that of the invocation?
Value Fragments::isInPanel(const Panel &panel, Value number, int64_t first) {
  if (first + team <= panel.count())
    return b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
  return t.less(number, t.at(panel.count()));
}
/// Is it also one with elements of the matrix?
Value Fragments::isInside(const Panel &panel, Value number, Value column, int64_t first) {
  return both(isInPanel(panel, number, first),
              panel.width == panel.padded ? b.create<arith::ConstantOp>(loc, b.getBoolAttr(true))
                                          : t.less(column, t.at(panel.width / kVector)));
}

Fragments::Values Fragments::fetch(const Panel &panel, const Matrix &matrix, Value firstRow,
                                   Value lastRow) {
  Value none = b.create<spv::ConstantOp>(loc, vectorType, b.getZeroAttr(vectorType));
  Values vectors;
  int64_t line = panel.padded / kVector;
  auto known = getConstantIntValue(lastRow);
  bool isWhole = known && *known >= panel.rows && *known % panel.rows == 0;
  if (isWhole)
    firstRow = t.min(firstRow, t.at(*known - panel.rows));
  for (int64_t i = 0; i < panel.count(); i += team) {
    Value number = t.add(member, i);
    Value row = t.add(firstRow, t.div(number, t.at(line))), column = rem(number, t.at(line));
    Value exists = isInside(panel, number, column, i);
    if (!isWhole)
      exists = both(t.less(row, lastRow), exists);
    // No branches: where there is nothing, what is there anyway is loaded and not taken.
    bool isSure = matchPattern(exists, m_One());
    Value first = place(matrix, row, t.mul(column, kVector));
    if (!isSure)
      first = b.create<arith::SelectOp>(loc, exists, first, t.at(0));
    Value vector =
        b.create<memref::LoadOp>(loc, frame.inVectors(matrix.memory), t.div(first, t.at(kVector)));
    if (!isSure)
      vector = b.create<arith::SelectOp>(loc, exists, vector, none);
    vectors.push_back(vector);
  }
  return vectors;
}

void Fragments::put(const Panel &panel, ValueRange vectors) {
  int64_t line = panel.padded / kVector;
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    Value number = t.add(member, int64_t(i) * team);
    Value to = at(panel, t.div(number, t.at(line)), rem(number, t.at(line)));
    t.when(isInPanel(panel, number, int64_t(i) * team),
           [&, vector = vector] { b.create<memref::StoreOp>(loc, vector, memory, to); });
  }
}

void Fragments::copyOut(const Panel &panel, const Matrix &matrix, Value firstRow, Value lastRow) {
  int64_t line = panel.padded / kVector;
  for (int64_t i = 0; i < panel.count(); i += team) {
    Value number = t.add(member, i);
    Value inPanel = t.div(number, t.at(line)), column = rem(number, t.at(line));
    Value row = t.add(firstRow, inPanel);
    Value exists = both(t.less(row, lastRow), isInside(panel, number, column, i));
    t.when(exists, [&] {
      Value vector = b.create<memref::LoadOp>(loc, memory, at(panel, inPanel, column));
      Value first = place(matrix, row, t.mul(column, kVector));
      b.create<memref::StoreOp>(loc, vector, frame.inVectors(matrix.memory),
                                t.div(first, t.at(kVector)));
    });
  }
}

//===-- Matrices ----------------------------------------------------------===//

spv::CooperativeMatrixType Fragments::matrixOf(Type element, Use use) {
  return spv::CooperativeMatrixType::get(element, kMatrix, kMatrix, spv::Scope::Subgroup, use);
}

Value Fragments::word(int64_t value) {
  return b.create<spv::ConstantOp>(loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
}

static spv::MemoryAccessAttr sharedAccess(OpBuilder &b) {
  return spv::MemoryAccessAttr::get(b.getContext(), spv::MemoryAccess::NonPrivatePointer);
}

Value Fragments::load(const Panel &panel, Value row, int64_t column, bool isLeft,
                      bool isTransposed) {
  Value from = at(panel, row, t.at(column * kMatrix / kVector));
  return b.create<spv::KHRCooperativeMatrixLoadOp>(
      loc, matrixOf(b.getF16Type(), isLeft ? Use::MatrixA : Use::MatrixB),
      frame.address(memory, from), isTransposed ? Layout::ColumnMajor : Layout::RowMajor,
      word(panel.pitch()), sharedAccess(b));
}

Value Fragments::left(const Panel &panel, Value row, int64_t column) {
  return load(panel, row, column, /*isLeft=*/true, /*isTransposed=*/false);
}
Value Fragments::right(const Panel &panel, int64_t row, int64_t column) {
  return load(panel, t.at(row), column, /*isLeft=*/false, /*isTransposed=*/false);
}
Value Fragments::rightTransposed(const Panel &panel, int64_t row, int64_t column) {
  return load(panel, t.at(row), column, /*isLeft=*/false, /*isTransposed=*/true);
}

void Fragments::save(const Panel &panel, Value sums, Value row, int64_t column) {
  Value narrow = b.create<spv::FConvertOp>(loc, matrixOf(b.getF16Type(), Use::MatrixAcc), sums);
  Value to = at(panel, row, t.at(column * kMatrix / kVector));
  b.create<spv::KHRCooperativeMatrixStoreOp>(loc, frame.address(memory, to), narrow,
                                             Layout::RowMajor, word(panel.pitch()),
                                             sharedAccess(b));
}

Value Fragments::zeros() {
  return b.create<spv::CompositeConstructOp>(loc, matrixOf(b.getF32Type(), Use::MatrixAcc),
                                             number(0));
}
Value Fragments::zerosLeft() {
  Value zero = cpu::splatConstant(b, loc, b.getF16Type(), 0);
  return b.create<spv::CompositeConstructOp>(loc, matrixOf(b.getF16Type(), Use::MatrixA), zero);
}
Value Fragments::multiply(Value left, Value right, Value sum) {
  return b.create<spv::KHRCooperativeMatrixMulAddOp>(loc, left, right, sum);
}

//===-- Elements ----------------------------------------------------------===//

Value Fragments::element(Value matrix, int64_t i) {
  // MLIR 19's folder takes a matrix of one value for a vector.
  if (auto splat = matrix.getDefiningOp<spv::CompositeConstructOp>())
    return splat.getConstituents()[0];
  return b.create<spv::CompositeExtractOp>(loc, matrix, ArrayRef<int32_t>{int32_t(i)});
}
Value Fragments::insert(Value x, Value matrix, int64_t i) {
  return b.create<spv::CompositeInsertOp>(loc, x, matrix, ArrayRef<int32_t>{int32_t(i)});
}

Value Fragments::columnOf(int64_t i) {
  int64_t fixed = i / kMatrix * kMatrix + i % 2 + i % kMatrix / 2 * 8;
  return t.add(t.mul(rem(lane, t.at(4)), 2), fixed);
}

Value Fragments::isFirstOfRow() {
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rem(lane, t.at(4)), t.at(0));
}

void Fragments::forEachElement(Values &matrices, int64_t across,
                               function_ref<Value(int64_t, int64_t, int64_t, Value)> replace) {
  for (auto [number, matrix] : llvm::enumerate(matrices))
    for (int64_t i = 0; i < kElements; i++)
      matrix = insert(replace(int64_t(number) / across, i / kHalf,
                              int64_t(number) % across * kMatrix + i % kHalf, element(matrix, i)),
                      matrix, i);
}

Value Fragments::any(Value condition) {
  Value ballot =
      b.create<spv::GroupNonUniformBallotOp>(loc, vectorType, spv::Scope::Subgroup, condition);
  Value lanes = b.create<spv::CompositeExtractOp>(loc, ballot, ArrayRef<int32_t>{0}); // 32 of them
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, lanes, word(0));
}

Value Fragments::overLanes(Value x, int64_t lanes, function_ref<Value(Value, Value)> combine) {
  for (int64_t step = 1; step < lanes; step *= 2)
    x = combine(x, b.create<spv::GroupNonUniformShuffleXorOp>(loc, x.getType(),
                                                              spv::Scope::Subgroup, x, word(step)));
  return x;
}

Value Fragments::toNumber(Value x) {
  if (x.getType().isF32())
    return x;
  if (x.getType().isF64())
    return b.create<arith::TruncFOp>(loc, b.getF32Type(), x);
  return b.create<arith::ExtFOp>(loc, b.getF32Type(), x);
}

Value Fragments::ofNumber(Value x, Type storage) {
  if (storage.isF32())
    return x;
  if (storage.isF64())
    return b.create<arith::ExtFOp>(loc, storage, x);
  return b.create<arith::TruncFOp>(loc, storage, x);
}

} // namespace tenon::spirv
