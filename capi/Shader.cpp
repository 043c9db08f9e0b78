//===- Shader.cpp - Shaders of the user's, checked ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/Glsl.h"
#include "frontend/TraceCheck.h"
#include "tenon/compiler.h"

using namespace tenon;

/// False: a value is no tensor's type.
static bool addBuffers(const tenon_trace_value *values, int32_t count, bool areResults,
                       std::vector<spirv::GlslBuffer> &buffers, int64_t &numExtents) {
  for (int32_t i = 0; i < count; i++) {
    if (values[i].dtype < TENON_F64 || values[i].dtype > TENON_I1 || values[i].rank < 0 ||
        values[i].rank > TENON_TRACE_MAX_RANK)
      return false;
    buffers.push_back({traceType(values[i]), areResults, numExtents});
    for (int32_t d = 0; d < values[i].rank; d++)
      numExtents += !infer::isNumber(values[i].extents[d]);
  }
  return true;
}

tenon_status tenon_check_shader(const char *glsl, const tenon_trace_value *inputs,
                                int32_t num_inputs, const tenon_trace_value *results,
                                int32_t num_results) {
  if (!glsl || (!inputs && num_inputs > 0) || (!results && num_results > 0))
    return tenon_status_make(TENON_ERROR_ARGUMENT, "tenon_check_shader: '%s' is NULL",
                             !glsl                       ? "glsl"
                             : num_inputs > 0 && !inputs ? "inputs"
                                                         : "results");
  std::vector<spirv::GlslBuffer> buffers;
  int64_t numExtents = 0;
  if (!addBuffers(inputs, num_inputs, false, buffers, numExtents) ||
      !addBuffers(results, num_results, true, buffers, numExtents))
    return tenon_status_make(TENON_ERROR_ARGUMENT, "tenon_check_shader: expected types of tensors");
  spirv::GlslShader shader;
  std::string wrong = spirv::compileGlsl(glsl, buffers, numExtents, shader);
  return wrong.empty() ? nullptr
                       : tenon_status_make(TENON_ERROR_ARGUMENT, "glsl: %s", wrong.c_str());
}
