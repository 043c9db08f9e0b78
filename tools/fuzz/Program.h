//===- Program.h - A program with its data ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the generator makes: a function, the inputs it is run on, and what the reference
// interpreter says of every value that is not a gradient.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_PROGRAM_H
#define TENON_TOOLS_FUZZ_PROGRAM_H

#include "reference/Array.h"
#include "runtime/files/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon::fuzz {

using Inputs = std::vector<files::HostTensor>;

/// A program in the form in which it is compiled and run.
struct Case {
  std::string text;
  Inputs inputs;
  std::string function = "f";

  /// Writes <prefix>.mlir and <prefix>.<i>.npy. Returns these names.
  std::string write(const std::string &prefix) const;
};

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, reference::Array> values; ///< arguments too
  bool hasInputs = true; ///< else it is not run: only its text counts

  /// Gives the function the type that its block and its return have.
  void updateType();
  /// Evaluates the ops of the function, given `values` of its arguments; ops that cannot be get
  /// no value.
  void evaluate();
  /// Drops arguments without a use.
  void dropUnusedArguments();
  Case toCase();
};

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_PROGRAM_H
