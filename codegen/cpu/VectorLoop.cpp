//===- VectorLoop.cpp - Loops over vectors with masked ends ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/VectorLoop.h"

#include "codegen/cpu/Num.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon::cpu {

std::optional<int64_t> constantIndexOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Value laneMask(KernelFrame &frame, int lanes, Value count) {
  OpBuilder &b = frame.builder();
  auto type = VectorType::get({lanes}, b.getI32Type());
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
  Value each =
      b.create<arith::ConstantOp>(frame.loc(), DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value limit = b.create<arith::IndexCastOp>(frame.loc(), b.getI32Type(), count);
  limit = b.create<vector::BroadcastOp>(frame.loc(), type, limit);
  return b.create<arith::CmpIOp>(frame.loc(), arith::CmpIPredicate::slt, each, limit);
}

Values emitLoop(KernelFrame &frame, Value begin, Value end, ValueRange inits,
                llvm::function_ref<Values(Value, ValueRange)> body, int64_t step) {
  OpBuilder &b = frame.builder();
  auto loop = b.create<scf::ForOp>(frame.loc(), begin, end, frame.index(step), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  b.setInsertionPointToEnd(loop.getBody());
  if (!inits.empty())
    b.create<scf::YieldOp>(frame.loc(), next);
  return Values(loop.getResults().begin(), loop.getResults().end());
}

/// begin + the largest multiple of `step` that fits below `end`.
static Value lastFull(KernelFrame &frame, Value begin, Value end, int64_t step) {
  OpBuilder &b = frame.builder();
  auto first = constantIndexOf(begin), last = constantIndexOf(end);
  if (first && last)
    return frame.index(*first + std::max<int64_t>(*last - *first, 0) / step * step);
  if (frame.isMultiple(begin, step) && frame.isMultiple(end, step))
    return end;
  Value count = b.create<arith::SubIOp>(frame.loc(), end, begin);
  Value rest = b.create<arith::RemUIOp>(frame.loc(), count, frame.index(step));
  return b.create<arith::SubIOp>(frame.loc(), end, rest);
}

/// False where a loop is known to have no iteration.
static bool mayRun(Value begin, Value end) {
  if (begin == end)
    return false;
  auto last = constantIndexOf(end);
  return !last || constantIndexOf(begin) != last;
}

static LaneIndex laneIndex(Value first, int lanes) {
  return LaneIndex{first, lanes == 1 ? 0 : 1, nullptr, lanes};
}

/// Full vectors in groups of `unroll`, each with its own carried values, merged at the end.
static Values emitUnrolled(KernelFrame &frame, int lanes, Value begin, Value end, ValueRange inits,
                           VectorBody body, int unroll, ValueRange neutral,
                           llvm::function_ref<Values(ValueRange, ValueRange)> merge) {
  OpBuilder &b = frame.builder();
  size_t width = inits.size();
  Values all;
  for (int u = 0; u < unroll; u++)
    llvm::append_range(all, u == 0 ? inits : neutral);
  all = emitLoop(
      frame, begin, end, all,
      [&](Value i, ValueRange args) {
        Values next;
        for (int u = 0; u < unroll; u++) {
          Value place =
              u == 0 ? i
                     : b.create<arith::AddIOp>(frame.loc(), i, frame.index(u * lanes)).getResult();
          llvm::append_range(next,
                             body(laneIndex(place, lanes), nullptr, args.slice(u * width, width)));
        }
        return next;
      },
      int64_t(lanes) * unroll);
  ValueRange sets(all);
  Values carried = llvm::to_vector(sets.take_front(width));
  for (int u = 1; width && u < unroll; u++)
    carried = merge(carried, sets.slice(u * width, width));
  return carried;
}

/// What is left of less than a vector, if anything is, under a mask.
static Values emitRest(KernelFrame &frame, int lanes, Value begin, Value end, ValueRange carried,
                       VectorBody body) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  auto rest = [&] {
    Value left = b.create<arith::SubIOp>(loc, end, begin);
    return body(laneIndex(begin, lanes), laneMask(frame, lanes, left), carried);
  };
  auto first = constantIndexOf(begin), last = constantIndexOf(end);
  if (first && last)
    return *first < *last ? rest() : llvm::to_vector(carried);
  Value any = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, begin, end);
  auto branch = b.create<scf::IfOp>(loc, carried.getTypes(), any, /*withElse=*/!carried.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Values next = rest();
  if (!carried.empty()) {
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(loc, next);
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<scf::YieldOp>(loc, carried);
  }
  return Values(branch.getResults().begin(), branch.getResults().end());
}

Values emitVectorLoop(KernelFrame &frame, int lanes, Value begin, Value end, ValueRange inits,
                      VectorBody body, int unroll, ValueRange neutral,
                      llvm::function_ref<Values(ValueRange, ValueRange)> merge) {
  Values carried = llvm::to_vector(inits);
  if (unroll > 1) {
    Value stop = lastFull(frame, begin, end, int64_t(lanes) * unroll);
    if (mayRun(begin, stop))
      carried = emitUnrolled(frame, lanes, begin, stop, inits, body, unroll, neutral, merge);
    begin = stop;
  }
  Value stop = lastFull(frame, begin, end, lanes);
  if (mayRun(begin, stop))
    carried = emitLoop(
        frame, begin, stop, carried,
        [&](Value i, ValueRange args) { return body(laneIndex(i, lanes), nullptr, args); }, lanes);
  return lanes == 1 || stop == end ? carried : emitRest(frame, lanes, stop, end, carried, body);
}

void forEachSlice(KernelFrame &frame, Value count, int64_t chunk, ValueRange captures,
                  llvm::function_ref<void(Value, Value, ValueRange)> body) {
  auto known = constantIndexOf(count);
  if (!frame.hasWorkers())
    chunk = 1;
  if (known && *known <= chunk) {
    if (*known > 0)
      body(frame.index(0), count, captures);
    return;
  }
  frame.parallelFor(count, frame.index(chunk), captures, body);
}

SmallVector<Value> delinearize(KernelFrame &frame, BodyBuffers &buffers, Value number,
                               ArrayRef<AffineExpr> extents) {
  OpBuilder &b = frame.builder();
  SmallVector<Value> indices(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      indices[0] = number;
      break;
    }
    if (constantOf(extents[i]) == 1) {
      indices[i] = frame.index(0);
      continue;
    }
    Value extent = buffers.emit(extents[i]);
    indices[i] = b.createOrFold<arith::RemUIOp>(frame.loc(), number, extent);
    number = b.createOrFold<arith::DivUIOp>(frame.loc(), number, extent);
  }
  return indices;
}

} // namespace tenon::cpu
