//===- Passes.td - Passes over the dialect ----------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which the pipeline runs them (see codegen/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_TD
#define TENON_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // TENON_PASSES_TD
