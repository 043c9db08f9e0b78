//===- AttentionBlock.cpp - Products of a workgroup's tiles ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invocations stand in 8 groups of rows by 16 groups of columns. Memory has two parts: a tile, or
// pieces of both operands of products(); and a piece of the right operand of addProducts(), or
// what invocations tell each other. Vectors in memory hold four rows, or four columns that
// are apart, so that neighbours load and store neighbours.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/AttentionBlock.h"

#include "codegen/cpu/Num.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::Num;

AttentionBlock::AttentionBlock(SpirvFrame &frame, cpu::TileBuilder &t, ArrayRef<int64_t> widths,
                               int64_t tiles)
    : frame(frame), t(t), b(t.b), loc(t.loc), vectorType(VectorType::get({kVector}, t.element)) {
  int64_t ofRow = tiles * columnsEach;
  for (int64_t width : widths)
    ofRow += vectorsOf(width) / kColumnGroups * kVector;
  if (t.element.isF64() || each * ofRow > kMostNumbers)
    each = 4;
  int64_t second = kColumnGroups * rowLine();
  for (int64_t width : widths)
    second = std::max(second, depthOf(width) * (vectorsOf(width) + 1));
  memorySize = tileSize() + second;
}

int64_t AttentionBlock::vectorsOf(int64_t width) const {
  return std::max<int64_t>(kColumnGroups, llvm::PowerOf2Ceil(llvm::divideCeil(width, kVector)));
}

int64_t AttentionBlock::depthOf(int64_t width) const {
  return (t.element.isF64() ? 1 : 2) * team / vectorsOf(width);
}

void AttentionBlock::setMember(Value value) {
  member = value;
  rowGroup = t.div(member, t.at(kColumnGroups));
  columnGroup = rem(member, kColumnGroups);
}

Value AttentionBlock::rem(Value x, int64_t n) {
  return b.createOrFold<arith::RemUIOp>(loc, x, t.at(n));
}

Value AttentionBlock::row(int64_t i) {
  return t.add(t.mul(t.add(rowGroup, i / kVector * kRowGroups), kVector), i % kVector);
}
Value AttentionBlock::column(int64_t j) { return t.add(columnGroup, j * kColumnGroups); }
Value AttentionBlock::isFirstOfRow() {
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, columnGroup, t.at(0));
}
Value AttentionBlock::sumColumn(int64_t width, int64_t j) {
  return t.add(columnGroup, j / kVector * kColumnGroups + j % kVector * vectorsOf(width));
}

Value AttentionBlock::load(const cpu::Matrix &matrix, Value row, Value column) {
  Value at =
      t.add(matrix.offset, t.add(t.mul(row, matrix.rowStride), t.mul(column, matrix.columnStride)));
  return t.widen(b.create<memref::LoadOp>(loc, matrix.memory, at));
}

Value AttentionBlock::vectorOf(ArrayRef<Value> elements) {
  return b.create<spv::CompositeConstructOp>(loc, vectorType, elements);
}

void AttentionBlock::loadElements(int64_t place, Value at, Values &elements) {
  Value vector =
      b.create<memref::LoadOp>(loc, frame.shared(0, vectorType, memorySize), t.add(at, place));
  for (int32_t i = 0; i < kVector; i++)
    elements.push_back(b.create<spv::CompositeExtractOp>(loc, vector, ArrayRef<int32_t>{i}));
}

void AttentionBlock::storeVector(Value vector, int64_t place, Value at) {
  b.create<memref::StoreOp>(loc, vector, frame.shared(0, vectorType, memorySize), t.add(at, place));
}

/// A loop over elements of the depth that are in memory, a few at a time.
AttentionBlock::Values
AttentionBlock::overDepth(int64_t depth, ValueRange sums,
                          function_ref<void(Value, int64_t, MutableArrayRef<Value>)> multiply) {
  constexpr int64_t kUnroll = 2;
  return t.loop(t.at(0), t.at(depth), kUnroll, sums, [&](Value k, ValueRange carried) {
    Values next(carried);
    for (int64_t u = 0; u < kUnroll; u++)
      multiply(k, u, next);
    return next;
  });
}

