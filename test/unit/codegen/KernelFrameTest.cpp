//===- KernelFrameTest.cpp - Frame, lowering, objects and linking ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/CompiledKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::cpu;
using namespace tenon::test;

namespace {

/// Adds two vectors in slices of 100, tails masked; each slice goes through the
/// worker's scratch.
LogicalResult emitAdd(KernelFrame &frame) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  Value n = frame.extent(0, 0);
  constexpr int64_t slice = 100;
  Type element = cast<RankedTensorType>(frame.kernel().getInputs()[0].getType()).getElementType();
  int lanes = frame.target().lanes(element);
  auto type = VectorType::get(lanes, element);
  auto maskType = VectorType::get(lanes, b.getI1Type());
  unsigned staging = frame.addWorkerScratch(element, {b.getAffineConstantExpr(slice + 64)});
  Value two = frame.constant(element, 2);
  frame.parallelFor(
      n, frame.index(slice), {n, two}, [&](Value begin, Value end, ValueRange captures) {
        Value zero = frame.constant(type, 0);
        auto loop = [&](auto body) {
          auto loopOp = b.create<scf::ForOp>(loc, begin, end, frame.index(lanes));
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(loopOp.getBody());
          Value i = loopOp.getInductionVar();
          Value left = b.create<arith::SubIOp>(loc, end, i);
          Value mask = b.create<vector::CreateMaskOp>(loc, maskType, left);
          body(i, Value(b.create<arith::SubIOp>(loc, i, begin)), mask);
        };
        loop([&](Value i, Value local, Value mask) {
          Value x = b.create<vector::MaskedLoadOp>(loc, type, frame.buffer(0), i, mask, zero);
          Value y = b.create<vector::MaskedLoadOp>(loc, type, frame.buffer(1), i, mask, zero);
          Value sum = b.create<arith::AddFOp>(loc, x, y);
          b.create<vector::StoreOp>(loc, sum, frame.scratch(staging), local);
        });
        loop([&](Value i, Value local, Value mask) {
          Value sum = b.create<vector::LoadOp>(loc, type, frame.scratch(staging), local);
          Value factor = b.create<vector::BroadcastOp>(loc, type, captures[1]);
          Value product = b.create<arith::MulFOp>(loc, sum, factor);
          b.create<vector::MaskedStoreOp>(loc, frame.result(0), i, mask, product);
        });
      });
  return success();
}

class KernelFrameTest : public ::testing::TestWithParam<const char *> {};

TEST_P(KernelFrameTest, AddsVectorsOfAnyLength) {
  Kernel kernel("tensor<?xf32>, tensor<?xf32>", "tensor<?xf32>", emitAdd, GetParam());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.perWorkerBytes({0, 0, 0}), (164 * 4 + 63) / 64 * 64);
  for (int64_t n : {0, 1, 7, 16, 99, 100, 101, 1000, 1003}) {
    std::vector<float> x(n), y(n), z(n + 1, -1);
    for (int64_t i = 0; i < n; ++i)
      x[i] = float(i), y[i] = float(3 * i % 17);
    kernel.run({x.data(), y.data(), z.data()}, {n, n, n});
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(z[i], 2 * (x[i] + y[i])) << "element " << i << " of " << n;
    EXPECT_EQ(z[n], -1) << "written beyond the end";
  }
}

TEST_P(KernelFrameTest, StaticShapesNeedNoExtents) {
  Kernel kernel("tensor<45xf64>, tensor<45xf64>", "tensor<45xf64>", emitAdd, GetParam());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<double> x(45, 1), y(45, 2), z(46, -1);
  kernel.run({x.data(), y.data(), z.data()}, {});
  for (int64_t i = 0; i < 45; ++i)
    ASSERT_EQ(z[i], 6);
  EXPECT_EQ(z[45], -1);
}

/// Copies a matrix transposed through shared scratch and a private function.
LogicalResult emitTranspose(KernelFrame &frame) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  AffineExpr rows = frame.extentExpr(0, 0), columns = frame.extentExpr(0, 1);
  frame.addSharedScratch(b.getF64Type(), {b.getAffineConstantExpr(3)}); // shifts the other
  unsigned id = frame.addSharedScratch(b.getF32Type(), {columns, rows});
  auto square = frame.addFunction("square", b.getF32Type(), b.getF32Type(), true,
                                  [&](ValueRange x) -> SmallVector<Value> {
                                    return {b.create<arith::MulFOp>(loc, x[0], x[0])};
                                  });
  auto nest = [&](auto body) {
    auto outer = b.create<scf::ForOp>(loc, frame.index(0), frame.extent(0, 0), frame.index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(outer.getBody());
    auto inner = b.create<scf::ForOp>(loc, frame.index(0), frame.extent(0, 1), frame.index(1));
    b.setInsertionPointToStart(inner.getBody());
    body(outer.getInductionVar(), inner.getInductionVar());
  };
  nest([&](Value i, Value j) {
    Value x = b.create<memref::LoadOp>(loc, frame.buffer(0), ValueRange{i, j});
    Value y = b.create<func::CallOp>(loc, square, x).getResult(0);
    b.create<memref::StoreOp>(loc, y, frame.scratch(id), ValueRange{j, i});
  });
  nest([&](Value i, Value j) {
    Value x = b.create<memref::LoadOp>(loc, frame.scratch(id), ValueRange{j, i});
    b.create<memref::StoreOp>(loc, x, frame.result(0), ValueRange{j, i});
  });
  return success();
}

TEST_P(KernelFrameTest, SharedScratchOfDynamicShape) {
  Kernel kernel("tensor<?x?xf32>", "tensor<?x?xf32>", emitTranspose, GetParam());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.sharedBytes({5, 7, 7, 5}), 64 + 192);
  std::vector<float> x(35), y(35);
  for (int i = 0; i < 35; ++i)
    x[i] = float(i);
  kernel.run({x.data(), y.data()}, {5, 7, 7, 5});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j)
      EXPECT_EQ(y[j * 5 + i], x[i * 7 + j] * x[i * 7 + j]);
}

INSTANTIATE_TEST_SUITE_P(Targets, KernelFrameTest,
                         ::testing::Values("native", "x86-64-v2", "x86-64-v3"));

TEST(KernelFrame, LibraryCallsAreRefused) {
  Kernel kernel("tensor<?xf32>", "tensor<?xf32>", [](KernelFrame &frame) {
    OpBuilder &b = frame.builder();
    Value x = b.create<memref::LoadOp>(frame.loc(), frame.buffer(0), frame.index(0));
    Value y = b.create<math::ExpOp>(frame.loc(), x);
    b.create<memref::StoreOp>(frame.loc(), y, frame.result(0), frame.index(0));
    return success();
  });
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.error().find("no native code for 'math.exp'"), std::string::npos)
      << kernel.error();
}

} // namespace
