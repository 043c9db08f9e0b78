//===- ExtentSolverTest.cpp - What equations between extents tell ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/ExtentSolver.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tenon;

namespace {

class ExtentSolverTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  ExtentSolver solver{&context};

  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, &context); }
  int64_t of(AffineExpr expr) { return solver.extentOf(expr); }
  bool equal(AffineExpr a, AffineExpr b) { return solver.requireEqual(of(a), of(b)); }
};

TEST_F(ExtentSolverTest, theLaterSymbolBecomesTheEarlier) {
  AffineExpr n = solver.addSymbol(), m = solver.addSymbol();
  EXPECT_TRUE(equal(n, m));
  EXPECT_TRUE(solver.isFree(0));
  EXPECT_FALSE(solver.isFree(1));
  EXPECT_EQ(solver.resolve(m * 2), n * 2);
  EXPECT_TRUE(solver.openChecks().empty());
}

TEST_F(ExtentSolverTest, aSolutionReachesWhatWasSolvedBefore) {
  AffineExpr a = solver.addSymbol(), b = solver.addSymbol(), c = solver.addSymbol();
  EXPECT_TRUE(equal(c, b + 1));
  EXPECT_TRUE(equal(b, a + 2));
  EXPECT_EQ(solver.resolve(c), a + 3);
  EXPECT_TRUE(equal(a, constant(4)));
  EXPECT_EQ(solver.resolve(b), constant(6));
  EXPECT_EQ(solver.resolve(c), constant(7));
  EXPECT_EQ(of(solver.resolve(c)), 7);
}

TEST_F(ExtentSolverTest, differentNumbersAreNotEqual) {
  AffineExpr n = solver.addSymbol();
  EXPECT_FALSE(equal(constant(2), constant(3)));
  EXPECT_TRUE(equal(n, constant(2)));
  EXPECT_FALSE(equal(n, constant(3)));
  EXPECT_FALSE(equal(n + 1, n));
  EXPECT_EQ(solver.resolve(n), constant(2));
}

TEST_F(ExtentSolverTest, noExtentIsNegative) {
  AffineExpr n = solver.addSymbol();
  EXPECT_TRUE(equal(n + 3, constant(2))); // kept: no run fulfils it
  EXPECT_TRUE(solver.isFree(0));
  ASSERT_EQ(solver.openChecks().size(), 1u);
  EXPECT_EQ(solver.openChecks()[0].kind, TENON_CHECK_EQUAL);
}

TEST_F(ExtentSolverTest, whatIsNotLinearWithSlopeOneIsChecked) {
  AffineExpr n = solver.addSymbol(), m = solver.addSymbol();
  solver.setOwner("reshape");
  EXPECT_TRUE(equal(n * 2, constant(6)));
  EXPECT_TRUE(equal(n * m, constant(6)));
  EXPECT_TRUE(solver.isFree(0));
  EXPECT_TRUE(solver.isFree(1));
  auto checks = solver.openChecks();
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].what, "reshape");
  EXPECT_EQ(checks[0].left, n * 2);
  EXPECT_EQ(checks[0].right, constant(6));
}

TEST_F(ExtentSolverTest, checksAreResolvedAndStandOnce) {
  AffineExpr a = solver.addSymbol(), b = solver.addSymbol();
  EXPECT_TRUE(solver.requireAtLeast(of(a), 2));
  EXPECT_TRUE(solver.requireAtLeast(of(b), 2));
  EXPECT_EQ(solver.openChecks().size(), 2u);
  EXPECT_TRUE(equal(a, b));
  auto checks = solver.openChecks();
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].left, a);
  EXPECT_TRUE(solver.requireAtLeast(of(a), 0)); // always
  EXPECT_EQ(solver.openChecks().size(), 1u);
}

TEST_F(ExtentSolverTest, multiplesAreToldWhereTheyAreKnown) {
  AffineExpr n = solver.addSymbol();
  EXPECT_TRUE(solver.requireMultiple(of(constant(6)), of(constant(3))));
  EXPECT_FALSE(solver.requireMultiple(of(constant(6)), of(constant(4))));
  EXPECT_FALSE(solver.requireMultiple(of(constant(6)), of(constant(0))));
  EXPECT_TRUE(solver.requireMultiple(of(constant(0)), of(constant(0))));
  EXPECT_TRUE(solver.requireMultiple(of(n * 6), of(constant(3))));
  EXPECT_TRUE(solver.requireMultiple(of(n), of(n)));
  EXPECT_TRUE(solver.openChecks().empty());
  EXPECT_TRUE(solver.requireMultiple(of(n), of(constant(3))));
  ASSERT_EQ(solver.openChecks().size(), 1u);
  EXPECT_EQ(solver.openChecks()[0].kind, TENON_CHECK_MULTIPLE);
}

TEST_F(ExtentSolverTest, leastSizesOfNumbersAreTold) {
  EXPECT_TRUE(solver.requireAtLeast(3, 3));
  EXPECT_FALSE(solver.requireAtLeast(2, 3));
}

} // namespace
