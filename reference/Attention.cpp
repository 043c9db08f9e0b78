//===- Attention.cpp - Reference of attention and its gradient ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

#include <cmath>

using namespace mlir;

namespace tenon::reference {

namespace {
/// Extents of one attention and where its elements lie.
struct Geometry {
  int64_t b, h, g, n, m, d, e;
  const Array &q, &k, &v;
  const Array *mask;
  double scale;
  bool causal;

  int64_t query(int64_t z, int64_t x, int64_t i) const { return ((z * h + x) * n + i) * d; }
  int64_t key(int64_t z, int64_t x, int64_t j) const { return ((z * g + x / (h / g)) * m + j) * d; }
  int64_t value(int64_t z, int64_t x, int64_t j) const {
    return ((z * g + x / (h / g)) * m + j) * e;
  }
  int64_t maskAt(int64_t z, int64_t x, int64_t i, int64_t j) const {
    int64_t zm = mask->type.dims[0] == 1 ? 0 : z, xm = mask->type.dims[1] == 1 ? 0 : x;
    return ((zm * mask->type.dims[1] + xm) * n + i) * m + j;
  }
  /// The score of query i and key j, -inf where j is not seen.
  double score(int64_t z, int64_t x, int64_t i, int64_t j) const {
    if (causal && j > i)
      return -INFINITY;
    if (mask && mask->type.isBool() && !mask->integers[maskAt(z, x, i, j)])
      return -INFINITY;
    double sum = 0;
    for (int64_t c = 0; c < d; c++)
      sum += q.reals[query(z, x, i) + c] * k.reals[key(z, x, j) + c];
    double bias = mask && mask->type.isFloat() ? mask->reals[maskAt(z, x, i, j)] : 0;
    return bias == -INFINITY ? bias : scale * sum + bias;
  }
};

Geometry geometry(const Array &q, const Array &k, const Array &v, const Array *mask, double scale,
                  bool causal) {
  return {q.type.dims[0],
          q.type.dims[1],
          k.type.dims[1],
          q.type.dims[2],
          k.type.dims[2],
          q.type.dims[3],
          v.type.dims[3],
          q,
          k,
          v,
          mask,
          scale,
          causal};
}

template <typename Query> void forEachQuery(const Geometry &s, Query query) {
  for (int64_t z = 0; z < s.b; z++)
    for (int64_t x = 0; x < s.h; x++)
      for (int64_t i = 0; i < s.n; i++)
        query(z, x, i);
}
} // namespace

static LogicalResult attention(AttentionOp op, Operands operands, Results results) {
  Geometry s = geometry(*operands[0], *operands[1], *operands[2],
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
  Geometry s = geometry(*operands[0], *operands[1], *operands[2], extra ? operands[3] : nullptr,
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
