//===- Passes.h - Passes of the CPU's code generation -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options, factories and registration as generated from codegen/cpu/Passes.td,
// which documents the passes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_PASSES_H
#define TENON_CODEGEN_CPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tenon::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/cpu/Passes.h.inc"

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_PASSES_H
