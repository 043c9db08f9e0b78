//===- Bounds.h - How error bounds of ops are written -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule fills `errors` of an op's results from elements and errors of its operands:
// what the errors of the operands become, and what the op itself may add, which is
// c * eps * (sum of |terms|) with the c of its family.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_REFERENCE_BOUNDS_BOUNDS_H
#define TENON_REFERENCE_BOUNDS_BOUNDS_H

#include "reference/Models.h"

#include <cmath>

namespace tenon::reference {

/// The c of each family, in units of the eps that it computes with.
namespace bound {
constexpr double kElementwise = 4; ///< functions keep 2 ulp; chains are fused and contracted
constexpr double kUpdate = 4;      ///< optimizer steps, per operand
constexpr double kSum = 2;         ///< reductions and matrix products, by `terms`
constexpr double kRow = 4;         ///< softmax, norms, losses
constexpr double kAttention = 4;
constexpr double kRandom = 4;
/// The angle of Box and Muller is rounded: normal numbers err by the radius, below this.
constexpr double kNormalRadius = 9;
} // namespace bound

/// c of a sum of n terms. Of terms of one sign added one after the other, the roundings of
/// the partial sums make a random walk whose deviation is .12 sqrt(n) eps; this is 6 of it.
/// The partial sums of `equal` terms that are one number round to the same side for long; a
/// quarter of them is the most that this comes to.
inline double ofTerms(double c, int64_t n, int64_t equal = 0) {
  return c + 0.7 * std::sqrt(double(n)) + 0.25 * double(equal);
}

/// How a dtype rounds.
struct Rounding {
  double eps;     ///< of the arithmetic: f16 and bf16 compute in f32
  double storage; ///< relative error of storing a computed value; 0 if the arithmetic's own
  double tiny;    ///< absolute error of storing near 0
  double flush;   ///< what the arithmetic may take for 0
  double largest; ///< beyond it: infinity
};
Rounding roundingOf(tenon_dtype dtype);

/// Sets the bound of element i of a result: `error` and what storing it adds. A NaN is
/// infinite; so is a bound that reaches beyond what the dtype holds.
void setBound(Array &y, int64_t i, double error);

/// |a - b|; 0 for equal infinities and for two NaN, infinite where only one is finite.
double distance(double a, double b);
/// May two elements stand in another order than they do in double? Those that are equal in
/// double are taken to be equal, as long as their errors are those of some roundings.
bool mayChangeOrder(const Array &x, int64_t i, int64_t j);

inline double errorAt(const Array *x, int64_t i) { return x ? x->errors[i] : 0; }
bool isExact(const Array &x);

/// The op evaluated on other operands.
mlir::FailureOr<std::vector<Array>> evaluateOn(mlir::Operation *op, Operands operands,
                                               llvm::ArrayRef<infer::Type> types);

/// The elements of x through `f(element, error)`, in f64.
template <typename F> Array mapped(const Array &x, F f) {
  infer::Type type = x.type;
  type.dtype = TENON_F64;
  Array y(type);
  for (int64_t i = 0; i < y.size(); i++)
    y.reals[i] = f(x.at(i), x.errors[i]);
  return y;
}
Array magnitudes(const Array &x); ///< |x|
Array errorsOf(const Array &x);   ///< the errors as elements
/// Of n elements of x, how many are one number at most, in f32, and not 0.
int64_t equalTerms(const Array &x, int64_t n);

/// Softmax of one line of n elements with errors: probabilities, their logarithms and the
/// log of the sum, each with its bound.
struct SoftmaxLine {
  std::vector<double> p, pError, logP, logPError;
  double logSum = 0, logSumError = 0;
  bool isMasked = false; ///< all are -inf
  SoftmaxLine(llvm::ArrayRef<double> x, llvm::ArrayRef<double> errors, const Rounding &rounding,
              double c);
};

/// A rule; failure has emitted an error.
using Rule = mlir::LogicalResult (*)(mlir::Operation *op, Operands operands, Results results);

// Every element of a result depends on one element of each operand.
mlir::LogicalResult boundView(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundElementwise(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundWave(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundTailed(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundUpdate(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundAdam(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundQuotient(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundCompare(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundRandom(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundGather(mlir::Operation *op, Operands operands, Results results);

// Along one axis.
mlir::LogicalResult boundCumsum(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundSort(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundScatterAlong(mlir::Operation *op, Operands operands, Results results);

/// Of an op that is linear in operand `k`, with coefficients that are not negative: `y` is its
/// result, a sum of up to `terms` terms.
mlir::LogicalResult boundLinear(mlir::Operation *op, Operands operands, unsigned k, Array &y,
                                int64_t terms);

// Sums and extrema.
mlir::LogicalResult boundSum(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundScatterAdd(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundProduct(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundExtreme(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundArg(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundMatmul(mlir::Operation *op, Operands operands, Results results);

// Rows.
mlir::LogicalResult boundSoftmax(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundNorm(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundMse(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundCrossEntropy(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundSoftmaxCrossEntropy(mlir::Operation *op, Operands operands,
                                             Results results);

mlir::LogicalResult boundAttention(mlir::Operation *op, Operands operands, Results results);
mlir::LogicalResult boundAttentionGrad(mlir::Operation *op, Operands operands, Results results);

} // namespace tenon::reference

#endif // TENON_REFERENCE_BOUNDS_BOUNDS_H
