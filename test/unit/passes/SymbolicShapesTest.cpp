//===- SymbolicShapesTest.cpp - Extents of values from those of arguments -===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/SymbolicShapes.h"

#include "ir/TenonOps.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tenon;

namespace {

class SymbolicShapesTest : public testing::Test {
protected:
  SymbolicShapesTest() {
    context.loadDialect<TenonDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &d) {
      message = d.str();
      return success();
    });
  }
  /// Of the one function in a text.
  FailureOr<SymbolicShapes> compute(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    function = *module->getOps<func::FuncOp>().begin();
    return SymbolicShapes::compute(function);
  }
  Value returned(unsigned i = 0) {
    return function.getBody().front().getTerminator()->getOperand(i);
  }
  AffineExpr symbol(unsigned i) { return getAffineSymbolExpr(i, &context); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, &context); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::string message;
};

TEST_F(SymbolicShapesTest, numbersNeedNoSymbols) {
  auto shapes = compute(R"(func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %y = tenon.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  EXPECT_EQ(shapes->numSymbols(), 0u);
  EXPECT_EQ(shapes->bytes(returned()), constant(24));
  EXPECT_TRUE(shapes->dynamicExtents(returned()).empty());
}

TEST_F(SymbolicShapesTest, operandsOfOneOpShareASymbol) {
  auto shapes =
      compute(R"(func.func @f(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %z = tenon.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    return %z : tensor<?x3xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  EXPECT_EQ(shapes->numSymbols(), 1u);
  EXPECT_EQ(shapes->extents(function.getArgument(1))[0], symbol(0));
  EXPECT_EQ(shapes->extents(returned())[0], symbol(0));
  EXPECT_EQ(shapes->elements(returned()), symbol(0) * 3);
  EXPECT_TRUE(shapes->checks().empty());
}

TEST_F(SymbolicShapesTest, symbolsThatAreLeftAreNumberedAnew) {
  auto shapes = compute(R"(
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %s = tenon.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %s, %z : tensor<?xf32>, tensor<?xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  EXPECT_EQ(shapes->numSymbols(), 2u);
  EXPECT_EQ(shapes->extents(returned(0))[0], symbol(0));
  EXPECT_EQ(shapes->extents(returned(1))[0], symbol(1));
}

TEST_F(SymbolicShapesTest, aTypeThatStatesAnExtentSettlesTheArgument) {
  auto shapes = compute(R"(func.func @f(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %z = tenon.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %z : tensor<4xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  EXPECT_EQ(shapes->numSymbols(), 0u);
  EXPECT_EQ(shapes->extents(function.getArgument(0))[0], constant(4));
}

TEST_F(SymbolicShapesTest, extentsOfConcatenationsAreSums) {
  auto shapes = compute(R"(func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %z = tenon.concat %x, %y {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %z : tensor<?xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  EXPECT_EQ(shapes->numSymbols(), 2u);
  EXPECT_EQ(shapes->extents(returned())[0], symbol(0) + symbol(1));
}

TEST_F(SymbolicShapesTest, extentsThatCannotAgreeAreAnError) {
  auto shapes = compute(R"(
    func.func @f(%x: tensor<?xf32>, %a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %y = tenon.add %x, %a : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
    %z = tenon.add %x, %b : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %z : tensor<3xf32> })");
  EXPECT_TRUE(failed(shapes));
  EXPECT_FALSE(message.empty());
}

TEST_F(SymbolicShapesTest, multiplesAreCheckedAndKnown) {
  auto shapes = compute(R"(
    func.func @f(%x: tensor<?x?xf32> {tenon.multiple_of = array<i64: 8, 1>},
                 %y: tensor<?xf32> {tenon.multiple_of = array<i64: 12>}) -> tensor<?xf32> {
    %s = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
    %z = tenon.concat %s, %y {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %z : tensor<?xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  ASSERT_EQ(shapes->checks().size(), 2u);
  EXPECT_EQ(shapes->checks()[0], (ExtentCheck{TENON_CHECK_MULTIPLE, symbol(0), constant(8), ""}));
  EXPECT_EQ(shapes->checks()[0].what, "input 'input0' axis 0");
  EXPECT_EQ(shapes->divisorOf(symbol(0)), 8);
  EXPECT_EQ(shapes->divisorOf(symbol(1)), 1);
  EXPECT_EQ(shapes->divisorOf(symbol(2) * symbol(0)), 96);
  EXPECT_EQ(shapes->divisorOf(shapes->extents(returned())[0]), 4);
  EXPECT_EQ(shapes->divisorOf((symbol(0) * 3).ceilDiv(4)), 6);
  EXPECT_EQ(shapes->divisorOf((symbol(0) + 1).ceilDiv(4)), 1);
  EXPECT_EQ(shapes->divisorOf(constant(0)), 0);
}

TEST_F(SymbolicShapesTest, anExtentThatIsKnownHasToBeAMultiple) {
  auto shapes = compute(R"(
    func.func @f(%x: tensor<?xf32> {tenon.multiple_of = array<i64: 8>}, %y: tensor<12xf32>) -> tensor<12xf32> {
    %z = tenon.add %x, %y : (tensor<?xf32>, tensor<12xf32>) -> tensor<12xf32>
    return %z : tensor<12xf32> })");
  ASSERT_TRUE(succeeded(shapes)) << message;
  ASSERT_EQ(shapes->checks().size(), 1u); // no run fulfils it
  EXPECT_EQ(shapes->checks()[0],
            (ExtentCheck{TENON_CHECK_MULTIPLE, constant(12), constant(8), ""}));
}

} // namespace
