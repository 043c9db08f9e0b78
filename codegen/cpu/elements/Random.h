//===- Random.h - Elements of random ops ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For strategies that compute a block of random numbers once for all of its elements.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_ELEMENTS_RANDOM_H
#define TENON_CODEGEN_CPU_ELEMENTS_RANDOM_H

#include "codegen/cpu/ElementEmitter.h"

namespace tenon::cpu {

/// Is an element of this op of one word of a block, the element's number modulo 4?
bool drawsOneWord(mlir::Operation *op);
/// The four words (i32) of block `number`, an index.
llvm::SmallVector<mlir::Value> emitDrawnBlock(ElementEmitter &e, mlir::Operation *op,
                                              mlir::Value number);
/// An element of the op, whose word is known.
mlir::Value emitOfWord(ElementEmitter &e, mlir::Operation *op, mlir::Value word,
                       llvm::ArrayRef<LaneIndex> indices);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_ELEMENTS_RANDOM_H
