//===- Glsl.cpp - Shaders of the user's -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/GlslModule.h"

#include <SPIRV/GlslangToSpv.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <spirv-tools/libspirv.hpp>

#include <sstream>

namespace tenon::spirv {

static constexpr char parametersBlock[] = "TenonParameters";

/// What stands before the first line: parameters, and names for extents.
static std::string preamble(const std::vector<GlslBuffer> &buffers, int64_t numExtents) {
  std::ostringstream text;
  int64_t numWords = int64_t(buffers.size()) + numExtents;
  if (numWords <= TENON_MOST_PUSHED_WORDS)
    text << "layout(push_constant) uniform " << parametersBlock << " { uint tenon_words["
         << numWords << "]; };\n";
  else
    text << "layout(std430, set = 0, binding = " << buffers.size() << ") readonly buffer "
         << parametersBlock << " { uint tenon_words[]; };\n";
  text << "#define tenon_extent(binding, axis) TENON_EXTENT_##binding##_##axis\n"
          "#define tenon_size(binding) TENON_SIZE_##binding\n";
  for (size_t i = 0; i < buffers.size(); i++) {
    std::string size;
    int64_t word = int64_t(buffers.size()) + buffers[i].firstExtent;
    for (int d = 0; d < buffers[i].type.rank; d++) {
      std::string name = "TENON_EXTENT_" + std::to_string(i) + "_" + std::to_string(d);
      int64_t extent = buffers[i].type.dims[d];
      text << "#define " << name << " ";
      if (infer::isNumber(extent))
        text << extent << "u\n";
      else
        text << "tenon_words[" << word++ << "]\n";
      size += (d ? " * " : "") + name;
    }
    text << "#define TENON_SIZE_" << i << " (" << (size.empty() ? "1u" : size) << ")\n";
  }
  return text.str();
}

/// glslang's lines "ERROR: 0:5: 'y' : undeclared" as "line 5: 'y' : undeclared".
static std::string messages(const char *log) {
  std::istringstream lines(log);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    constexpr size_t prefix = sizeof "ERROR: 0:" - 1;
    size_t colon = line.compare(0, prefix, "ERROR: 0:") == 0 ? line.find(':', prefix) : line.npos;
    if (colon != line.npos && line.find("compilation terminated") == line.npos)
      result += (result.empty() ? "line " : "; line ") + line.substr(prefix, colon - prefix) +
                line.substr(colon);
  }
  if (result.empty()) { // of no line
    result = log;
    constexpr size_t word = sizeof "ERROR: " - 1;
    result = result.substr(result.compare(0, word, "ERROR: ") == 0 ? word : 0);
    result = result.substr(0, result.find('\n'));
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

static std::string toSpirv(const std::string &source, const std::string &before,
                           std::vector<uint32_t> &words) {
  static const bool once = glslang::InitializeProcess();
  (void)once;
  auto rules = EShMessages(EShMsgSpvRules | EShMsgVulkanRules);
  glslang::TShader shader(EShLangCompute);
  const char *text = source.c_str();
  shader.setStrings(&text, 1);
  shader.setPreamble(before.c_str());
  constexpr int version = 450;
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, version);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  if (!shader.parse(GetDefaultResources(), version, false, rules))
    return messages(shader.getInfoLog());
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(rules))
    return messages(program.getInfoLog());
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &options);
  return "";
}

std::string compileGlsl(const std::string &source, const std::vector<GlslBuffer> &buffers,
                        int64_t numExtents, GlslShader &shader) {
  std::vector<uint32_t> words;
  if (std::string wrong = toSpirv(source, preamble(buffers, numExtents), words); !wrong.empty())
    return wrong;
  if (std::string wrong = GlslModule(words, buffers, parametersBlock).run(shader); !wrong.empty())
    return wrong;
  std::string complaint;
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  tools.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &,
                               const char *message) { complaint = message; });
  return tools.Validate(shader.words) ? "" : "the shader is not valid: " + complaint;
}

} // namespace tenon::spirv
