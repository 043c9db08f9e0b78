//===- TenonOps.td - All ops of the dialect ---------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_TD
#define TENON_OPS_TD

include "ir/ops/Attention.td"
include "ir/ops/Control.td"
include "ir/ops/Custom.td"
include "ir/ops/Elementwise.td"
include "ir/ops/Line.td"
include "ir/ops/Linear.td"
include "ir/ops/Loss.td"
include "ir/ops/Norm.td"
include "ir/ops/Optimizer.td"
include "ir/ops/Plan.td"
include "ir/ops/Random.td"
include "ir/ops/Reduction.td"
include "ir/ops/Shape.td"
include "ir/ops/Window.td"

#endif // TENON_OPS_TD
