//===- AttentionDecode.h - Attention of few queries -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONDECODE_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONDECODE_H

#include "codegen/cpu/strategies/AttentionOperands.h"
#include "codegen/spirv/SpirvFrame.h"

namespace tenon::spirv {

/// Emits the kernel of an attention with so few queries that tiles of them would be all but
/// empty; false where it is another one.
bool emitAttentionDecode(SpirvFrame &frame, const cpu::AttentionOperands &operands);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_ATTENTIONDECODE_H
