//===- Reduce.h - The smallest program that still fails ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a found fault short enough to read.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_REDUCE_H
#define TENON_TOOLS_FUZZ_REDUCE_H

#include "tools/fuzz/Program.h"

namespace tenon::fuzz {

/// Takes results and ops away as long as `fails` says that what is left does: an op gives
/// way to an argument with its value (any, if the program has no inputs), to one of its operands
/// or to an argument of its block. Ops in regions of the function are looked at, too.
void reduce(Program &program, llvm::function_ref<bool(Case &)> fails);

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_REDUCE_H
