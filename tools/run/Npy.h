//===- Npy.h - Files of NumPy arrays ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_RUN_NPY_H
#define TENON_TOOLS_RUN_NPY_H

#include "tenon/runtime.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::run {

/// A tensor in host memory.
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
  double at(int64_t i) const;
  void set(int64_t i, double value);
  tenon_tensor view() { return {nullptr, data(), dtype, int64_t(extents.size()), extents.data()}; }

private:
  struct Free {
    void operator()(char *block) const { std::free(block); }
  };
  std::unique_ptr<char, Free> bytes;
};

/// Bytes of a tensor; none if there is no such number.
std::optional<int64_t> bytesOf(tenon_dtype dtype, const std::vector<int64_t> &extents);

/// Reads a .npy file (versions 1 to 3, C order). bf16, which NumPy has not, is
/// stored as two bytes of type V2. False: `error` says why.
bool readNpy(const std::string &path, HostTensor &tensor, std::string &error);
bool writeNpy(const std::string &path, const HostTensor &tensor, std::string &error);

} // namespace tenon::run

#endif // TENON_TOOLS_RUN_NPY_H
