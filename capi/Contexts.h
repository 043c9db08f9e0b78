//===- Contexts.h - MLIR contexts for use by one thread each ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making a context and loading its dialects takes longer than compiling a small
// program, so contexts are used again.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_CONTEXTS_H
#define TENON_CAPI_CONTEXTS_H

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>

namespace tenon {

/// A context that belongs to its holder until the lease ends.
class ContextLease {
public:
  /// `shared`: of the pool, and given back to it. Attributes stay in a context for good,
  /// so large constants want one of their own.
  explicit ContextLease(bool shared = true);
  ~ContextLease();
  ContextLease(ContextLease &&other) = default;

  mlir::MLIRContext *get() const;

private:
  struct Pooled;
  struct Pool;
  static Pool &pool();
  std::unique_ptr<Pooled> pooled;
};

/// Collects the errors that a context reports while it lives; nothing reaches
/// stderr. Warnings and remarks are kept apart.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext *context);
  ~Diagnostics();

  /// The errors so far, one a line; `fallback` if there is none.
  std::string errors(const char *fallback) const { return text.empty() ? fallback : text; }

private:
  mlir::MLIRContext *context;
  uint64_t handler;
  std::string text;
};

} // namespace tenon

#endif // TENON_CAPI_CONTEXTS_H
