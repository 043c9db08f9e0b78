//===- Attention.cpp - Reference of attention and its gradient ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/AttentionGeometry.h"
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

static LogicalResult attention(AttentionOp op, Operands operands, Results results) {
  AttentionGeometry s = geometry(*operands[0], *operands[1], *operands[2],
                                 operands.size() > 3 ? operands[3] : nullptr,
                                 op.getScale().convertToDouble(), op.getCausal());
  std::vector<double> score(s.m);
  forEachQuery(s, [&](int64_t z, int64_t x, int64_t i) {
    int64_t row = (z * s.h + x) * s.n + i;
    double maximum = -INFINITY, sum = 0;
    for (int64_t j = 0; j < s.m; j++) {
      score[j] = s.score(z, x, i, j);
      if (score[j] != score[j] || score[j] > maximum)
        maximum = score[j];
      if (maximum != maximum)
        break;
    }
    if (maximum == -INFINITY) {
      results[1].reals[row] = INFINITY;
      return;
    }
    for (int64_t j = 0; j < s.m; j++)
      sum += score[j] = std::exp(score[j] - maximum);
    results[1].reals[row] = maximum + std::log(sum);
    for (int64_t j = 0; j < s.m; j++)
      for (int64_t c = 0; c < s.e && score[j] != 0; c++)
        results[0].reals[row * s.e + c] += score[j] / sum * s.v.reals[s.value(z, x, j) + c];
  });
  return success();
}

static LogicalResult attentionGrad(AttentionGradOp op, Operands operands, Results results) {
  int extra = op.getMask() ? 1 : 0;
  const Array &o = *operands[3 + extra], &lse = *operands[4 + extra], &grad = *operands[5 + extra];
  AttentionGeometry s =
      geometry(*operands[0], *operands[1], *operands[2], extra ? operands[3] : nullptr,
               op.getScale().convertToDouble(), op.getCausal());
  Array &dq = results[0], &dk = results[1], &dv = results[2];
  forEachQuery(s, [&](int64_t z, int64_t x, int64_t i) {
    int64_t row = (z * s.h + x) * s.n + i;
    double delta = 0;
    for (int64_t c = 0; c < s.e; c++)
      delta += grad.reals[row * s.e + c] * o.reals[row * s.e + c];
    for (int64_t j = 0; j < s.m; j++) {
      double score = s.score(z, x, i, j);
      if (score == -INFINITY || lse.reals[row] == INFINITY)
        continue;
      double p = std::exp(score - lse.reals[row]), dp = 0;
      if (p == 0) // whatever the products are
        continue;
      for (int64_t c = 0; c < s.e; c++) {
        dv.reals[s.value(z, x, j) + c] += p * grad.reals[row * s.e + c];
        dp += grad.reals[row * s.e + c] * s.v.reals[s.value(z, x, j) + c];
      }
      double ds = p * (dp - delta);
      for (int64_t c = 0; c < s.d; c++) {
        dq.reals[s.query(z, x, i) + c] += s.scale * ds * s.k.reals[s.key(z, x, j) + c];
        dk.reals[s.key(z, x, j) + c] += s.scale * ds * s.q.reals[s.query(z, x, i) + c];
      }
      if (op.getMaskGrad())
        results[3].reals[s.maskAt(z, x, i, j)] += ds;
    }
  });
  return success();
}

void attachAttention(MLIRContext *context) {
  attachReference<AttentionOp, attention>(context);
  attachReference<AttentionGradOp, attentionGrad>(context);
}

} // namespace tenon::reference
