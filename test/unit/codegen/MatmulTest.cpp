//===- MatmulTest.cpp - Matrix products against naive loops ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/CompiledKernel.h"

#include "llvm/ADT/APFloat.h"
#include <random>

using namespace mlir;
using namespace tenon;
using namespace tenon::cpu;
using namespace tenon::test;

namespace {

/// Elements of a dtype, and what they are as doubles.
struct Data {
  std::string dtype;
  std::vector<char> bytes;
  std::vector<double> values;
  static constexpr int64_t guard = 32;

  static size_t size(const std::string &dtype) {
    return dtype == "f64" ? 8 : dtype == "f32" ? 4 : 2;
  }
  const llvm::fltSemantics &semantics() const {
    return dtype == "f64"   ? llvm::APFloat::IEEEdouble()
           : dtype == "f32" ? llvm::APFloat::IEEEsingle()
           : dtype == "f16" ? llvm::APFloat::IEEEhalf()
                            : llvm::APFloat::BFloat();
  }
  double get(int64_t i) const {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * size(dtype), size(dtype));
    llvm::APFloat x(semantics(), llvm::APInt(8 * size(dtype), word));
    bool lost;
    x.convert(llvm::APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &lost);
    return x.convertToDouble();
  }
  void set(int64_t i, double value) {
    llvm::APFloat x(value);
    bool lost;
    x.convert(semantics(), llvm::RoundingMode::NearestTiesToEven, &lost);
    uint64_t word = x.bitcastToAPInt().getZExtValue();
    std::memcpy(bytes.data() + i * size(dtype), &word, size(dtype));
  }
  Data(const std::string &dtype, int64_t count, std::mt19937 *random) : dtype(dtype) {
    bytes.assign((count + guard) * size(dtype), char(0xa5));
    values.resize(count);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t i = 0; random && i < count; i++) {
      set(i, uniform(*random));
      values[i] = get(i);
    }
  }
  bool guardIsIntact() const {
    for (size_t i = values.size() * size(dtype); i < bytes.size(); i++)
      if (bytes[i] != char(0xa5))
        return false;
    return true;
  }
  double epsilon() const {
    return dtype == "f64" ? 2.3e-16 : dtype == "f32" ? 1.2e-7 : dtype == "f16" ? 9.8e-4 : 7.9e-3;
  }
};

struct Case {
  int64_t batch, m, n, k; ///< batch 0: no batch axis
  bool transposeA = false, transposeB = false;
  std::string dtype = "f32";
  bool dynamic = false; ///< all extents but those of the batch
  const char *march = "native";
};

std::string tensor(ArrayRef<int64_t> shape, const std::string &dtype, bool dynamic = false) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += (dynamic ? "?" : std::to_string(extent)) + "x";
  return text + dtype + ">";
}

/// sum over k of a * b, and of |a * b|.
struct Sums {
  std::vector<double> values, magnitudes;
  Sums(const Case &c, const Data &a, const Data &b) {
    for (int64_t z = 0; z < std::max<int64_t>(c.batch, 1); z++)
      for (int64_t i = 0; i < c.m; i++)
        for (int64_t j = 0; j < c.n; j++) {
          double sum = 0, magnitude = 0;
          for (int64_t l = 0; l < c.k; l++) {
            double x = a.values[z * c.m * c.k + (c.transposeA ? l * c.m + i : i * c.k + l)];
            double y = b.values[z * c.n * c.k + (c.transposeB ? j * c.k + l : l * c.n + j)];
            sum += x * y;
            magnitude += std::abs(x * y);
          }
          values.push_back(sum);
          magnitudes.push_back(magnitude);
        }
  }
};

/// Elements of the product within the rounding of sums, then of the result.
void expectProduct(const Data &y, const Sums &sums, int64_t k) {
  double eps = y.dtype == "f64" ? 2.3e-16 : 1.2e-7;
  for (size_t i = 0; i < sums.values.size(); i++) {
    double bound = eps * (2 + std::sqrt(double(k))) * sums.magnitudes[i] +
                   y.epsilon() * std::abs(sums.values[i]) + (y.dtype == "f16" ? 6e-8 : 0);
    ASSERT_NEAR(y.get(i), sums.values[i], bound) << "element " << i;
  }
  EXPECT_TRUE(y.guardIsIntact()) << "written beyond the end";
}

