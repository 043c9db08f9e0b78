//===- Fuzz.h - What fuzz targets share -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that stop the fuzzer, and a file of the target's own.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_FUZZ_FUZZ_H
#define TENON_TEST_FUZZ_FUZZ_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace tenon::test {

/// What must hold for every input.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// A folder of this process that goes when it ends.
class Folder {
public:
  Folder() {
    path =
        (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + std::string("/tenon-fuzz-XXXXXX");
    require(mkdtemp(path.data()) != nullptr, "a folder for files can be made");
  }
  ~Folder() {
    for (const char *name : {"/a", "/b"})
      unlink((path + name).c_str());
    rmdir(path.c_str());
  }
  std::string file(const char *name) const { return path + "/" + name; }

private:
  std::string path;
};

} // namespace tenon::test

#endif // TENON_TEST_FUZZ_FUZZ_H
