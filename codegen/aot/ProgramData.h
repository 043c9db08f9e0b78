//===- ProgramData.h - A program as constants of an LLVM module -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures of artifact.h, whose fields are all of 8 bytes, become private
// constants that point to each other; what is equal stands once.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_AOT_PROGRAMDATA_H
#define TENON_CODEGEN_AOT_PROGRAMDATA_H

#include "codegen/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

namespace tenon::aot {

class ProgramData {
public:
  explicit ProgramData(llvm::Module &module) : module(module) {}

  /// The address of the tenon_program. `kernels` are the symbols of its kernels'
  /// functions, which other objects define; none where they are dispatches.
  llvm::Constant *program(const tenon_program &program, llvm::ArrayRef<std::string> kernels);

  llvm::Constant *word(int64_t value);
  /// The address of a text that ends in NUL.
  llvm::Constant *text(llvm::StringRef text);
  /// The address of words and addresses in a row; null if there are none.
  llvm::Constant *table(llvm::ArrayRef<llvm::Constant *> fields);

private:
  using Fields = llvm::SmallVector<llvm::Constant *>;

  llvm::Constant *address(llvm::Constant *value, uint64_t alignment);
  llvm::Constant *null();
  void add(Fields &fields, const tenon_expr &expr);
  llvm::Constant *words(llvm::ArrayRef<int64_t> values);
  llvm::Constant *exprs(const tenon_expr *exprs, int64_t count);
  llvm::Constant *ports(const tenon_port *ports, int64_t count);
  llvm::Constant *slots(const tenon_program &program);
  llvm::Constant *dispatches(const tenon_kernel_desc &kernel);
  llvm::Constant *kernels(const tenon_program &program, llvm::ArrayRef<std::string> symbols);
  llvm::Constant *steps(const tenon_step *steps, int64_t count);
  void addBodies(Fields &fields, const tenon_step &step);
  llvm::Constant *checks(const tenon_program &program);

  llvm::Module &module;
  llvm::DenseMap<std::pair<llvm::Constant *, uint64_t>, llvm::GlobalVariable *> addresses;
};

} // namespace tenon::aot

#endif // TENON_CODEGEN_AOT_PROGRAMDATA_H
