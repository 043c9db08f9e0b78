//===- MatmulMatrices.cpp - Matrix products by cooperative matrices -------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPV_KHR_cooperative_matrix: the invocations of a subgroup multiply matrices of 16 x 16.
// A workgroup's tile is shared by four or eight subgroups; parts of both operands are in its
// memory, the next ones on their way into registers. Sums leave through that memory where it is
// the device's secret how a matrix lies in registers.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/strategies/Fragments.h"
#include "codegen/spirv/strategies/MatmulBody.h"

#include "codegen/cpu/Placement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

using cpu::Values;

namespace {

/// Rows and columns of a workgroup's tile, and rows of a subgroup's.
constexpr int64_t kTile = 128, kHigh = 64;
/// Elements of a row of A, or a column of B, that are in memory at a time.
constexpr int64_t kDepth = 32;
/// Vectors of a line in memory, and one that keeps lines in different banks.
constexpr int64_t kDeepLine = kDepth / kVector + 1, kWideLine = kTile / kVector + 1;
constexpr int64_t kMemory = std::max(kTile * kDeepLine, kDepth *kWideLine);
/// Vectors in which one matrix of sums lies: a number has twice the bytes of a half.
constexpr int64_t kSums = kMatrix * kMatrix / (kVector / 2), kMostSubgroups = 8;
static_assert(kMostSubgroups * kSums <= kMemory, "sums leave through the memory of A");

class Matrices : MatmulBody {
public:
  Matrices(SpirvFrame &frame, MatmulOp op)
      : MatmulBody(frame, op),
        blockWidth(isInVectors(op.getA(), half) && isInVectors(op.getB(), half) ? 64 : 32) {}
  bool emit();

private:
  Value constant(int64_t value) {
    return b.create<spv::ConstantOp>(loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }
  spv::CooperativeMatrixType matrixOf(Type element, spv::CooperativeMatrixUseKHR use) {
    return spv::CooperativeMatrixType::get(element, kMatrix, kMatrix, spv::Scope::Subgroup, use);
  }
  Value memory(unsigned number) { return frame.shared(number, vectorType, kMemory); }

  void emitTile(const Operand &left, const Operand &right, Value member);
  /// Where vector `number` of an operand's part lies: along both its axes, and in memory.
  struct Place {
    Value wide, deep, inMemory;
  };
  Place placeOf(const Operand &operand, Value number);
  Values load(const Operand &operand, Value member, Value from);
  Value loadVector(const Operand &operand, Value wide, Value deep);
  Value gather(const Operand &operand, Value wide, Value deep);
  Value bitsOf(const Operand &operand, Value wide, Value deep);
  void store(const Operand &operand, Value member, ValueRange vectors);
  Value matrix(const Operand &operand, Value wide, int64_t deep);
  Values multiply(const Operand &left, const Operand &right, Value row, Value column,
                  ValueRange sums);
  void finishMatrix(Value sums, Value row, Value column, Value subgroup, Value lane);
  void finishPairs(Value sums, Value row, Value column, Value lane);
  void finishPair(ArrayRef<Value> sums, Value row, Value column);
  Value pairPlace(Value tensor, ArrayRef<cpu::LaneIndex> place);

  Type half = b.getF16Type();
  /// Columns of a subgroup's tile. Wide ones load less from memory; what is computed element by
  /// element takes more invocations.
  int64_t blockWidth;
  int64_t team = 0;
};

} // namespace

Matrices::Place Matrices::placeOf(const Operand &operand, Value number) {
  int64_t line = (operand.deepFirst ? kDepth : kTile) / kVector;
  Value along = mul(rem(number, line), kVector), across = div(number, line);
  Value inMemory = add(mul(across, operand.deepFirst ? kDeepLine : kWideLine), rem(number, line));
  return operand.deepFirst ? Place{across, along, inMemory} : Place{along, across, inMemory};
}

/// An element's bits in 32; 0 where there is none.
Value Matrices::bitsOf(const Operand &operand, Value wide, Value deep) {
  Value exists = both(isInside(wide, operand.width, kTile), isInside(deep, depth, kDepth));
  Value x = choose(
      exists, type, [&] { return element(operand, wide, deep); },
      [&] { return cpu::splatConstant(b, loc, type, 0); });
  Value bits =
      b.create<arith::BitcastOp>(loc, b.getI16Type(), b.create<arith::TruncFOp>(loc, half, x));
  return b.create<arith::ExtUIOp>(loc, b.getI32Type(), bits);
}

/// Eight elements from here on, computed one by one.
Value Matrices::gather(const Operand &operand, Value wide, Value deep) {
  SmallVector<Value> words;
  for (int64_t i = 0; i < kVector; i++) {
    Value word =
        bitsOf(operand, add(wide, operand.deepFirst ? 0 : i), add(deep, operand.deepFirst ? i : 0));
    if (i % 2 == 0) {
      words.push_back(word);
      continue;
    }
    word = b.create<arith::ShLIOp>(loc, word, cpu::splatInteger(b, loc, word.getType(), 16));
    words.back() = b.create<arith::OrIOp>(loc, words.back(), word);
  }
  return b.create<spv::CompositeConstructOp>(loc, vectorType, words);
}

Value Matrices::loadVector(const Operand &operand, Value wide, Value deep) {
  Value exists = both(isInside(wide, operand.width, kTile), isInside(deep, depth, kDepth));
  Value vector = vectorAt(operand, half, wide, deep, exists);
  return vector ? vector : gather(operand, wide, deep);
}

Values Matrices::load(const Operand &operand, Value member, Value from) {
  Values vectors;
  for (int64_t first = 0; first < kTile * kDepth / kVector; first += team) {
    Place place = placeOf(operand, add(member, first));
    vectors.push_back(loadVector(operand, add(operand.first, place.wide), add(from, place.deep)));
  }
  return vectors;
}

void Matrices::store(const Operand &operand, Value member, ValueRange vectors) {
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    Place place = placeOf(operand, add(member, int64_t(i) * team));
    b.create<memref::StoreOp>(loc, vector, memory(operand.number), place.inMemory);
  }
}

