//===- CompileMlirTest.cpp - MLIR text through the C API ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/capi/CompileFixture.h"

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

class CompileMlirTest : public CompileTest {};

TEST_P(CompileMlirTest, compilesMlirText) {
  std::string text = R"(
    func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = tenon.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> })";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), "twice", &options, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  std::vector<float> x{1, 2}, y(2);
  std::vector<int64_t> extents{2};
  run(executable, {floats(x, extents)}, {floats(y, extents)});
  EXPECT_EQ(y, (std::vector<float>{2, 4}));
  tenon_executable_release(executable);

  status = tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  EXPECT_EQ(take(status), "function: expected a name, as there are 2 functions: 'twice', 'other'");
}

TEST_P(CompileMlirTest, productsAreComputedInTheTypeAskedFor) {
  std::string text = R"(
    func.func @square(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
      %y = tenon.matmul %x, %x : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      return %y : tensor<1x1xf32>
    })";
  // Digits that f16 and bf16 do not have; a number beyond f16.
  std::vector<int64_t> extents{1, 1};
  const float fine = 1 + 0x1p-12f;
  struct Case {
    const char *type;
    float ofFine, ofLarge;
  };
  for (Case expected :
       {Case{nullptr, fine * fine, 0x1p34f}, {"f16", 1, INFINITY}, {"bf16", 1, 0x1p34f}}) {
    options.mixed_precision = expected.type;
    tenon_executable *executable = nullptr;
    tenon_status status =
        tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
    ASSERT_EQ(status, nullptr) << take(status);
    std::vector<float> x{fine}, large{0x1p17f}, y(1), z(1);
    run(executable, {floats(x, extents)}, {floats(y, extents)});
    run(executable, {floats(large, extents)}, {floats(z, extents)});
    EXPECT_EQ(y[0], expected.ofFine) << (expected.type ? expected.type : "f32");
    EXPECT_EQ(z[0], expected.ofLarge) << (expected.type ? expected.type : "f32");
    tenon_executable_release(executable);
  }
  options.mixed_precision = "f8";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  EXPECT_EQ(take(status), "mixed_precision: expected NULL, \"f16\" or \"bf16\", got \"f8\"");
}

TEST_P(CompileMlirTest, aParseErrorSaysWhere) {
  std::string text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = tenon.nonsense\n}";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_COMPILE);
  EXPECT_NE(take(status).find("input:2:"), std::string::npos);
}

TEST_P(CompileMlirTest, otherElementTypesAreRefused) {
  for (std::string type : {"complex<f32>", "i16", "index"}) {
    std::string message = mlirFailure("func.func @f(%x: tensor<3x" + type + ">) -> tensor<3x" +
                                      type + "> { return %x : tensor<3x" + type + "> }");
    EXPECT_EQ(message, "input:1:14: argument 0: expected a ranked tensor of at most 8 axes of f64, "
                       "f32, f16, bf16, i64, i32, i8 or i1, got 'tensor<3x" +
                           type + ">'");
  }
}

TEST_P(CompileMlirTest, callsAreRefused) {
  std::string message = mlirFailure("func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                                    "  %y = call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>\n"
                                    "  return %y : tensor<3xf32>\n}");
  EXPECT_EQ(message, "input:2:8: calls are not supported: expected what 'f' computes in place of "
                     "the call");
}

TEST_P(CompileMlirTest, functionsOfInnerModulesAreNoPrograms) {
  std::string message =
      mlirFailure("module { module { func.func @f() { return } } }", TENON_ERROR_ARGUMENT);
  EXPECT_EQ(message, "function: expected one at the top level of the module, got none");
}

TEST_P(CompileMlirTest, donationsAreChecked) {
  auto donating = [&](std::string value) {
    return mlirFailure("func.func @f(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32> "
                       "{tenon.donates = " +
                       value + "}) { return %x : tensor<3xf32> }");
  };
  std::string at = "input:1:1: result 0: 'tenon.donates' is ";
  for (std::string value : {"-1 : i64", "\"x\"", "7 : i64"})
    EXPECT_EQ(donating(value), at + value + ", expected the number of one of 2 arguments");
  EXPECT_EQ(donating("1 : i64"),
            at + "1 : i64, which is 'tensor<3xi32>', expected 'tensor<3xf32>'");
}

/// The interpreter can be used again after a run that needed too much.
TEST(ReferenceTest, noMemoryIsAnErrorOfTheRun) {
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  options.device = "reference";
  std::string text = R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<f32> {
      %c = tenon.reshape %x {shape = array<i64: -9223372036854775808, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
      %r = tenon.reshape %x {shape = array<i64: 1, -9223372036854775808>} : (tensor<?xf32>) -> tensor<1x?xf32>
      %m = tenon.matmul %c, %r : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
      %s = tenon.reduce_sum %m {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>
      return %s : tensor<f32>
    })";
  tenon_executable *executable = nullptr;
  tenon_status status =
      tenon_compile_mlir(text.data(), int64_t(text.size()), nullptr, &options, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  std::vector<float> y(1);
  auto sum = [&](int64_t n) {
    std::vector<float> x(size_t(n), 1.0f);
    std::vector<int64_t> extents{n}, scalar;
    tenon_tensor input = floats(x, extents), output = floats(y, scalar);
    return take(tenon_executable_run(executable, &input, 1, &output, 1, nullptr));
  };
  // 2^46 elements.
  EXPECT_EQ(sum(int64_t(1) << 23),
            "reference device: input:5:12: the reference interpreter has no memory for the values "
            "of 'tenon.matmul', which take 562949953421312 bytes");
  EXPECT_EQ(sum(3), "");
  EXPECT_EQ(y[0], 9.0f);
  tenon_executable_release(executable);
}

INSTANTIATE_TEST_SUITE_P(Devices, CompileMlirTest, testing::Values("reference", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
