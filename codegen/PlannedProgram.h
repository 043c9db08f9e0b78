//===- PlannedProgram.h - From a planned function to a program --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for every target: what memory planning has written on a function as the
// steps, buffers and sizes that the runtime executes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_PLANNEDPROGRAM_H
#define TENON_CODEGEN_PLANNEDPROGRAM_H

#include "codegen/Program.h"
#include "ir/TenonOps.h"
#include "passes/SymbolicShapes.h"

namespace tenon {

/// The code of a kernel. Scratch sizes are over the kernel's own symbols: its dynamic
/// extents, operands first.
struct KernelCode {
  /// As tenon_dispatch: `groups` workgroups, of which rows of at most `mostGroups` lie along x; or,
  /// if there are none, as many along each axis as `grid` says.
  struct Dispatch {
    llvm::ArrayRef<uint32_t> spirv;
    llvm::StringRef entry;
    llvm::ArrayRef<int64_t> bindings;
    mlir::AffineExpr groups;
    int64_t mostGroups;
    std::array<mlir::AffineExpr, 3> grid;
    int64_t subgroupSize;
    bool usesFragments;
  };
  tenon_kernel function = nullptr;
  mlir::AffineExpr scratchShared, scratchPerWorker;
  llvm::SmallVector<Dispatch> dispatches; ///< on a GPU, instead of the function
};

/// The kernels of a planned function in the order of the program's, without those
/// that are copies.
llvm::SmallVector<KernelOp> kernelsOf(mlir::func::FuncOp function);

/// Builds the program of a function that `tenon-plan-memory` has planned; `codes` goes
/// with `kernelsOf`.
std::unique_ptr<Program> buildProgram(mlir::func::FuncOp function, const SymbolicShapes &shapes,
                                      llvm::ArrayRef<KernelCode> codes);

/// How profiles and reports call a kernel: its strategy and ops.
std::string kernelName(KernelOp kernel);

} // namespace tenon

#endif // TENON_CODEGEN_PLANNEDPROGRAM_H