/// 16 x 16 of an operand, from memory. B's wide axis is that of its columns.
Value Matrices::matrix(const Operand &operand, Value wide, int64_t deep) {
  bool isLeft = operand.number == 0;
  int64_t line = operand.deepFirst ? kDeepLine : kWideLine;
  Value at = operand.deepFirst ? add(mul(wide, line), deep / kVector)
                               : add(div(wide, kVector), deep * line);
  auto layout = operand.deepFirst == isLeft ? spv::CooperativeMatrixLayoutKHR::RowMajor
                                            : spv::CooperativeMatrixLayoutKHR::ColumnMajor;
  auto use = isLeft ? spv::CooperativeMatrixUseKHR::MatrixA : spv::CooperativeMatrixUseKHR::MatrixB;
  return b.create<spv::KHRCooperativeMatrixLoadOp>(
      loc, matrixOf(half, use), frame.address(memory(operand.number), at), layout, constant(line),
      spv::MemoryAccessAttr::get(b.getContext(), spv::MemoryAccess::NonPrivatePointer));
}

Values Matrices::multiply(const Operand &left, const Operand &right, Value row, Value column,
                          ValueRange sums) {
  Values next = llvm::to_vector(sums);
  for (int64_t k = 0; k < kDepth; k += kMatrix) {
    Values x, y;
    for (int64_t i = 0; i < kHigh; i += kMatrix)
      x.push_back(matrix(left, add(row, i), k));
    for (int64_t j = 0; j < blockWidth; j += kMatrix)
      y.push_back(matrix(right, add(column, j), k));
    for (size_t i = 0; i < x.size(); i++)
      for (size_t j = 0; j < y.size(); j++)
        next[i * y.size() + j] =
            b.create<spv::KHRCooperativeMatrixMulAddOp>(loc, x[i], y[j], next[i * y.size() + j]);
  }
  return next;
}

/// Elements of a tensor in pairs, as words: where the one at this place lies.
Value Matrices::pairPlace(Value tensor, ArrayRef<cpu::LaneIndex> place) {
  Value at = frame.index(0);
  for (auto [axis, index] : llvm::enumerate(place.drop_back())) {
    Value extent = buffers.emit(buffers.extentOf(tensor, axis));
    at = add(b.createOrFold<arith::MulIOp>(loc, at, extent), index.base);
  }
  int64_t line = cast<RankedTensorType>(tensor.getType()).getShape().back();
  return add(mul(at, line / 2), div(place.back().base, 2));
}

