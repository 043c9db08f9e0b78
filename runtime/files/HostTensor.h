//===- HostTensor.h - A tensor in host memory -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What files of tensors are read into and written from. Knows no LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_FILES_HOSTTENSOR_H
#define TENON_RUNTIME_FILES_HOSTTENSOR_H

#include "tenon/runtime.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::files {

class HostTensor {
public:
  tenon_dtype dtype = TENON_F32;
  std::vector<int64_t> extents;

  /// Makes it zeros of this type. False: `error` says how much memory there is not.
  bool allocate(tenon_dtype dtype, std::vector<int64_t> extents, std::string &error);
  int64_t size() const;
  int64_t numBytes() const { return size() * tenon_dtype_size(dtype); }
  char *data() { return bytes.get(); }
  const char *data() const { return bytes.get(); }
  tenon_tensor view() { return {nullptr, data(), dtype, int64_t(extents.size()), extents.data()}; }

private:
  struct Free {
    void operator()(char *block) const { std::free(block); }
  };
  std::unique_ptr<char, Free> bytes;
};

/// Bytes of a tensor; none if there is no such number.
std::optional<int64_t> bytesOf(tenon_dtype dtype, const std::vector<int64_t> &extents);

/// Makes a tensor of data that must have as many bytes as it needs, or more where `exact` is not
/// set: "" or what is wrong. Looks before memory is asked for: a file may claim anything.
std::string fill(HostTensor &tensor, tenon_dtype dtype, std::vector<int64_t> extents,
                 std::string_view data, bool exact);

/// Writes a file of these parts. False: `error` says why.
bool writeFile(const std::string &path, std::initializer_list<std::string_view> parts,
               std::string &error);

} // namespace tenon::files

#endif // TENON_RUNTIME_FILES_HOSTTENSOR_H
