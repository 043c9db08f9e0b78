//===- Jit.h - Objects linked into this process -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where machine code enters the process: neither file nor linker is run, and
// nothing of the process can be called but a few functions of memory.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_JIT_H
#define TENON_CODEGEN_CPU_JIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tenon::cpu {

/// Code that is linked into the process; its memory is freed with it. Different
/// programs may define the same symbols. All functions may be called from any
/// thread.
class JitProgram {
public:
  /// Links the objects (ELF, Mach-O or COFF files in memory), which may refer to
  /// each other, and to memcpy, memmove and memset. The bytes are copied.
  static llvm::Expected<std::unique_ptr<JitProgram>>
  link(llvm::ArrayRef<llvm::ArrayRef<char>> objects);

  ~JitProgram();
  JitProgram(const JitProgram &) = delete;
  JitProgram &operator=(const JitProgram &) = delete;

  /// The address of a function; an error if there is none of this name.
  llvm::Expected<void *> lookup(llvm::StringRef symbol) const;

private:
  JitProgram() = default;
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_JIT_H
