//===- Shape.cpp - Reference of shape and index ops -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

/// y[i] = x[from(index of i)], where `from` gives an offset or -1 for none.
template <typename From> static void copyElements(const Array &x, Array &y, From from) {
  int64_t i = 0;
  forEachIndex(y.type, [&](const int64_t *index) {
    int64_t source = from(index);
    if (source >= 0 && x.type.isFloat())
      y.reals[i] = x.reals[source];
    else if (source >= 0)
      y.integers[i] = x.integers[source];
    i++;
  });
}

static LogicalResult constant(ConstantOp op, Operands, Results results) {
  Array &y = results[0];
  int64_t i = 0;
  if (y.type.isFloat())
    for (APFloat value : op.getValue().getValues<APFloat>()) {
      bool lost;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      y.reals[i++] = value.convertToDouble();
    }
  else
    for (APInt value : op.getValue().getValues<APInt>())
      y.integers[i++] = y.type.isBool() ? value.getZExtValue() : value.getSExtValue();
  return success();
}

static LogicalResult fill(FillOp op, Operands, Results results) {
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].set(i, roundTo(results[0].type.isFloat() ? results[0].type.dtype : TENON_F64,
                              op.getValue().convertToDouble()));
  return success();
}

static LogicalResult iota(IotaOp op, Operands, Results results) {
  int64_t i = 0;
  forEachIndex(results[0].type,
               [&](const int64_t *index) { results[0].set(i++, index[op.getAxis()]); });
  return success();
}

static LogicalResult reshape(ReshapeOp op, Operands operands, Results results) {
  results[0].reals = operands[0]->reals;
  results[0].integers = operands[0]->integers;
  return success();
}

static LogicalResult transpose(TransposeOp op, Operands operands, Results results) {
  Strides strides(operands[0]->type);
  copyElements(*operands[0], results[0], [&](const int64_t *index) {
    int64_t offset = 0;
    for (auto [i, axis] : llvm::enumerate(op.getPermutation()))
      offset += index[i] * strides.of[axis];
    return offset;
  });
  return success();
}

static LogicalResult broadcast(BroadcastOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Strides strides(x.type);
  copyElements(x, results[0], [&](const int64_t *index) {
    int64_t offset = 0;
    for (auto [i, axis] : llvm::enumerate(op.getDims()))
      offset += x.type.dims[i] == 1 ? 0 : index[axis] * strides.of[i];
    return offset;
  });
  return success();
}

static LogicalResult slice(SliceOp op, Operands operands, Results results) {
  Strides strides(operands[0]->type);
  copyElements(*operands[0], results[0], [&](const int64_t *index) {
    int64_t offset = 0;
    for (int i = 0; i < results[0].type.rank; i++)
      offset += (op.getOffsets()[i] + index[i] * op.getStrides()[i]) * strides.of[i];
    return offset;
  });
  return success();
}

static LogicalResult concat(ConcatOp op, Operands operands, Results results) {
  int64_t axis = op.getAxis(), start = 0;
  for (const Array *part : operands) {
    Strides strides(part->type);
    int64_t extent = part->type.dims[axis];
    copyElements(*part, results[0], [&](const int64_t *index) -> int64_t {
      if (index[axis] < start || index[axis] >= start + extent)
        return -1;
      int64_t offset = -start * strides.of[axis];
      for (int i = 0; i < part->type.rank; i++)
        offset += index[i] * strides.of[i];
      return offset;
    });
    start += extent;
  }
  return success();
}

static LogicalResult pad(PadOp op, Operands operands, Results results) {
  const Array &x = *operands[0];
  Strides strides(x.type);
  for (int64_t i = 0; i < results[0].size(); i++)
    results[0].set(i, op.getValue().convertToDouble());
  copyElements(x, results[0], [&](const int64_t *index) -> int64_t {
    int64_t offset = 0;
    for (int i = 0; i < x.type.rank; i++) {
      int64_t from = index[i] - op.getLow()[i];
      if (from < 0 || from >= x.type.dims[i])
        return -1;
      offset += from * strides.of[i];
    }
    return offset;
  });
  return success();
}

static LogicalResult gather(GatherOp op, Operands operands, Results results) {
  const Array &table = *operands[0], &ids = *operands[1];
  int64_t rows = table.type.dims[0], width = 1;
  for (int i = 1; i < table.type.rank; i++)
    width *= table.type.dims[i];
  for (int64_t i = 0; i < ids.size(); i++)
    for (int64_t j = 0; j < width; j++) {
      int64_t row = ids.integers[i];
      bool inside = row >= 0 && row < rows;
      if (table.type.isFloat())
        results[0].reals[i * width + j] = inside ? table.reals[row * width + j] : NAN;
      else
        results[0].integers[i * width + j] = inside ? table.integers[row * width + j] : 0;
    }
  return success();
}

static LogicalResult scatterAdd(ScatterAddOp op, Operands operands, Results results) {
  const Array &ids = *operands[0], &updates = *operands[1];
  Array &y = results[0];
  int64_t rows = y.type.dims[0], width = ids.size() ? updates.size() / ids.size() : 0;
  for (int64_t i = 0; i < ids.size(); i++)
    for (int64_t j = 0; j < width; j++) {
      int64_t row = ids.integers[i];
      if (row < 0 || row >= rows)
        continue;
      if (y.type.isFloat())
        y.reals[row * width + j] += updates.reals[i * width + j];
      else
        y.set(row * width + j, y.integers[row * width + j] + updates.integers[i * width + j]);
    }
  return success();
}

static LogicalResult oneHot(OneHotOp op, Operands operands, Results results) {
  int64_t depth = op.getDepth();
  for (int64_t i = 0; i < operands[0]->size(); i++)
    for (int64_t c = 0; c < depth; c++)
      results[0].set(i * depth + c, int64_t(operands[0]->integers[i] == c));
  return success();
}

void attachShape(MLIRContext *context) {
  attachReference<ConstantOp, constant>(context);
  attachReference<FillOp, fill>(context);
  attachReference<IotaOp, iota>(context);
  attachReference<ReshapeOp, reshape>(context);
  attachReference<TransposeOp, transpose>(context);
  attachReference<BroadcastOp, broadcast>(context);
  attachReference<SliceOp, slice>(context);
  attachReference<ConcatOp, concat>(context);
  attachReference<PadOp, pad>(context);
  attachReference<GatherOp, gather>(context);
  attachReference<ScatterAddOp, scatterAdd>(context);
  attachReference<OneHotOp, oneHot>(context);
}

} // namespace tenon::reference
