//===- Arguments.h - inputs and outputs of a run ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what a caller passes against the ports of a program, binds symbols,
// and finds the addresses.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_ARGUMENTS_H
#define TENON_RUNTIME_ARGUMENTS_H

#include "runtime/Instance.h"

namespace tenon::runtime {

struct ArgumentList {
  const tenon_tensor *tensors;
  int64_t count;
};

/// Checks number, dtypes and ranks, and reads the symbols off the inputs.
tenon_status bindSymbols(const Plan &plan, ArgumentList inputs, int64_t *symbols);

/// Checks the extents that inputs have against those that their types state.
tenon_status checkInputExtents(const Plan &plan, ArgumentList inputs, const ExprScope &scope);

/// Number, dtypes and ranks of outputs, which bind nothing.
tenon_status checkOutputs(const Plan &plan, ArgumentList outputs);

/// Checks extents and storage against the sizes that `instance` holds and fills
/// its candidates. On a device apart from the host, caller's data is staged.
tenon_status locateArguments(Instance &instance, ArgumentList inputs, ArgumentList outputs);

/// Checks that no output of the candidates overlaps another argument, unless it
/// is given the very storage of the input that it donates.
tenon_status checkOverlap(Instance &instance);

/// Copies staged outputs back to the caller.
tenon_status returnStaged(Instance &instance, ArgumentList outputs);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_ARGUMENTS_H
