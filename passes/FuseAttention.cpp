//===- FuseAttention.cpp - Products and softmax into attention ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A match starts at a softmax. Upwards, through scale, masks, casts and transposes,
// it must find the product of queries and keys; downwards the product with values.
//
//===----------------------------------------------------------------------===//
#include "passes/AttentionHeads.h"
#include "passes/AttentionMask.h"
#include "passes/Passes.h"
#include "passes/Splat.h"
#include "passes/autodiff/ReverseMode.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace tenon

using namespace tenon;

namespace {

/// A matrix operand: its last two axes in storage, and whether they are exchanged.
struct Matrix {
  Value value;
  bool transposed = false;
};

/// Is there a product behind \p value, through ops that may stand before a softmax?
bool comesFromProduct(Value value) {
  SetVector<Operation *> seen;
  auto see = [&](Value from) {
    if (Operation *op = from.getDefiningOp())
      seen.insert(op);
  };
  see(value);
  for (size_t i = 0; i < seen.size(); i++) { // which grows
    if (isa<MatmulOp>(seen[i]))
      return true;
    if (isa<TransposeOp, CastOp, MulOp, DivOp, SelectOp, AddOp>(seen[i]))
      llvm::for_each(seen[i]->getOperands(), see);
  }
  return false;
}

class Candidate {
public:
  Candidate(SoftmaxOp softmax) : softmax(softmax) {}

  /// On failure `reason` says why.
  bool match();
  AttentionOp rewrite();

  std::string reason;

private:
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }
  bool matchValues();
  bool matchScores();
  bool matchScoreOp(Operation *op, Value &scores, ScoreAxes &axes);
  bool matchFactor(Value other, bool divide);
  void takeScales(Matrix &operand);
  bool matchProduct(MatmulOp product, const ScoreAxes &axes);
  bool checkOperands();
  Value toHeads(Emit &emit, Matrix matrix);

  SoftmaxOp softmax;
  Matrix q, k, v;
  double scale = 1;
  Value scaleFactor; ///< a rank-0 value: its product with q, or its inverse's
  bool divides = false;
  AttentionMask mask;
  MatmulOp output;
  bool outputTransposed = false;
};

/// Downwards: [transpose, cast] * then the product that contracts the keys.
bool Candidate::matchValues() {
  int64_t rank = softmax.getType().getRank();
  if (rank < 2 || rank > 4)
    return fail("scores have rank " + Twine(rank) + ", expected 2, 3 or 4");
  int64_t axis = softmax.getAxis();
  if (axis < rank - 2)
    return fail("the softmax is along batch axis " + Twine(axis));
  bool keysLast = axis == rank - 1;
  Value p = softmax.getY();
  for (;;) {
    if (!p.hasOneUse())
      return fail("the probabilities have " + Twine(std::distance(p.use_begin(), p.use_end())) +
                  " uses, expected one");
    Operation *user = *p.user_begin();
    if (auto transpose = dyn_cast<TransposeOp>(user);
        transpose && swapsLastTwo(transpose.getPermutation())) {
      keysLast = !keysLast;
      p = transpose.getY();
    } else if (auto cast = dyn_cast<CastOp>(user); cast && isFloatTensor(cast.getY())) {
      p = cast.getY();
    } else if (isa<MatmulOp>(user)) {
      break;
    } else if (isa<DropoutOp>(user)) {
      return fail("the probabilities are dropped out");
    } else {
      return fail("the probabilities are used by '" + user->getName().getStringRef() + "'");
    }
  }
  output = cast<MatmulOp>(*p.user_begin());
  if (output.getA() == output.getB())
    return fail("the probabilities are both operands of the product");
  bool isA = output.getA() == p;
  // Exchanging the axes of both sides: probabilities first means [queries, keys].
  bool keysInner = isA ? keysLast != output.getTransposeA() : keysLast == output.getTransposeB();
  if (!keysInner)
    return fail("the softmax is along the queries: the product with values sums over the "
                "other axis");
  outputTransposed = !isA;
  v = isA ? Matrix{output.getB(), output.getTransposeB()}
          : Matrix{output.getA(), !output.getTransposeA()};
  return true;
}