/// A kernel of one matmul; `rest` computes %r of %y.
std::string kernelText(const Case &c, const std::string &moreArguments = "",
                       const std::string &rest = "", std::string resultType = "",
                       std::string yielded = "%y") {
  SmallVector<int64_t> a, b, y;
  if (c.batch)
    a.push_back(c.batch), b.push_back(c.batch), y.push_back(c.batch);
  a.append(c.transposeA ? std::initializer_list<int64_t>{c.k, c.m}
                        : std::initializer_list<int64_t>{c.m, c.k});
  b.append(c.transposeB ? std::initializer_list<int64_t>{c.n, c.k}
                        : std::initializer_list<int64_t>{c.k, c.n});
  y.append({c.m, c.n});
  std::string ta = tensor(a, c.dtype, c.dynamic), tb = tensor(b, c.dtype, c.dynamic),
              ty = tensor(y, c.dtype, c.dynamic);
  if (resultType.empty())
    resultType = ty;
  std::string types = ta + ", " + tb, names = "%a, %b", inner = "%x: " + ta + ", %w: " + tb;
  std::string outer = "%a: " + ta + ", %b: " + tb;
  SmallVector<StringRef> more;
  StringRef(moreArguments).split(more, "; ", -1, false);
  for (auto [i, type] : llvm::enumerate(more)) {
    std::string number = std::to_string(i);
    types += ", " + type.str();
    names += ", %p" + number;
    inner += ", %e" + number + ": " + type.str();
    outer += ", %p" + number + ": " + type.str();
  }
  std::string flags = std::string("{transpose_a = ") + (c.transposeA ? "true" : "false") +
                      ", transpose_b = " + (c.transposeB ? "true" : "false") + "}";
  return "func.func @f(" + outer + ") -> (" + resultType + ") {\n%r" +
         (StringRef(resultType).contains(", ") ? ":2" : "") + " = tenon.kernel \"matmul\"(" +
         names + ") : (" + types + ") -> (" + resultType + ") {\n^bb0(" + inner +
         "):\n%y = tenon.matmul %x, %w " + flags + " : (" + ta + ", " + tb + ") -> " + ty + "\n" +
         rest + "\ntenon.yield " + yielded + " : " + resultType + "\n}\nreturn " +
         (StringRef(resultType).contains(", ") ? "%r#0, %r#1" : "%r") + " : " + resultType + "\n}";
}

std::vector<int64_t> extentsOf(const Case &c) {
  if (!c.dynamic)
    return {};
  std::vector<int64_t> result;
  auto put = [&](int64_t rows, int64_t columns) {
    if (c.batch)
      result.push_back(c.batch);
    result.push_back(rows);
    result.push_back(columns);
  };
  c.transposeA ? put(c.k, c.m) : put(c.m, c.k);
  c.transposeB ? put(c.n, c.k) : put(c.k, c.n);
  put(c.m, c.n);
  return result;
}

struct Operands {
  std::mt19937 random{1};
  int64_t count;
  Data a, b, y;
  explicit Operands(const Case &c)
      : count(std::max<int64_t>(c.batch, 1)), a(c.dtype, count * c.m * c.k, &random),
        b(c.dtype, count * c.k * c.n, &random), y(c.dtype, count * c.m * c.n, nullptr) {}
};

void runOne(Kernel &kernel, const Case &c) {
  Operands o(c);
  kernel.run({o.a.bytes.data(), o.b.bytes.data(), o.y.bytes.data()}, extentsOf(c));
  expectProduct(o.y, Sums(c, o.a, o.b), c.k);
}

void check(const Case &c) {
  SCOPED_TRACE(kernelText(c) + " for " + c.march);
  Kernel kernel(kernelText(c), createMatmulStrategy(), c.march);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  runOne(kernel, c);
}

