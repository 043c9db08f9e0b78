//===- InPlace.h - May a result overwrite an operand? -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which storage is reused, shared by the ordering of kernels and the
// planning of memory: both must see the same storage behind a value.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_INPLACE_H
#define TENON_PASSES_INPLACE_H

#include "passes/KernelStrategy.h"

namespace tenon {

/// The tensor whose storage a value names: through reshapes outside of kernels.
mlir::Value storageOf(mlir::Value value);

/// All uses of the storage of `value`, found through reshapes outside of kernels.
void forEachStorageUse(mlir::Value value, llvm::function_ref<void(mlir::OpOperand &)> visit);

/// The strategy of a kernel that the runtime's copy carries out.
inline constexpr llvm::StringLiteral copyStrategy = "copy";
bool isCopy(mlir::Operation *op);

/// Does the kernel read each element of this operand only to compute the element at
/// the same place of its results, all in one loop? A strategy that loads all that an
/// element needs before it stores the element may then write the result over it.
bool readsInPlace(KernelOp kernel, unsigned operand, unsigned result);

/// May the result `value` of a kernel, loop or if be written to the storage of `argument`, as
/// far as the op itself reads it: a kernel if its strategy says so, a loop that starts
/// from it, an if never.
bool canOverwrite(mlir::OpResult value, mlir::Value argument, const KernelStrategies &strategies);

} // namespace tenon

#endif // TENON_PASSES_INPLACE_H