//===----------------------------------------------------------------------===//
// products()
//===----------------------------------------------------------------------===//

/// Element i of vector w are rows w * along + i * across.
AttentionBlock::Values AttentionBlock::piece(const Rows &rows, Value from, int64_t vectors,
                                             int64_t along, int64_t across) {
  Values piece;
  for (int64_t first = 0; first < kDepth * vectors; first += team) {
    Value number = t.add(member, first), deep = t.add(from, rem(number, kDepth));
    Value wide = t.add(rows.first, t.mul(t.div(number, t.at(kDepth)), along));
    Value exists = rows.width % kDepth ? t.less(deep, t.at(rows.width)) : Value();
    if (exists)
      deep = t.min(deep, t.at(rows.width - 1));
    Values elements;
    for (int64_t i = 0; i < kVector; i++) {
      Value at = t.add(wide, i * across);
      if (rows.end)
        at = t.min(at, t.sub(rows.end, t.at(1)));
      Value x = load(rows.matrix, at, deep);
      if (rows.factor != 1)
        x = t.mulf(x, t.scalar(rows.factor));
      elements.push_back(exists ? t.select(exists, x, t.scalar(0)) : x);
    }
    piece.push_back(vectorOf(elements));
  }
  return piece;
}

void AttentionBlock::storePiece(ValueRange piece, int64_t place, int64_t line) {
  for (auto [i, vector] : llvm::enumerate(piece)) {
    Value number = t.add(member, int64_t(i) * team);
    Value at = t.add(t.mul(rem(number, kDepth), line), t.div(number, t.at(kDepth)));
    storeVector(vector, place, at);
  }
}

AttentionBlock::Values AttentionBlock::products(const Rows &own, const Rows &others) {
  int64_t columnLine = kColumnGroups + 1, columnPlace = kDepth * rowLine();
  Values zeros(size_t(each * columnsEach), t.scalar(0));
  return t.loop(t.at(0), t.at(own.width), kDepth, zeros, [&](Value from, ValueRange sums) {
    Values left = piece(own, from, rows() / kVector, kVector, 1);
    Values right = piece(others, from, kColumnGroups, 1, kColumnGroups);
    frame.barrier();
    storePiece(left, 0, rowLine());
    storePiece(right, columnPlace, columnLine);
    frame.barrier();
    return overDepth(kDepth, sums, [&](Value k, int64_t u, MutableArrayRef<Value> next) {
      Values x, y;
      Value row = t.add(t.mul(k, rowLine()), rowGroup);
      for (int64_t i = 0; i < each; i += kVector)
        loadElements(u * rowLine() + i / kVector * kRowGroups, row, x);
      loadElements(columnPlace + u * columnLine, t.add(t.mul(k, columnLine), columnGroup), y);
      for (int64_t i = 0; i < each; i++)
        for (int64_t j = 0; j < columnsEach; j++) {
          Value &sum = next[size_t(i * columnsEach + j)];
          sum = fma(Num(b, loc, x[i]), Num(b, loc, y[j]), Num(b, loc, sum));
        }
    });
  });
}

//===----------------------------------------------------------------------===//
// addProducts()
//===----------------------------------------------------------------------===//

void AttentionBlock::keep(ValueRange tile) {
  frame.barrier();
  for (int64_t j = 0; j < columnsEach; j++)
    for (int64_t i = 0; i < each; i += kVector) {
      Values elements;
      for (int64_t e = 0; e < kVector; e++)
        elements.push_back(tile[(i + e) * columnsEach + j]);
      storeVector(vectorOf(elements), i / kVector * kRowGroups,
                  t.add(t.mul(column(j), rowLine()), rowGroup));
    }
}

AttentionBlock::Values AttentionBlock::zeroSums(int64_t width) {
  return Values(size_t(each * vectorsOf(width) / kColumnGroups * kVector), t.scalar(0));
}

