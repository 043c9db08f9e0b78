//===- ffi_window.cpp - Entry points of sliding windows
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents and steps are given for R's first axes, which are our last.
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

using tenon::infer::findOp;
using tenon::infer::kMaxRank;

static SEXP record(int op, SEXP x, SEXP lengths, SEXP strides, SEXP dilations) {
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  int64_t n[kMaxRank], s[kMaxRank], d[kMaxRank];
  int count = wholeReversed(lengths, "size", n), steps = wholeReversed(strides, "stride", s),
      gaps = wholeReversed(dilations, "dilation", d);
  return result(r, call(r, op, {id}, AttrWords().list(n, count).list(s, steps).list(d, gaps)));
}

extern "C" {

SEXP C_windows(SEXP x, SEXP sizes, SEXP strides, SEXP dilations) {
  static const int op = findOp("windows");
  return record(op, x, sizes, strides, dilations);
}

SEXP C_fold_windows(SEXP x, SEXP extents, SEXP strides, SEXP dilations) {
  static const int op = findOp("fold_windows");
  return record(op, x, extents, strides, dilations);
}

} // extern "C"
