//===- Array.cpp - Storage and rounding of reference tensors --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "reference/Array.h"

#include "llvm/ADT/APFloat.h"
#include <cstring>

using llvm::APFloat;

namespace tenon::reference {

Array::Array(const infer::Type &type) : type(type) {
  int64_t count = 1;
  for (int i = 0; i < type.rank; i++)
    count *= type.dims[i];
  if (type.isFloat())
    reals.assign(count, 0.0);
  else
    integers.assign(count, 0);
}

void Array::set(int64_t i, double value) {
  if (type.isFloat()) {
    reals[i] = value;
    return;
  }
  // Toward zero, saturating, NaN to 0; i1 is "not zero".
  if (type.isBool()) {
    integers[i] = value != 0;
    return;
  }
  int bits = type.dtype == TENON_I64 ? 64 : type.dtype == TENON_I32 ? 32 : 8;
  double limit = std::ldexp(1.0, bits - 1);
  int64_t most = int64_t((uint64_t(1) << (bits - 1)) - 1);
  integers[i] = value != value   ? 0
                : value >= limit ? most
                : value < -limit ? -most - 1
                                 : int64_t(value);
}

void Array::set(int64_t i, int64_t value) {
  if (type.isFloat())
    reals[i] = double(value);
  else
    integers[i] = wrapTo(type.dtype, value);
}

static const llvm::fltSemantics &semantics(tenon_dtype dtype) {
  return dtype == TENON_F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

double roundTo(tenon_dtype dtype, double value) {
  if (dtype == TENON_F64)
    return value;
  if (dtype == TENON_F32)
    return float(value);
  APFloat x(value);
  bool lost;
  x.convert(semantics(dtype), APFloat::rmNearestTiesToEven, &lost);
  return x.convertToDouble();
}

int64_t wrapTo(tenon_dtype dtype, int64_t value) {
  switch (dtype) {
  case TENON_I32:
    return int32_t(value);
  case TENON_I8:
    return int8_t(value);
  case TENON_I1:
    return value != 0;
  default:
    return value;
  }
}

Strides::Strides(const infer::Type &type) {
  int64_t stride = 1;
  for (int i = type.rank; i-- > 0;) {
    of[i] = stride;
    stride *= type.dims[i];
  }
}

/// Reads element `i` of typed memory.
template <typename T> static T element(const void *data, int64_t i) {
  T value;
  memcpy(&value, static_cast<const char *>(data) + i * sizeof(T), sizeof(T));
  return value;
}

Array load(const infer::Type &type, const void *data) {
  Array array(type);
  for (int64_t i = 0, n = array.size(); i < n; i++)
    switch (type.dtype) {
    case TENON_F64:
      array.reals[i] = element<double>(data, i);
      break;
    case TENON_F32:
      array.reals[i] = element<float>(data, i);
      break;
    case TENON_F16:
    case TENON_BF16:
      array.reals[i] = APFloat(semantics(type.dtype), llvm::APInt(16, element<uint16_t>(data, i)))
                           .convertToDouble();
      break;
    case TENON_I64:
      array.integers[i] = element<int64_t>(data, i);
      break;
    case TENON_I32:
      array.integers[i] = element<int32_t>(data, i);
      break;
    case TENON_I8:
      array.integers[i] = int64_t{element<int8_t>(data, i)};
      break;
    case TENON_I1:
      array.integers[i] = element<uint8_t>(data, i) != 0;
      break;
    }
  return array;
}

template <typename T> static void put(void *data, int64_t i, T value) {
  memcpy(static_cast<char *>(data) + i * sizeof(T), &value, sizeof(T));
}

void store(const Array &array, void *data) {
  for (int64_t i = 0, n = array.size(); i < n; i++)
    switch (array.type.dtype) {
    case TENON_F64:
      put<double>(data, i, array.reals[i]);
      break;
    case TENON_F32:
      put<float>(data, i, float(array.reals[i]));
      break;
    case TENON_F16:
    case TENON_BF16: {
      APFloat x(array.reals[i]);
      bool lost;
      x.convert(semantics(array.type.dtype), APFloat::rmNearestTiesToEven, &lost);
      put<uint16_t>(data, i, uint16_t(x.bitcastToAPInt().getZExtValue()));
      break;
    }
    case TENON_I64:
      put<int64_t>(data, i, array.integers[i]);
      break;
    case TENON_I32:
      put<int32_t>(data, i, int32_t(array.integers[i]));
      break;
    case TENON_I8:
      put<int8_t>(data, i, int8_t(array.integers[i]));
      break;
    case TENON_I1:
      put<uint8_t>(data, i, array.integers[i] != 0);
      break;
    }
}

} // namespace tenon::reference
