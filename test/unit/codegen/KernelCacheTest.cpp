//===- KernelCacheTest.cpp - Kernels are found again, and only these ------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/KernelCache.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tenon::cpu;

namespace {

KernelOutcome outcomeOf(MLIRContext *context, llvm::StringRef bytes) {
  KernelOutcome outcome;
  outcome.object.symbol = "kernel";
  outcome.object.bytes.append(bytes.begin(), bytes.end());
  outcome.object.seconds = 1;
  outcome.scratchShared = getAffineSymbolExpr(0, context) * 4 + 64;
  outcome.scratchPerWorker = getAffineConstantExpr(0, context);
  return outcome;
}

class KernelCacheTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  KernelCache cache;
};

TEST_F(KernelCacheTest, findsWhatWasAddedInAnotherContext) {
  {
    MLIRContext other(MLIRContext::Threading::DISABLED);
    cache.add("key", outcomeOf(&other, "code"));
  }
  KernelOutcome found;
  ASSERT_TRUE(cache.find("key", &context, found));
  EXPECT_EQ(found.object.symbol, "kernel");
  EXPECT_EQ(llvm::StringRef(found.object.bytes.data(), found.object.bytes.size()), "code");
  EXPECT_EQ(found.object.seconds, 0); // it took none this time
  EXPECT_EQ(found.scratchShared, getAffineSymbolExpr(0, &context) * 4 + 64);
  EXPECT_EQ(found.scratchPerWorker, getAffineConstantExpr(0, &context));
}

TEST_F(KernelCacheTest, otherKeysAreNotFound) {
  cache.add("key", outcomeOf(&context, "code"));
  KernelOutcome found;
  for (std::string key : {"", "ke", "key2", "Key"})
    EXPECT_FALSE(cache.find(key, &context, found)) << key;
  EXPECT_FALSE(cache.find(std::string("key\0", 4), &context, found));
  EXPECT_TRUE(found.object.bytes.empty());
  cache.clear();
  EXPECT_FALSE(cache.find("key", &context, found));
}

TEST_F(KernelCacheTest, aKeySaysForWhatWasCompiled) {
  CpuTarget target = llvm::cantFail(CpuTarget::get("native"));
  CompileOptions options;
  std::string purpose = KernelCache::purpose(target, options);
  EXPECT_EQ(KernelCache::purpose(target, options), purpose);
  options.threads = 7; // how, not what
  EXPECT_EQ(KernelCache::purpose(target, options), purpose);
  auto differs = [&](const CpuTarget &t, const CompileOptions &o) {
    EXPECT_NE(KernelCache::purpose(t, o), purpose);
  };
  CompileOptions level = options, suffix = options;
  level.optLevel = options.optLevel ? 0 : 1;
  differs(target, level);
  suffix.suffix = "_v4";
  differs(target, suffix);
  CpuTarget features = target, cpu = target;
  features.features += ",-avx";
  differs(features, options);
  cpu.cpu += "x";
  differs(cpu, options);
}

} // namespace
