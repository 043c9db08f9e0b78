//===- Checkpoint.cpp - Where a pipeline can be ended early ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/Checkpoint.h"

using namespace mlir;

namespace tenon {
namespace {

struct Checkpoint : PassWrapper<Checkpoint, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Checkpoint)
  explicit Checkpoint(const CancelFlag *flag) : flag(flag) {}

  StringRef getName() const override { return "Checkpoint"; }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (isSet(flag))
      signalPassFailure();
  }

  const CancelFlag *flag;
};

} // namespace

void addCheckpoint(OpPassManager &pm, const CancelFlag *flag) {
  if (flag)
    pm.addPass(std::make_unique<Checkpoint>(flag));
}

} // namespace tenon