AttentionBlock::Values AttentionBlock::addProducts(ValueRange sums, const Rows &others,
                                                   bool isHiding) {
  int64_t vectors = vectorsOf(others.width), depth = depthOf(others.width);
  int64_t wide = vectors / kColumnGroups * kVector;
  auto load = [&](Value from, int64_t first) {
    Value number = t.add(member, first), deep = t.add(from, t.div(number, t.at(vectors)));
    Value row = t.add(others.first, deep);
    Value exists = others.end ? t.less(row, others.end) : Value();
    if (exists)
      row = t.min(row, t.sub(others.end, t.at(1)));
    Values elements;
    for (int64_t i = 0; i < kVector; i++) {
      Value at = t.add(rem(number, vectors), i * vectors);
      if (others.width < vectors * kVector)
        at = t.min(at, t.at(others.width - 1));
      Value x = this->load(others.matrix, row, at);
      elements.push_back(exists ? t.select(exists, x, t.scalar(0)) : x);
    }
    return vectorOf(elements);
  };
  return t.loop(t.at(0), t.at(columns), depth, sums, [&](Value from, ValueRange carried) {
    Values piece;
    for (int64_t first = 0; first < depth * vectors; first += team)
      piece.push_back(load(from, first));
    frame.barrier();
    for (auto [i, vector] : llvm::enumerate(piece)) {
      Value number = t.add(member, int64_t(i) * team);
      storeVector(vector, tileSize(),
                  t.add(t.mul(t.div(number, t.at(vectors)), vectors + 1), rem(number, vectors)));
    }
    frame.barrier();
    return overDepth(depth, carried, [&](Value k, int64_t u, MutableArrayRef<Value> next) {
      Values x, y;
      Value row = t.add(t.mul(t.add(from, k), rowLine()), rowGroup);
      Value right = t.add(t.mul(k, vectors + 1), columnGroup);
      for (int64_t i = 0; i < each; i += kVector)
        loadElements(u * rowLine() + i / kVector * kRowGroups, row, x);
      for (int64_t j = 0; j < wide; j += kVector)
        loadElements(tileSize() + u * (vectors + 1) + j / kVector * kColumnGroups, right, y);
      for (int64_t i = 0; i < each; i++) {
        Num left(b, loc, x[i]), isZero = left == 0.0;
        for (int64_t j = 0; j < wide; j++) {
          Num right(b, loc, y[j]);
          if (isHiding)
            right = select(isZero, right.like(0), right);
          Value &sum = next[size_t(i * wide + j)];
          sum = fma(left, right, Num(b, loc, sum));
        }
      }
    });
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

AttentionBlock::Values AttentionBlock::overRows(ValueRange own,
                                                function_ref<Value(Value, Value)> merge) {
  frame.barrier();
  for (int64_t i = 0; i < each; i += kVector)
    storeVector(vectorOf(Values(own.slice(i, kVector))), tileSize() + i / kVector * kRowGroups,
                t.add(t.mul(columnGroup, rowLine()), rowGroup));
  frame.barrier();
  Values all;
  for (int64_t c = 0; c < kColumnGroups; c++) {
    Values loaded;
    for (int64_t i = 0; i < each; i += kVector)
      loadElements(tileSize() + c * rowLine() + i / kVector * kRowGroups, rowGroup, loaded);
    for (int64_t i = 0; i < each; i++)
      if (c == 0)
        all.push_back(loaded[i]);
      else
        all[i] = merge(all[i], loaded[i]);
  }
  return all;
}

void AttentionBlock::store(ValueRange sums, int64_t width, const cpu::Matrix &place, Value first,
                           Value end) {
  int64_t wide = vectorsOf(width) / kColumnGroups * kVector;
  for (int64_t i = 0; i < each; i++) {
    Value at = t.add(first, row(i));
    t.when(t.less(at, end), [&] {
      Value line = t.add(place.offset, t.mul(at, place.rowStride));
      for (int64_t j = 0; j < wide; j++) {
        Value c = sumColumn(width, j);
        auto storeOne = [&] {
          b.create<memref::StoreOp>(loc, t.narrow(sums[i * wide + j], place.storage()),
                                    place.memory, t.add(line, t.mul(c, place.columnStride)));
        };
        if (width == wide * kColumnGroups)
          storeOne();
        else
          t.when(t.less(c, t.at(width)), storeOne);
      }
    });
  }
}

} // namespace tenon::spirv
