//===- VulkanTraitsTest.cpp - what a physical device can do ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanTraits.h"

#include <gtest/gtest.h>

using namespace tenon::runtime::vulkan;

static CooperativeMatrixProperties product(uint32_t m, uint32_t n, uint32_t k, uint32_t element,
                                           uint32_t sum, uint32_t scope) {
  CooperativeMatrixProperties is;
  is.m = m, is.n = n, is.k = k;
  is.a = is.b = element;
  is.c = is.result = sum;
  is.scope = scope;
  return is;
}

constexpr uint32_t f16 = 0, f32 = 1, s8 = 3, workgroup = 2, subgroup = 3;

TEST(VulkanTraits, MatricesAreOfUseWhereTheProductIsThere) {
  const auto wanted = product(16, 16, 16, f16, f32, subgroup);
  EXPECT_TRUE(hasMatrixProduct({wanted}));
  EXPECT_TRUE(hasMatrixProduct({product(16, 16, 32, s8, 5, subgroup), wanted}));
}

TEST(VulkanTraits, OtherProductsDoNotDo) {
  EXPECT_FALSE(hasMatrixProduct({}));
  EXPECT_FALSE(hasMatrixProduct(
      {product(16, 8, 16, f16, f32, subgroup), product(8, 16, 16, f16, f32, subgroup),
       product(16, 16, 8, f16, f32, subgroup), product(16, 16, 16, f32, f32, subgroup),
       product(16, 16, 16, f16, f16, subgroup), product(16, 16, 16, f16, f32, workgroup)}));
  auto mixed = product(16, 16, 16, f16, f32, subgroup);
  mixed.b = f32;
  EXPECT_FALSE(hasMatrixProduct({mixed}));
}

TEST(VulkanTraits, WithoutTheFeatureTheCapabilityLacks) {
  Traits traits;
  EXPECT_EQ(traits.lacks(6022), "CooperativeMatrixKHR");
  EXPECT_EQ(traits.featureNames().find("cooperative-matrix"), std::string::npos);
  traits.cooperativeMatrix.cooperativeMatrix = VK_TRUE;
  EXPECT_EQ(traits.lacks(6022), "");
  EXPECT_NE(traits.featureNames().find("cooperative-matrix"), std::string::npos);
}
