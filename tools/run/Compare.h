//===- Compare.h - Is a result near enough to the reference? ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_RUN_COMPARE_H
#define TENON_TOOLS_RUN_COMPARE_H

#include "tools/run/Npy.h"

namespace tenon::run {

struct Difference {
  double error = 0;     ///< largest |got - expected|
  double scale = 0;     ///< largest |expected|
  double ulps = 0;      ///< error / (epsilon of the dtype * scale)
  int64_t worst = -1;   ///< the element with the largest error
  int64_t special = -1; ///< an element where only one is NaN, or infinities differ
  bool within(double tolerance) const { return special < 0 && ulps <= tolerance; }
};

/// NaN equals NaN, infinities of one sign are equal. Integers must be equal.
Difference compare(const HostTensor &got, const HostTensor &expected);

} // namespace tenon::run

#endif // TENON_TOOLS_RUN_COMPARE_H