/// A factor of the scores: a number or a rank-0 value.
bool Candidate::matchFactor(Value other, bool divide) {
  if (std::optional<double> number = splatNumber(other)) {
    scale *= divide ? 1 / *number : *number;
    return true;
  }
  Value scalar = repeatedScalar(other);
  if (!scalar || scaleFactor)
    return false;
  scaleFactor = scalar;
  divides = divide;
  return true;
}

/// One op between the product of queries and keys and the softmax: sets `scores` to
/// its operand.
bool Candidate::matchScoreOp(Operation *op, Value &scores, ScoreAxes &axes) {
  auto follow = [&](Value next) {
    scores = next;
    axes.type = tensorType(next);
    return true;
  };
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    if (!swapsLastTwo(transpose.getPermutation()))
      return fail("scores are transposed across batch axes");
    axes.keysLast = !axes.keysLast;
    return follow(transpose.getX());
  }
  if (auto cast = dyn_cast<CastOp>(op); cast && isFloatTensor(cast.getX()))
    return follow(cast.getX());
  if (auto mul = dyn_cast<MulOp>(op)) {
    if (matchFactor(mul.getB(), false))
      return follow(mul.getA());
    if (matchFactor(mul.getA(), false))
      return follow(mul.getB());
    return fail("scores are multiplied by values that differ");
  }
  if (auto div = dyn_cast<DivOp>(op))
    return matchFactor(div.getB(), true) ? follow(div.getA())
                                         : fail("scores are divided by values that differ");
  if (auto select = dyn_cast<SelectOp>(op)) {
    std::optional<double> a = splatNumber(select.getA()), b = splatNumber(select.getB());
    bool visible = b && *b * scale <= kHidden;
    if (!visible && !(a && *a * scale <= kHidden))
      return fail("scores are selected against values that do not hide a key");
    if (scaleFactor)
      return fail("masked scores are scaled by a value");
    return mask.addCondition(select.getCondition(), visible, axes, reason) &&
           follow(visible ? select.getA() : select.getB());
  }
  if (auto add = dyn_cast<AddOp>(op)) {
    if (scaleFactor)
      return fail("masked scores are scaled by a value");
    // The scores are the side that comes from a product; of two, the first.
    bool first = comesFromProduct(add.getA());
    Value bias = first ? add.getB() : add.getA();
    return mask.addBias(bias, axes, scale, reason) && follow(first ? add.getA() : add.getB());
  }
  return fail("scores come from '" + op->getName().getStringRef() + "'");
}

bool Candidate::matchScores() {
  Value scores = softmax.getX();
  ScoreAxes axes{tensorType(scores),
                 int64_t(softmax.getAxis()) + 1 == tensorType(scores).getRank()};
  for (;;) {
    if (!scores.hasOneUse())
      return fail("the scores have more than one use");
    Operation *op = scores.getDefiningOp();
    if (!op)
      return fail("scores come from outside");
    if (auto product = dyn_cast<MatmulOp>(op))
      return matchProduct(product, axes);
    if (!matchScoreOp(op, scores, axes))
      return false;
  }
}

/// Factors of q or k are factors of the scores.
void Candidate::takeScales(Matrix &operand) {
  for (;;) {
    Operation *op = operand.value.getDefiningOp();
    if (auto mul = dyn_cast_or_null<MulOp>(op)) {
      if (std::optional<double> b = splatNumber(mul.getB())) {
        scale *= *b;
        operand.value = mul.getA();
        continue;
      }
      if (std::optional<double> a = splatNumber(mul.getA())) {
        scale *= *a;
        operand.value = mul.getB();
        continue;
      }
    } else if (auto div = dyn_cast_or_null<DivOp>(op)) {
      if (std::optional<double> b = splatNumber(div.getB())) {
        scale /= *b;
        operand.value = div.getA();
        continue;
      }
    } else if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
      if (swapsLastTwo(transpose.getPermutation())) {
        operand.transposed = !operand.transposed;
        operand.value = transpose.getX();
        continue;
      }
    }
    return;
  }
}

