//===- MatmulFusionTest.cpp - What is computed inside a matrix product ----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/CompiledKernel.h"

#include <random>

using namespace mlir;
using namespace tenon;
using namespace tenon::cpu;
using namespace tenon::test;

namespace {

using Floats = std::vector<float>;

Floats randomFloats(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats result(count);
  for (float &x : result)
    x = uniform(random);
  return result;
}

/// The product of m x k and k x n, by loops.
std::vector<double> product(const Floats &a, const Floats &b, int64_t m, int64_t n, int64_t k) {
  std::vector<double> y(m * n);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t l = 0; l < k; l++)
        y[i * n + j] += double(a[i * k + l]) * b[l * n + j];
  return y;
}

/// A kernel whose body is `body` over the arguments `arguments` ("%x: type, ...").
std::string kernelText(StringRef arguments, StringRef results, StringRef body) {
  std::string outer, names, types;
  SmallVector<StringRef> list;
  arguments.split(list, "; ");
  for (auto [i, argument] : llvm::enumerate(list)) {
    auto type = argument.split(": ").second;
    std::string separator = i ? ", " : "", name = "%o" + std::to_string(i);
    outer += separator + name + ": " + type.str();
    names += separator + name;
    types += separator + type.str();
  }
  std::string inner = llvm::join(list, ", ");
  size_t count = results.count("tensor");
  std::string values = "%r";
  for (size_t i = 0; count > 1 && i < count; i++)
    values = (i ? values + ", " : "") + "%r#" + std::to_string(i);
  return "func.func @f(" + outer + ") -> (" + results.str() + ") {\n%r" +
         (count > 1 ? ":" + std::to_string(count) : "") + " = tenon.kernel \"matmul\"(" + names +
         ") : (" + types + ") -> (" + results.str() + ") {\n^bb0(" + inner + "):\n" + body.str() +
         "\n}\nreturn " + values + " : " + results.str() + "\n}";
}

void expectNear(const Floats &got, const std::vector<double> &want, double tolerance = 1e-5) {
  for (size_t i = 0; i < want.size(); i++)
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << "element " << i;
}

class MatmulFusion : public ::testing::TestWithParam<const char *> {
protected:
  std::unique_ptr<Kernel> compile(StringRef arguments, StringRef results, StringRef body) {
    std::string text = kernelText(arguments, results, body);
    auto kernel = std::make_unique<Kernel>(text, createMatmulStrategy(), GetParam());
    EXPECT_TRUE(kernel->ok()) << kernel->error() << text;
    return kernel;
  }
};

TEST_P(MatmulFusion, BiasAndActivationAsTwoResults) {
  const int64_t m = 37, n = 45, k = 23;
  auto kernel = compile("%x: tensor<37x23xf32>; %w: tensor<23x45xf32>; %bias: tensor<45xf32>",
                        "tensor<37x45xf32>, tensor<37x45xf32>", R"(
    %y = tenon.matmul %x, %w : (tensor<37x23xf32>, tensor<23x45xf32>) -> tensor<37x45xf32>
    %bb = tenon.broadcast %bias {shape = array<i64: 37, 45>, dims = array<i64: 1>}
        : (tensor<45xf32>) -> tensor<37x45xf32>
    %s = tenon.add %y, %bb : (tensor<37x45xf32>, tensor<37x45xf32>) -> tensor<37x45xf32>
    %g = tenon.gelu %s : tensor<37x45xf32>
    tenon.yield %s, %g : tensor<37x45xf32>, tensor<37x45xf32>)");
  Floats x = randomFloats(m * k, 1), w = randomFloats(k * n, 2), bias = randomFloats(n, 3);
  Floats s(m * n), g(m * n);
  kernel->run({x.data(), w.data(), bias.data(), s.data(), g.data()}, {});
  std::vector<double> sum = product(x, w, m, n, k), gelu(m * n);
  for (int64_t i = 0; i < m * n; i++) {
    sum[i] += bias[i % n];
    gelu[i] = sum[i] * 0.5 * std::erfc(-sum[i] / std::sqrt(2.0));
  }
  expectNear(s, sum);
  expectNear(g, gelu);
}

TEST_P(MatmulFusion, ResidualAfterALongSum) {
  const int64_t m = 20, n = 33, k = 2500;
  auto kernel = compile("%x: tensor<20x2500xf32>; %w: tensor<2500x33xf32>; %e: tensor<20x33xf32>",
                        "tensor<20x33xf32>", R"(
    %y = tenon.matmul %x, %w : (tensor<20x2500xf32>, tensor<2500x33xf32>) -> tensor<20x33xf32>
    %s = tenon.add %e, %y : (tensor<20x33xf32>, tensor<20x33xf32>) -> tensor<20x33xf32>
    tenon.yield %s : tensor<20x33xf32>)");
  Floats x = randomFloats(m * k, 1), w = randomFloats(k * n, 2), e = randomFloats(m * n, 3);
  Floats s(m * n);
  kernel->run({x.data(), w.data(), e.data(), s.data()}, {});
  std::vector<double> want = product(x, w, m, n, k);
  for (int64_t i = 0; i < m * n; i++)
    want[i] += e[i];
  expectNear(s, want, 1e-4);
}

