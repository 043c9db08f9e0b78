//===- Npy.h - Files of NumPy arrays ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_RUN_NPY_H
#define TENON_TOOLS_RUN_NPY_H

#include "tenon/runtime.h"

#include <string>
#include <vector>

namespace tenon::run {

/// A tensor in host memory.
struct HostTensor {
  tenon_dtype dtype = TENON_F32;
  std::vector<int64_t> extents;
  std::vector<char> bytes;

  HostTensor() = default;
  HostTensor(tenon_dtype dtype, std::vector<int64_t> extents);
  int64_t size() const;
  double at(int64_t i) const;
  void set(int64_t i, double value);
  tenon_tensor view() {
    return {nullptr, bytes.data(), dtype, int64_t(extents.size()), extents.data()};
  }
};

/// Reads a .npy file (versions 1 to 3, C order). bf16, which NumPy has not, is
/// stored as two bytes of type V2. False: `error` says why.
bool readNpy(const std::string &path, HostTensor &tensor, std::string &error);
bool writeNpy(const std::string &path, const HostTensor &tensor, std::string &error);

} // namespace tenon::run

#endif // TENON_TOOLS_RUN_NPY_H
