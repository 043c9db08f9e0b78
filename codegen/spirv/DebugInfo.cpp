//===- DebugInfo.cpp - Modules that tell what they are --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR 19 writes lines of one file, and of ops whose location is nothing but that. So the ops get
// numbers as lines, and places take their stead in what was written.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/DebugInfo.h"

#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/MapVector.h"

#include <spirv-tools/libspirv.hpp>

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

namespace {

class Writer {
public:
  Writer(ArrayRef<FileLineColLoc> places, ArrayRef<uint32_t> from, SmallVectorImpl<uint32_t> &to)
      : places(places), from(from), to(to) {}
  void run();

private:
  static constexpr size_t kHeaderWords = 5, kBoundWord = 3;

  void emit(spv::Opcode opcode, ArrayRef<uint32_t> operands, StringRef text = {});
  void emitStringsAndNames();
  void emitLine(uint32_t number);

  ArrayRef<FileLineColLoc> places;
  ArrayRef<uint32_t> from;
  SmallVectorImpl<uint32_t> &to;
  llvm::MapVector<StringAttr, uint32_t> files; ///< and the ids of their names
  uint32_t line = 0;                           ///< number of the place in force; 0: none
};

} // namespace

void Writer::emit(spv::Opcode opcode, ArrayRef<uint32_t> operands, StringRef text) {
  size_t textWords = text.empty() ? 0 : text.size() / 4 + 1;
  to.push_back(uint32_t(1 + operands.size() + textWords) << 16 | uint32_t(opcode));
  llvm::append_range(to, operands);
  for (size_t i = 0; i < textWords; i++) {
    uint32_t word = 0;
    for (size_t c = 4 * i; c < std::min(4 * i + 4, text.size()); c++)
      word |= uint32_t(uint8_t(text[c])) << 8 * (c % 4);
    to.push_back(word);
  }
}

/// Of files, and of variables in functions: others have names.
void Writer::emitStringsAndNames() {
  for (auto [file, id] : files)
    emit(spv::Opcode::OpString, {id}, file.empty() ? StringRef("-") : file.getValue());
  unsigned number = 0;
  for (size_t i = kHeaderWords; i < from.size(); i += from[i] >> 16)
    if (spv::Opcode(from[i] & 0xffff) == spv::Opcode::OpVariable &&
        spv::StorageClass(from[i + 3]) == spv::StorageClass::Function)
      emit(spv::Opcode::OpName, {from[i + 2]}, "variable" + std::to_string(number++));
}

void Writer::emitLine(uint32_t number) {
  if (number == line)
    return;
  line = number;
  if (number == 0)
    return emit(spv::Opcode::OpNoLine, {});
  FileLineColLoc place = places[number - 1];
  emit(spv::Opcode::OpLine,
       {files.lookup(place.getFilename()), place.getLine(), place.getColumn()});
}

void Writer::run() {
  uint32_t bound = from[kBoundWord];
  for (FileLineColLoc place : places)
    if (files.insert({place.getFilename(), bound}).second)
      bound++;
  to.append(from.begin(), from.begin() + kHeaderWords);
  to[kBoundWord] = bound;
  for (size_t i = kHeaderWords; i < from.size(); i += from[i] >> 16) {
    auto opcode = spv::Opcode(from[i] & 0xffff);
    if (opcode == spv::Opcode::OpLine) {
      emitLine(from[i + 2]);
      continue;
    }
    if (opcode == spv::Opcode::OpString) { // MLIR's only one, where strings and names stand
      emitStringsAndNames();
      continue;
    }
    to.append(from.begin() + i, from.begin() + i + (from[i] >> 16));
    if (opcode >= spv::Opcode::OpLabel && opcode <= spv::Opcode::OpUnreachable)
      line = 0; // a block is all that a line is for
  }
}

LogicalResult serializeWithDebugInfo(spv::ModuleOp module, SmallVectorImpl<uint32_t> &words) {
  llvm::MapVector<Attribute, unsigned> numbers;
  module.walk([&](Operation *op) {
    unsigned number = 0;
    if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
      number = numbers.insert({place, unsigned(numbers.size()) + 1}).first->second;
    op->setLoc(FileLineColLoc::get(module.getContext(), "", number, 0));
  });
  SmallVector<uint32_t, 0> written;
  spv::SerializationOptions options;
  options.emitDebugInfo = true;
  if (failed(spv::serialize(module, written, options)))
    return failure();
  SmallVector<FileLineColLoc> places;
  for (auto [place, number] : numbers)
    places.push_back(cast<FileLineColLoc>(place));
  Writer(places, written, words).run();
  return success();
}

bool disassemble(ArrayRef<uint32_t> words, std::string &textOrReason) {
  std::string text, reason;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &,
                               const char *message) { reason = message; });
  bool done = tools.Disassemble(words.data(), words.size(), &text,
                                SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                                    SPV_BINARY_TO_TEXT_OPTION_INDENT);
  textOrReason = done ? text : reason;
  return done;
}

} // namespace tenon::spirv
