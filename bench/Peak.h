//===- Peak.h - The processor's peak of multiply-adds -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ceiling that benchmarks of arithmetic are told in parts of, measured in the
// same run: clock rates differ from machine to machine and from hour to hour.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_BENCH_PEAK_H
#define TENON_BENCH_PEAK_H

namespace tenon::bench {

/// Operations a second of independent chains of vector multiply-adds, measured for a
/// few milliseconds of this thread's processor time.
double peakFlops(bool isDouble);

} // namespace tenon::bench

#endif // TENON_BENCH_PEAK_H
