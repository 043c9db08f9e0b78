//===- SpirvStrategies.h - Strategies that emit GPU code --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs no vectors is emitted as on the CPU, one element an invocation; what does has
// strategies of its own in codegen/spirv/strategies.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_SPIRVSTRATEGIES_H
#define TENON_CODEGEN_SPIRV_SPIRVSTRATEGIES_H

#include "codegen/cpu/CpuStrategy.h"

namespace tenon::spirv {

// One per file of codegen/spirv/strategies.
std::unique_ptr<cpu::CpuStrategy> createAttentionStrategy();
std::unique_ptr<cpu::CpuStrategy> createAttentionGradStrategy();
std::unique_ptr<cpu::CpuStrategy> createCustomStrategy();
std::unique_ptr<cpu::CpuStrategy> createMatmulStrategy();

const KernelStrategies &spirvStrategies();

/// Makes them known to tenon-form-kernels as the target "vulkan".
void registerSpirvStrategies();

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_SPIRVSTRATEGIES_H
