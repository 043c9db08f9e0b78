//===- BoundsChecks.h - Checks of every access of a kernel ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For people who look for a code generator's fault: a kernel that reaches out of its
// buffers ends in an error that names it. Knows LLVM IR alone, so that no strategy can
// forget it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_BOUNDSCHECKS_H
#define TENON_CODEGEN_CPU_BOUNDSCHECKS_H

#include "ir/TenonOps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tenon::cpu {

/// Bytes of a buffer of a kernel: the product of `factor` and these extents.
struct BufferBytes {
  int64_t factor;
  llvm::SmallVector<unsigned, 4> extents;
};

/// Of operands, then results.
llvm::SmallVector<BufferBytes> bufferBytes(KernelOp kernel);

/// To be called before addBoundsChecks: all that can be becomes part of the kernel and of
/// the bodies of its loops, which know the environment.
void prepareBoundsChecks(llvm::Module &module, llvm::StringRef kernel);

/// Puts a check before every access through an address that came from memory. Addresses on the
/// stack and of constants are left alone. An error names an instruction that it does not know.
llvm::Error addBoundsChecks(llvm::Module &module, llvm::StringRef kernel,
                            llvm::ArrayRef<BufferBytes> buffers);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_BOUNDSCHECKS_H
