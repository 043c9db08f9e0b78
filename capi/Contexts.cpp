//===- Contexts.cpp - MLIR contexts for use by one thread each ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Contexts.h"

#include "capi/Dialects.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <vector>

using namespace mlir;

namespace tenon {

/// Attributes and types stay in a context for good, so each serves for a limited
/// number of leases.
constexpr int kMostLeases = 64;
constexpr size_t kMostIdle = 8;

struct ContextLease::Pooled {
  MLIRContext context;
  int leases = 0;

  Pooled() : context(compilerDialects(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false); // errors reach users, who wrote other code
  }
};

struct ContextLease::Pool {
  std::mutex lock;
  std::vector<std::unique_ptr<Pooled>> idle;
};

/// Never destroyed: a compilation may be under way when the process ends.
ContextLease::Pool &ContextLease::pool() {
  static Pool *const instance = new Pool;
  return *instance;
}

ContextLease::ContextLease(bool shared) {
  if (shared) {
    std::lock_guard<std::mutex> guard(pool().lock);
    if (!pool().idle.empty()) {
      pooled = std::move(pool().idle.back());
      pool().idle.pop_back();
    }
  }
  if (!pooled)
    pooled = std::make_unique<Pooled>();
  pooled->leases = shared ? pooled->leases + 1 : kMostLeases;
}

ContextLease::~ContextLease() {
  if (!pooled || pooled->leases >= kMostLeases)
    return;
  std::lock_guard<std::mutex> guard(pool().lock);
  if (pool().idle.size() < kMostIdle)
    pool().idle.push_back(std::move(pooled));
}

MLIRContext *ContextLease::get() const { return &pooled->context; }

static void print(Location location, raw_ostream &os) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn() << ": ";
  else if (auto name = dyn_cast<NameLoc>(location))
    os << name.getName().getValue() << ": ";
}

Diagnostics::Diagnostics(MLIRContext *context) : context(context) {
  handler = context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success(); // remarks are for tools
    llvm::raw_string_ostream os(text);
    if (!text.empty())
      os << "\n";
    print(diagnostic.getLocation(), os);
    os << diagnostic;
    for (Diagnostic &note : diagnostic.getNotes()) {
      os << "\n  ";
      print(note.getLocation(), os);
      os << note;
    }
    return success();
  });
}

Diagnostics::~Diagnostics() { context->getDiagEngine().eraseHandler(handler); }

} // namespace tenon
