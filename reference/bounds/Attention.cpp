//===- Attention.cpp - Bounds of attention and its gradient ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/AttentionGeometry.h"
#include "reference/bounds/Bounds.h"

using namespace mlir;

namespace tenon::reference {

/// What products by matrix units add: they take probabilities, and gradients of scores, in f16
/// where q, k and v are.
struct Narrowing {
  double relative = 0, absolute = 0;
  explicit Narrowing(tenon_dtype dtype) {
    if (dtype == TENON_F16)
      relative = roundingOf(dtype).storage, absolute = roundingOf(dtype).tiny;
  }
};

/// Bound of a score: of the product, of the bias; infinite where the mask is not sure.
static double scoreError(const AttentionGeometry &s, int64_t z, int64_t x, int64_t i, int64_t j,
                         double eps) {
  double sum = 0, error = 0, terms = ofTerms(bound::kAttention, s.d) * eps;
  for (int64_t c = 0; c < s.d; c++) {
    int64_t atQ = s.query(z, x, i) + c, atK = s.key(z, x, j) + c;
    double a = std::fabs(s.q.reals[atQ]), b = std::fabs(s.k.reals[atK]);
    double aError = s.q.errors[atQ], bError = s.k.errors[atK];
    sum += a * b;
    error += aError * (b + bError) + a * bError;
  }
  double scale = std::fabs(s.scale), total = scale * (error + terms * sum);
  if (s.mask) {
    int64_t at = s.maskAt(z, x, i, j);
    double maskError = s.mask->errors[at];
    if (s.mask->type.isBool())
      return maskError != 0 ? INFINITY : total;
    if (std::isfinite(s.mask->reals[at]))
      total += maskError + terms * std::fabs(s.mask->reals[at]);
    else
      total += maskError;
  }
  return total;
}

/// The scores of a query; `errors` is 0 where a key is not seen.
static void scoresOf(const AttentionGeometry &s, int64_t z, int64_t x, int64_t i, double eps,
                     std::vector<double> &scores, std::vector<double> &errors) {
  scores.assign(s.m, 0), errors.assign(s.m, 0);
  for (int64_t j = 0; j < s.m; j++) {
    scores[j] = s.score(z, x, i, j);
    bool isHidden = s.causal && j > i;
    double error = isHidden ? 0 : scoreError(s, z, x, i, j, eps);
    errors[j] = scores[j] == -INFINITY && std::isfinite(error) ? 0 : error;
  }
}

LogicalResult boundAttention(Operation *op, Operands operands, Results results) {
  auto attention = cast<AttentionOp>(op);
  AttentionGeometry s = geometry(*operands[0], *operands[1], *operands[2],
                                 operands.size() > 3 ? operands[3] : nullptr,
                                 attention.getScale().convertToDouble(), attention.getCausal());
  double eps = roundingOf(s.q.type.dtype).eps, terms = ofTerms(bound::kAttention, s.m) * eps;
  Narrowing narrowing(s.q.type.dtype);
  std::vector<double> scores, errors;
  forEachQuery(s, [&](int64_t z, int64_t x, int64_t i) {
    int64_t row = (z * s.h + x) * s.n + i;
    scoresOf(s, z, x, i, eps, scores, errors);
    SoftmaxLine line(scores, errors, roundingOf(s.q.type.dtype), bound::kAttention);
    setBound(results[1], row, line.isMasked ? 0 : line.logSumError);
    for (int64_t c = 0; c < s.e; c++) {
      double error = 0;
      for (int64_t j = 0; j < s.m; j++) {
        if (line.p[j] == 0 && line.pError[j] == 0)
          continue;
        int64_t at = s.value(z, x, j) + c;
        double size = std::fabs(s.v.reals[at]);
        error += line.pError[j] * size + (line.p[j] + line.pError[j]) * s.v.errors[at] +
                 (terms + narrowing.relative) * line.p[j] * size;
      }
      setBound(results[0], row * s.e + c, error);
    }
  });
  return success();
}

namespace {
/// A number with its error, and with what its sum's terms add up to.
struct Sum {
  double value = 0, error = 0;
  /// Adds a * b.
  void add(double a, double aError, double b, double bError, double eps) {
    value += a * b;
    error += aError * (std::fabs(b) + bError) + std::fabs(a) * bError + eps * std::fabs(a * b);
  }
};
} // namespace

/// Scores that count for nothing are products with 0 in a tile's way to compute them: one element
/// that is not finite leaves the gradients of its head open.
static void openGradients(const AttentionGeometry &s, const Array &o, const Array &grad,
                          Results results) {
  auto isFinite = [](const Array &x, int64_t at, int64_t count) {
    return std::all_of(x.reals.begin() + at, x.reals.begin() + at + count,
                       [](double e) { return std::isfinite(e); });
  };
  auto open = [](Array &y, int64_t at, int64_t count) {
    std::fill_n(y.errors.begin() + at, count, INFINITY);
  };
  int64_t heads = s.g ? s.h / s.g : 0;
  for (int64_t z = 0; z < s.b; z++)
    for (int64_t x = 0; x + heads <= s.h && heads; x += heads) {
      int64_t query = s.query(z, x, 0), key = s.key(z, x, 0), value = s.value(z, x, 0);
      int64_t row = (z * s.h + x) * s.n * s.e, rows = heads * s.n;
      if (isFinite(s.q, query, rows * s.d) && isFinite(s.k, key, s.m * s.d) &&
          isFinite(s.v, value, s.m * s.e) && isFinite(o, row, rows * s.e) &&
          isFinite(grad, row, rows * s.e))
        continue;
      open(results[0], query, rows * s.d);
      open(results[1], key, s.m * s.d);
      open(results[2], value, s.m * s.e);
      if (results.size() > 3)
        open(results[3], 0, results[3].size());
    }
}

LogicalResult boundAttentionGrad(Operation *op, Operands operands, Results results) {
  auto grad = cast<AttentionGradOp>(op);
  int extra = grad.getMask() ? 1 : 0;
  const Array &o = *operands[3 + extra], &lse = *operands[4 + extra], &g = *operands[5 + extra];
  AttentionGeometry s =
      geometry(*operands[0], *operands[1], *operands[2], extra ? operands[3] : nullptr,
               grad.getScale().convertToDouble(), grad.getCausal());
  Rounding rounding = roundingOf(s.q.type.dtype);
  double eps = rounding.eps, flush = rounding.flush, c = bound::kAttention * eps;
  // Rows of a key's group of heads all add to its gradient.
  double overKeys = ofTerms(bound::kAttention, s.m) * eps;
  double overQueries = ofTerms(bound::kAttention, s.n * s.h / std::max<int64_t>(s.g, 1)) * eps;
  Narrowing narrowing(s.q.type.dtype);
  double inner = ofTerms(bound::kAttention, s.e) * eps, scale = std::fabs(s.scale);
  std::vector<double> scores, errors;
  forEachQuery(s, [&](int64_t z, int64_t x, int64_t i) {
    int64_t row = (z * s.h + x) * s.n + i;
    Sum delta;
    for (int64_t k = 0; k < s.e; k++)
      delta.add(g.reals[row * s.e + k], g.errors[row * s.e + k], o.reals[row * s.e + k],
                o.errors[row * s.e + k], inner);
    scoresOf(s, z, x, i, eps, scores, errors);
    for (int64_t j = 0; j < s.m; j++) {
      bool isSure = std::isfinite(errors[j]) && std::isfinite(lse.errors[row]);
      if (isSure && (scores[j] == -INFINITY || lse.reals[row] == INFINITY))
        continue;
      double p = std::exp(scores[j] - lse.reals[row]);
      double shift =
          errors[j] + lse.errors[row] + c * (1 + std::fabs(scores[j]) + std::fabs(lse.reals[row]));
      double pError = isSure ? p * std::expm1(shift) + flush : INFINITY;
      Sum dp;
      for (int64_t k = 0; k < s.e; k++) {
        int64_t atV = s.value(z, x, j) + k, atG = row * s.e + k;
        dp.add(g.reals[atG], g.errors[atG], s.v.reals[atV], s.v.errors[atV], inner);
        Sum part;
        part.add(p, pError + narrowing.relative * p, g.reals[atG], g.errors[atG], overQueries);
        results[2].errors[atV] += part.error;
      }
      Sum ds;
      ds.add(p, pError, dp.value - delta.value, dp.error + delta.error, c);
      double narrow = ds.error + narrowing.relative * std::fabs(ds.value) + narrowing.absolute;
      for (int64_t k = 0; k < s.d; k++) {
        int64_t atQ = s.query(z, x, i) + k, atK = s.key(z, x, j) + k;
        Sum toQ, toK;
        toQ.add(ds.value, narrow, s.k.reals[atK], s.k.errors[atK], overKeys);
        toK.add(ds.value, narrow, s.q.reals[atQ], s.q.errors[atQ], overQueries);
        results[0].errors[atQ] += scale * toQ.error;
        results[1].errors[atK] += scale * toK.error;
      }
      if (grad.getMaskGrad())
        results[3].errors[s.maskAt(z, x, i, j)] += ds.error + overQueries * std::fabs(ds.value);
    }
  });
  openGradients(s, o, g, results);
  for (Array &y : results)
    for (int64_t i = 0; i < y.size(); i++)
      setBound(y, i, y.errors[i]);
  return success();
}

} // namespace tenon::reference