TEST_P(MatmulFusion, TransposedResult) {
  const int64_t m = 29, n = 50, k = 40;
  auto kernel = compile("%x: tensor<29x40xf32>; %w: tensor<40x50xf32>", "tensor<50x29xf32>", R"(
    %y = tenon.matmul %x, %w : (tensor<29x40xf32>, tensor<40x50xf32>) -> tensor<29x50xf32>
    %t = tenon.transpose %y {permutation = array<i64: 1, 0>}
        : (tensor<29x50xf32>) -> tensor<50x29xf32>
    %r = tenon.relu %t : tensor<50x29xf32>
    tenon.yield %r : tensor<50x29xf32>)");
  Floats x = randomFloats(m * k, 1), w = randomFloats(k * n, 2), r(m * n);
  kernel->run({x.data(), w.data(), r.data()}, {});
  std::vector<double> y = product(x, w, m, n, k), want(m * n);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      want[j * m + i] = std::max(y[i * n + j], 0.0);
  expectNear(r, want);
}

/// [sequence, heads * d] as [heads, sequence, d], with a d that lanes may cross.
TEST_P(MatmulFusion, HeadsOfTheResult) {
  for (int64_t d : {5, 16}) {
    const int64_t m = 18, heads = 3, n = heads * d, k = 12;
    auto shape = [&](std::initializer_list<int64_t> extents) {
      std::string text = "tensor<";
      for (int64_t extent : extents)
        text += std::to_string(extent) + "x";
      return text + "f32>";
    };
    std::string tx = shape({m, k}), tw = shape({k, n}), ty = shape({m, n}),
                ts = shape({m, heads, d}), tr = shape({heads, m, d});
    auto kernel = compile("%x: " + tx + "; %w: " + tw, tr,
                          "%y = tenon.matmul %x, %w : (" + tx + ", " + tw + ") -> " + ty +
                              "\n%s = tenon.reshape %y {shape = array<i64: 18, 3, " +
                              std::to_string(d) + ">} : (" + ty + ") -> " + ts +
                              "\n%t = tenon.transpose %s {permutation = array<i64: 1, 0, 2>} : (" +
                              ts + ") -> " + tr + "\ntenon.yield %t : " + tr);
    Floats x = randomFloats(m * k, 1), w = randomFloats(k * n, 2), r(m * n);
    kernel->run({x.data(), w.data(), r.data()}, {});
    std::vector<double> y = product(x, w, m, n, k), want(m * n);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++)
        want[(j / d * m + i) * d + j % d] = y[i * n + j];
    expectNear(r, want);
  }
}

TEST_P(MatmulFusion, OperandsThroughViews) {
  // Rows 2, 4, ... of a transposed operand; columns from a batch's second half.
  const int64_t m = 7, n = 6, k = 10;
  auto kernel = compile("%x: tensor<10x20xf32>; %w: tensor<2x60xf32>", "tensor<7x6xf32>", R"(
    %t = tenon.transpose %x {permutation = array<i64: 1, 0>}
        : (tensor<10x20xf32>) -> tensor<20x10xf32>
    %xs = tenon.slice %t {offsets = array<i64: 2, 0>, sizes = array<i64: 7, 10>,
                          strides = array<i64: 2, 1>} : (tensor<20x10xf32>) -> tensor<7x10xf32>
    %ws = tenon.slice %w {offsets = array<i64: 1, 0>, sizes = array<i64: 1, 60>,
                          strides = array<i64: 1, 1>} : (tensor<2x60xf32>) -> tensor<1x60xf32>
    %wr = tenon.reshape %ws {shape = array<i64: 10, 6>} : (tensor<1x60xf32>) -> tensor<10x6xf32>
    %y = tenon.matmul %xs, %wr : (tensor<7x10xf32>, tensor<10x6xf32>) -> tensor<7x6xf32>
    tenon.yield %y : tensor<7x6xf32>)");
  Floats x = randomFloats(200, 1), w = randomFloats(120, 2), y(m * n), rows(m * k);
  kernel->run({x.data(), w.data(), y.data()}, {});
  for (int64_t i = 0; i < m; i++)
    for (int64_t l = 0; l < k; l++)
      rows[i * k + l] = x[l * 20 + 2 + 2 * i];
  expectNear(y, product(rows, Floats(w.begin() + 60, w.end()), m, n, k));
}

