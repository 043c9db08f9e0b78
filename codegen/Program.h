//===- Program.h - Building the description of a program --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns everything that a tenon_program points to, and makes its parts from IR.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_PROGRAM_H
#define TENON_CODEGEN_PROGRAM_H

#include "tenon/artifact.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include <memory>

namespace tenon {

class SymbolicShapes;

class Program {
public:
  Program() { program.abi_version = TENON_ABI_VERSION; }
  Program(const Program &) = delete;

  tenon_program program = {};
  /// Compiled code, or whatever else kernels need to stay alive.
  std::shared_ptr<void> code;

  const char *text(llvm::StringRef text);
  /// A constant size.
  tenon_expr size(int64_t value);
  /// An expression over the program's symbols.
  tenon_expr size(mlir::AffineExpr expr);
  /// The elements of a constant in the layout of kernels. An empty one has an address, too.
  llvm::ArrayRef<char> bytes(mlir::DenseElementsAttr elements);

  template <typename T> T *copy(llvm::ArrayRef<T> values) {
    T *result = memory.Allocate<T>(values.size());
    std::uninitialized_copy(values.begin(), values.end(), result);
    return result;
  }

  /// Fills name, symbols, inputs and outputs from a function (a func.func with the
  /// attributes of the front end: `tenon.donates`, `tenon.name`).
  void setPorts(mlir::Operation *function, const SymbolicShapes &shapes);

  /// For tenon_executable_create.
  static void free(void *owner) { delete static_cast<Program *>(owner); }

private:
  tenon_port port(llvm::StringRef name, mlir::Value value, const SymbolicShapes &shapes);

  llvm::BumpPtrAllocator memory;
};

} // namespace tenon

#endif // TENON_CODEGEN_PROGRAM_H
