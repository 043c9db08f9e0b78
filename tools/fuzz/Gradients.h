//===- Gradients.h - Are derived gradients right? ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one check that does not believe the backward rules: what they give is compared with
// central differences of the program itself.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_GRADIENTS_H
#define TENON_TOOLS_FUZZ_GRADIENTS_H

#include "tools/fuzz/Check.h"

namespace tenon::fuzz {

/// Compares gradients of a program in f64, and gradients of these again, with central
/// differences, all evaluated by the reference interpreter: by each argument, along a random
/// direction, of all results weighted at random. Gradients are derived by the pass alone, and
/// by all passes around it. Verdict::elements counts directions, `undecided` those along
/// which the program is not smooth. A program with other floats than f64 has none.
Verdict checkGradients(Case &program);

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_GRADIENTS_H
