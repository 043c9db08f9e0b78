//===- Link.h - Objects into one file ---------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact in the form that its user asks for: shared library, object or
// program. The linker runs in this process but for programs.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_AOT_LINK_H
#define TENON_CODEGEN_AOT_LINK_H

#include "codegen/aot/ArtifactObject.h"

namespace tenon::aot {

/// Links objects into a shared library that exports `symbols` alone and asks the loader for the
/// runtime, looked for beside it and where the loader looks.
llvm::Expected<ObjectBytes> linkShared(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                                       llvm::ArrayRef<std::string> symbols, llvm::StringRef triple,
                                       llvm::StringRef name);

/// Joins objects into one that defines `symbols` for others and nothing else.
llvm::Expected<ObjectBytes> joinObjects(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                                        llvm::ArrayRef<std::string> symbols);

/// Links objects, one with a main function, and the static runtime of the folder `libraries` into a
/// program of a machine, by its C++ compiler: that knows the system's start-up code. $CXX names
/// another.
llvm::Expected<ObjectBytes> linkExecutable(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                                           llvm::StringRef libraries, llvm::StringRef triple);

/// Writes size and digest into the note of a linked file.
llvm::Error stampNote(ObjectBytes &file);

} // namespace tenon::aot

#endif // TENON_CODEGEN_AOT_LINK_H