static bool hasPairs(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getElementType().isF16() && type.getRank() > 0 &&
         !ShapedType::isDynamic(type.getShape().back()) && type.getShape().back() % 2 == 0;
}

/// The kernel's results at two elements beside each other, from an even column on. Halves that
/// lie beside each other, too, are loaded and stored together.
void Matrices::finishPair(ArrayRef<Value> sums, Value row, Value column) {
  // Loads come before what else is emitted here: it may be in other blocks.
  Operation *start = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
  auto pairType = VectorType::get({2}, half);
  llvm::SmallDenseMap<Value, std::pair<SmallVector<Value>, Value>> pairs; // leading indices, halves
  auto isOuter = [&](const cpu::LaneIndex &index) {
    return index.base == row ||
           llvm::any_of(batch, [&](const auto &own) { return index.base == own.base; });
  };
  SmallVector<Results> all;
  for (int32_t part = 0; part < 2; part++) {
    Value own = add(column, part);
    auto load = [&, own, part](Value argument, ArrayRef<cpu::LaneIndex> place) -> Value {
      if (place.back().base != own || !llvm::all_of(place.drop_back(), isOuter))
        return nullptr;
      SmallVector<Value> leading;
      for (const cpu::LaneIndex &index : place.drop_back())
        leading.push_back(index.base);
      auto &[known, pair] = pairs[argument];
      if (pair && known != leading)
        return nullptr;
      if (!pair) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointAfter(start);
        SmallVector<cpu::LaneIndex> first(place);
        first.back().base = column;
        Value words = frame.bufferAs(cast<BlockArgument>(argument).getArgNumber(), b.getI32Type());
        Value word = b.create<memref::LoadOp>(loc, words, pairPlace(argument, first));
        pair = b.create<spv::BitcastOp>(loc, pairType, word);
        known = leading;
        start = pair.getDefiningOp();
      }
      Value x = b.create<spv::CompositeExtractOp>(loc, pair, ArrayRef(part));
      return b.create<arith::ExtFOp>(loc, type, x);
    };
    all.push_back(resultsAt(row, own, sums[part], [&](cpu::ElementEmitter &e) {
      for (Value argument : frame.kernel().getBody().getArguments())
        if (hasPairs(argument))
          e.bind(argument, [=](ArrayRef<cpu::LaneIndex> place) { return load(argument, place); });
    }));
  }
  cpu::ElementEmitter e(frame, 1, nullptr, &buffers);
  for (auto [number, result] : llvm::enumerate(yielded())) {
    std::optional<cpu::Placement> placement = cpu::resolvePlacement(op.getY(), result);
    if (!hasPairs(result) || placement->strides.empty() || !placement->strides.back().is(1)) {
      for (Results &results : all)
        e.store(results[number].first, frame.result(number), results[number].second);
      continue;
    }
    Values halves;
    for (Results &results : all)
      halves.push_back(b.create<arith::TruncFOp>(loc, half, results[number].first));
    Value pair = b.create<spv::CompositeConstructOp>(loc, pairType, halves);
    b.create<memref::StoreOp>(loc, b.create<spv::BitcastOp>(loc, b.getI32Type(), pair),
                              frame.bufferAs(frame.numOperands() + number, b.getI32Type()),
                              pairPlace(result, all[0][number].second));
  }
}

/// The results at 16 x 16 elements of the product, of which it is known where they lie: see
/// Fragments.h.
void Matrices::finishPairs(Value sums, Value row, Value column, Value lane) {
  frame.usesFragments = true;
  for (int32_t i = 0; i < kElements; i += 2) {
    Value ownRow = add(row, add(div(lane, 4), i / kHalf * 8));
    Value ownColumn = add(column, add(mul(rem(lane, 4), 2), i % kHalf / 2 * 8));
    auto sum = [&](int32_t i) -> Value {
      return b.create<spv::CompositeExtractOp>(loc, sums, ArrayRef(i));
    };
    whenInside(ownRow, ownColumn, kTile, kTile,
               [&] { finishPair({sum(i), sum(i + 1)}, ownRow, ownColumn); });
  }
}

