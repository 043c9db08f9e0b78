//===- SafetensorsHeader.cpp - Fuzzing R's reader of headers --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first two bytes are how many bytes of data there are; then the header.
//
//===----------------------------------------------------------------------===//
#include "rbind/src/safetensors.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <iterator>

using namespace tenon::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  uint64_t dataSize = data[0] | uint64_t(data[1]) << 8, bytes = 0;
  std::vector<TensorEntry> entries, again;
  try {
    entries = parseHeader({reinterpret_cast<const char *>(data) + 2, size - 2}, dataSize);
  } catch (const TensorFileError &error) {
    require(!error.message.empty(), "an error says something");
    return 0;
  }
  for (const TensorEntry &entry : entries) {
    require(entry.begin <= entry.end && entry.end <= dataSize, "data lie in the file");
    bytes += entry.end - entry.begin;
  }
  require(bytes == dataSize, "all data belong to one tensor");
  try {
    again = parseHeader(headerOf(entries), dataSize);
  } catch (const TensorFileError &) {
  }
  require(again.size() == entries.size(), "what was written can be read");
  for (size_t i = 0; i < entries.size(); ++i)
    require(again[i].name == entries[i].name && again[i].begin == entries[i].begin &&
                again[i].end == entries[i].end && again[i].type.dtype == entries[i].type.dtype &&
                std::equal(std::begin(again[i].type.dims), std::end(again[i].type.dims),
                           entries[i].type.dims),
            "it is the same");
  return 0;
}
