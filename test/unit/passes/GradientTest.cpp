//===- GradientTest.cpp - Derived gradients against central differences ---===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case is the body of a small function of f64 arguments a, b, c, ... that
// computes y. Its first derivative, derived by tenon-derive-backward and evaluated
// by the interpreter, is compared with central differences of the function, and the
// derivative of the derivative with central differences of the derivative.
//
//===----------------------------------------------------------------------===//
#include "GradientCases.h"

#include "passes/Passes.h"
#include "test/unit/Dialects.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using tenon::reference::Array;

namespace tenon {

std::ostream &operator<<(std::ostream &os, const GradientCase &c) { return os << c.name; }

namespace {

/// The functions of a case: @f gives y, @df the gradient of every argument for the
/// seed s, @ddf that of <gradients, v> again.
class GradientTest : public ::testing::TestWithParam<GradientCase> {
protected:
  GradientTest() : context(test::programDialects()) { context.loadAllAvailableDialects(); }

  static std::string argument(size_t i) { return "%" + std::string(1, char('a' + i)); }
  static std::string tensor(const std::string &shape) { return "tensor<" + shape + ">"; }

  std::string source(int order) const {
    const GradientCase &c = GetParam();
    std::string signature, body = c.body, results, types;
    for (size_t i = 0; i < c.arguments.size(); i++)
      signature += argument(i) + ": " + tensor(c.arguments[i]) + ", ";
    signature += "%s: " + tensor(c.result);
    auto gradient = [&](const std::string &name, const std::string &y, const std::string &yType,
                        size_t x, const std::string &seed) {
      body += "  " + name + " = tenon.gradient " + y + ", " + argument(x) + ", " + seed + " : (" +
              yType + ", " + tensor(c.arguments[x]) + ", " + yType + ") -> " +
              tensor(c.arguments[x]) + "\n";
    };
    auto result = [&](const std::string &name, const std::string &type) {
      results += (results.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + type;
    };
    if (order == 0)
      result("%y", tensor(c.result));
    for (size_t i = 0; order > 0 && i < c.arguments.size(); i++) {
      gradient("%g" + std::to_string(i), "%y", tensor(c.result), i, "%s");
      if (order == 1)
        result("%g" + std::to_string(i), tensor(c.arguments[i]));
      else
        signature += ", %v" + std::to_string(i) + ": " + tensor(c.arguments[i]);
    }
    for (size_t i = 0; order > 1 && i < c.arguments.size(); i++)
      for (size_t j = 0; j < c.arguments.size(); j++) {
        std::string name = "%h" + std::to_string(i) + "_" + std::to_string(j);
        gradient(name, "%g" + std::to_string(i), tensor(c.arguments[i]), j,
                 "%v" + std::to_string(i));
        result(name, tensor(c.arguments[j]));
      }
    return "func.func @f(" + signature + ") -> (" + types + ") {\n" + body + "  return " + results +
           " : " + types + "\n}\n";
  }

  /// Parses, derives, and finds no gradient op left.
  OwningOpRef<ModuleOp> derive(int order) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source(order), &context);
    EXPECT_TRUE(module) << source(order);
    if (!module)
      return module;
    PassManager pm(&context);
    pm.addNestedPass<func::FuncOp>(createDeriveBackwardPass());
    EXPECT_TRUE(succeeded(pm.run(*module)));
    EXPECT_TRUE(succeeded(verify(*module)));
    module->walk([](GradientOp op) { ADD_FAILURE() << "a gradient op is left"; });
    return module;
  }

  std::vector<Array> run(ModuleOp module, ArrayRef<Array> arguments) {
    auto function = module.lookupSymbol<func::FuncOp>("f");
    auto results = reference::evaluate(function, arguments);
    EXPECT_TRUE(succeeded(results));
    return succeeded(results) ? *results : std::vector<Array>();
  }

  /// Numbers in the case's range, the same in every run.
  Array draw(const std::string &shape, double low, double high) {
    auto type = cast<RankedTensorType>(parseType("tensor<" + shape + ">", &context));
    Array array(*inferTypeOf(type));
    for (int64_t i = 0; i < array.size(); i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      array.set(i, low + (high - low) * double(state >> 11) * 0x1p-53);
    }
    return array;
  }

  static double dot(const Array &a, const Array &b) {
    double sum = 0;
    for (int64_t i = 0; i < a.size(); i++)
      sum += a.at(i) * b.at(i);
    return sum;
  }

  /// Compares `gradients[j]`, summed over rows of results, with central differences
  /// of `value` by argument j.
  template <typename Value>
  void compare(std::vector<Array> arguments, size_t numArguments,
               const std::vector<Array> &gradients, Value value) {
    const double step = 1e-6;
    for (size_t j = 0; j < numArguments; j++) {
      for (int64_t i = 0; i < arguments[j].size(); i++) {
        double kept = arguments[j].at(i), derived = 0;
        arguments[j].set(i, kept + step);
        double above = value(arguments);
        arguments[j].set(i, kept - step);
        double below = value(arguments);
        arguments[j].set(i, kept);
        for (size_t row = j; row < gradients.size(); row += numArguments)
          derived += gradients[row].at(i);
        double expected = (above - below) / (2 * step);
        EXPECT_NEAR(derived, expected, 1e-5 + 1e-3 * std::abs(expected))
            << "argument " << char('a' + j) << ", element " << i;
      }
    }
  }

  MLIRContext context;
  uint64_t state = 1;
};

TEST_P(GradientTest, AgreesWithCentralDifferences) {
  const GradientCase &c = GetParam();
  size_t count = c.arguments.size();
  std::vector<Array> arguments;
  for (const std::string &shape : c.arguments)
    arguments.push_back(draw(shape, c.low, c.high));
  Array seed = draw(c.result, -1, 1);
  arguments.push_back(seed);

  OwningOpRef<ModuleOp> f = derive(0), df = derive(1);
  ASSERT_TRUE(f && df);
  std::vector<Array> gradients = run(*df, arguments);
  ASSERT_EQ(gradients.size(), count);
  compare(arguments, count, gradients,
          [&](const std::vector<Array> &at) { return dot(run(*f, at)[0], seed); });

  if (!c.second)
    return;
  OwningOpRef<ModuleOp> ddf = derive(2);
  ASSERT_TRUE(ddf);
  std::vector<Array> directions;
  for (const std::string &shape : c.arguments)
    directions.push_back(draw(shape, -1, 1));
  arguments.insert(arguments.end(), directions.begin(), directions.end());
  compare(arguments, count, run(*ddf, arguments), [&](std::vector<Array> at) {
    at.resize(count + 1);
    std::vector<Array> first = run(*df, at);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
      sum += dot(first[i], directions[i]);
    return sum;
  });
}

INSTANTIATE_TEST_SUITE_P(Rules, GradientTest, ::testing::ValuesIn(gradientCases()),
                         [](const auto &info) { return info.param.name; });

/// Every op that has a rule is in some case.
TEST(GradientCases, CoverAllRules) {
  DialectRegistry registry;
  registry.insert<TenonDialect>();
  registerAutodiffModels(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<DifferentiableOpInterface>() ||
        name.getStringRef() == "tenon.attention_grad") // by second derivatives
      continue;
    std::string spelled = name.getStringRef().str() + " ";
    bool found = llvm::any_of(gradientCases(), [&](const GradientCase &c) {
      return c.body.find(spelled) != std::string::npos;
    });
    EXPECT_TRUE(found) << "no case of " << spelled;
  }
}

} // namespace
} // namespace tenon
