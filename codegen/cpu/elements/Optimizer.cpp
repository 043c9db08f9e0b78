//===- Optimizer.cpp - Elements of optimizer steps ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ElementRules.h"
#include "codegen/cpu/VectorMath.h"

using namespace mlir;

namespace tenon::cpu {

/// The operands of an optimizer step at one place: those shaped like the parameter,
/// then the learning rate, all scalars or all vectors.
template <typename Op>
static SmallVector<Num, 5> stateOf(ElementEmitter &e, Op op, unsigned count,
                                   ArrayRef<LaneIndex> indices) {
  SmallVector<Num, 5> state;
  bool vector = false;
  for (unsigned i = 0; i < count; i++) {
    state.emplace_back(e.builder(), e.loc(), e.emit(op->getOperand(i), indices));
    vector |= isa<VectorType>(state.back().type());
  }
  state.emplace_back(e.builder(), e.loc(), e.emit(op.getLr(), {}));
  if (vector)
    for (Num &x : state)
      x = x.of(e.splat(x));
  return state;
}

/// Another result at the same place, in the form that `like` has.
static Num sibling(ElementEmitter &e, Value result, ArrayRef<LaneIndex> indices, Num like) {
  Value x = e.emit(result, indices);
  return like.of(isa<VectorType>(like.type()) ? e.splat(x) : x);
}

/// 1 / (1 - beta^t) in the computation type, once outside the loops.
static Num biasCorrection(ElementEmitter &e, AdamOp op, double beta, int tag) {
  Value step = e.emit(op.getStep(), {});
  OpBuilder &b = e.builder();
  Value made = e.invariant(op, tag, step, [&]() -> Value {
    Num t(b, e.loc(), b.create<arith::SIToFPOp>(e.loc(), b.getF64Type(), step));
    Num power = t.of(emitExpm1(b, e.loc(), t * std::log(beta))); // beta^t - 1
    Num inverse = -1 / power;
    Type type = ElementEmitter::computeType(getElementTypeOrSelf(op.getParameter().getType()));
    return type.isF64() ? inverse.v : b.create<arith::TruncFOp>(e.loc(), type, inverse.v);
  });
  return Num(b, e.loc(), made);
}

static Value emitAdam(ElementEmitter &e, AdamOp op, unsigned result, ArrayRef<LaneIndex> indices) {
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  SmallVector<Num, 5> x = stateOf(e, op, 4, indices);
  Num p = x[0], g = x[1], m = x[2], v = x[3], lr = x[4];
  if (result == 1)
    return fma(m, beta1, g * (1 - beta1));
  if (result == 2)
    return fma(v, beta2, g * g * (1 - beta2));
  Num newM = sibling(e, op.getNewM(), indices, p), newV = sibling(e, op.getNewV(), indices, p);
  Num c1 = biasCorrection(e, op, beta1, 1), c2 = biasCorrection(e, op, beta2, 2);
  if (isa<VectorType>(p.type())) {
    c1 = c1.of(e.splat(c1));
    c2 = c2.of(e.splat(c2));
  }
  Num update = newM * c1 / (sqrt(newV * c2) + op.getEps().convertToDouble());
  if (double decay = op.getWeightDecay().convertToDouble())
    update = fma(p, decay, update);
  return p - lr * update;
}

void addOptimizerRules(ElementRules &rules) {
  rules.add<SgdOp>([](ElementEmitter &e, SgdOp op, unsigned, ArrayRef<LaneIndex> indices) -> Value {
    SmallVector<Num, 5> x = stateOf(e, op, 2, indices);
    return x[0] - x[2] * x[1];
  });
  rules.add<MomentumOp>(
      [](ElementEmitter &e, MomentumOp op, unsigned result, ArrayRef<LaneIndex> indices) -> Value {
        SmallVector<Num, 5> x = stateOf(e, op, 3, indices);
        if (result == 1)
          return fma(x[2], op.getMu().convertToDouble(), x[1]);
        return x[0] - x[3] * sibling(e, op.getNewVelocity(), indices, x[0]);
      });
  rules.add<AdamOp>([](ElementEmitter &e, AdamOp op, unsigned result, ArrayRef<LaneIndex> indices) {
    return emitAdam(e, op, result, indices);
  });
  rules.elementwise<LossScaleOp>([](LossScaleOp, ArrayRef<Num> x) { return x[0]; });
}

} // namespace tenon::cpu
