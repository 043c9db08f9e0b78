//===- CheckProgram.h - What compilation takes in ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's verifier lets functions hold more than the dialect computes with.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CHECKPROGRAM_H
#define TENON_CODEGEN_CHECKPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Fails with a located error unless the function is one block of the dialect's ops and
/// its arguments are tensors of the dialect.
mlir::LogicalResult checkProgram(mlir::func::FuncOp function);

} // namespace tenon

#endif // TENON_CODEGEN_CHECKPROGRAM_H
