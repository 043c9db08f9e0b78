//===- DiskCache.cpp - Executables that outlive the process ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/DiskCache.h"

#include "capi/CacheEntry.h"
#include "codegen/cpu/CpuTarget.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace tenon {

constexpr int64_t kDefaultLimit = 512 << 20;
constexpr StringRef kEntryEnding = ".so", kUnfinishedEnding = ".tmp";
/// What a process left that was killed while it wrote.
constexpr std::chrono::hours kUnfinishedAge{1};

DiskCache &DiskCache::instance() {
  static DiskCache *const cache = new DiskCache; // threads may compile while the process ends
  return *cache;
}

//===----------------------------------------------------------------------===//
// Folder
//===----------------------------------------------------------------------===//

static tenon_status systemError(const std::string &what) {
  return tenon_status_make(TENON_ERROR_IO, "disk cache: %s: %s", what.c_str(), strerror(errno));
}

/// Others could put code into a folder that is open to them.
static tenon_status checkFolder(const std::string &folder) {
  struct stat status;
  if (lstat(folder.c_str(), &status) != 0)
    return systemError(folder);
  if (!S_ISDIR(status.st_mode))
    return tenon_status_make(TENON_ERROR_IO, "disk cache: expected a folder, got %s, which is none",
                             folder.c_str());
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0)
    return tenon_status_make(TENON_ERROR_IO,
                             "disk cache: expected a folder of user %u with mode 0700, got %s of "
                             "user %u with mode 0%o",
                             geteuid(), folder.c_str(), status.st_uid, status.st_mode & 07777);
  return nullptr;
}

tenon_status DiskCache::open(std::string path, int64_t most) {
  if (most < 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "disk cache: expected a limit of at least 0 bytes, got %lld",
                             (long long)most);
  if (!path.empty()) {
    SmallString<128> absolute(path);
    if (std::error_code error = sys::fs::make_absolute(absolute))
      return tenon_status_make(TENON_ERROR_IO, "disk cache: %s: %s", path.c_str(),
                               error.message().c_str());
    sys::path::remove_dots(absolute, true);
    path = absolute.str().str();
    if (std::error_code error = sys::fs::create_directories(sys::path::parent_path(path)))
      return tenon_status_make(TENON_ERROR_IO, "disk cache: %s: %s", path.c_str(),
                               error.message().c_str());
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
      return systemError(path);
    if (tenon_status status = checkFolder(path))
      return status;
  }
  // What drivers of GPUs compile lies beside, in files of its own.
  int64_t mostPipelines = (most ? most : kDefaultLimit) / 8;
  if (tenon_status status = tenon_pipeline_cache_open(path.c_str(), mostPipelines))
    return status;
  std::lock_guard<std::mutex> guard(lock);
  folder = path;
  limit = most ? most : kDefaultLimit;
  hits = misses = failures = 0;
  lastProblem.clear();
  return nullptr;
}

