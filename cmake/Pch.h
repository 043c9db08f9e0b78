//===- Pch.h - Headers that are compiled once -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only headers of LLVM and MLIR. A source file still includes what it uses.
//
//===----------------------------------------------------------------------===//

// llvm::Statistic holds values where NDEBUG is not defined. Debian's LLVM and MLIR are built
// with it; ours must have the layout of theirs, also where our own asserts are on.
#include "llvm/Config/abi-breaking.h"
#if !LLVM_ENABLE_ABI_BREAKING_CHECKS
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#pragma pop_macro("NDEBUG")
static_assert(!LLVM_ENABLE_STATS, "LLVM's libraries are built without statistics");
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"
