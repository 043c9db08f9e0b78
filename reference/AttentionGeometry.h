//===- AttentionGeometry.h - Where the elements of attention lie -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the reference and by the bounds of attention, that both mean the same
// element.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_ATTENTIONGEOMETRY_H
#define TENON_REFERENCE_ATTENTIONGEOMETRY_H

#include "reference/Array.h"

#include <cmath>

namespace tenon::reference {

/// Extents of one attention and where its elements lie.
struct AttentionGeometry {
  int64_t b, h, g, n, m, d, e;
  const Array &q, &k, &v;
  const Array *mask;
  double scale;
  bool causal;

  int64_t query(int64_t z, int64_t x, int64_t i) const { return ((z * h + x) * n + i) * d; }
  int64_t key(int64_t z, int64_t x, int64_t j) const { return ((z * g + x / (h / g)) * m + j) * d; }
  int64_t value(int64_t z, int64_t x, int64_t j) const {
    return ((z * g + x / (h / g)) * m + j) * e;
  }
  int64_t maskAt(int64_t z, int64_t x, int64_t i, int64_t j) const {
    int64_t zm = mask->type.dims[0] == 1 ? 0 : z, xm = mask->type.dims[1] == 1 ? 0 : x;
    return ((zm * mask->type.dims[1] + xm) * n + i) * m + j;
  }
  /// The score of query i and key j, -inf where j is not seen.
  double score(int64_t z, int64_t x, int64_t i, int64_t j) const {
    if (causal && j > i)
      return -INFINITY;
    if (mask && mask->type.isBool() && !mask->integers[maskAt(z, x, i, j)])
      return -INFINITY;
    double sum = 0;
    for (int64_t c = 0; c < d; c++)
      sum += q.reals[query(z, x, i) + c] * k.reals[key(z, x, j) + c];
    double bias = mask && mask->type.isFloat() ? mask->reals[maskAt(z, x, i, j)] : 0;
    return bias == -INFINITY ? bias : scale * sum + bias;
  }
};

inline AttentionGeometry geometry(const Array &q, const Array &k, const Array &v, const Array *mask,
                                  double scale, bool causal) {
  return {q.type.dims[0],
          q.type.dims[1],
          k.type.dims[1],
          q.type.dims[2],
          k.type.dims[2],
          q.type.dims[3],
          v.type.dims[3],
          q,
          k,
          v,
          mask,
          scale,
          causal};
}

template <typename Query> void forEachQuery(const AttentionGeometry &s, Query query) {
  for (int64_t z = 0; z < s.b; z++)
    for (int64_t x = 0; x < s.h; x++)
      for (int64_t i = 0; i < s.n; i++)
        query(z, x, i);
}

} // namespace tenon::reference

#endif // TENON_REFERENCE_ATTENTIONGEOMETRY_H