using Shapes = std::vector<std::array<int64_t, 3>>;

constexpr const char *targets[] = {"native", "x86-64-v2", "x86-64-v3"};

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

class MatmulShapes : public ::testing::TestWithParam<const char *> {};

TEST_P(MatmulShapes, OddSizesInAllTransposes) {
  for (auto [m, n, k] : Shapes{{1, 1, 1},
                               {5, 3, 2},
                               {13, 17, 19},
                               {33, 31, 16},
                               {12, 32, 64},
                               {61, 100, 37},
                               {128, 10, 100}})
    for (int transposes = 0; transposes < 4; transposes++)
      check({0, m, n, k, bool(transposes & 1), bool(transposes & 2), "f32", false, GetParam()});
}

TEST_P(MatmulShapes, OtherDtypes) {
  for (const char *dtype : {"f64", "f16", "bf16"})
    for (int transposes = 0; transposes < 4; transposes++)
      check({0, 29, 37, 70, bool(transposes & 1), bool(transposes & 2), dtype, false, GetParam()});
}

TEST_P(MatmulShapes, Batches) {
  check({3, 14, 20, 9, false, false, "f32", false, GetParam()});
  check({3, 14, 20, 9, false, true, "f64", false, GetParam()});
  check({5, 40, 33, 50, true, false, "f32", false, GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Targets, MatmulShapes, ::testing::ValuesIn(targets));

TEST(Matmul, SeveralBlocks) {
  check({0, 200, 300, 700});
  check({0, 200, 300, 700, true, true});
  check({0, 1000, 40, 130});
  check({0, 40, 1000, 130, false, true});
}

TEST(Matmul, LongSumsGoThroughScratch) {
  for (const char *dtype : {"f32", "f64", "f16"})
    check({0, 35, 41, 5003, false, false, dtype});
  check({0, 64, 64, 4100, true, false});
  check({0, 100, 70, 4100, false, true});
}

TEST(Matmul, ACancelledLongSumIsSkipped) {
  Kernel kernel(kernelText({0, 8, 16, 5000}), createMatmulStrategy());
  std::vector<float> x(8 * 5000, 1), y(5000 * 16, 1), product(8 * 16);
  kernel.cancelled = 1;
  kernel.run({x.data(), y.data(), product.data()}, {});
  EXPECT_EQ(product, std::vector<float>(8 * 16, 0));
  kernel.cancelled = 0;
  kernel.run({x.data(), y.data(), product.data()}, {});
  EXPECT_EQ(product, std::vector<float>(8 * 16, 5000));
}

TEST(Matmul, OneRowOrOneColumn) {
  for (int64_t k : {1, 5, 100, 3000})
    for (int transposes = 0; transposes < 4; transposes++) {
      check({0, 1, 203, k, bool(transposes & 1), bool(transposes & 2)});
      check({0, 203, 1, k, bool(transposes & 1), bool(transposes & 2)});
    }
  check({0, 1, 1, 5000});
  check({4, 1, 77, 64, false, true});
}

TEST(Matmul, EmptyExtents) {
  check({0, 5, 7, 0});
  check({0, 0, 7, 5});
  check({0, 5, 0, 5});
  check({0, 40, 70, 0, false, true, "f16"});
}

TEST(Matmul, DynamicExtents) {
  for (int transposes = 0; transposes < 4; transposes++) {
    Case c{0, 1, 1, 1, bool(transposes & 1), bool(transposes & 2), "f32", true};
    SCOPED_TRACE(kernelText(c));
    Kernel kernel(kernelText(c), createMatmulStrategy());
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    for (auto [m, n, k] : Shapes{{1, 1, 1},
                                 {3, 5, 7},
                                 {12, 32, 16},
                                 {100, 65, 33},
                                 {0, 5, 5},
                                 {5, 0, 5},
                                 {5, 5, 0},
                                 {37, 270, 1030},
                                 {700, 40, 2100},
                                 {1, 300, 90},
                                 {300, 1, 90}}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
      c.m = m, c.n = n, c.k = k;
      runOne(kernel, c);
    }
  }
}

} // namespace
