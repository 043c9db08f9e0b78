//===- VulkanCapabilities.cpp - which modules a device runs ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What features each capability of SPIR-V stands for.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanTraits.h"

namespace tenon::runtime::vulkan {

std::string Traits::lacks(uint32_t capability) const {
  auto hasSubgroup = [&](VkSubgroupFeatureFlags operations) {
    return (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (subgroup.supportedOperations & operations) == operations;
  };
  const struct {
    uint32_t number;
    const char *name;
    bool there;
  } known[] = {
      {0, "Matrix", true},
      {1, "Shader", true},
      {9, "Float16", bool(features12.shaderFloat16)},
      {10, "Float64", bool(features.shaderFloat64)},
      {11, "Int64", bool(features.shaderInt64)},
      {12, "Int64Atomics", bool(features12.shaderBufferInt64Atomics)},
      {22, "Int16", bool(features.shaderInt16)},
      {39, "Int8", bool(features12.shaderInt8)},
      {61, "GroupNonUniform", hasSubgroup(VK_SUBGROUP_FEATURE_BASIC_BIT)},
      {62, "GroupNonUniformVote", hasSubgroup(VK_SUBGROUP_FEATURE_VOTE_BIT)},
      {63, "GroupNonUniformArithmetic", hasSubgroup(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)},
      {64, "GroupNonUniformBallot", hasSubgroup(VK_SUBGROUP_FEATURE_BALLOT_BIT)},
      {65, "GroupNonUniformShuffle", hasSubgroup(VK_SUBGROUP_FEATURE_SHUFFLE_BIT)},
      {66, "GroupNonUniformShuffleRelative", hasSubgroup(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT)},
      {67, "GroupNonUniformClustered", hasSubgroup(VK_SUBGROUP_FEATURE_CLUSTERED_BIT)},
      {68, "GroupNonUniformQuad", hasSubgroup(VK_SUBGROUP_FEATURE_QUAD_BIT)},
      {4433, "StorageBuffer16BitAccess", bool(features11.storageBuffer16BitAccess)},
      {4434, "UniformAndStorageBuffer16BitAccess",
       bool(features11.uniformAndStorageBuffer16BitAccess)},
      {4441, "VariablePointersStorageBuffer", bool(features11.variablePointersStorageBuffer)},
      {4442, "VariablePointers", bool(features11.variablePointers)},
      {4448, "StorageBuffer8BitAccess", bool(features12.storageBuffer8BitAccess)},
      {4449, "UniformAndStorageBuffer8BitAccess",
       bool(features12.uniformAndStorageBuffer8BitAccess)},
      {4464, "DenormPreserve", bool(floatControls.shaderDenormPreserveFloat32)},
      {4465, "DenormFlushToZero", bool(floatControls.shaderDenormFlushToZeroFloat32)},
      {4466, "SignedZeroInfNanPreserve", bool(floatControls.shaderSignedZeroInfNanPreserveFloat32)},
      {4467, "RoundingModeRTE", bool(floatControls.shaderRoundingModeRTEFloat32)},
      {4468, "RoundingModeRTZ", bool(floatControls.shaderRoundingModeRTZFloat32)},
      {5116, "BFloat16TypeKHR", bool(bfloat16.shaderBFloat16Type)},
      {5117, "BFloat16DotProductKHR", bool(bfloat16.shaderBFloat16DotProduct)},
      {5118, "BFloat16CooperativeMatrixKHR", bool(bfloat16.shaderBFloat16CooperativeMatrix)},
      {5345, "VulkanMemoryModel", bool(features12.vulkanMemoryModel)},
      {5346, "VulkanMemoryModelDeviceScope", bool(features12.vulkanMemoryModelDeviceScope)},
      {6016, "DotProductInputAll", bool(features13.shaderIntegerDotProduct)},
      {6017, "DotProductInput4x8Bit", bool(features13.shaderIntegerDotProduct)},
      {6018, "DotProductInput4x8BitPacked", bool(features13.shaderIntegerDotProduct)},
      {6019, "DotProduct", bool(features13.shaderIntegerDotProduct)},
      {6022, "CooperativeMatrixKHR", bool(cooperativeMatrix.cooperativeMatrix)},
  };
  for (const auto &each : known)
    if (each.number == capability)
      return each.there ? "" : each.name;
  return "number " + std::to_string(capability);
}

} // namespace tenon::runtime::vulkan
