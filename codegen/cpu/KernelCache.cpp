//===- KernelCache.cpp - Kernels compiled before --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/KernelCache.h"

using namespace mlir;

namespace tenon::cpu {

AffineExpr inContext(AffineExpr expr, MLIRContext *context) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getAffineConstantExpr(constant.getValue(), context);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getAffineSymbolExpr(symbol.getPosition(), context);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return getAffineBinaryOpExpr(expr.getKind(), inContext(binary.getLHS(), context),
                               inContext(binary.getRHS(), context));
}

KernelCache &KernelCache::get() {
  static KernelCache *cache = new KernelCache; // may be asked for until the very end
  return *cache;
}

std::string KernelCache::purpose(const CpuTarget &target, const CompileOptions &options) {
  return target.triple + '\0' + target.cpu + '\0' + target.features + '\0' +
         std::to_string(options.optLevel) + (options.boundsChecks ? "checked" : "") + '\0' +
         options.suffix + '\0';
}

bool KernelCache::find(const std::string &key, MLIRContext *destination, KernelOutcome &outcome) {
  std::lock_guard<std::mutex> lock(mutex);
  auto known = entries.find(key);
  if (known == entries.end())
    return false;
  outcome = known->second;
  outcome.scratchShared = inContext(outcome.scratchShared, destination);
  outcome.scratchPerWorker = inContext(outcome.scratchPerWorker, destination);
  return true;
}

void KernelCache::add(const std::string &key, const KernelOutcome &outcome) {
  std::lock_guard<std::mutex> lock(mutex);
  if (entries.size() >= maxEntries)
    entries.clear();
  KernelOutcome &entry = entries[key];
  entry = outcome;
  entry.object.seconds = 0;
  entry.scratchShared = inContext(entry.scratchShared, &context);
  entry.scratchPerWorker = inContext(entry.scratchPerWorker, &context);
}

void KernelCache::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  entries.clear();
}

} // namespace tenon::cpu
