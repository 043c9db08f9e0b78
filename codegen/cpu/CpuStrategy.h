//===- CpuStrategy.h - Strategies that emit CPU code ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU's side of KernelStrategy: legality and cost are asked of the base class,
// code is emitted here.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_CPUSTRATEGY_H
#define TENON_CODEGEN_CPU_CPUSTRATEGY_H

#include "passes/KernelStrategy.h"

namespace tenon::cpu {

class KernelFrame;

class CpuStrategy : public KernelStrategy {
public:
  /// Emits the code of `frame.kernel()`. A failure has emitted a located error.
  virtual llvm::LogicalResult emit(KernelFrame &frame) const = 0;
};

// One per file of codegen/cpu/strategies.
std::unique_ptr<CpuStrategy> createMatmulStrategy();
std::unique_ptr<CpuStrategy> createAttentionStrategy();
std::unique_ptr<CpuStrategy> createAttentionGradStrategy();
std::unique_ptr<CpuStrategy> createLinesStrategy();
std::unique_ptr<CpuStrategy> createRowsStrategy();

/// All of the above.
const KernelStrategies &cpuStrategies();

/// Makes them known to tenon-form-kernels as the target "cpu".
void registerCpuStrategies();

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_CPUSTRATEGY_H
