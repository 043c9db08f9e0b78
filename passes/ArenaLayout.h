//===- ArenaLayout.h - Places in an arena -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory planning without IR: blocks with lifetimes and sizes, some of them
// expressions, into one arena.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_ARENALAYOUT_H
#define TENON_PASSES_ARENALAYOUT_H

#include "mlir/IR/AffineExpr.h"

#include "llvm/ADT/ArrayRef.h"

namespace tenon {

/// Storage that is needed from step `begin` to step `end`, both included.
struct ArenaBlock {
  mlir::AffineExpr bytes;
  int64_t begin = 0, end = 0;
  mlir::AffineExpr offset; ///< the answer, a multiple of 64
};

/// Gives every block an offset such that blocks needed at the same time do not
/// overlap, and known ones of no bytes lie at different offsets; returns the bytes of the whole.
/// Blocks of known size are placed largest first into the smallest gap that fits; those of unknown
/// size share a place only with blocks of equal size.
mlir::AffineExpr layoutArena(llvm::MutableArrayRef<ArenaBlock> blocks, mlir::MLIRContext *context);

} // namespace tenon

#endif // TENON_PASSES_ARENALAYOUT_H
