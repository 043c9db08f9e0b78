//===- Npy.cpp - Fuzzing the reader of .npy files -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes: an error or a tensor, which written and read again is the same.
//
//===----------------------------------------------------------------------===//
#include "runtime/files/Npy.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>

using namespace tenon::files;
using namespace tenon::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  HostTensor tensor, again;
  std::string wrong = parseNpy({reinterpret_cast<const char *>(data), size}, tensor);
  if (!wrong.empty())
    return 0;
  require(size_t(tensor.numBytes()) <= size, "a tensor is no larger than its file");
  // A header of version 1 has 64 KB.
  if (tensor.extents.size() > 1000)
    return 0;
  std::string path = folder.file("a"), error;
  require(writeNpy(path, tensor, error), "what was read can be written");
  require(readNpy(path, again, error), "what was written can be read");
  require(again.dtype == tensor.dtype && again.extents == tensor.extents &&
              std::memcmp(again.data(), tensor.data(), size_t(tensor.numBytes())) == 0,
          "it is the same");
  return 0;
}
