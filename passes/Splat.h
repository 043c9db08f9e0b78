//===- Splat.h - Tensors of one value, as patterns see them -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What patterns ask to see through the many ways to write one number everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_SPLAT_H
#define TENON_PASSES_SPLAT_H

#include "mlir/IR/Value.h"
#include <optional>

namespace tenon {

/// The number that every element of a constant, a fill or a broadcast of one is.
std::optional<double> splatNumber(mlir::Value value);

/// The rank-0 value that a broadcast repeats everywhere, null if it is none.
mlir::Value repeatedScalar(mlir::Value value);

/// The same op tree on the same leaves, to a small depth: what CSE would merge.
bool sameComputation(mlir::Value a, mlir::Value b, int depth = 8);

} // namespace tenon

#endif // TENON_PASSES_SPLAT_H