bool Candidate::matchProduct(MatmulOp product, const ScoreAxes &axes) {
  Matrix a{product.getA(), product.getTransposeA()};
  Matrix b{product.getB(), !product.getTransposeB()};
  q = axes.keysLast ? a : b;
  k = axes.keysLast ? b : a;
  takeScales(q);
  takeScales(k);
  return checkOperands();
}

bool Candidate::checkOperands() {
  RankedTensorType a = tensorType(q.value), b = tensorType(k.value), c = tensorType(v.value);
  if (a.getElementType() != b.getElementType() || a.getElementType() != c.getElementType())
    return fail("queries, keys and values have different element types");
  for (RankedTensorType type : {a, b, c})
    if (type.getRank() < 4 && llvm::count_if(type.getShape(), ShapedType::isDynamic) > 1)
      return fail("an operand of rank below 4 has more than one dynamic extent");
  return true;
}

bool Candidate::match() { return matchValues() && matchScores(); }

/// As [b, h, rows, columns]; a batch axis of rank 3 comes first, then one head.
Value Candidate::toHeads(Emit &emit, Matrix matrix) {
  RankedTensorType type = tensorType(matrix.value);
  int64_t rank = type.getRank();
  Value value = matrix.value;
  if (matrix.transposed) {
    SmallVector<int64_t> permutation = allAxes(rank);
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    value = emit.transpose(value, permutation);
  }
  if (rank == 4)
    return value;
  SmallVector<int64_t> shape(tensorType(value).getShape());
  shape.insert(shape.begin() + (rank - 2), 4 - rank, 1);
  return emit.reshape(value, shape);
}

AttentionOp Candidate::rewrite() {
  OpBuilder builder(output);
  Emit emit(builder, output.getLoc());
  Value query = toHeads(emit, q);
  if (scaleFactor) {
    Value element = emit.cast(scaleFactor, tensorType(query).getElementType());
    Value factor = emit.broadcast(element, query, {});
    query = divides ? emit.div(query, factor) : emit.mul(query, factor);
  }
  auto attention =
      builder.create<AttentionOp>(output.getLoc(), query, toHeads(emit, k), toHeads(emit, v),
                                  mask.emit(emit), APFloat(scale), mask.isCausal());
  Value o = attention.getO();
  RankedTensorType type = output.getType();
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  if (outputTransposed)
    std::swap(shape[rank - 2], shape[rank - 1]);
  if (rank < 4)
    o = emit.reshape(o, shape);
  if (outputTransposed) {
    SmallVector<int64_t> permutation = allAxes(rank);
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    o = emit.transpose(o, permutation);
  }
  output.replaceAllUsesWith(emit.cast(o, type.getElementType()));
  output.erase();
  return attention;
}

struct FuseAttentionPass : tenon::impl::FuseAttentionPassBase<FuseAttentionPass> {
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<SoftmaxOp> todo;
    getOperation()->walk([&](SoftmaxOp op) { todo.push_back(op); });
    for (SoftmaxOp softmax : todo) {
      Candidate candidate(softmax);
      if (candidate.match()) {
        candidate.rewrite();
        numFused++;
      } else if (report) {
        softmax.emitRemark("not fused into attention: ") << candidate.reason;
      }
    }
    // Concatenations of heads and repeated heads exist in the input as well.
    SmallVector<AttentionOp> attentions;
    getOperation()->walk([&](AttentionOp op) { attentions.push_back(op); });
    for (AttentionOp op : attentions)
      numGrouped += dropRepeatedHeads(op);
    SmallVector<ConcatOp> joins;
    getOperation()->walk([&](ConcatOp op) { joins.push_back(op); });
    for (ConcatOp join : joins) {
      std::string reason;
      if (mergeHeads(join, reason))
        numMerged++;
      else if (report && !reason.empty())
        join.emitRemark("heads not merged: ") << reason;
    }
    if (!attentions.empty())
      for (Region &region : getOperation()->getRegions())
        for (Block &block : region)
          eraseDeadOps(block);
  }
};

} // namespace
