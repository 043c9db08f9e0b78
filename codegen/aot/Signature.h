//===- Signature.h - An entry as a C function -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the typed function of a program looks, and the header that declares it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_AOT_SIGNATURE_H
#define TENON_CODEGEN_AOT_SIGNATURE_H

#include "tenon/artifact.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tenon::aot {

/// A name that C takes: other characters than letters and digits become '_'.
std::string cName(llvm::StringRef name);

/// The parameters, in this order, then the options of a run.
struct Signature {
  explicit Signature(const tenon_program &program);

  const tenon_program &program;
  std::vector<std::string> symbols; ///< int64_t each
  std::vector<std::string> inputs, outputs;
};

struct HeaderEntry {
  std::string function; ///< its name in C
  const tenon_program *program;
};

/// The text of a header with a function for each entry.
std::string headerText(llvm::StringRef prefix, llvm::StringRef target,
                       llvm::ArrayRef<HeaderEntry> entries);

} // namespace tenon::aot

#endif // TENON_CODEGEN_AOT_SIGNATURE_H
