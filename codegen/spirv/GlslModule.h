//===- GlslModule.h - What glslang made of a shader -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the buffers that a SPIR-V module declares, checks them, and adds to each index into one
// where the tensor begins in what is bound. After the SPIR-V specification, version 1.3.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_GLSLMODULE_H
#define TENON_CODEGEN_SPIRV_GLSLMODULE_H

#include "codegen/spirv/Glsl.h"

#include <map>

namespace tenon::spirv {

class GlslModule {
public:
  /// `parameters` is the name of the block that has the parameters as its first member, an array
  /// of uint.
  GlslModule(const std::vector<uint32_t> &words, const std::vector<GlslBuffer> &buffers,
             const char *parameters)
      : words(words), buffers(buffers), parametersName(parameters) {}

  /// "" or what is wrong.
  std::string run(GlslShader &shader);

private:
  struct Type {
    uint32_t opcode = 0;
    std::vector<uint32_t> operands; ///< without the result
  };
  struct Variable {
    uint32_t pointer, storage;
  };

  void read(uint32_t opcode, const uint32_t *operands, uint32_t count);
  void decorate(uint32_t target, const uint32_t *decoration, uint32_t count);
  std::string checkVariables();
  std::string checkBuffer(uint32_t binding, uint32_t variable);
  std::string checkElements(const GlslBuffer &buffer, const Type &array);
  std::string textOf(uint32_t type) const;
  const Type &blockOf(const Variable &variable) const;
  std::string rewrite();
  void addGlobals();
  std::string addOffset(uint32_t opcode, const uint32_t *operands, uint32_t count);
  void emit(uint32_t opcode, std::vector<uint32_t> operands);
  uint32_t constant(uint32_t value);

  const std::vector<uint32_t> &words;
  const std::vector<GlslBuffer> &buffers;
  std::string parametersName;

  std::map<uint32_t, Type> types;
  std::map<uint32_t, Variable> variables;
  std::map<uint32_t, uint32_t> constants, bindings, strides; ///< by id
  std::map<uint32_t, std::string> names;
  std::map<uint32_t, bool> readOnly; ///< structs
  std::map<uint32_t, uint32_t> sets;
  int64_t localSize[3] = {1, 1, 1};

  std::map<uint32_t, uint32_t> bufferOf; ///< variable -> binding
  uint32_t parameters = 0, uintType = 0, parameterPointer = 0, bound = 0;
  std::map<uint32_t, uint32_t> ownConstants; ///< value -> id
  std::vector<uint32_t> out;
};

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_GLSLMODULE_H
