//===- ArtifactNote.cpp - Reading the note of an artifact -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file may hold anything: every place is checked before it is read.
//
//===----------------------------------------------------------------------===//
#include "runtime/ArtifactNote.h"

#include "runtime/platform/Processor.h"
#include "tenon/library.h"

namespace tenon::runtime {
namespace {

/// A part of the file.
struct Bytes {
  const unsigned char *data;
  size_t size;

  bool has(uint64_t at, uint64_t count) const { return at <= size && count <= size - at; }
  /// Only where it has them.
  template <typename T> T load(uint64_t at) const {
    T value;
    std::memcpy(&value, data + at, sizeof value);
    return value;
  }
};

// Of the ELF format, in its 64-bit little-endian form.
constexpr size_t fileHeaderBytes = 64, segmentHeaderBytes = 56;
constexpr uint16_t sharedObject = 3, machineX86_64 = 62, machineAArch64 = 183;
constexpr uint32_t noteSegment = 4;

std::string machineName(uint16_t machine) {
  return machine == machineX86_64    ? "x86_64"
         : machine == machineAArch64 ? "aarch64"
                                     : "machine " + std::to_string(machine);
}

/// Finds Tenon's note among those of a segment.
bool findNote(Bytes segment, Bytes &contents) {
  uint64_t at = 0;
  while (segment.has(at, 12)) {
    uint64_t nameBytes = segment.load<uint32_t>(at), bytes = segment.load<uint32_t>(at + 4);
    uint32_t type = segment.load<uint32_t>(at + 8);
    uint64_t nameAt = at + 12, dataAt = nameAt + (nameBytes + 3) / 4 * 4;
    if (!segment.has(nameAt, nameBytes) || !segment.has(dataAt, bytes))
      return false;
    if (type == noteType && nameBytes == sizeof noteName &&
        std::memcmp(segment.data + nameAt, noteName, sizeof noteName) == 0) {
      contents = {segment.data + dataAt, bytes};
      return true;
    }
    at = dataAt + (bytes + 3) / 4 * 4;
  }
  return false;
}

std::string findNoteInFile(Bytes file, Bytes &contents) {
  static const unsigned char start[] = {0x7f, 'E', 'L', 'F', 2, 1};
  if (!file.has(0, fileHeaderBytes) || std::memcmp(file.data, start, 4) != 0)
    return "expected a shared library that tenon-compile wrote, got something else";
  if (std::memcmp(file.data, start, sizeof start) != 0)
    return "expected a 64-bit little-endian library, got another";
  if (uint16_t type = file.load<uint16_t>(16); type != sharedObject)
    return "expected a shared library (ELF type 3), got ELF type " + std::to_string(type) +
           "; link objects into a program instead";
  if (std::string machine = machineName(file.load<uint16_t>(18));
      machine != platform::architecture())
    return std::string("expected code for ") + platform::architecture() + ", got " + machine;
  uint64_t table = file.load<uint64_t>(32), entryBytes = file.load<uint16_t>(54),
           entries = file.load<uint16_t>(56);
  if (entryBytes != segmentHeaderBytes || !file.has(table, entries * entryBytes))
    return "the file is cut short or damaged: it has no table of segments";
  for (uint64_t i = 0; i < entries; ++i) {
    uint64_t header = table + i * entryBytes;
    if (file.load<uint32_t>(header) != noteSegment)
      continue;
    uint64_t at = file.load<uint64_t>(header + 8), bytes = file.load<uint64_t>(header + 32);
    if (!file.has(at, bytes))
      return "the file is cut short or damaged: a segment of notes lies beyond its end";
    if (findNote({file.data + at, bytes}, contents))
      return "";
  }
  return "expected a library that tenon-compile wrote, got one without its note";
}

/// Versions, size and digest.
std::string checkHeader(Bytes file, Bytes contents) {
  if (contents.size < sizeof(NoteHeader))
    return "its note is damaged: " + std::to_string(contents.size) + " bytes are too few";
  auto header = contents.load<NoteHeader>(0);
  if (header.magic != uint64_t(TENON_ARTIFACT_MAGIC))
    return "its note is damaged: expected the magic word TENONAOT";
  if (header.format != TENON_ARTIFACT_FORMAT)
    return "expected format version " + std::to_string(TENON_ARTIFACT_FORMAT) + ", got " +
           std::to_string(header.format) + ": compile it with this version of Tenon";
  if (header.abiVersion != TENON_ABI_VERSION)
    return "expected ABI version " + std::to_string(TENON_ABI_VERSION) + ", got " +
           std::to_string(header.abiVersion) + ": compile it with this version of Tenon";
  if (header.fileBytes != file.size)
    return (file.size < header.fileBytes ? "the file is cut short: expected "
                                         : "the file is too long: expected ") +
           std::to_string(header.fileBytes) + " bytes, got " + std::to_string(file.size);
  size_t hole = size_t(contents.data - file.data) + noteDigestAt;
  if (digestAround(file.data, file.size, hole) != header.digest)
    return "the file is damaged: its contents do not have the digest that it states";
  return "";
}

/// Splits what ends in NULs; false if the last does not.
bool readTexts(Bytes bytes, std::vector<std::string> &texts) {
  size_t begin = 0;
  for (size_t i = 0; i < bytes.size; ++i) {
    if (bytes.data[i] != 0)
      continue;
    texts.emplace_back(reinterpret_cast<const char *>(bytes.data) + begin, i - begin);
    begin = i + 1;
  }
  return begin == bytes.size;
}

} // namespace

std::string readArtifactNote(const unsigned char *data, size_t size, ArtifactNote &note) {
  Bytes file{data, size}, contents{};
  if (std::string wrong = findNoteInFile(file, contents); !wrong.empty())
    return wrong;
  if (std::string wrong = checkHeader(file, contents); !wrong.empty())
    return wrong;
  std::vector<std::string> texts;
  constexpr size_t fixed = 3;
  if (!readTexts({contents.data + sizeof(NoteHeader), contents.size - sizeof(NoteHeader)}, texts) ||
      texts.size() < fixed + 2 || (texts.size() - fixed) % 2 != 0)
    return "its note is damaged: expected producer, architecture, symbol and variants";
  note.digest = contents.load<NoteHeader>(0).digest;
  note.producer = texts[0];
  note.architecture = texts[1];
  note.symbol = texts[2];
  for (size_t i = fixed; i < texts.size(); i += 2)
    note.variants.push_back({texts[i], texts[i + 1]});
  return "";
}

bool readLoadedDigest(const unsigned char *segment, size_t size, uint64_t &digest) {
  Bytes contents{};
  if (!findNote({segment, size}, contents) || contents.size < sizeof(NoteHeader))
    return false;
  digest = contents.load<NoteHeader>(0).digest;
  return true;
}

} // namespace tenon::runtime
