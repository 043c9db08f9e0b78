//===- CpuFrame.h - The functions around a CPU kernel's code ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry function of the kernel ABI and the outlined bodies of parallel loops.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_CPUFRAME_H
#define TENON_CODEGEN_CPU_CPUFRAME_H

#include "codegen/cpu/KernelFrame.h"

namespace tenon::cpu {

class CpuFrame final : public KernelFrame {
public:
  /// Creates the entry function `symbol` in `module`, with the insertion point of
  /// `builder()` in it.
  CpuFrame(mlir::ModuleOp module, KernelOp kernel, llvm::StringRef symbol, const CpuTarget &target);

  mlir::Value buffer(unsigned index) override;
  mlir::Value scratch(unsigned id) override;
  mlir::Value index(int64_t value) override;
  void parallelFor(
      mlir::Value count, mlir::Value chunk, mlir::ValueRange captures,
      llvm::function_ref<void(mlir::Value begin, mlir::Value end, mlir::ValueRange captures)> body)
      override;
  mlir::Value goesOn() override;
  mlir::func::FuncOp addFunction(
      llvm::StringRef name, mlir::TypeRange arguments, mlir::TypeRange results, bool inlined,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange arguments)> emit) override;
  void callApart(llvm::StringRef name, mlir::ValueRange captures,
                 llvm::function_ref<void(mlir::ValueRange captures)> body) override;
  void finish() override;

private:
  /// The values of the function that is being emitted.
  struct Function {
    mlir::Value env, buffers, extents, worker;
    mlir::Block *entry = nullptr;
    /// Loads and constants stand at the head of the entry block, so that no loop
    /// repeats them and everything may use them; the last of them.
    mlir::Operation *prologue = nullptr;
    llvm::DenseMap<unsigned, mlir::Value> bufferCache, extentCache, scratchCache;
    llvm::DenseMap<int64_t, mlir::Value> indexCache;
  };

  mlir::func::FuncOp createFunction(llvm::StringRef name, mlir::TypeRange arguments,
                                    mlir::TypeRange results, bool isPrivate);
  mlir::Value memrefAt(mlir::Value address, mlir::MemRefType type, mlir::ValueRange extents);
  mlir::Value loadAt(mlir::Value base, int64_t offset, mlir::Type type);
  /// What the body of a parallel loop takes from around it, in memory: buffers and extents of
  /// the kernel, then the captures.
  mlir::Value makeContext(mlir::ValueRange captures, llvm::ArrayRef<int64_t> offsets,
                          int64_t bytes);
  /// The same read again at the start of the current function; gives the captures.
  llvm::SmallVector<mlir::Value> openContext(mlir::Value context, llvm::ArrayRef<mlir::Type> types,
                                             llvm::ArrayRef<int64_t> offsets);
  void callParallelFor(mlir::Value body, mlir::Value context, mlir::Value n, mlir::Value chunk);
  mlir::Value dynamicExtent(unsigned symbol) override;
  mlir::Value inPrologue(llvm::function_ref<mlir::Value()> emit) override;

  mlir::ModuleOp module;
  std::string symbol;
  Function current;
  unsigned numBodies = 0, numFunctions = 0;
  bool inEntry = true;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_CPUFRAME_H
