//===- DebugInfo.h - Modules that tell what they are ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_DEBUGINFO_H
#define TENON_CODEGEN_SPIRV_DEBUGINFO_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <string>

namespace tenon::spirv {

/// A module's words with names of functions and variables, and with the place in a file of each
/// op: of a fused location the first one. The ops' own locations are lost.
llvm::LogicalResult serializeWithDebugInfo(mlir::spirv::ModuleOp module,
                                           llvm::SmallVectorImpl<uint32_t> &words);

/// SPIR-V's assembly language. False, with what is not known, where spirv-tools cannot show it.
bool disassemble(llvm::ArrayRef<uint32_t> words, std::string &textOrReason);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_DEBUGINFO_H
