//===- CpuTarget.h - What a processor can do --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that strategies and LLVM are told of a processor. Strategies decide by these
// figures, never by the name of a processor.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_CPUTARGET_H
#define TENON_CODEGEN_CPU_CPUTARGET_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tenon::cpu {

struct CpuTarget {
  std::string name;                  ///< "x86-64-v3", "armv8.2-a"
  std::string triple, cpu, features; ///< as LLVM names them
  int vectorBytes = 16;              ///< widest useful vector: 64, 32, 16
  int vectorRegisters = 16;
  bool hasFma = false;
  bool hasF16 = false;          ///< converts f16 from and to f32
  bool hasMaskedMemory = false; ///< masked loads and stores are cheap (AVX-512, SVE)
  int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20; ///< per core

  /// Elements of a full vector in computation: f16 and bf16 compute as f32.
  int lanes(mlir::Type elementType) const;

  /// Does code for this target run on the processor that runs this?
  bool runsHere() const;

  /// The extensions that its code may use, as the runtime knows them, separated by blanks.
  std::string neededFeatures() const;

  /// "native", "x86-64-v2", "x86-64-v3", "x86-64-v4", "armv8.2-a" and the like, or an LLVM cpu
  /// name. `triple` says for which machine; empty: the one that the name implies, or
  /// this one. An empty name is the least of another machine, and native for this one.
  static llvm::Expected<CpuTarget> get(llvm::StringRef march, llvm::StringRef triple = "");
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_CPUTARGET_H