/// The same where that is the device's secret.
void Matrices::finishMatrix(Value sums, Value row, Value column, Value subgroup, Value lane) {
  Value own = mul(subgroup, kSums), place = memory(0);
  constexpr int64_t perVector = kVector / 2; // numbers
  b.create<spv::KHRCooperativeMatrixStoreOp>(
      loc, frame.address(place, own), sums, spv::CooperativeMatrixLayoutKHR::RowMajor,
      constant(kMatrix / perVector),
      spv::MemoryAccessAttr::get(b.getContext(), spv::MemoryAccess::NonPrivatePointer));
  frame.barrier(spv::Scope::Subgroup);
  int64_t lanes = frame.features().subgroupSize;
  cpu::emitLoop(
      frame, lane, frame.index(kMatrix * kMatrix), {},
      [&](Value number, ValueRange) {
        Value vector = b.create<memref::LoadOp>(loc, place, add(own, div(number, perVector)));
        Value part = b.create<arith::IndexCastUIOp>(loc, b.getI32Type(), rem(number, perVector));
        Value word = b.create<spv::VectorExtractDynamicOp>(loc, vector, part);
        Value sum = b.create<arith::BitcastOp>(loc, type, word);
        finish(add(row, div(number, kMatrix)), add(column, rem(number, kMatrix)), kTile, kTile,
               sum);
        return Values();
      },
      lanes);
  frame.barrier(spv::Scope::Subgroup);
}

void Matrices::emitTile(const Operand &left, const Operand &right, Value member) {
  Value subgroup = frame.subgroup(), lane = frame.lane();
  int64_t across = kTile / blockWidth;
  Value row = mul(div(subgroup, across), kHigh), column = mul(rem(subgroup, across), blockWidth);
  auto sumType = matrixOf(type, spv::CooperativeMatrixUseKHR::MatrixAcc);
  Value zero =
      b.create<spv::CompositeConstructOp>(loc, sumType, cpu::splatConstant(b, loc, type, 0));
  Values zeros(size_t((kHigh / kMatrix) * (blockWidth / kMatrix)), zero);
  Values sums = sumOverDepth(
      left, right, zeros,
      {kDepth, [&](const Operand &operand, Value from) { return load(operand, member, from); },
       [&](const Operand &operand, ValueRange loaded) { store(operand, member, loaded); },
       [&](ValueRange sums) { return multiply(left, right, row, column, sums); }});
  bool arePairs = frame.features().fragments && cpu::constantOf(columns).value_or(1) % 2 == 0;
  if (!arePairs)
    frame.barrier();
  for (int64_t i = 0; i < kHigh / kMatrix; i++)
    for (int64_t j = 0; j < blockWidth / kMatrix; j++) {
      Value matrix = sums[i * (blockWidth / kMatrix) + j];
      Value ownRow = add(left.first, add(row, i * kMatrix));
      Value ownColumn = add(right.first, add(column, j * kMatrix));
      if (arePairs)
        finishPairs(matrix, ownRow, ownColumn, lane);
      else
        finishMatrix(matrix, ownRow, ownColumn, subgroup, lane);
    }
}

bool Matrices::emit() {
  const SpirvFeatures &features = frame.features();
  auto isHalf = [](Value x) { return getElementTypeOrSelf(x.getType()).isF16(); };
  auto large = [](AffineExpr extent) {
    return cpu::constantOf(extent).value_or(kTile) >= kTile / 2;
  };
  if (!features.cooperativeMatrix || !isHalf(op.getA()) || !isHalf(op.getB()) || !type.isF32() ||
      !large(rows) || !large(columns) || cpu::constantOf(depth).value_or(kDepth) < kMatrix)
    return false;
  team = (kTile / kHigh) * (kTile / blockWidth) * features.subgroupSize;
  forEachTile(kTile, kTile, team, [&](const Operand &left, const Operand &right, Value member) {
    emitTile(left, right, member);
  });
  return true;
}

bool emitMatmulMatrices(SpirvFrame &frame, MatmulOp op) { return Matrices(frame, op).emit(); }

} // namespace tenon::spirv
