//===- Npy.h - Files of NumPy arrays ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tenon-run and generated programs read and write their arguments.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_FILES_NPY_H
#define TENON_RUNTIME_FILES_NPY_H

#include "runtime/files/HostTensor.h"

namespace tenon::files {

/// Reads a .npy file (versions 1 to 3, C order). bf16, which NumPy has not, is
/// stored as two bytes of type V2. False: `error` says why.
bool readNpy(const std::string &path, HostTensor &tensor, std::string &error);
bool writeNpy(const std::string &path, const HostTensor &tensor, std::string &error);

/// The same of bytes in memory: "" or what is wrong.
std::string parseNpy(std::string_view file, HostTensor &tensor);

} // namespace tenon::files

#endif // TENON_RUNTIME_FILES_NPY_H
