//===- CacheEntry.cpp - Fuzzing entries of the disk cache -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first byte says what kind of file there is, the rest is in it. A sound library is
// loaded, everything else is refused and deleted, and nothing else is touched.
//
//===----------------------------------------------------------------------===//
#include "capi/CacheEntry.h"
#include "tenon/runtime.h"
#include "test/fuzz/Fuzz.h"

#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>

using namespace tenon;
using namespace tenon::test;

/// A kind of file: a link to one, or one with this mode.
static const struct {
  mode_t mode;
  bool isLink;
} kinds[] = {{0600, false}, {0400, false}, {0644, false},
             {0660, false}, {0606, false}, {0600, true}};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  if (size == 0)
    return 0;
  std::string path = folder.file("a"), target = folder.file("b");
  const auto &kind = kinds[data[0] % std::size(kinds)];
  std::string written = kind.isLink ? target : path;
  int file = open(written.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  require(file >= 0 && write(file, data + 1, size - 1) == ssize_t(size - 1) &&
              fchmod(file, kind.mode) == 0 && close(file) == 0,
          "a file can be written");
  if (kind.isLink)
    require(symlink(target.c_str(), path.c_str()) == 0, "a link can be made");

  std::string problem;
  tenon_executable *executable = openCacheEntry(path, "cpu", problem);
  bool isThere = access(path.c_str(), F_OK) == 0;
  if (executable) {
    require(problem.empty() && isThere, "a sound entry stays");
    require(!kind.isLink && (kind.mode & 022) == 0, "others cannot write to it");
    tenon_executable_release(executable);
  } else {
    require(!problem.empty(), "an error says something");
    require(!isThere, "an entry that is not sound is deleted");
  }
  require(!kind.isLink || access(target.c_str(), F_OK) == 0, "where a link leads is not touched");
  unlink(path.c_str());
  return 0;
}
