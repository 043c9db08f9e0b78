//===- OpCoverageTest.cpp - Every op is complete --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A new op is not done before it has a backward rule (or NotDifferentiable), a model
// of the reference interpreter, an entry in the inference tables, a way to compute
// it on the CPU (an element rule, or a strategy that takes it as a root) and a program
// in test/e2e. What has no example in its documentation fails in test/ir/examples.py, what has
// no generator, or no case of a dtype, in `tenon-fuzz --each-op`.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/ElementEmitter.h"
#include "reference/ErrorBounds.h"
#include "test/unit/Dialects.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace tenon {
namespace {

class OpCoverageTest : public ::testing::Test {
protected:
  OpCoverageTest() : context(test::programDialects()) { context.loadAllAvailableDialects(); }

  template <typename Visit> void forEachOp(Visit visit) {
    int count = 0;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (name.getDialectNamespace() == "tenon") {
        visit(name);
        count++;
      }
    EXPECT_GT(count, 60);
  }

  /// Ops that stand for structure: no values to infer or to evaluate by themselves.
  static bool isStructure(StringRef name) {
    return name == "tenon.yield" || name == "tenon.kernel" || name == "tenon.loop" ||
           name == "tenon.if" || name == "tenon.constant" || name == "tenon.custom";
  }

  MLIRContext context;
};

TEST_F(OpCoverageTest, BackwardRuleOrNotDifferentiable) {
  forEachOp([](RegisteredOperationName name) {
    bool rule = name.hasInterface<DifferentiableOpInterface>();
    bool none = name.hasTrait<trait::NotDifferentiable>();
    EXPECT_NE(rule, none) << name.getStringRef().str()
                          << (rule ? " has a rule and NotDifferentiable"
                                   : " has no rule and not NotDifferentiable");
  });
}

TEST_F(OpCoverageTest, ReferenceModel) {
  forEachOp([](RegisteredOperationName name) {
    if (name.getStringRef() == "tenon.yield" || name.getStringRef() == "tenon.gradient")
      return;
    EXPECT_TRUE(name.hasInterface<ReferenceOpInterface>()) << name.getStringRef().str();
  });
}

TEST_F(OpCoverageTest, ErrorBound) {
  forEachOp([](RegisteredOperationName name) {
    StringRef full = name.getStringRef();
    if (!isStructure(full) || full == "tenon.constant")
      if (full != "tenon.gradient") // replaced before it is evaluated
        EXPECT_TRUE(reference::hasErrorBound(name)) << full.str();
  });
}

TEST_F(OpCoverageTest, InferenceEntry) {
  forEachOp([](RegisteredOperationName name) {
    StringRef full = name.getStringRef();
    if (!isStructure(full))
      EXPECT_GE(infer::findOp(full.drop_front(6).str().c_str()), 0) << full.str();
  });
}

/// Roots are judged by ops as they stand in a program, here the examples of the docs.
TEST_F(OpCoverageTest, ComputedByTheCpu) {
  OwningOpRef<ModuleOp> examples = parseSourceFile<ModuleOp>(TENON_OP_EXAMPLES, &context);
  ASSERT_TRUE(examples);
  auto hasRoot = [](Operation *op) {
    return llvm::any_of(cpu::cpuStrategies().all(),
                        [&](const auto &strategy) { return strategy->canRoot(op); });
  };
  forEachOp([&](RegisteredOperationName name) {
    if (isStructure(name.getStringRef()) || name.getStringRef() == "tenon.gradient")
      return;
    bool computed = false;
    examples->walk([&](Operation *op) {
      if (op->getName() == name)
        computed |= cpu::ElementEmitter::canEmit(op) || hasRoot(op);
    });
    EXPECT_TRUE(computed) << name.getStringRef().str()
                          << " has no element rule, and no strategy takes its example as a root";
  });
}

/// Kernels are made by passes from all others.
TEST_F(OpCoverageTest, ComparedEndToEnd) {
  std::string programs;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(TENON_E2E_TESTS, error), end; file != end && !error;
       file.increment(error))
    if (auto buffer = llvm::MemoryBuffer::getFile(file->path()))
      programs += (*buffer)->getBuffer();
  ASSERT_FALSE(error);
  forEachOp([&](RegisteredOperationName name) {
    if (name.getStringRef() == "tenon.kernel" || name.getStringRef() == "tenon.yield")
      return;
    llvm::Regex used(llvm::Regex::escape(name.getStringRef()) + "[^a-z_0-9]");
    EXPECT_TRUE(used.match(programs)) << name.getStringRef().str() << " is in no test of test/e2e";
  });
}

TEST_F(OpCoverageTest, TablesNameOnlyOps) {
  for (int id = 0; id < infer::numOps(); id++) {
    std::string name = std::string("tenon.") + infer::opSpec(id).name;
    EXPECT_TRUE(RegisteredOperationName::lookup(name, &context)) << name;
  }
}

} // namespace
} // namespace tenon
