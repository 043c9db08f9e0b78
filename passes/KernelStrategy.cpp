//===- KernelStrategy.cpp - The strategies of a target --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/KernelStrategy.h"

#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tenon {

void KernelStrategies::add(std::unique_ptr<KernelStrategy> strategy) {
  auto place = llvm::find_if(strategies,
                             [&](auto &other) { return other->benefit() < strategy->benefit(); });
  strategies.insert(place, std::move(strategy));
}

const KernelStrategy *KernelStrategies::find(llvm::StringRef name) const {
  for (auto &strategy : strategies)
    if (strategy->name() == name)
      return strategy.get();
  return nullptr;
}

namespace {
struct Targets {
  std::mutex mutex;
  llvm::StringMap<const KernelStrategies *> byName;
};
} // namespace

static Targets &targets() {
  static Targets all;
  return all;
}

void registerKernelStrategies(llvm::StringRef target, const KernelStrategies &strategies) {
  std::lock_guard<std::mutex> lock(targets().mutex);
  targets().byName[target] = &strategies;
}

const KernelStrategies *kernelStrategiesOf(llvm::StringRef target, mlir::Operation *op) {
  std::lock_guard<std::mutex> lock(targets().mutex);
  const KernelStrategies *strategies = targets().byName.lookup(target);
  if (strategies && !strategies->all().empty())
    return strategies;
  op->emitError("there are no kernel strategies for the target '") << target << "'";
  return nullptr;
}

} // namespace tenon
