//===- MatmulTiles.h - Matrix products, a tile a workgroup ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_MATMULTILES_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_MATMULTILES_H

#include "codegen/spirv/SpirvFrame.h"

namespace tenon::spirv {

/// Emits a kernel around `op` in tiles of the product; false, and nothing emitted, where tiles
/// would be mostly empty.
bool emitMatmulTiles(SpirvFrame &frame, MatmulOp op);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_MATMULTILES_H
