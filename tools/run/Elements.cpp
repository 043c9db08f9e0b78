//===- Elements.cpp - Elements of tensors as numbers ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/run/Elements.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

namespace tenon::run {

template <typename T> static T load(const char *data) {
  T value;
  memcpy(&value, data, sizeof value);
  return value;
}

template <typename T> static void store(char *data, double value) {
  T converted = T(value);
  memcpy(data, &converted, sizeof converted);
}

static const llvm::fltSemantics &semanticsOf(tenon_dtype dtype) {
  return dtype == TENON_F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

double elementAt(const HostTensor &tensor, int64_t i) {
  tenon_dtype dtype = tensor.dtype;
  const char *from = tensor.data() + i * tenon_dtype_size(dtype);
  switch (dtype) {
  case TENON_F64:
    return load<double>(from);
  case TENON_F32:
    return load<float>(from);
  case TENON_F16:
  case TENON_BF16: {
    bool lossy;
    llvm::APFloat value(semanticsOf(dtype), llvm::APInt(16, load<uint16_t>(from)));
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  case TENON_I64:
    return double(load<int64_t>(from));
  case TENON_I32:
    return load<int32_t>(from);
  default:
    return load<int8_t>(from);
  }
}

void setElement(HostTensor &tensor, int64_t i, double value) {
  tenon_dtype dtype = tensor.dtype;
  char *to = tensor.data() + i * tenon_dtype_size(dtype);
  switch (dtype) {
  case TENON_F64:
    return store<double>(to, value);
  case TENON_F32:
    return store<float>(to, value);
  case TENON_F16:
  case TENON_BF16: {
    bool lossy;
    llvm::APFloat rounded(value);
    rounded.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven, &lossy);
    uint16_t bits = uint16_t(rounded.bitcastToAPInt().getZExtValue());
    memcpy(to, &bits, sizeof bits);
    return;
  }
  case TENON_I64:
    return store<int64_t>(to, value);
  case TENON_I32:
    return store<int32_t>(to, value);
  default:
    return store<int8_t>(to, value);
  }
}

void fillRandom(HostTensor &tensor, std::mt19937_64 &generator, const RandomRange &range) {
  std::uniform_real_distribution<double> real(range.low, range.high);
  int most = tensor.dtype == TENON_I1   ? 1
             : tensor.dtype == TENON_I8 ? std::min<int>(range.limit - 1, INT8_MAX)
                                        : range.limit - 1;
  std::uniform_int_distribution<int> integer(0, most);
  for (int64_t i = 0, n = tensor.size(); i < n; i++)
    setElement(tensor, i, tensor.dtype <= TENON_BF16 ? real(generator) : integer(generator));
}

} // namespace tenon::run
