//===- CustomKernel.h - Shaders of the user's as kernels --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_CUSTOMKERNEL_H
#define TENON_CODEGEN_SPIRV_CUSTOMKERNEL_H

#include "codegen/spirv/SpirvProgram.h"

namespace tenon::spirv {

/// The custom op that a kernel is made of, if it is.
std::optional<CustomOp> customOf(KernelOp kernel);

/// Compiles its shader. A failure has emitted an error.
llvm::LogicalResult compileCustom(KernelOp kernel, CustomOp op, CompiledKernel &result);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_CUSTOMKERNEL_H
