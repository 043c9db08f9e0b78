//===- AttentionHeads.cpp - Heads of attention brought together -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/AttentionHeads.h"
#include "passes/Emit.h"
#include "passes/Splat.h"

using namespace mlir;

namespace tenon {

//===----------------------------------------------------------------------===//
// Grouped heads
//===----------------------------------------------------------------------===//

/// The [b,g,m,d] behind [b,h,m,d] when each of its heads is repeated h / g times in a
/// row; null if it is none.
static Value withoutRepeats(Value value) {
  RankedTensorType type = tensorType(value);
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    RankedTensorType from = tensorType(broadcast.getX()); // one head for all
    if (from.getRank() == 4 && from.getDimSize(1) == 1 && type.getDimSize(1) != 1 &&
        from.getDimSize(0) == type.getDimSize(0) && from.getDimSize(2) == type.getDimSize(2) &&
        from.getDimSize(3) == type.getDimSize(3))
      return broadcast.getX();
    return {};
  }
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getX().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast || broadcast.getType().getRank() != 5 || !type.hasStaticShape())
    return {};
  // [b,g,m,d] or [b,g,1,m,d] to [b,g,r,m,d] to [b,g*r,m,d]
  ArrayRef<int64_t> split = broadcast.getType().getShape();
  if (type.getShape() != ArrayRef<int64_t>({split[0], split[1] * split[2], split[3], split[4]}))
    return {};
  RankedTensorType from = tensorType(broadcast.getX());
  SmallVector<int64_t> once{split[0], split[1], split[3], split[4]};
  SmallVector<int64_t> onceUnit{split[0], split[1], 1, split[3], split[4]};
  if (broadcast.getDims() == ArrayRef<int64_t>({0, 1, 3, 4}) &&
      from.getShape() == ArrayRef<int64_t>(once))
    return broadcast.getX();
  if (from.getShape() != ArrayRef<int64_t>(onceUnit))
    return {};
  OpBuilder builder(reshape);
  return builder.create<ReshapeOp>(reshape.getLoc(), broadcast.getX(), once);
}

bool dropRepeatedHeads(AttentionOp op) {
  Value k = withoutRepeats(op.getK()), v = withoutRepeats(op.getV());
  if (!k || !v || tensorType(k).getDimSize(1) != tensorType(v).getDimSize(1))
    return false;
  op.getKMutable().assign(k);
  op.getVMutable().assign(v);
  return true;
}

//===----------------------------------------------------------------------===//
// A loop over heads, unrolled
//===----------------------------------------------------------------------===//

namespace {
/// One head's operand as a piece of a base: [b,1,n,d] = columns offset .. offset + d of
/// base[.., n, D], or of its transpose.
struct Piece {
  Value base;
  int64_t axis = 0; ///< of the base, the one that is cut
  int64_t offset = 0, width = 0;
  bool transposed = false;
  Value scalar; ///< a rank-0 factor of all elements, or null
  bool divides = false;
};
} // namespace

static std::optional<Piece> pieceOf(Value value) {
  Piece piece;
  auto factor = [&](Value x, Value by, bool divides) {
    piece.scalar = repeatedScalar(by);
    piece.divides = divides;
    return x;
  };
  if (auto mul = value.getDefiningOp<MulOp>(); mul && repeatedScalar(mul.getB()))
    value = factor(mul.getA(), mul.getB(), false);
  else if (auto div = value.getDefiningOp<DivOp>(); div && repeatedScalar(div.getB()))
    value = factor(div.getA(), div.getB(), true);
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    if (!swapsLastTwo(transpose.getPermutation()))
      return std::nullopt;
    piece.transposed = true;
    value = transpose.getX();
  }
  RankedTensorType type = tensorType(value);
  int64_t rank = type.getRank();
  if (rank < 2 || rank > 3 || !type.hasStaticShape())
    return std::nullopt;
  piece.axis = piece.transposed ? rank - 2 : rank - 1;
  piece.width = type.getDimSize(piece.axis);
  piece.base = value;
  auto slice = value.getDefiningOp<SliceOp>();
  if (!slice || !tensorType(slice.getX()).hasStaticShape())
    return piece; // the whole: one head, shared by all
  for (int64_t axis : allAxes(rank))
    if (slice.getStrides()[axis] != 1 ||
        (axis != piece.axis &&
         (slice.getOffsets()[axis] != 0 ||
          tensorType(slice.getX()).getDimSize(axis) != type.getDimSize(axis))))
      return piece;
  piece.base = slice.getX();
  piece.offset = slice.getOffsets()[piece.axis];
  return piece;
}

/// Heads of one operand over all parts: `count` pieces side by side, each for
/// parts / count parts in a row. 0 if they do not line up.
static int64_t countHeads(ArrayRef<Piece> pieces) {
  const Piece &first = pieces.front();
  int64_t count = 1;
  for (const Piece &piece : pieces.drop_front()) {
    const Piece &before = *(&piece - 1);
    if (piece.base != first.base || piece.axis != first.axis || piece.width != first.width ||
        piece.transposed != first.transposed || piece.divides != first.divides ||
        bool(piece.scalar) != bool(first.scalar))
      return 0;
    if (piece.offset == before.offset + piece.width)
      count++;
    else if (piece.offset != before.offset ||
             (piece.scalar && !sameComputation(piece.scalar, before.scalar)))
      return 0;
  }
  int64_t repeats = int64_t(pieces.size()) / count;
  for (auto [i, piece] : llvm::enumerate(pieces))
    if (piece.offset != first.offset + int64_t(i) / repeats * piece.width)
      return 0;
  return count;
}

