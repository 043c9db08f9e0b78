//===- Safetensors.cpp - Fuzzing the reader of safetensors files ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes: an error or tensors, which written and read again are the same.
//
//===----------------------------------------------------------------------===//
#include "runtime/files/Safetensors.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>

using namespace tenon::files;
using namespace tenon::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  NamedTensors tensors, again;
  std::string wrong = parseSafetensors({reinterpret_cast<const char *>(data), size}, tensors);
  if (!wrong.empty())
    return 0;
  size_t bytes = 0;
  for (auto &[name, tensor] : tensors)
    bytes += size_t(tensor.numBytes());
  require(bytes <= size, "tensors are no larger than their file");
  std::string path = folder.file("a"), error;
  require(writeSafetensors(path, tensors, error), "what was read can be written");
  require(readSafetensors(path, again, error), "what was written can be read");
  require(again.size() == tensors.size(), "all are there");
  for (auto &[name, tensor] : tensors) {
    auto found = again.find(name);
    require(found != again.end() && found->second.dtype == tensor.dtype &&
                found->second.extents == tensor.extents &&
                std::memcmp(found->second.data(), tensor.data(), size_t(tensor.numBytes())) == 0,
            "they are the same");
  }
  return 0;
}