TEST_P(MatmulFusion, BroadcastOverTheBatch) {
  const int64_t batch = 3, m = 9, n = 21, k = 17;
  auto kernel = compile("%x: tensor<3x9x17xf32>; %w: tensor<17x21xf32>", "tensor<3x9x21xf32>", R"(
    %wb = tenon.broadcast %w {shape = array<i64: 3, 17, 21>, dims = array<i64: 1, 2>}
        : (tensor<17x21xf32>) -> tensor<3x17x21xf32>
    %y = tenon.matmul %x, %wb : (tensor<3x9x17xf32>, tensor<3x17x21xf32>) -> tensor<3x9x21xf32>
    tenon.yield %y : tensor<3x9x21xf32>)");
  Floats x = randomFloats(batch * m * k, 1), w = randomFloats(k * n, 2), y(batch * m * n);
  kernel->run({x.data(), w.data(), y.data()}, {});
  expectNear(y, product(x, w, batch * m, n, k));
}

/// Operands that are computed while they are packed, by rows and by columns.
TEST_P(MatmulFusion, ComputedOperands) {
  const int64_t m = 26, n = 19, k = 35;
  for (bool transposed : {false, true}) {
    std::string tw = transposed ? "tensor<19x35xf32>" : "tensor<35x19xf32>";
    auto kernel = compile("%x: tensor<26x35xf32>; %w: " + tw, "tensor<26x19xf32>",
                          "%xe = tenon.exp %x : tensor<26x35xf32>\n%we = tenon.relu %w : " + tw +
                              "\n%y = tenon.matmul %xe, %we {transpose_b = " +
                              (transposed ? "true" : "false") + "} : (tensor<26x35xf32>, " + tw +
                              ") -> tensor<26x19xf32>\ntenon.yield %y : tensor<26x19xf32>");
    Floats x = randomFloats(m * k, 1), w = randomFloats(k * n, 2), y(m * n), b(k * n);
    kernel->run({x.data(), w.data(), y.data()}, {});
    for (float &value : x)
      value = std::exp(value);
    for (int64_t l = 0; l < k; l++)
      for (int64_t j = 0; j < n; j++)
        b[l * n + j] = std::max(w[transposed ? j * k + l : l * n + j], 0.0f);
    expectNear(y, product(x, b, m, n, k));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, MatmulFusion,
                         ::testing::Values("native", "x86-64-v2", "x86-64-v3"));

//===----------------------------------------------------------------------===//
// What may be fused
//===----------------------------------------------------------------------===//

class MatmulLegality : public ::testing::Test {
protected:
  void parse(const char *body) {
    context.loadDialect<TenonDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(body, &context);
    ASSERT_TRUE(module);
    module->walk([&](Operation *op) {
      if (strategy->canRoot(op)) {
        group.root = op;
        group.ops.insert(op);
      }
    });
  }
  Operation *op(StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *candidate) {
      if (candidate->getName().getStringRef() == name)
        found = candidate;
    });
    return found;
  }
  std::string consumer(StringRef name) {
    std::string reason = "fused";
    if (strategy->canFuseConsumer(group, op(name), reason))
      group.ops.insert(op(name));
    return reason;
  }
  std::string producer(StringRef name) {
    std::string reason = "fused";
    if (strategy->canFuseProducer(group, op(name), reason))
      group.ops.insert(op(name));
    return reason;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CpuStrategy> strategy = createMatmulStrategy();
  KernelGroup group;
};

TEST_F(MatmulLegality, ElementwiseConsumersAndTheirOperands) {
  parse(R"(func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>)
      -> tensor<4xf32> {
    %y = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %e = tenon.exp %b : tensor<6xf32>
    %bb = tenon.broadcast %e {shape = array<i64: 4, 6>, dims = array<i64: 1>}
        : (tensor<6xf32>) -> tensor<4x6xf32>
    %s = tenon.add %y, %bb : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %r = tenon.reduce_sum %s {axes = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  })");
  EXPECT_EQ(consumer("tenon.add"), "fused");
  EXPECT_EQ(producer("tenon.broadcast"), "fused");
  EXPECT_EQ(producer("tenon.exp"), "it would be computed again for each row of the product");
  EXPECT_NE(consumer("tenon.reduce_sum"), "fused");
}

TEST_F(MatmulLegality, TwoPlacesOfOneElement) {
  parse(R"(func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %y = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %t = tenon.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = tenon.add %y, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %s : tensor<4x4xf32>
  })");
  EXPECT_EQ(consumer("tenon.transpose"), "fused");
  EXPECT_EQ(consumer("tenon.add"),
            "its elements depend on several of the product, or on another kernel");
}

TEST_F(MatmulLegality, Prologues) {
  parse(R"(func.func @f(%x: tensor<500x8xf32>, %w: tensor<600x8xf32>) -> tensor<500x600xf32> {
    %e = tenon.exp %x : tensor<500x8xf32>
    %t = tenon.transpose %w {permutation = array<i64: 1, 0>}
        : (tensor<600x8xf32>) -> tensor<8x600xf32>
    %y = tenon.matmul %e, %t : (tensor<500x8xf32>, tensor<8x600xf32>) -> tensor<500x600xf32>
    return %y : tensor<500x600xf32>
  })");
  EXPECT_EQ(producer("tenon.exp"),
            "it would be computed again for each block of the other operand");
  EXPECT_EQ(producer("tenon.transpose"), "fused");
}

} // namespace
