//===- Strategies.cpp - The strategies of the CPU -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuStrategy.h"

namespace tenon::cpu {

const KernelStrategies &cpuStrategies() {
  static const KernelStrategies *all = [] {
    auto *strategies = new KernelStrategies;
    // One line per strategy.
    strategies->add(createAttentionStrategy());
    strategies->add(createAttentionGradStrategy());
    strategies->add(createMatmulStrategy());
    strategies->add(createLinesStrategy());
    strategies->add(createRowsStrategy());
    return strategies;
  }();
  return *all;
}

void registerCpuStrategies() { registerKernelStrategies("cpu", cpuStrategies()); }

} // namespace tenon::cpu
