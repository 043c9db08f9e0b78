//===- Bounds.cpp - The rule of each op -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/bounds/Bounds.h"
#include "reference/ErrorBounds.h"

#include "llvm/ADT/DenseMap.h"
#include <cfloat>

using namespace mlir;

namespace tenon::reference {

Rounding roundingOf(tenon_dtype dtype) {
  switch (dtype) {
  case TENON_F64:
    return {0x1p-52, 0, DBL_MIN, DBL_MIN, DBL_MAX};
  case TENON_F32:
    return {0x1p-23, 0, FLT_MIN, FLT_MIN, FLT_MAX};
  case TENON_F16:
    return {0x1p-23, 0x1p-11, 0x1p-24, FLT_MIN, 65504};
  case TENON_BF16:
    return {0x1p-23, 0x1p-8, FLT_MIN, FLT_MIN, 0x1.fep127};
  default:
    return {0, 0, 0, 0, INFINITY};
  }
}

void setBound(Array &y, int64_t i, double error) {
  Rounding rounding = roundingOf(y.type.dtype);
  double size = std::fabs(y.at(i));
  if (std::isfinite(size))
    error += rounding.storage * size + rounding.tiny;
  bool overflows = std::isfinite(size) && size + error > rounding.largest;
  y.errors[i] = std::isnan(error) || overflows ? INFINITY : error;
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double d = std::fabs(a - b);
  return std::isnan(d) ? INFINITY : d;
}

bool mayChangeOrder(const Array &x, int64_t i, int64_t j) {
  double apart = distance(x.at(i), x.at(j)), reach = x.errors[i] + x.errors[j];
  constexpr double kRoundings = 16; // more than that has come from elsewhere, as of a zero
  double eps = x.type.isFloat() ? roundingOf(x.type.dtype).eps : 0;
  return apart != 0 ? apart <= reach : reach > kRoundings * eps * std::fabs(x.at(i));
}

bool isExact(const Array &x) {
  return llvm::all_of(x.errors, [](double error) { return error == 0; });
}

Array magnitudes(const Array &x) {
  return mapped(x, [](double value, double) { return std::fabs(value); });
}

Array errorsOf(const Array &x) {
  return mapped(x, [](double, double error) { return error; });
}

FailureOr<std::vector<Array>> evaluateOn(Operation *op, Operands operands,
                                         ArrayRef<infer::Type> types) {
  std::vector<Array> results(types.begin(), types.end());
  if (failed(cast<ReferenceOpInterface>(op).evaluate(operands, results)))
    return failure();
  return results;
}

/// One line an op, but for those that their traits tell.
static Rule ruleOf(OperationName op) {
  static const auto *const rules = new DenseMap<TypeID, Rule>{
      {TypeID::get<CompareOp>(), boundCompare},
      {TypeID::get<DivOp>(), boundQuotient},
      {TypeID::get<RemOp>(), boundQuotient},
      {TypeID::get<AdamOp>(), boundAdam},
      {TypeID::get<CosOp>(), boundWave},
      {TypeID::get<SinOp>(), boundWave},
      {TypeID::get<GeluOp>(), boundTailed},
      {TypeID::get<NormalCdfOp>(), boundTailed},
      {TypeID::get<ConstantOp>(), boundView},
      {TypeID::get<ConcatOp>(), boundView},
      {TypeID::get<PadOp>(), boundView},
      {TypeID::get<OneHotOp>(), boundView},
      {TypeID::get<GatherOp>(), boundGather},
      {TypeID::get<DropoutOp>(), boundElementwise},
      {TypeID::get<RandomUniformOp>(), boundRandom},
      {TypeID::get<RandomNormalOp>(), boundRandom},
      {TypeID::get<ReduceSumOp>(), boundSum},
      {TypeID::get<ReduceMeanOp>(), boundSum},
      {TypeID::get<ReduceProdOp>(), boundProduct},
      {TypeID::get<ReduceMaxOp>(), boundExtreme},
      {TypeID::get<ReduceMinOp>(), boundExtreme},
      {TypeID::get<ArgmaxOp>(), boundArg},
      {TypeID::get<ArgminOp>(), boundArg},
      {TypeID::get<ScatterAddOp>(), boundScatterAdd},
      {TypeID::get<CumsumOp>(), boundCumsum},
      {TypeID::get<SortOp>(), boundSort},
      {TypeID::get<GatherAlongOp>(), boundGather},
      {TypeID::get<ScatterAlongOp>(), boundScatterAlong},
      {TypeID::get<WindowsOp>(), boundView},
      {TypeID::get<FoldWindowsOp>(), boundSum},
      {TypeID::get<MatmulOp>(), boundMatmul},
      {TypeID::get<SoftmaxOp>(), boundSoftmax},
      {TypeID::get<LogSoftmaxOp>(), boundSoftmax},
      {TypeID::get<LayerNormOp>(), boundNorm},
      {TypeID::get<RmsNormOp>(), boundNorm},
      {TypeID::get<MseLossOp>(), boundMse},
      {TypeID::get<CrossEntropyOp>(), boundCrossEntropy},
      {TypeID::get<SoftmaxCrossEntropyOp>(), boundSoftmaxCrossEntropy},
      {TypeID::get<AttentionOp>(), boundAttention},
      {TypeID::get<AttentionGradOp>(), boundAttentionGrad},
  };
  if (Rule rule = rules->lookup(op.getTypeID()))
    return rule;
  if (op.hasTrait<trait::Elementwise>())
    return boundElementwise;
  if (op.hasTrait<trait::ElementwiseUpdate>())
    return boundUpdate;
  return op.hasTrait<trait::Rematerializable>() ? boundView : nullptr;
}

bool hasErrorBound(OperationName name) { return ruleOf(name); }

LogicalResult boundErrors(Operation *op, Operands operands, Results results) {
  Rule rule = ruleOf(op->getName());
  if (!rule)
    return op->emitOpError("has no error bound");
  for (Array &y : results)
    y.errors.assign(y.size(), 0);
  return rule(op, operands, results);
}

} // namespace tenon::reference
