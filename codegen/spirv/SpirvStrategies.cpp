//===- SpirvStrategies.cpp - Strategies that emit GPU code ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/SpirvStrategies.h"

namespace tenon::spirv {

const KernelStrategies &spirvStrategies() {
  static const KernelStrategies *all = [] {
    auto *strategies = new KernelStrategies;
    // One line per strategy.
    strategies->add(createAttentionStrategy());
    strategies->add(createAttentionGradStrategy());
    strategies->add(createCustomStrategy());
    strategies->add(createMatmulStrategy());
    strategies->add(cpu::createLinesStrategy());
    strategies->add(cpu::createRowsStrategy());
    return strategies;
  }();
  return *all;
}

void registerSpirvStrategies() { registerKernelStrategies("vulkan", spirvStrategies()); }

} // namespace tenon::spirv
