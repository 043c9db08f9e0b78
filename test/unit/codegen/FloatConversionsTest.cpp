//===- FloatConversionsTest.cpp - Every rounding against APFloat ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/CompiledKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/APFloat.h"
#include <random>

using namespace mlir;
using namespace tenon;
using namespace tenon::cpu;
using namespace tenon::test;

namespace {

/// Converts eight elements at a time.
LogicalResult emitConversion(KernelFrame &frame) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  auto typeOf = [&](unsigned buffer) {
    return VectorType::get(8, cast<MemRefType>(frame.buffer(buffer).getType()).getElementType());
  };
  auto loop = b.create<scf::ForOp>(loc, frame.index(0), frame.extent(0, 0), frame.index(8));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value x = b.create<vector::LoadOp>(loc, typeOf(0), frame.buffer(0), i);
  bool widens = typeOf(0).getElementTypeBitWidth() < typeOf(1).getElementTypeBitWidth();
  Value y = widens ? Value(b.create<arith::ExtFOp>(loc, typeOf(1), x))
                   : Value(b.create<arith::TruncFOp>(loc, typeOf(1), x));
  b.create<vector::StoreOp>(loc, y, frame.buffer(1), i);
  return success();
}

const llvm::fltSemantics &semanticsOf(const std::string &type) {
  return type == "f16"    ? llvm::APFloat::IEEEhalf()
         : type == "bf16" ? llvm::APFloat::BFloat()
         : type == "f32"  ? llvm::APFloat::IEEEsingle()
                          : llvm::APFloat::IEEEdouble();
}

unsigned bitsOf(const std::string &type) {
  return llvm::APFloat::semanticsSizeInBits(semanticsOf(type));
}

/// Converts `patterns` of type `from`; each result must be what APFloat says.
void check(const char *march, const std::string &from, const std::string &to,
           const std::vector<uint64_t> &patterns) {
  SCOPED_TRACE(from + " to " + to + " on " + march);
  Kernel kernel("tensor<?x" + from + ">", "tensor<?x" + to + ">", emitConversion, march);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  unsigned fromBytes = bitsOf(from) / 8, toBytes = bitsOf(to) / 8;
  ASSERT_EQ(patterns.size() % 8, 0u);
  std::vector<char> input(patterns.size() * fromBytes), result(patterns.size() * toBytes);
  for (size_t i = 0; i < patterns.size(); ++i)
    std::memcpy(&input[i * fromBytes], &patterns[i], fromBytes);
  int64_t n = int64_t(patterns.size());
  kernel.run({input.data(), result.data()}, {n, n});
  for (size_t i = 0; i < patterns.size(); ++i) {
    llvm::APFloat value(semanticsOf(from), llvm::APInt(bitsOf(from), patterns[i]));
    bool lossy;
    value.convert(semanticsOf(to), llvm::APFloat::rmNearestTiesToEven, &lossy);
    uint64_t got = 0;
    std::memcpy(&got, &result[i * toBytes], toBytes);
    if (value.isNaN()) {
      llvm::APFloat converted(semanticsOf(to), llvm::APInt(bitsOf(to), got));
      ASSERT_TRUE(converted.isNaN() && (toBytes > fromBytes || !converted.isSignaling()))
          << std::hex << patterns[i] << " gave " << got;
      continue;
    }
    ASSERT_EQ(got, value.bitcastToAPInt().getZExtValue()) << std::hex << patterns[i];
  }
}

std::vector<uint64_t> allOfSixteenBits() {
  std::vector<uint64_t> patterns(1 << 16);
  for (size_t i = 0; i < patterns.size(); ++i)
    patterns[i] = i;
  return patterns;
}

/// All values of `narrow` as `wide`, the midpoints between neighbours, what lies
/// next to these, and random bits.
std::vector<uint64_t> interesting(const std::string &wide, const std::string &narrow) {
  std::vector<uint64_t> patterns;
  uint64_t mask = ~0ull >> (64 - bitsOf(wide));
  auto widened = [&](uint64_t bits) {
    llvm::APFloat value(semanticsOf(narrow), llvm::APInt(16, bits));
    bool lossy;
    value.convert(semanticsOf(wide), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.bitcastToAPInt().getZExtValue();
  };
  for (uint64_t bits = 0; bits < 0xffff; ++bits) {
    uint64_t low = widened(bits), high = widened(bits + 1), middle = low + (high - low) / 2;
    for (uint64_t pattern : {low, middle - 1, middle, middle + 1})
      patterns.push_back(pattern & mask);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i)
    patterns.push_back(random() & mask);
  while (patterns.size() % 8)
    patterns.push_back(0);
  return patterns;
}

class FloatConversions : public ::testing::TestWithParam<const char *> {};

TEST_P(FloatConversions, Extend) {
  for (const char *narrow : {"f16", "bf16"})
    for (const char *wide : {"f32", "f64"})
      check(GetParam(), narrow, wide, allOfSixteenBits());
}

TEST_P(FloatConversions, Truncate) {
  for (const char *narrow : {"f16", "bf16"})
    for (const char *wide : {"f32", "f64"})
      check(GetParam(), wide, narrow, interesting(wide, narrow));
}

INSTANTIATE_TEST_SUITE_P(Targets, FloatConversions,
                         ::testing::Values("native", "x86-64-v2", "x86-64-v3"));

} // namespace
