//===- CacheEntry.cpp - A file of the disk cache --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who else may write to a file could put code into it.
//
//===----------------------------------------------------------------------===//
#include "capi/CacheEntry.h"

#include "tenon/library.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon {

static tenon_status openSound(const std::string &path, const char *driver, const struct stat &file,
                              tenon_executable *&executable) {
  if (!S_ISREG(file.st_mode))
    return tenon_status_make(TENON_ERROR_IO, "%s: expected a file", path.c_str());
  if (file.st_uid != geteuid() || (file.st_mode & 022) != 0)
    return tenon_status_make(TENON_ERROR_IO,
                             "%s: expected a file of user %u that nobody else may write, got one "
                             "of user %u with mode 0%o",
                             path.c_str(), geteuid(), file.st_uid, file.st_mode & 07777);
  tenon_library *library = nullptr;
  tenon_status status = tenon_library_open(path.c_str(), &library);
  if (!status)
    status = tenon_library_executable(library, nullptr, driver, &executable);
  tenon_library_release(library);
  return status;
}

tenon_executable *openCacheEntry(const std::string &path, const char *driver,
                                 std::string &problem) {
  struct stat file;
  if (lstat(path.c_str(), &file) != 0) {
    if (errno != ENOENT)
      problem = path + ": " + strerror(errno);
    return nullptr;
  }
  tenon_executable *executable = nullptr;
  tenon_status status = openSound(path, driver, file, executable);
  if (!status)
    return executable;
  problem = tenon_status_message(status);
  tenon_code code = tenon_status_code(status);
  tenon_status_free(status);
  if (code != TENON_ERROR_MEMORY) // there may be some another time
    unlink(path.c_str());
  return nullptr;
}

} // namespace tenon
