//===- MatmulDot.cpp - Few rows, by columns that lie along k --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix by a vector: every element of the matrix is needed once, so it is read as
// it lies, with lanes along k, and the lanes' sums are added up at the end.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu::matmul {

/// Lane i of the result is the sum of the lanes of vector i. A step adds neighbours
/// at a distance, and puts those of two vectors next to each other.
Value MatmulEmitter::addLanes(SmallVector<Value> vectors) {
  int64_t n = vectors.size();
  for (int64_t bit = 1; bit < n; bit *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      auto [low, high] = exchange(vectors[i], vectors[i + 1], bit);
      next.push_back(b.create<arith::AddFOp>(loc, low, high));
    }
    vectors = std::move(next);
  }
  return vectors.front();
}

/// One row by as many columns as there are lanes.
Value MatmulEmitter::emitDots(const Block &block, Value row, Value column, Value depth) {
  Matrix rows, columns;
  if (p.rows.direct)
    rows = inBuffer(p.rows, block.batch, index(0));
  if (p.columns.direct)
    columns = inBuffer(p.columns, block.batch, index(0));
  SmallVector<Value> numbers;
  for (int64_t lane = 0; lane < plan.lanes; lane++) {
    Value number = offset(column, lane);
    if (plan.columnEdge)
      number = min(number, sub(block.columnEnd, index(1)));
    numbers.push_back(number);
  }
  auto step = [&](Value k, ValueRange sums, Value mask) {
    LaneIndex at{k, 1, nullptr};
    Value x = loadOperand(p.rows, rows, block.batch, {row, 0, nullptr}, at, index(0), mask);
    SmallVector<Value> next;
    for (auto [number, sum] : llvm::zip(numbers, sums)) {
      Value y =
          loadOperand(p.columns, columns, block.batch, {number, 0, nullptr}, at, index(0), mask);
      Value product = fma(x, y, sum);
      // What is computed of lanes beyond the end is not 0: cos(0), a repeated scalar.
      next.push_back(mask ? b.create<arith::SelectOp>(loc, mask, product, sum) : product);
    }
    return next;
  };
  auto loop = [&](Value begin, Value end, SmallVector<Value> sums, bool masked) {
    auto loop = b.create<scf::ForOp>(loc, begin, end, index(plan.lanes), sums,
                                     [&](OpBuilder &, Location, Value k, ValueRange current) {
                                       Value kMask = masked ? mask(sub(end, k)) : Value();
                                       b.create<scf::YieldOp>(loc, step(k, current, kMask));
                                     });
    return SmallVector<Value>(loop.getResults());
  };
  SmallVector<Value> sums(plan.lanes, frame.constant(vectorType, 0));
  Value lanes = index(plan.lanes);
  Value full = mul(b.createOrFold<arith::DivUIOp>(loc, depth, lanes), lanes);
  sums = loop(index(0), full, std::move(sums), false);
  if (p.kDivisor % plan.lanes != 0)
    sums = loop(full, depth, std::move(sums), true);
  return addLanes(std::move(sums));
}

void MatmulEmitter::emitDotBlock(const Block &block) {
  Value k = emitExtent(frame, p.k);
  forLoop(block.column, block.columnEnd, plan.lanes, [&](Value column) {
    forLoop(block.row, block.rowEnd, 1, [&](Value row) {
      Value columnMask = plan.columnEdge ? mask(sub(block.columnEnd, column)) : Value();
      finishVector(block, emitDots(block, row, column, k), row, column, columnMask);
    });
  });
}

} // namespace tenon::cpu::matmul
