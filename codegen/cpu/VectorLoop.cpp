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

static Values emitSteppedLoop(KernelFrame &frame, Value begin, Value end, int64_t step,
                              ValueRange inits,
                              llvm::function_ref<Values(Value, ValueRange)> body) {
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

Values emitLoop(KernelFrame &frame, Value begin, Value end, ValueRange inits,
                llvm::function_ref<Values(Value, ValueRange)> body) {
  return emitSteppedLoop(frame, begin, end, 1, inits, body);
}

/// begin + the largest multiple of `step` that fits below `end`.
static Value lastFull(KernelFrame &frame, Value begin, Value end, int64_t step) {
  OpBuilder &b = frame.builder();
  auto first = constantIndexOf(begin), last = constantIndexOf(end);
  if (first && last)
    return frame.index(*first + std::max<int64_t>(*last - *first, 0) / step * step);
  Value count = b.create<arith::SubIOp>(frame.loc(), end, begin);
  Value rest = b.create<arith::RemUIOp>(frame.loc(), count, frame.index(step));
  return b.create<arith::SubIOp>(frame.loc(), end, rest);
}

Values emitVectorLoop(KernelFrame &frame, int lanes, Value begin, Value end, ValueRange inits,
                      VectorBody body, int unroll, ValueRange neutral,
                      llvm::function_ref<Values(ValueRange, ValueRange)> merge) {
  OpBuilder &b = frame.builder();
  Location loc = frame.loc();
  Values carried = llvm::to_vector(inits);
  size_t width = inits.size();
  auto at = [&](Value i) { return LaneIndex{i, lanes == 1 ? 0 : 1, nullptr, lanes}; };
  auto isDone = [&] {
    auto first = constantIndexOf(begin), last = constantIndexOf(end);
    return first && last && *first >= *last;
  };

  if (unroll > 1) {
    Value stop = lastFull(frame, begin, end, int64_t(lanes) * unroll);
    Values all;
    for (int u = 0; u < unroll; u++)
      llvm::append_range(all, u == 0 ? inits : neutral);
    if (constantIndexOf(begin) != constantIndexOf(stop) || !constantIndexOf(stop)) {
      all = emitSteppedLoop(
          frame, begin, stop, int64_t(lanes) * unroll, all, [&](Value i, ValueRange args) {
            Values next;
            for (int u = 0; u < unroll; u++) {
              Value place =
                  u == 0 ? i : b.create<arith::AddIOp>(loc, i, frame.index(u * lanes)).getResult();
              llvm::append_range(next, body(at(place), nullptr, args.slice(u * width, width)));
            }
            return next;
          });
      if (width) {
        ValueRange sets(all);
        carried = llvm::to_vector(sets.take_front(width));
        for (int u = 1; u < unroll; u++)
          carried = merge(carried, sets.slice(u * width, width));
      }
    }
    begin = stop;
  }

  Value stop = lastFull(frame, begin, end, lanes);
  if (constantIndexOf(begin) != constantIndexOf(stop) || !constantIndexOf(stop))
    carried = emitSteppedLoop(frame, begin, stop, lanes, carried,
                              [&](Value i, ValueRange args) { return body(at(i), nullptr, args); });
  begin = stop;
  if (lanes == 1 || isDone())
    return carried;

  // The rest, if there is one.
  auto tail = [&] {
    Value left = b.create<arith::SubIOp>(loc, end, begin);
    return body(at(begin), laneMask(frame, lanes, left), carried);
  };
  auto first = constantIndexOf(begin), last = constantIndexOf(end);
  if (first && last)
    return tail();
  Value any = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, begin, end);
  auto branch = b.create<scf::IfOp>(loc, ValueRange(carried).getTypes(), any,
                                    /*withElse=*/!carried.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Values next = tail();
  if (!carried.empty()) {
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(loc, next);
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<scf::YieldOp>(loc, carried);
  }
  return Values(branch.getResults().begin(), branch.getResults().end());
}

void forEachSlice(KernelFrame &frame, Value count, int64_t chunk, ValueRange captures,
                  llvm::function_ref<void(Value, Value, ValueRange)> body) {
  auto known = constantIndexOf(count);
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
