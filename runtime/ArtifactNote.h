//===- ArtifactNote.h - What an artifact's file says of itself --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ELF note that the compiler writes and the loader reads before it loads: name
// "Tenon", type 1, contents little endian. Knows no LLVM; both sides include it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_ARTIFACTNOTE_H
#define TENON_RUNTIME_ARTIFACTNOTE_H

#include "runtime/Digest.h"

#include <string>
#include <vector>

namespace tenon::runtime {

constexpr char noteSection[] = ".note.tenon";
constexpr char noteName[] = "Tenon"; ///< with its NUL 6 bytes
constexpr uint32_t noteType = 1;

/// The contents begin with it. Texts follow, each ended by NUL: producer, architecture,
/// the symbol of the tenon_artifact, then processor and features of every variant.
struct NoteHeader {
  uint64_t magic;
  uint32_t format, abiVersion;
  uint64_t fileBytes, digest; ///< see digestAround
};
constexpr size_t noteBytesAt = 16, noteDigestAt = 24;

/// Of a file but for the 8 bytes at `hole`, in which the digest stands.
inline uint64_t digestAround(const unsigned char *file, size_t size, size_t hole) {
  return Digest::of(file + hole + 8, size - hole - 8, Digest::of(file, hole));
}

/// What a note tells.
struct ArtifactNote {
  struct Variant {
    std::string processor, features;
  };
  std::string producer, architecture, symbol;
  std::vector<Variant> variants;
  uint64_t digest = 0;
};

/// Reads the note of a shared library in memory and checks all of the file against it:
/// "" or what is wrong.
std::string readArtifactNote(const unsigned char *file, size_t size, ArtifactNote &note);

/// The digest in a segment of notes of a loaded library; false if ours is not there.
bool readLoadedDigest(const unsigned char *segment, size_t size, uint64_t &digest);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_ARTIFACTNOTE_H
