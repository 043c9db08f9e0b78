//===- LowerToLLVM.h - From vector and scf to the LLVM dialect --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One conversion takes a kernel's code from arith, math, memref, scf, vector and
// func to the LLVM dialect. The patterns are made once per context and target.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_LOWERTOLLVM_H
#define TENON_CODEGEN_CPU_LOWERTOLLVM_H

#include "codegen/cpu/CpuTarget.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace tenon::cpu {

/// The dialects that strategies emit and the lowering knows.
void registerCpuDialects(mlir::DialectRegistry &registry);

class LowerToLLVM {
public:
  LowerToLLVM(mlir::MLIRContext *context, const CpuTarget &target);

  /// Converts the module. An op without native code (`math.exp`, say: calls into
  /// a mathematics library are never generated) is a located error.
  llvm::LogicalResult run(mlir::ModuleOp module) const;

private:
  mlir::LLVMTypeConverter types;
  mlir::LLVMConversionTarget legality;
  mlir::FrozenRewritePatternSet patterns;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_LOWERTOLLVM_H