std::string DiskCache::pathOf(const std::string &name) {
  std::lock_guard<std::mutex> guard(lock);
  return folder.empty() ? "" : folder + "/" + name + kEntryEnding.str();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Tells one build of this library from another; empty if it cannot be told.
static std::string identity() {
  Dl_info place;
  struct stat status;
  if (!dladdr(reinterpret_cast<void *>(&identity), &place) || stat(place.dli_fname, &status) != 0)
    return "";
  return formatv("{0} {1} {2}.{3}", place.dli_fname, status.st_size, status.st_mtim.tv_sec,
                 status.st_mtim.tv_nsec);
}

/// What code for the first GPU depends on; empty where there is none, as the compiler will say.
static std::string gpu() {
  tenon_device *device = nullptr;
  tenon_device_info info = {};
  tenon_status status = tenon_device_open("vulkan", 0, &device);
  if (!status)
    status = tenon_device_info_get(device, &info);
  std::string text;
  if (!status)
    text = std::string(info.description) + "\n" + info.features;
  tenon_status_free(status);
  tenon_device_release(device);
  return text;
}

std::string DiskCache::nameOf(std::string_view key, const Options &options) {
  static const std::string build = identity();
  bool isVulkan = options.device == Options::Device::Vulkan;
  if (pathOf("").empty() || (options.device != Options::Device::Cpu && !isVulkan) || build.empty())
    return "";
  std::string device = isVulkan ? gpu() : "cpu";
  Expected<cpu::CpuTarget> target = cpu::CpuTarget::get(options.march);
  if (!target || device.empty()) { // the compiler will say so
    consumeError(target.takeError());
    return "";
  }
  SHA256 hash;
  for (StringRef part : {StringRef(build), StringRef(target->triple), StringRef(target->cpu),
                         StringRef(target->features), StringRef(device)}) {
    hash.update(part);
    hash.update(StringRef("\0", 1));
  }
  hash.update(StringRef(key.data(), key.size()));
  return toHex(hash.final(), /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void DiskCache::fail(const std::string &message) {
  std::lock_guard<std::mutex> guard(lock);
  failures++;
  lastProblem = message;
}

tenon_executable *DiskCache::load(const std::string &path, const char *driver) {
  std::string problem;
  tenon_executable *executable = openCacheEntry(path, driver, problem);
  if (!problem.empty())
    fail(problem);
  return executable;
}

tenon_executable *DiskCache::find(const std::string &name, const char *driver) {
  std::string path = pathOf(name);
  if (name.empty() || path.empty())
    return nullptr;
  tenon_executable *executable = load(path, driver);
  if (executable)
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used last are deleted last
  std::lock_guard<std::mutex> guard(lock);
  (executable ? hits : misses)++;
  return executable;
}

/// Writes a file beside and renames it.
static Error write(const std::string &path, ArrayRef<char> bytes) {
  auto file = sys::fs::TempFile::create(path + ".%%%%%%%%" + kUnfinishedEnding,
                                        sys::fs::owner_read | sys::fs::owner_write);
  if (!file)
    return file.takeError();
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream.write(bytes.data(), bytes.size());
  stream.flush(); // a full disk shows here
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    return file->keep(path);
  consumeError(file->discard());
  return errorCodeToError(error);
}

tenon_executable *DiskCache::add(const std::string &name, const char *driver,
                                 ArrayRef<char> library) {
  std::string path = pathOf(name);
  if (path.empty()) // turned off meanwhile
    return nullptr;
  if (Error error = write(path, library)) {
    fail(path + ": " + toString(std::move(error)));
    return nullptr;
  }
  tenon_executable *executable = load(path, driver);
  evict();
  return executable;
}

//===----------------------------------------------------------------------===//
// Size
//===----------------------------------------------------------------------===//

namespace {
struct Kept {
  std::string path;
  int64_t bytes;
  sys::TimePoint<> used;
  bool isFinished;
};
} // namespace

static std::vector<Kept> filesOf(const std::string &folder) {
  std::vector<Kept> files;
  std::error_code error;
  for (sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    StringRef path = it->path();
    auto status = it->status();
    if (status && (path.ends_with(kEntryEnding) || path.ends_with(kUnfinishedEnding)))
      files.push_back({path.str(), int64_t(status->getSize()), status->getLastModificationTime(),
                       path.ends_with(kEntryEnding)});
  }
  return files;
}

/// One process at a time; another one that is at it will do.
void DiskCache::evict() {
  std::string where;
  int64_t most;
  {
    std::lock_guard<std::mutex> guard(lock);
    where = folder, most = limit;
  }
  int descriptor = ::open((where + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  auto close = make_scope_exit([&] { ::close(descriptor); });
  if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return;
  std::vector<Kept> files = filesOf(where);
  sort(files, [](const Kept &a, const Kept &b) { return a.used < b.used; });
  int64_t total = 0;
  for (const Kept &file : files)
    total += file.bytes;
  for (const Kept &file : files) {
    bool isOld = std::chrono::system_clock::now() - file.used > kUnfinishedAge;
    if (file.isFinished ? total <= most : !isOld)
      continue;
    unlink(file.path.c_str());
    total -= file.bytes;
  }
}

tenon_disk_cache_info DiskCache::info() {
  std::unique_lock<std::mutex> guard(lock);
  tenon_disk_cache_info info = {0, 0, hits, misses, failures};
  std::string where = folder;
  guard.unlock();
  if (!where.empty())
    for (const Kept &file : filesOf(where))
      if (file.isFinished)
        info.entries++, info.bytes += file.bytes;
  return info;
}

std::string DiskCache::problem() {
  std::lock_guard<std::mutex> guard(lock);
  return lastProblem;
}

} // namespace tenon
