//===- Safetensors.h - Files of named tensors -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of github.com/huggingface/safetensors: 8 bytes of length, a header in JSON,
// the data. Files are hostile: nothing is believed before it is checked.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_FILES_SAFETENSORS_H
#define TENON_RUNTIME_FILES_SAFETENSORS_H

#include "runtime/files/HostTensor.h"

#include <map>

namespace tenon::files {

using NamedTensors = std::map<std::string, HostTensor>;

/// False: `error` says why.
bool readSafetensors(const std::string &path, NamedTensors &tensors, std::string &error);
bool writeSafetensors(const std::string &path, const NamedTensors &tensors, std::string &error);

/// The same of bytes in memory: "" or what is wrong.
std::string parseSafetensors(std::string_view file, NamedTensors &tensors);

} // namespace tenon::files

#endif // TENON_RUNTIME_FILES_SAFETENSORS_H
