//===- AheadOfTime.h - Planned functions as an artifact ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From functions that `tenon-plan-memory` has planned to an object or a shared
// library with code, constants and programs, and to its C header.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_AOT_AHEADOFTIME_H
#define TENON_CODEGEN_AOT_AHEADOFTIME_H

#include "codegen/aot/ArtifactObject.h"
#include "codegen/cpu/CompileKernel.h"
#include "codegen/spirv/SpirvFrame.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::aot {

struct Options {
  /// Of all C names: an entry `f` becomes `<prefix>_f`.
  std::string prefix;
  /// Of one architecture; at load the first that the processor runs is taken.
  std::vector<cpu::CpuTarget> targets;
  cpu::CompileOptions code;
  spirv::SpirvFeatures gpu; ///< what shaders may use
};

/// The entries of a module by what they are planned for, in the same order; of one kind there may
/// be none. What calls the runtime is for the machine of the targets.
struct Entries {
  llvm::ArrayRef<mlir::func::FuncOp> cpu, vulkan;
};

/// What is compiled, to be linked in one way or another.
struct Artifact {
  std::string prefix, triple;
  std::string header;               ///< text of the C header
  std::vector<std::string> symbols; ///< that others may refer to
  ObjectBytes programs;
  std::vector<cpu::CompiledKernels> kernels; ///< by target; those of a GPU are in `programs`

  llvm::Expected<ObjectBytes> object() const;
  /// `name`: what the loader knows the library by, "libmodel.so".
  llvm::Expected<ObjectBytes> shared(llvm::StringRef name) const;
  /// `libraries`: the folder of the static runtime.
  llvm::Expected<ObjectBytes> executable(llvm::StringRef libraries) const;

private:
  std::vector<llvm::ArrayRef<char>> objects() const;
};

/// The prefix for an artifact of this file name: "out/libmodel.so" gives "model".
std::string prefixOf(llvm::StringRef path);

/// The processors of a list like "x86-64-v4,x86-64-v2", the most able first, all of one
/// machine; `triple` as for CpuTarget::get.
llvm::Expected<std::vector<cpu::CpuTarget>> readTargets(llvm::StringRef march,
                                                        llvm::StringRef triple = "");

/// Writes a file, whole or not at all: one that stands there, perhaps loaded into a process,
/// is replaced.
llvm::Error writeFile(llvm::StringRef path, llvm::ArrayRef<char> bytes, bool executable = false);

/// Compiles functions that `tenon-plan-memory` has planned; `tenon.metadata`, a string attribute
/// of a function, goes into its entry. A failure has emitted an error.
llvm::FailureOr<Artifact> compileAheadOfTime(const Entries &entries, const Options &options);

} // namespace tenon::aot

#endif // TENON_CODEGEN_AOT_AHEADOFTIME_H
