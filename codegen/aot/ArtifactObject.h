//===- ArtifactObject.h - Programs and their entries as an object -*- C++ -*-=//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of an artifact (artifact.h) as the linker takes it. Code of kernels
// comes as objects of its own; here is all that the runtime needs to find and check
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_AOT_ARTIFACTOBJECT_H
#define TENON_CODEGEN_AOT_ARTIFACTOBJECT_H

#include "codegen/Program.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace tenon::aot {

using ObjectBytes = llvm::SmallVector<char, 0>;

/// One of the targets, as a tenon_variant tells of it.
struct Variant {
  std::string driver, processor, features;
};

/// A function of the module, compiled for every target.
struct Entry {
  std::string name, function; ///< in the module, in C
  std::optional<std::string> metadata;
  std::vector<std::unique_ptr<Program>> programs; ///< by target
  std::vector<std::vector<std::string>> kernels;  ///< symbols, by program; none on a GPU
};

/// The object that defines a tenon_artifact, its note, and a typed function for each entry;
/// kernels are left to be linked.
llvm::Expected<ObjectBytes> artifactObject(llvm::StringRef prefix, llvm::StringRef triple,
                                           llvm::ArrayRef<Variant> variants,
                                           llvm::ArrayRef<Entry> entries);

/// An object that defines functions of these names which do nothing: what a shared
/// library is linked against where the true one need not be there.
llvm::Expected<ObjectBytes> stubObject(llvm::StringRef triple,
                                       llvm::ArrayRef<llvm::StringRef> functions);

/// An object whose main function runs the artifact's entries on files.
llvm::Expected<ObjectBytes> mainObject(llvm::StringRef prefix, llvm::StringRef triple);

/// `<prefix>_artifact`.
std::string artifactSymbol(llvm::StringRef prefix);

/// The function of the runtime that generated functions call.
constexpr char entryCall[] = "tenon_entry_call";

} // namespace tenon::aot

#endif // TENON_CODEGEN_AOT_ARTIFACTOBJECT_H
