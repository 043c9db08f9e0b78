//===- Elements.h - Elements of tensors as numbers --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tenon-run makes and compares tensors of any dtype; this hides what storage they
// have.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_RUN_ELEMENTS_H
#define TENON_TOOLS_RUN_ELEMENTS_H

#include "runtime/files/HostTensor.h"

#include <random>

namespace tenon::run {

using files::HostTensor;

double elementAt(const HostTensor &tensor, int64_t i);
/// Rounded to the nearest, ties to even.
void setElement(HostTensor &tensor, int64_t i, double value);

/// Where random elements lie: floats from `low` to `high`, integers from 0 to below `limit`.
struct RandomRange {
  double low = -2, high = 2;
  int limit = 3;
};
void fillRandom(HostTensor &tensor, std::mt19937_64 &generator, const RandomRange &range);

} // namespace tenon::run

#endif // TENON_TOOLS_RUN_ELEMENTS_H
