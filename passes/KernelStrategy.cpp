//===- KernelStrategy.cpp - The strategies of a target --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/KernelStrategy.h"

namespace tenon {

void KernelStrategies::add(std::unique_ptr<KernelStrategy> strategy) {
  strategies.push_back(std::move(strategy));
  llvm::stable_sort(strategies,
                    [](auto &a, auto &b) { return a->benefit() > b->benefit(); });
}

const KernelStrategy *KernelStrategies::find(llvm::StringRef name) const {
  for (auto &strategy : strategies)
    if (strategy->name() == name)
      return strategy.get();
  return nullptr;
}

} // namespace tenon
