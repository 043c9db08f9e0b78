//===- SpirvModule.cpp - what a module asks of a device -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opcodes and layouts are those of the SPIR-V specification, sections 2.3 and 3.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/SpirvModule.h"

#include <cstring>

namespace tenon::runtime::vulkan {

namespace {

enum Opcode : uint32_t {
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeArray = 28,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpConstant = 43,
  OpVariable = 59,
  OpDecorate = 71,
  OpMemberDecorate = 72,
};
constexpr uint32_t magic = 0x07230203, computeModel = 5, localSizeMode = 17, workgroupStorage = 4;
constexpr uint32_t builtIn = 11, numWorkgroups = 24;
constexpr uint32_t headerWords = 5, mostIds = 1u << 22;

class Reader {
public:
  Reader(uint32_t bound, ModuleNeeds &needs) : sizes(bound), pointees(bound), needs(needs) {}

  /// An instruction and its operands.
  void read(uint32_t opcode, const uint32_t *operands, uint32_t count);

private:
  /// Of a type its bytes, of a constant its value; 0 for what is not known.
  uint64_t sizeOf(uint32_t id) const { return id < sizes.size() ? sizes[id] : 0; }
  void set(uint32_t id, uint64_t size) {
    if (id < sizes.size())
      sizes[id] = size;
  }

  std::vector<uint64_t> sizes;
  std::vector<uint32_t> pointees;
  ModuleNeeds &needs;
};

} // namespace

void Reader::read(uint32_t opcode, const uint32_t *operands, uint32_t count) {
  auto is = [&](Opcode wanted, uint32_t least) { return opcode == wanted && count >= least; };
  if (is(OpCapability, 1))
    needs.capabilities.push_back(operands[0]);
  else if (is(OpEntryPoint, 3) && operands[0] == computeModel) {
    const char *name = reinterpret_cast<const char *>(operands + 2);
    needs.shaders.emplace_back(name, strnlen(name, (count - 2) * sizeof *operands));
  } else if (is(OpExecutionMode, 5) && operands[1] == localSizeMode)
    for (int i = 0; i < 3; ++i)
      needs.localSize[i] = operands[2 + i];
  else if (is(OpTypeBool, 1))
    set(operands[0], 4);
  else if (is(OpTypeInt, 2) || is(OpTypeFloat, 2))
    set(operands[0], operands[1] / 8);
  else if (is(OpTypeVector, 3))
    set(operands[0], sizeOf(operands[1]) * operands[2]);
  else if (is(OpTypeArray, 3))
    set(operands[0], sizeOf(operands[1]) * sizeOf(operands[2]));
  else if (is(OpConstant, 3))
    set(operands[1], operands[2]);
  else if (is(OpTypeStruct, 1)) {
    uint64_t total = 0;
    for (uint32_t i = 1; i < count; ++i)
      total += sizeOf(operands[i]);
    set(operands[0], total);
  } else if (is(OpTypePointer, 3) && operands[0] < pointees.size())
    pointees[operands[0]] = operands[2];
  else if (is(OpVariable, 3) && operands[2] == workgroupStorage && operands[0] < pointees.size())
    needs.sharedBytes += sizeOf(pointees[operands[0]]);
  else if ((is(OpDecorate, 3) || is(OpMemberDecorate, 4)) && operands[count - 2] == builtIn &&
           operands[count - 1] == numWorkgroups)
    needs.countsGroups = true;
}

bool readModule(const uint32_t *words, size_t count, ModuleNeeds &needs) {
  if (count < headerWords || words[0] != magic || words[3] > mostIds)
    return false;
  Reader reader(words[3], needs);
  for (size_t at = headerWords; at < count;) {
    uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
    if (length == 0 || length > count - at)
      return false;
    reader.read(opcode, words + at + 1, length - 1);
    at += length;
  }
  return true;
}

} // namespace tenon::runtime::vulkan
