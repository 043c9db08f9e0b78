//===- Artifact.cpp - Fuzzing the reader of artifacts ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a library's file: as they are, and with the size and the digest that their
// note must state, which no fuzzer guesses. What passes is not loaded: it is code.
//
//===----------------------------------------------------------------------===//
#include "runtime/ArtifactNote.h"
#include "runtime/platform/Processor.h"
#include "tenon/library.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <cstring>

using namespace tenon::runtime;
using namespace tenon::test;

static void check(const std::vector<unsigned char> &file) {
  ArtifactNote note;
  if (!readArtifactNote(file.data(), file.size(), note).empty())
    return;
  require(!note.variants.empty(), "there is a variant");
  for (const ArtifactNote::Variant &variant : note.variants)
    platform::missingFeatures(variant.features);
}

/// Writes size and digest behind the magic word, wherever that stands.
static bool sign(std::vector<unsigned char> &file) {
  uint64_t magic = TENON_ARTIFACT_MAGIC, size = file.size();
  const auto *word = reinterpret_cast<const unsigned char *>(&magic);
  auto at = std::search(file.begin(), file.end(), word, word + sizeof magic);
  if (size_t(file.end() - at) < sizeof(NoteHeader))
    return false;
  std::memcpy(&*at + noteBytesAt, &size, sizeof size);
  uint64_t digest = digestAround(file.data(), file.size(), at - file.begin() + noteDigestAt);
  std::memcpy(&*at + noteDigestAt, &digest, sizeof digest);
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<unsigned char> file(data, data + size);
  check(file);
  uint64_t digest;
  readLoadedDigest(file.data(), file.size(), digest);
  if (sign(file))
    check(file);
  return 0;
}
