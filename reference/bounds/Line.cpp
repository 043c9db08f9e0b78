//===- Line.cpp - Bounds of ops along one axis ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/bounds/Bounds.h"

using namespace mlir;

namespace tenon::reference {

LogicalResult boundCumsum(Operation *op, Operands operands, Results results) {
  int64_t axis = cast<CumsumOp>(op).getAxis();
  return boundLinear(op, operands, 0, results[0], operands[0]->type.dims[axis]);
}

LogicalResult boundScatterAlong(Operation *op, Operands operands, Results results) {
  const Array &ids = *operands[0];
  if (!isExact(ids)) {
    results[0].errors.assign(results[0].size(), INFINITY);
    return success();
  }
  return boundLinear(op, operands, 1, results[0],
                     ids.type.dims[cast<ScatterAlongOp>(op).getAxis()]);
}

/// What stands at a place moves no further than all elements do. Where it came from is not
/// sure if another element may be on its other side.
LogicalResult boundSort(Operation *op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Array &values = results[0], &indices = results[1];
  if (isExact(x))
    return success();
  Array above = mapped(x, [](double value, double error) { return value + error; });
  Array below = mapped(x, [](double value, double error) { return value - error; });
  infer::Type real = values.type;
  real.dtype = TENON_F64;
  auto high = evaluateOn(op, &above, {real, indices.type});
  auto low = evaluateOn(op, &below, {real, indices.type});
  if (failed(high) || failed(low))
    return failure();
  for (int64_t i = 0; i < values.size(); i++)
    values.errors[i] = std::max(distance((*high)[0].reals[i], values.at(i)),
                                distance((*low)[0].reals[i], values.at(i)));
  int64_t axis = cast<SortOp>(op).getAxis();
  std::vector<std::pair<int64_t, int64_t>> kept; // base and step of the results' lines
  forEachLine(values.type, axis,
              [&](int64_t base, int64_t, int64_t step) { kept.push_back({base, step}); });
  size_t line = 0;
  int64_t count = values.type.dims[axis];
  forEachLine(x.type, axis, [&](int64_t base, int64_t n, int64_t step) {
    for (int64_t k = 0; k < count; k++) {
      int64_t to = kept[line].first + k * kept[line].second;
      int64_t own = base + indices.integers[to] * step;
      for (int64_t i = 0; i < n; i++) {
        int64_t other = base + i * step;
        if (other != own && mayChangeOrder(x, own, other))
          indices.errors[to] = INFINITY;
      }
    }
    line++;
  });
  return success();
}

} // namespace tenon::reference
