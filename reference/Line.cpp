//===- Line.cpp - Reference of ops along one axis -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace tenon::reference {

static LogicalResult cumsum(CumsumOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  forEachLine(x.type, op.getAxis(), [&](int64_t base, int64_t n, int64_t step) {
    Wide real = 0;
    uint64_t whole = 0;
    for (int64_t i = 0; i < n; i++) {
      int64_t at = base + (op.getReverse() ? n - 1 - i : i) * step;
      Wide before = real;
      uint64_t wholeBefore = whole;
      if (x.type.isFloat())
        y.reals[at] = double(op.getExclusive() ? before : before + x.reals[at]);
      else
        y.set(at,
              int64_t(op.getExclusive() ? wholeBefore : wholeBefore + uint64_t(x.integers[at])));
      real += x.type.isFloat() ? x.reals[at] : 0;
      whole += x.type.isFloat() ? 0 : uint64_t(x.integers[at]);
    }
  });
  return success();
}

static LogicalResult sort(SortOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &values = results[0], &indices = results[1];
  bool descending = op.getDescending();
  auto before = [&](int64_t a, int64_t b) {
    if (!x.type.isFloat())
      return descending ? x.integers[a] > x.integers[b] : x.integers[a] < x.integers[b];
    double p = x.reals[a], q = x.reals[b];
    if (std::isnan(p) || std::isnan(q))
      return !std::isnan(p) && std::isnan(q);
    return descending ? p > q : p < q;
  };
  std::vector<std::pair<int64_t, int64_t>> kept; // base and step of the results' lines
  forEachLine(values.type, op.getAxis(),
              [&](int64_t base, int64_t, int64_t step) { kept.push_back({base, step}); });
  size_t line = 0;
  int64_t count = values.type.dims[op.getAxis()];
  if (count == 0)
    return success();
  forEachLine(x.type, op.getAxis(), [&](int64_t base, int64_t n, int64_t step) {
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      int64_t p = base + a * step, q = base + b * step;
      return before(p, q) || (!before(q, p) && a < b);
    });
    auto [to, toStep] = kept[line++];
    for (int64_t i = 0; i < count; i++) {
      int64_t from = base + order[i] * step, at = to + i * toStep;
      if (x.type.isFloat())
        values.reals[at] = x.reals[from];
      else
        values.integers[at] = x.integers[from];
      indices.integers[at] = order[i];
    }
  });
  return success();
}

/// Calls visit(i, offset) for each element of `ids` with the offset of what it names in
/// `whole`, -1 if there is no such element.
template <typename Visit>
static void forEachNamed(const Array &ids, const infer::Type &whole, int64_t axis, Visit visit) {
  Strides strides(whole);
  int64_t i = 0;
  forEachIndex(ids.type, [&](const int64_t *index) {
    int64_t id = ids.integers[i], offset = 0;
    for (int d = 0; d < whole.rank; d++)
      offset += (d == axis ? id : index[d]) * strides.of[d];
    visit(i++, id >= 0 && id < whole.dims[axis] ? offset : -1);
  });
}

static LogicalResult gatherAlong(GatherAlongOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &y = results[0];
  forEachNamed(*operands[1], x.type, op.getAxis(), [&](int64_t i, int64_t offset) {
    if (x.type.isFloat())
      y.reals[i] = offset < 0 ? NAN : x.reals[offset];
    else
      y.integers[i] = offset < 0 ? 0 : x.integers[offset];
  });
  return success();
}

static LogicalResult scatterAlong(ScatterAlongOp op, Operands operands, Results results) {
  const Array &updates = *operands[1];
  Array &y = results[0];
  forEachNamed(*operands[0], y.type, op.getAxis(), [&](int64_t i, int64_t offset) {
    if (offset < 0)
      return;
    if (updates.type.isFloat())
      y.reals[offset] += updates.reals[i];
    else
      y.set(offset, int64_t(uint64_t(y.integers[offset]) + uint64_t(updates.integers[i])));
  });
  return success();
}

void attachLine(MLIRContext *context) {
  attachReference<CumsumOp, cumsum>(context);
  attachReference<SortOp, sort>(context);
  attachReference<GatherAlongOp, gatherAlong>(context);
  attachReference<ScatterAlongOp, scatterAlong>(context);
}

} // namespace tenon::reference
