//===- Judge.h - Is an element within its error bound? ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of comparison with the reference, free of MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_JUDGE_H
#define TENON_REFERENCE_JUDGE_H

#include <cmath>

namespace tenon::reference {

/// The error of an element in units of its bound: at most 1 is right. NaN equals NaN. An
/// infinite bound says that rounding alone may give anything: 0. Where one is NaN or
/// infinite and the other is not, or the bound is 0 and they differ: infinity.
inline double errorInBounds(double got, double expected, double bound) {
  if (got == expected || (std::isnan(got) && std::isnan(expected)) || std::isinf(bound))
    return 0;
  double error = std::fabs(got - expected);
  return std::isfinite(error) && bound > 0 ? error / bound : INFINITY;
}

/// What the comparison of two arrays found.
struct Judgement {
  double worst = 0;        ///< largest error in units of its bound
  long long place = -1;    ///< the element that has it
  long long undecided = 0; ///< elements whose bound is infinite
  long long count = 0;

  void add(double got, double expected, double bound) {
    undecided += std::isinf(bound);
    if (double error = errorInBounds(got, expected, bound); error > worst) {
      worst = error;
      place = count;
    }
    count++;
  }
};

} // namespace tenon::reference

#endif // TENON_REFERENCE_JUDGE_H
