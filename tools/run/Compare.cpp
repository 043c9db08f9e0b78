//===- Compare.cpp - Is a result near enough to the reference? ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/run/Compare.h"

#include <cmath>

namespace tenon::run {

static double epsilonOf(tenon_dtype dtype) {
  switch (dtype) {
  case TENON_F64:
    return std::ldexp(1.0, -52);
  case TENON_F32:
    return std::ldexp(1.0, -23);
  case TENON_F16:
    return std::ldexp(1.0, -10);
  case TENON_BF16:
    return std::ldexp(1.0, -7);
  default:
    return 0;
  }
}

Difference compare(const HostTensor &got, const HostTensor &expected) {
  Difference result;
  for (int64_t i = 0; i < expected.size(); i++) {
    double a = got.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      result.special = i;
      continue;
    }
    double error = std::fabs(a - b);
    if (error > result.error) {
      result.error = error;
      result.worst = i;
    }
  }
  for (int64_t i = 0; i < expected.size(); i++)
    if (double size = std::fabs(expected.at(i)); std::isfinite(size))
      result.scale = std::max(result.scale, size);
  bool isFloat = expected.dtype <= TENON_BF16;
  double unit = isFloat ? epsilonOf(expected.dtype) * result.scale : 0;
  if (result.error > 0)
    result.ulps = unit > 0 ? result.error / unit : INFINITY;
  return result;
}

} // namespace tenon::run
