//===- RowsPrefetch.cpp - What rows kernels ask for ahead of time ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "passes/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon::cpu {

/// Below this all of it stays in the second cache.
static constexpr int64_t kLargeBytes = 1 << 18;

bool isLarge(RowsBody &body, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  for (int64_t axis = 0; axis < type.getRank(); axis++)
    if (auto extent = constantOf(body.buffers->extentOf(value, axis)))
      bytes *= *extent;
    else
      return true;
  return bytes >= kLargeBytes;
}

bool isAlong(RowsBody &body, BlockArgument argument, Value value) {
  auto a = cast<RankedTensorType>(argument.getType()), v = cast<RankedTensorType>(value.getType());
  if (argument.use_empty() || a.getShape() != v.getShape() ||
      llvm::any_of(argument.getUsers(), [](Operation *user) { return isa<TransposeOp>(user); }))
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, a.getRank()), [&](int64_t axis) {
    return body.buffers->extentOf(argument, axis) == body.buffers->extentOf(value, axis);
  });
}

void prefetch(KernelFrame &frame, Value buffer, ArrayRef<LaneIndex> indices, int64_t ahead,
              int64_t count, bool isWrite) {
  OpBuilder &b = frame.builder();
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t size = elementBytes(element);
  SmallVector<Value> place;
  for (const LaneIndex &index : indices)
    place.push_back(index.base);
  Value last = place.back();
  for (int64_t line = 0; line < count * size; line += 64) {
    place.back() = b.create<arith::AddIOp>(frame.loc(), last, frame.index((line + ahead) / size));
    b.create<memref::PrefetchOp>(frame.loc(), buffer, place, isWrite, /*localityHint=*/3,
                                 /*isDataCache=*/true);
  }
}

} // namespace tenon::cpu
