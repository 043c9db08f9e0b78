//===- GlslModule.cpp - What glslang made of a shader ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/GlslModule.h"

namespace tenon::spirv {

namespace {

enum Opcode : uint32_t {
  OpName = 5,
  OpExecutionMode = 16,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeMatrix = 24,
  OpTypeArray = 28,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpConstant = 43,
  OpFunction = 54,
  OpVariable = 59,
  OpLoad = 61,
  OpAccessChain = 65,
  OpInBoundsAccessChain = 66,
  OpArrayLength = 68,
  OpDecorate = 71,
  OpMemberDecorate = 72,
  OpIAdd = 128,
  OpShiftRightLogical = 194,
};
constexpr uint32_t localSizeMode = 17, storageBuffer = 12, privateClass = 6, functionClass = 7,
                   input = 1, workgroup = 4;
constexpr uint32_t nonWritable = 24, arrayStride = 6, bindingNumber = 33, descriptorSet = 34;
constexpr uint32_t headerWords = 5;

std::string textAt(const uint32_t *words, uint32_t count) {
  const char *text = reinterpret_cast<const char *>(words);
  return {text, strnlen(text, count * sizeof *words)};
}

/// What elements of a dtype are in GLSL, by its number.
struct Element {
  const char *name;
  uint32_t bytes;
};
const Element &elementOf(tenon_dtype dtype) {
  static const Element elements[] = {{"double", 8},   {"float", 4},   {"float16_t", 2},
                                     {"uint16_t", 2}, {"int64_t", 8}, {"int", 4},
                                     {"int8_t", 1},   {"uint8_t", 1}};
  return elements[dtype];
}

std::string printed(const infer::Type &type) {
  char text[160];
  return infer::print(type, text, sizeof text);
}

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void GlslModule::decorate(uint32_t target, const uint32_t *decoration, uint32_t count) {
  uint32_t value = count > 1 ? decoration[1] : 0;
  switch (decoration[0]) {
  case bindingNumber:
    bindings[target] = value;
    break;
  case descriptorSet:
    sets[target] = value;
    break;
  case arrayStride:
    strides[target] = value;
    break;
  case nonWritable: // of a variable: of its block
    readOnly[target] = true;
    break;
  }
}

void GlslModule::read(uint32_t opcode, const uint32_t *operands, uint32_t count) {
  switch (opcode) {
  case OpName:
    names[operands[0]] = textAt(operands + 1, count - 1);
    break;
  case OpExecutionMode:
    for (int i = 0; operands[1] == localSizeMode && i < 3; i++)
      localSize[i] = operands[2 + i];
    break;
  case OpDecorate:
    decorate(operands[0], operands + 1, count - 1);
    break;
  case OpMemberDecorate:
    if (operands[2] == nonWritable)
      decorate(operands[0], operands + 2, count - 2);
    break;
  case OpTypeBool:
  case OpTypeInt:
  case OpTypeFloat:
  case OpTypeVector:
  case OpTypeMatrix:
  case OpTypeArray:
  case OpTypeRuntimeArray:
  case OpTypeStruct:
  case OpTypePointer:
    types[operands[0]] = {opcode, {operands + 1, operands + count}};
    break;
  case OpConstant:
    constants[operands[1]] = operands[2];
    break;
  case OpVariable:
    variables[operands[1]] = {operands[0], operands[2]};
    break;
  }
}

const GlslModule::Type &GlslModule::blockOf(const Variable &variable) const {
  return types.at(types.at(variable.pointer).operands[1]);
}

/// As GLSL calls it, near enough.
std::string GlslModule::textOf(uint32_t id) const {
  auto found = types.find(id);
  if (found == types.end())
    return "another type";
  const Type &type = found->second;
  switch (type.opcode) {
  case OpTypeBool:
    return "bool";
  case OpTypeInt: {
    std::string sign = type.operands[1] ? "" : "u", width = std::to_string(type.operands[0]);
    return sign + (type.operands[0] == 32 ? "int" : "int" + width + "_t");
  }
  case OpTypeFloat:
    return type.operands[0] == 64   ? "double"
           : type.operands[0] == 32 ? "float"
                                    : "float" + std::to_string(type.operands[0]) + "_t";
  case OpTypeVector:
    return "vectors of " + std::to_string(type.operands[1]) + " " + textOf(type.operands[0]);
  case OpTypeMatrix:
    return "matrices";
  case OpTypeArray:
  case OpTypeRuntimeArray:
    return "arrays";
  case OpTypeStruct:
    return "structs";
  }
  return "another type";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Element type, stride and length of a buffer's array.
std::string GlslModule::checkElements(const GlslBuffer &buffer, const Type &array) {
  tenon_dtype dtype = buffer.type.dtype;
  const Type &element = types.at(array.operands[0]);
  bool isFloat = dtype <= TENON_F16;
  bool fits = element.opcode == (isFloat ? OpTypeFloat : OpTypeInt) &&
              element.operands[0] == elementOf(dtype).bytes * 8;
  if (!fits)
    return std::string("expected an array of ") + elementOf(dtype).name + ", got one of " +
           textOf(array.operands[0]);
  if (array.opcode == OpTypeRuntimeArray)
    return "";
  int64_t length = constants[array.operands[1]], elements = 1;
  for (int d = 0; d < buffer.type.rank; d++)
    elements =
        infer::isNumber(buffer.type.dims[d]) && elements >= 0 ? elements * buffer.type.dims[d] : -1;
  if (elements < 0)
    return "expected an array without a length, as an extent is known at run time only, got one "
           "of " +
           std::to_string(length);
  if (length > elements)
    return "expected an array of at most " + std::to_string(elements) + " elements, got one of " +
           std::to_string(length);
  return "";
}

std::string GlslModule::checkBuffer(uint32_t binding, uint32_t variable) {
  const GlslBuffer &buffer = buffers[binding];
  std::string at = "binding " + std::to_string(binding) + " (" + printed(buffer.type) + "): ";
  const Variable &declared = variables[variable];
  if (declared.storage != storageBuffer)
    return at + "expected a buffer";
  const Type &block = blockOf(declared);
  bool isArray = block.opcode == OpTypeStruct && block.operands.size() == 1;
  const Type *array = isArray ? &types.at(block.operands[0]) : nullptr;
  if (!array || (array->opcode != OpTypeArray && array->opcode != OpTypeRuntimeArray))
    return at + "expected a block with one array";
  if (std::string wrong = checkElements(buffer, *array); !wrong.empty())
    return at + wrong;
  if (strides[block.operands[0]] != elementOf(buffer.type.dtype).bytes)
    return at + "expected elements of " + std::to_string(elementOf(buffer.type.dtype).bytes) +
           " bytes each, as in the layout std430, got them " +
           std::to_string(strides[block.operands[0]]) + " apart";
  bool cannotWrite = readOnly[variable] || readOnly[types[declared.pointer].operands[1]];
  if (buffer.isResult && cannotWrite)
    return at + "it is a result: expected a buffer that is not readonly";
  if (!buffer.isResult && !cannotWrite)
    return at + "it is an input: expected a readonly buffer";
  bufferOf[variable] = binding;
  return "";
}

std::string GlslModule::checkVariables() {
  std::vector<uint32_t> found(buffers.size(), 0);
  for (auto &[id, variable] : variables) {
    const Type &pointee = types.count(variable.pointer) ? types[variable.pointer] : Type();
    bool isOurs = pointee.operands.size() == 2 && names[pointee.operands[1]] == parametersName;
    if (isOurs) {
      parameters = id;
      continue;
    }
    uint32_t storage = variable.storage;
    if (storage == privateClass || storage == functionClass || storage == input ||
        storage == workgroup)
      continue;
    if (!bindings.count(id) || sets[id] != 0 || bindings[id] >= buffers.size())
      return "expected buffers with bindings 0 to " + std::to_string(buffers.size() - 1) +
             " of set 0, got " +
             (bindings.count(id) ? "binding " + std::to_string(bindings[id]) + " of set " +
                                       std::to_string(sets[id])
                                 : "a variable of another kind");
    if (found[bindings[id]])
      return "binding " + std::to_string(bindings[id]) + ": declared twice";
    found[bindings[id]] = id;
  }
  for (size_t i = 0; i < found.size(); i++) {
    if (!found[i])
      return "binding " + std::to_string(i) + " (" + printed(buffers[i].type) +
             "): the shader declares no buffer for this " +
             (buffers[i].isResult ? "result" : "input");
    if (std::string wrong = checkBuffer(uint32_t(i), found[i]); !wrong.empty())
      return wrong;
  }
  return parameters ? "" : "the block of parameters is missing";
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void GlslModule::emit(uint32_t opcode, std::vector<uint32_t> operands) {
  out.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
  out.insert(out.end(), operands.begin(), operands.end());
}

uint32_t GlslModule::constant(uint32_t value) { return ownConstants.at(value); }

/// Before the first function: the constants that offsets need, and a type.
void GlslModule::addGlobals() {
  const Variable &block = variables[parameters];
  uintType = types.at(blockOf(block).operands[0]).operands[0];
  parameterPointer = bound++;
  emit(OpTypePointer, {parameterPointer, block.storage, uintType});
  for (uint32_t value = 0; value < std::max<size_t>(buffers.size(), 4); value++) {
    ownConstants[value] = bound++;
    emit(OpConstant, {uintType, ownConstants[value], value});
  }
}

/// A pointer into a buffer: its index counts from where the tensor begins.
std::string GlslModule::addOffset(uint32_t opcode, const uint32_t *operands, uint32_t count) {
  uint32_t binding = bufferOf[operands[2]];
  if (count < 5)
    return "binding " + std::to_string(binding) +
           ": its array is used as a whole: take its elements one by one";
  uint32_t pointer = bound++, bytes = bound++, index = bound++;
  emit(OpAccessChain, {parameterPointer, pointer, parameters, constant(0), constant(binding)});
  emit(OpLoad, {uintType, bytes, pointer});
  if (uint32_t size = elementOf(buffers[binding].type.dtype).bytes; size > 1) {
    uint32_t places = bound++;
    emit(OpShiftRightLogical, {uintType, places, bytes, constant(size == 8 ? 3 : size / 2)});
    bytes = places;
  }
  emit(OpIAdd, {uintType, index, operands[4], bytes});
  std::vector<uint32_t> chain(operands, operands + count);
  chain[4] = index;
  emit(opcode, chain);
  return "";
}

std::string GlslModule::rewrite() {
  out.assign(words.begin(), words.begin() + headerWords);
  bool inFunctions = false;
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16) {
    uint32_t opcode = words[at] & 0xffff, count = (words[at] >> 16) - 1;
    const uint32_t *operands = &words[at] + 1;
    if (opcode == OpFunction && !inFunctions) {
      inFunctions = true;
      addGlobals();
    }
    bool isChain = opcode == OpAccessChain || opcode == OpInBoundsAccessChain;
    if (isChain && bufferOf.count(operands[2])) {
      if (std::string wrong = addOffset(opcode, operands, count); !wrong.empty())
        return wrong;
      continue;
    }
    if ((opcode == OpArrayLength || opcode == OpLoad) && bufferOf.count(operands[2])) {
      std::string binding = std::to_string(bufferOf[operands[2]]);
      return "binding " + binding + ": length() counts more than the tensor: expected tenon_size(" +
             binding + ")";
    }
    out.insert(out.end(), operands - 1, operands + count);
  }
  out[3] = bound;
  return "";
}

std::string GlslModule::run(GlslShader &shader) {
  bound = words[3];
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16)
    read(words[at] & 0xffff, &words[at] + 1, (words[at] >> 16) - 1);
  if (std::string wrong = checkVariables(); !wrong.empty())
    return wrong;
  if (std::string wrong = rewrite(); !wrong.empty())
    return wrong;
  std::copy(localSize, localSize + 3, shader.localSize);
  shader.words = std::move(out);
  return "";
}

} // namespace tenon::spirv
