//===- Array.h - Tensors of the reference interpreter -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the oracle: computed in double or int64, rounded once to the type of an
// op's result, stored the simplest way.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_ARRAY_H
#define TENON_REFERENCE_ARRAY_H

#include "ir/infer/Infer.h"

#include <vector>

namespace tenon::reference {

/// A tensor: every element in double, or in int64 for integers and i1, in
/// row-major order. Extents are static.
struct Array {
  infer::Type type;
  std::vector<double> reals;     ///< elements of a float type
  std::vector<int64_t> integers; ///< elements of an integer or i1 type
  /// How far each element may be from what a right implementation gives; infinite: no
  /// telling. Empty where nobody asked (see ErrorBounds.h).
  std::vector<double> errors;

  Array() = default;
  explicit Array(const infer::Type &type);

  int64_t size() const { return int64_t(type.isFloat() ? reals.size() : integers.size()); }
  /// Any element as a double.
  double at(int64_t i) const { return type.isFloat() ? reals[i] : double(integers[i]); }
  /// Sets an element; integers wrap to their width.
  void set(int64_t i, double value);
  void set(int64_t i, int64_t value);
};

/// A double rounded to a float dtype, once.
double roundTo(tenon_dtype dtype, double value);
/// An integer wrapped to the width of an integer dtype (i1: not zero).
int64_t wrapTo(tenon_dtype dtype, int64_t value);

/// Row-major strides in elements.
struct Strides {
  int64_t of[infer::kMaxRank];
  explicit Strides(const infer::Type &type);
};

/// Calls `visit(index)` for each multi-index of a shape in row-major order.
template <typename Visit> void forEachIndex(const infer::Type &type, Visit visit) {
  int64_t index[infer::kMaxRank] = {};
  for (int i = 0; i < type.rank; i++)
    if (type.dims[i] == 0)
      return;
  for (;;) {
    visit(static_cast<const int64_t *>(index));
    int axis = type.rank - 1;
    while (axis >= 0 && ++index[axis] == type.dims[axis])
      index[axis--] = 0;
    if (axis < 0)
      return;
  }
}

/// Calls `line(base, n, step)` for each line of elements along an axis: the offset of the
/// first, how many they are, and how far apart.
template <typename Line> void forEachLine(const infer::Type &type, int64_t axis, Line line) {
  Strides strides(type);
  infer::Type rest = type;
  rest.dims[axis] = type.dims[axis] ? 1 : 0;
  forEachIndex(rest, [&](const int64_t *index) {
    int64_t base = 0;
    for (int i = 0; i < type.rank; i++)
      base += index[i] * strides.of[i];
    line(base, type.dims[axis], strides.of[axis]);
  });
}

/// Elements from and to the storage of kernels (tenon_dtype layouts).
Array load(const infer::Type &type, const void *data);
void store(const Array &array, void *data);

} // namespace tenon::reference

#endif // TENON_REFERENCE_ARRAY_H
