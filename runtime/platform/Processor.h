//===- Processor.h - What instructions there are ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which code of an artifact may run here. Names of extensions are LLVM's,
// as the compiler writes them into programs.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_PLATFORM_PROCESSOR_H
#define TENON_RUNTIME_PLATFORM_PROCESSOR_H

#include <string>
#include <string_view>
#include <vector>

namespace tenon::runtime::platform {

/// Of this process: "x86_64", "aarch64", else "unknown".
const char *architecture();

/// The extensions of an architecture that code may be compiled for, by LLVM's names. Others that
/// LLVM knows are hints, or none of its own doing.
const std::vector<const char *> &knownFeatures(std::string_view architecture);

/// Has this processor (and its operating system) the extension? False for unknown ones.
bool processorHas(std::string_view feature);

/// Those of a list that is separated by blanks which it has not, in the same form.
std::string missingFeatures(std::string_view features);

} // namespace tenon::runtime::platform

#endif // TENON_RUNTIME_PLATFORM_PROCESSOR_H
