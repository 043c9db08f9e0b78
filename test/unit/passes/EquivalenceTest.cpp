//===- EquivalenceTest.cpp - Passes keep what programs compute ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of test/passes/*.mlir is evaluated by the interpreter before and
// after the graph phases; where it asks for gradients, before means derived from the
// program as it is written, without any fusion.
//
//===----------------------------------------------------------------------===//
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "test/unit/Dialects.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using tenon::reference::Array;

namespace tenon {
namespace {

std::vector<std::string> testFiles() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(TENON_PASS_TESTS, error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".mlir") && !StringRef(it->path()).contains("invalid"))
      files.push_back(it->path());
  llvm::sort(files);
  return files;
}

class EquivalenceTest : public ::testing::TestWithParam<std::string> {
protected:
  EquivalenceTest() : context(test::programDialects()) { context.loadAllAvailableDialects(); }

  /// Numbers in (0.2, 1.2), or small integers: arguments that every op takes.
  Array draw(Type type) {
    Array array(*inferTypeOf(type));
    for (int64_t i = 0; i < array.size(); i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if (array.type.isFloat())
        array.set(i, 0.2 + double(state >> 11) * 0x1p-53);
      else
        array.set(i, int64_t(state >> 60) % (array.type.isBool() ? 2 : 4));
    }
    return array;
  }

  static bool isStatic(func::FuncOp function) {
    auto known = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
    return llvm::all_of(function.getArgumentTypes(), known) &&
           llvm::all_of(function.getResultTypes(), known);
  }

  static void expectClose(const Array &a, const Array &b, const std::string &where) {
    ASSERT_EQ(a.size(), b.size()) << where;
    for (int64_t i = 0; i < a.size(); i++) {
      if (std::isnan(a.at(i)) && std::isnan(b.at(i)))
        continue;
      // Casts round to f32 and f16 within.
      ASSERT_NEAR(a.at(i), b.at(i), 1e-5 * (1 + std::abs(a.at(i)))) << where << " element " << i;
    }
  }

  void check(func::FuncOp before, func::FuncOp after) {
    std::vector<Array> arguments;
    for (Type type : before.getArgumentTypes())
      arguments.push_back(draw(type));
    auto expected = reference::evaluate(before, arguments);
    auto got = reference::evaluate(after, arguments);
    ASSERT_TRUE(succeeded(expected) && succeeded(got)) << before.getName().str();
    for (size_t i = 0; i < expected->size(); i++)
      expectClose((*expected)[i], (*got)[i],
                  before.getName().str() + " result " + std::to_string(i));
  }

  MLIRContext context;
  uint64_t state = 7;
};

TEST_P(EquivalenceTest, PhasesKeepResults) {
  auto buffer = llvm::MemoryBuffer::getFile(GetParam());
  ASSERT_TRUE(bool(buffer));
  SmallVector<StringRef> parts;
  (*buffer)->getBuffer().split(parts, "// -----");
  for (StringRef part : parts) {
    OwningOpRef<ModuleOp> before = parseSourceString<ModuleOp>(part.str(), &context);
    ASSERT_TRUE(before);
    OwningOpRef<ModuleOp> after = before->clone();
    PassManager derive(&context), phases(&context);
    derive.addNestedPass<func::FuncOp>(createDeriveBackwardPass());
    ASSERT_TRUE(succeeded(derive.run(*before)));
    buildInputPhase(phases, {});
    buildFusedPhase(phases, {});
    buildDifferentiatedPhase(phases, {});
    ASSERT_TRUE(succeeded(phases.run(*after)));
    for (auto function : before->getOps<func::FuncOp>())
      if (isStatic(function))
        check(function, after->lookupSymbol<func::FuncOp>(function.getName()));
  }
}

TEST(EquivalenceFiles, AreFound) { EXPECT_GT(testFiles().size(), 60u); }

INSTANTIATE_TEST_SUITE_P(
    Files, EquivalenceTest, ::testing::ValuesIn(testFiles()), [](const auto &info) {
      std::string name = llvm::sys::path::stem(info.param).str();
      std::string folder =
          llvm::sys::path::filename(llvm::sys::path::parent_path(info.param)).str();
      name = folder + "_" + name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace tenon
