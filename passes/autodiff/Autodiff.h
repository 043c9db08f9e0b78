//===- Autodiff.h - Registers all backward rules ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the rest of the compiler sees of the backward rules; the rules are one
// file a family of ops.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_AUTODIFF_AUTODIFF_H
#define TENON_PASSES_AUTODIFF_AUTODIFF_H

#include "mlir/IR/DialectRegistry.h"

namespace tenon {

/// Attaches the models of DifferentiableOpInterface when the dialect is loaded.
void registerAutodiffModels(mlir::DialectRegistry &registry);

} // namespace tenon

#endif // TENON_PASSES_AUTODIFF_AUTODIFF_H
