//===- PipelineStore.cpp - what drivers compile, on disk ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files appear whole or not at all. The digest finds accidents; who else could write to the
// folder is kept out by its mode.
//
//===----------------------------------------------------------------------===//
#include "runtime/PipelineStore.h"

#include "runtime/Digest.h"
#include "runtime/Status.h"
#include "runtime/platform/Platform.h"

#include <cstring>

using namespace tenon::runtime;

namespace {
/// In front of the bytes.
struct Header {
  char magic[8];
  uint64_t owner; ///< digest
  uint64_t bytes;
  uint64_t digest; ///< of the bytes
};
} // namespace

static constexpr char magic[] = "TENONPC1";
static constexpr int64_t defaultMost = int64_t(64) << 20;

static Header headerOf(const std::string &owner, const unsigned char *bytes, size_t size) {
  Header header;
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.owner = Digest::of(owner.data(), owner.size());
  header.bytes = size;
  header.digest = Digest::of(bytes, size, header.owner);
  return header;
}

PipelineStore &PipelineStore::get() {
  static auto *store = new PipelineStore; // drivers may use it while the process ends
  return *store;
}

tenon_status PipelineStore::open(const std::string &folder, int64_t most) {
  if (most < 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "pipeline cache: expected a limit of at least 0 bytes, got %" PRId64,
                             most);
  std::string absolute, error;
  if (!folder.empty() && !platform::openPrivateFolder(folder, absolute, error))
    return tenon_status_make(TENON_ERROR_IO, "pipeline cache: %s", error.c_str());
  std::lock_guard<std::mutex> guard(lock);
  where = absolute;
  mostBytes = most ? most : defaultMost;
  counts = {};
  return nullptr;
}

std::string PipelineStore::folder() {
  std::lock_guard<std::mutex> guard(lock);
  return where;
}

PipelineStore::Bytes PipelineStore::find(const std::string &name, const std::string &owner) {
  std::lock_guard<std::mutex> guard(lock);
  Bytes bytes;
  std::string error;
  int64_t most = mostBytes + int64_t(sizeof(Header));
  if (where.empty() || !platform::readPrivateFile(where + "/" + name, most, bytes, error))
    return {};
  Header header{}, expected{};
  if (bytes.size() >= sizeof header) {
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes.erase(bytes.begin(), bytes.begin() + sizeof header);
    expected = headerOf(owner, bytes.data(), bytes.size());
  }
  if (!error.empty() || header.bytes == 0 || std::memcmp(&header, &expected, sizeof header) != 0) {
    counts.refused++;
    return {};
  }
  counts.loaded++;
  return bytes;
}

void PipelineStore::keep(const std::string &name, const std::string &owner, const Bytes &bytes) {
  std::lock_guard<std::mutex> guard(lock);
  if (where.empty() || int64_t(bytes.size()) > mostBytes)
    return;
  Header header = headerOf(owner, bytes.data(), bytes.size());
  Bytes file(sizeof header + bytes.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, bytes.data(), bytes.size());
  (platform::writePrivateFile(where + "/" + name, file) ? counts.saved : counts.failures)++;
}

tenon_pipeline_cache_info PipelineStore::info() {
  std::lock_guard<std::mutex> guard(lock);
  return counts;
}

tenon_status tenon_pipeline_cache_open(const char *folder, int64_t mostBytes) {
  return guarded([&] { return PipelineStore::get().open(folder ? folder : "", mostBytes); });
}

void tenon_pipeline_cache_info_get(tenon_pipeline_cache_info *info) {
  if (info)
    *info = PipelineStore::get().info();
}
