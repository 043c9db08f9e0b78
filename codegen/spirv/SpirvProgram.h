//===- SpirvProgram.h - A planned function as GPU code ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_SPIRVPROGRAM_H
#define TENON_CODEGEN_SPIRV_SPIRVPROGRAM_H

#include "codegen/PlannedProgram.h"
#include "codegen/spirv/SpirvFrame.h"
#include "codegen/spirv/ToSpirv.h"

namespace tenon::spirv {

/// What a list like "cooperative-matrix,shuffle" lets code use.
llvm::Expected<SpirvFeatures> readFeatures(llvm::StringRef names);

/// A kernel's dispatches. Expressions are over its dynamic extents, operands first.
struct CompiledKernel {
  struct Dispatch {
    ShaderModule module;
    mlir::AffineExpr groups;
    std::array<mlir::AffineExpr, 3> grid; ///< instead, along each axis
  };
  std::vector<Dispatch> dispatches;
  mlir::AffineExpr scratch; ///< bytes
  bool usesFragments = false;
};

/// Compiles the kernels of a planned function. A failure has emitted an error.
llvm::FailureOr<std::vector<CompiledKernel>>
compileKernels(llvm::ArrayRef<KernelOp> kernels, const SpirvFeatures &features, bool wantsTexts);

/// The same as a program of the Vulkan device.
llvm::FailureOr<std::unique_ptr<Program>> buildSpirvProgram(mlir::func::FuncOp function,
                                                            const SpirvFeatures &features);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_SPIRVPROGRAM_H
