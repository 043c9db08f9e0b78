//===- Linear.cpp - Reference of matrix products --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Models.h"

using namespace mlir;

namespace tenon::reference {

static LogicalResult matmul(MatmulOp op, Operands operands, Results results) {
  const Array &a = *operands[0], &b = *operands[1];
  Array &y = results[0];
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  int64_t m = y.type.dim(-2), n = y.type.dim(-1), k = a.type.dim(ta ? -2 : -1);
  int64_t batch = m * n == 0 ? 0 : y.size() / (m * n);
  for (int64_t z = 0; z < batch; z++)
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        Wide sum = 0;
        for (int64_t l = 0; l < k; l++)
          sum += Wide(a.reals[z * m * k + (ta ? l * m + i : i * k + l)]) *
                 b.reals[z * k * n + (tb ? j * k + l : l * n + j)];
        y.reals[(z * m + i) * n + j] = double(sum);
      }
  return success();
}

void attachLinear(MLIRContext *context) { attachReference<MatmulOp, matmul>(context); }

} // namespace tenon::reference
