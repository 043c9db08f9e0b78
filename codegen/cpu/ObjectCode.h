//===- ObjectCode.h - From the LLVM dialect to an object file ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM proper: translation, optimization and emission for one target. The only
// place that knows its pipelines.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_OBJECTCODE_H
#define TENON_CODEGEN_CPU_OBJECTCODE_H

#include "codegen/cpu/BoundsChecks.h"
#include "codegen/cpu/CpuTarget.h"
#include "passes/Checkpoint.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Target/TargetMachine.h"
#include <optional>

namespace tenon::cpu {

/// How hard LLVM tries. Strategies emit code as they want it, so the default only
/// cleans up; level 1 does less of that; level 3 is LLVM's own pipeline with its
/// vectorizers; level 0 is for looking at what was emitted (and nine times slower).
constexpr unsigned defaultOptLevel = 2;

/// Texts for people; made when asked for.
struct CodeTexts {
  std::string llvm, assembly;
};

/// Makes objects for one target; for use by one thread at a time.
class ObjectCode {
public:
  static llvm::Expected<std::unique_ptr<ObjectCode>> create(const CpuTarget &target,
                                                            unsigned optLevel = defaultOptLevel);

  struct Wanted {
    CodeTexts *texts = nullptr;            ///< to be filled
    const CancelFlag *cancelled = nullptr; ///< once it is set, compilation fails and hurries
    /// Of the kernel in the module: its symbol and, to have its accesses checked, its buffers.
    llvm::StringRef kernel;
    std::optional<llvm::ArrayRef<BufferBytes>> checked;
  };

  /// Translates and compiles a module in the LLVM dialect into a relocatable
  /// object. It refers to no symbols but memcpy, memmove and memset.
  llvm::Expected<llvm::SmallVector<char, 0>> compile(mlir::ModuleOp module, const Wanted &wanted);

private:
  ObjectCode(std::unique_ptr<llvm::TargetMachine> machine, const CpuTarget &target,
             unsigned optLevel);
  /// Runs a pipeline that is given as text, or the one of the level.
  void optimize(llvm::Module &module, const CancelFlag *cancelled, llvm::StringRef pipeline = "");
  llvm::Error addChecks(llvm::Module &module, const Wanted &wanted);
  void addAttributes(llvm::Module &module);
  llvm::Error emit(llvm::Module &module, llvm::CodeGenFileType type,
                   llvm::SmallVectorImpl<char> &bytes);

  std::unique_ptr<llvm::TargetMachine> machine;
  CpuTarget target;
  unsigned optLevel;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_OBJECTCODE_H
