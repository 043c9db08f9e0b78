//===- Passes.td - Passes of the CPU's code generation ----*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_PASSES_TD
#define TENON_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CpuLowerToLLVMPass : Pass<"tenon-cpu-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert a kernel's code to the LLVM dialect";
  let description = [{
    One conversion takes arith, math, memref, scf, vector and func to the LLVM
    dialect, for a processor.

    ```mlir
    %m = vector.create_mask %n : vector<4xi1>
    ```
    becomes
    ```mlir
    %0 = llvm.intr.smin(%n, %four) : (i64, i64) -> i64
    %1 = llvm.trunc %0 : i64 to i32
    %2 = ... // %1 in all lanes
    %m = llvm.icmp "sgt" %2, %numbers : vector<4xi32>
    ```

    Conversions from and to bf16, and f16 where the processor has none, become
    integer arithmetic; a fused multiply-add that the processor lacks becomes two
    ops. Precondition: mathematics has been expanded; an op that LLVM would make a
    library call of is an error. No memory is allocated: `memref.alloc` is an error.
  }];
  let options = [Option<"march", "march", "std::string", /*default=*/"\"native\"",
                        "the processor, as tenon-compile has it">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // TENON_CODEGEN_CPU_PASSES_TD
