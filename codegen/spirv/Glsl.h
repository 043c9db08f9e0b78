//===- Glsl.h - Shaders of the user's ---------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the GLSL of a `tenon.custom` to SPIR-V that is bound as tenon/artifact.h says. The
// compiler is glslang. Knows no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_GLSL_H
#define TENON_CODEGEN_SPIRV_GLSL_H

#include "ir/infer/Infer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::spirv {

/// What a binding stands for.
struct GlslBuffer {
  infer::Type type;
  bool isResult;
  /// Which of the kernel's extents is the first of its open ones.
  int64_t firstExtent;
};

struct GlslShader {
  std::vector<uint32_t> words; ///< a module with the entry point "main"
  int64_t localSize[3] = {1, 1, 1};
};

/// Compiles a shader for buffers 0, 1, ... and a kernel of so many extents, and checks what it
/// declares against them. "" or what is wrong, with lines of the source.
std::string compileGlsl(const std::string &source, const std::vector<GlslBuffer> &buffers,
                        int64_t numExtents, GlslShader &shader);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_GLSL_H
