//===- Reduction.cpp - Reference of reductions ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

/// Starts every element of y at `start` and folds each x into its place.
template <typename Op, typename Fold>
static void reduceInto(Op op, const Array &x, Array &y, double start, Fold fold) {
  for (int64_t i = 0; i < y.size(); i++)
    y.set(i, start);
  // Stride of each axis of x in y; 0 for a reduced one.
  int64_t stride[infer::kMaxRank] = {}, step = 1;
  unsigned reduced = 0;
  for (int64_t axis : op.getAxes())
    reduced |= 1u << axis;
  for (int axis = x.type.rank; axis-- > 0;)
    if (!(reduced >> axis & 1)) {
      stride[axis] = step;
      step *= x.type.dims[axis];
    }
  int64_t i = 0;
  forEachIndex(x.type, [&](const int64_t *index) {
    int64_t at = 0;
    for (int axis = 0; axis < x.type.rank; axis++)
      at += index[axis] * stride[axis];
    fold(i++, at);
  });
}

template <typename Op> static LogicalResult sum(Op op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  std::vector<Wide> sums(y.reals.size());
  reduceInto(op, x, y, 0, [&](int64_t from, int64_t to) {
    if (x.type.isFloat())
      sums[to] += x.reals[from];
    else
      y.set(to, int64_t(uint64_t(y.integers[to]) + uint64_t(x.integers[from])));
  });
  llvm::copy(sums, y.reals.begin());
  return success();
}

static LogicalResult mean(ReduceMeanOp op, Operands operands, Results results) {
  (void)sum(op, operands, results);
  for (double &value : results[0].reals)
    value /= double(operands[0]->size()) / double(results[0].size());
  return success();
}

static LogicalResult product(ReduceProdOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  reduceInto(op, x, y, 1, [&](int64_t from, int64_t to) {
    if (x.type.isFloat())
      y.reals[to] *= x.reals[from];
    else
      y.set(to, int64_t(uint64_t(y.integers[to]) * uint64_t(x.integers[from])));
  });
  return success();
}

/// Largest (sign 1) or smallest (sign -1); NaN wins.
template <typename Op, int sign>
static LogicalResult extreme(Op op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  reduceInto(op, x, y, -sign * INFINITY, [&](int64_t from, int64_t to) {
    if (x.type.isFloat()) {
      double a = x.reals[from], &b = y.reals[to];
      if (a != a || sign * a > sign * b)
        b = a;
    } else if (sign > 0 ? x.integers[from] > y.integers[to] : x.integers[from] < y.integers[to]) {
      y.integers[to] = x.integers[from];
    }
  });
  return success();
}

template <typename Op, int sign>
static LogicalResult argExtreme(Op op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Strides strides(x.type);
  int64_t axis = op.getAxis(), n = x.type.dims[axis], step = strides.of[axis];
  int64_t i = 0;
  forEachIndex(results[0].type, [&](const int64_t *index) {
    int64_t base = 0;
    for (int d = 0; d < x.type.rank; d++)
      if (d != axis)
        base += index[d > axis ? d - 1 : d] * strides.of[d];
    int64_t best = -1;
    for (int64_t k = 0; k < n; k++) {
      double candidate = x.at(base + k * step);
      if (candidate == candidate &&
          (best < 0 || sign * candidate > sign * x.at(base + best * step)))
        best = k;
    }
    results[0].integers[i++] = best < 0 ? 0 : best;
  });
  return success();
}

void attachReduction(MLIRContext *context) {
  attachReference<ReduceSumOp, sum<ReduceSumOp>>(context);
  attachReference<ReduceMeanOp, mean>(context);
  attachReference<ReduceProdOp, product>(context);
  attachReference<ReduceMaxOp, extreme<ReduceMaxOp, 1>>(context);
  attachReference<ReduceMinOp, extreme<ReduceMinOp, -1>>(context);
  attachReference<ArgmaxOp, argExtreme<ArgmaxOp, 1>>(context);
  attachReference<ArgminOp, argExtreme<ArgminOp, -1>>(context);
}

} // namespace tenon::reference