/// The factors of the heads, in the shape of `heads`: one for all, or one each.
static Value factorOf(Emit &emit, ArrayRef<Piece> pieces, int64_t count, Value heads) {
  const Piece &first = pieces.front();
  if (llvm::all_of(pieces,
                   [&](const Piece &piece) { return sameComputation(piece.scalar, first.scalar); }))
    return emit.broadcast(first.scalar, heads, {});
  SmallVector<Value> factors;
  for (int64_t i = 0; i < count; i++)
    factors.push_back(
        emit.make<ReshapeOp>(pieces[i * pieces.size() / count].scalar, ArrayRef<int64_t>{1}));
  return emit.broadcast(emit.make<ConcatOp>(factors, uint64_t(0)), heads, {1});
}

/// [b, heads, n, d] from base[.., n, heads * d] by views only.
static Value headsOf(Emit &emit, ArrayRef<Piece> pieces, int64_t heads) {
  const Piece &first = pieces.front();
  Value value = first.base;
  SmallVector<int64_t> shape(tensorType(value).getShape());
  int64_t rank = shape.size(), total = heads * first.width;
  if (shape[first.axis] != total) {
    SmallVector<int64_t> offsets(rank, 0), ones(rank, 1);
    offsets[first.axis] = first.offset;
    shape[first.axis] = total;
    value = emit.make<SliceOp>(value, offsets, shape, ones);
  }
  int64_t batch = rank == 3 ? shape[0] : 1;
  int64_t rows = shape[first.transposed ? rank - 1 : rank - 2];
  if (first.transposed) {
    value = emit.reshape(value, {batch, heads, first.width, rows});
    value = emit.transpose(value, {0, 1, 3, 2});
  } else {
    value = emit.reshape(value, {batch, rows, heads, first.width});
    value = emit.transpose(value, {0, 2, 1, 3});
  }
  if (!first.scalar)
    return value;
  Value factor = factorOf(emit, pieces, heads, value);
  return first.divides ? emit.div(value, factor) : emit.mul(value, factor);
}

/// The attention behind a part, and whether its result was transposed.
static AttentionOp attentionOf(Value part, bool &transposed) {
  transposed = false;
  if (!part.hasOneUse())
    return {};
  if (auto transpose = part.getDefiningOp<TransposeOp>()) {
    if (!swapsLastTwo(transpose.getPermutation()))
      return {};
    transposed = true;
    part = transpose.getX();
  }
  auto reshape = part.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return {};
  auto attention = reshape.getX().getDefiningOp<AttentionOp>();
  RankedTensorType type = reshape.getType();
  // [b,1,n,e] to [n,e] or [b,n,e], one head each, nothing else read.
  if (!attention || !part.hasOneUse() || !attention.getO().hasOneUse() ||
      !attention.getLse().use_empty() || attention.getO().getType().getDimSize(1) != 1 ||
      type.getRank() < 2 || type.getRank() > 3 ||
      type.getShape().take_back(2) != attention.getO().getType().getShape().take_back(2))
    return {};
  return attention;
}

bool mergeHeads(ConcatOp join, std::string &reason) {
  auto fail = [&](const char *why) {
    reason = why;
    return false;
  };
  SmallVector<AttentionOp> heads;
  bool transposed = false;
  for (Value part : join.getParts()) {
    bool flipped;
    AttentionOp attention = attentionOf(part, flipped);
    if (!attention || (!heads.empty() && flipped != transposed))
      return heads.empty() ? false : fail("not all parts are attention of one head");
    transposed = flipped;
    heads.push_back(attention);
  }
  if (heads.size() < 2)
    return false;
  int64_t rank = join.getType().getRank();
  if (int64_t(join.getAxis()) != (transposed ? rank - 2 : rank - 1))
    return fail("heads are not joined along their columns");

  AttentionOp first = heads.front();
  SmallVector<Piece> pieces[3];
  for (AttentionOp op : heads) {
    if (op.getScale() != first.getScale() || op.getCausal() != first.getCausal())
      return fail("scales or causality differ");
    if (bool(op.getMask()) != bool(first.getMask()) ||
        (op.getMask() && !sameComputation(op.getMask(), first.getMask())))
      return fail("masks differ");
    if (op.getO().getType() != first.getO().getType())
      return fail("heads have different widths");
    for (int i = 0; i < 3; i++) {
      std::optional<Piece> piece = pieceOf(op->getOperand(i));
      if (!piece)
        return fail("an operand is not a slice of a static tensor of rank 2 or 3");
      pieces[i].push_back(*piece);
    }
  }
  int64_t counts[3];
  for (int i = 0; i < 3; i++)
    if (!(counts[i] = countHeads(pieces[i])))
      return fail("operands are not neighbouring slices of one tensor");
  if (counts[0] != int64_t(heads.size()) || counts[1] != counts[2])
    return fail("heads do not share keys and values evenly");

  OpBuilder builder(join);
  Emit emit(builder, join.getLoc());
  Value operands[3];
  for (int i = 0; i < 3; i++)
    operands[i] = headsOf(emit, pieces[i], counts[i]);
  auto merged = builder.create<AttentionOp>(join.getLoc(), operands[0], operands[1], operands[2],
                                            first.getMask(), first.getScale(), first.getCausal());
  SmallVector<int64_t> order =
      transposed ? SmallVector<int64_t>{0, 1, 3, 2} : SmallVector<int64_t>{0, 2, 1, 3};
  Value result = emit.reshape(emit.transpose(merged.getO(), order), join.getType().getShape());
  join.replaceAllUsesWith(result);
  join.erase();
  return true;
}

} // namespace tenon
