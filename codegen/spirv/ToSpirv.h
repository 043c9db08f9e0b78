//===- ToSpirv.h - From a dispatch's code to a SPIR-V module ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of scalar arith, math, memref and scf ops becomes one compute shader,
// bound as tenon/artifact.h says.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_TOSPIRV_H
#define TENON_CODEGEN_SPIRV_TOSPIRV_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tenon::spirv {

/// Workgroups along x; what is more goes along y. Every device takes 65535.
constexpr int64_t kMostGroups = 1 << 15;

struct ShaderModule {
  llvm::SmallVector<uint32_t, 0> words;
  std::string entry;                   ///< name of the entry point
  llvm::SmallVector<int64_t> bindings; ///< as in tenon_dispatch
  int64_t subgroupSize = 0;            ///< that it counts on, or 0
  std::string text;                    ///< the module in MLIR's form, if asked for
};

void registerSpirvDialects(mlir::DialectRegistry &registry);

struct SpirvFeatures;

/// Lowers and serializes a dispatch that SpirvFrame has cut, of workgroups of so many invocations
/// and a kernel with so many extents. The function is consumed. A failure has emitted an error.
llvm::LogicalResult toSpirv(mlir::func::FuncOp dispatch, const SpirvFeatures &features,
                            int64_t workgroup, int64_t numExtents, bool wantsText,
                            ShaderModule &result);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_TOSPIRV_H
