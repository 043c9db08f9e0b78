//===- HostTensor.cpp - A tensor in host memory ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/files/HostTensor.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tenon::files {

std::optional<int64_t> bytesOf(tenon_dtype dtype, const std::vector<int64_t> &extents) {
  int64_t bytes = tenon_dtype_size(dtype);
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  return bytes;
}

bool HostTensor::allocate(tenon_dtype type, std::vector<int64_t> dims, std::string &error) {
  std::optional<int64_t> wanted = bytesOf(type, dims);
  if (!wanted) {
    error = "a tensor has more bytes than 64 bits can count";
    return false;
  }
  // One byte more, so that an empty tensor has an address.
  bytes.reset(static_cast<char *>(std::calloc(size_t(*wanted) + 1, 1)));
  if (!bytes) {
    error = "no memory for a tensor of " + std::to_string(*wanted) + " bytes";
    return false;
  }
  dtype = type;
  extents = std::move(dims);
  return true;
}

int64_t HostTensor::size() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

std::string fill(HostTensor &tensor, tenon_dtype dtype, std::vector<int64_t> extents,
                 std::string_view data, bool exact) {
  std::optional<int64_t> bytes = bytesOf(dtype, extents);
  if (!bytes || size_t(*bytes) > data.size())
    return "the data are cut short: expected " +
           (bytes ? std::to_string(*bytes) : std::string("more than 2^63 - 1")) +
           " bytes for the shape in the header, got " + std::to_string(data.size());
  if (exact && size_t(*bytes) != data.size())
    return "expected " + std::to_string(*bytes) + " bytes for the shape in the header, got " +
           std::to_string(data.size());
  std::string error;
  if (!tensor.allocate(dtype, std::move(extents), error))
    return error;
  std::memcpy(tensor.data(), data.data(), size_t(*bytes));
  return "";
}

bool writeFile(const std::string &path, std::initializer_list<std::string_view> parts,
               std::string &error) {
  FILE *file = std::fopen(path.c_str(), "wb");
  bool ok = file != nullptr;
  for (std::string_view part : parts)
    ok = ok && std::fwrite(part.data(), 1, part.size(), file) == part.size();
  int code = errno;
  if (file && std::fclose(file) != 0 && ok) { // a full disk shows here
    ok = false;
    code = errno;
  }
  if (!ok)
    error = path + ": " + std::strerror(code);
  return ok;
}

} // namespace tenon::files
