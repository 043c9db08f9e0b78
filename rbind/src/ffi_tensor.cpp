//===- ffi_tensor.cpp - Entry points of tensors: making, reading and fields
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "parameters.h"

#include <cstring>

extern "C" {

/// `device`: where its elements lie, "cpu" or "vulkan".
SEXP C_tensor(SEXP x, SEXP dtype, SEXP param, SEXP device) {
  tenon_dtype type = dtypeFromName(dtype);
  x = resolve(x);
  if (isValue(x))
    x = arrayOf(force(x));
  PROTECT(x);
  SEXP storage = storageOf(x, type);
  if (storage == x && ALTREP(x)) // ours must not change under us
    storage = Rf_duplicate(x);
  PROTECT(storage);
  if (deviceFromName(CHAR(STRING_ELT(device, 0))) == kVulkan)
    storage = deviceStorage(storage);
  UNPROTECT(1);
  PROTECT(storage);
  if (!Rf_asLogical(param)) {
    SEXP value = newValue(storage);
    UNPROTECT(2);
    return value;
  }
  SEXP cell = PROTECT(Rf_allocVector(VECSXP, kCellSize));
  SET_VECTOR_ELT(cell, kData, storage);
  SEXP value = PROTECT(newValue(cell));
  R_SetExternalPtrAddr(value, nullptr);
  nameParam(value);
  UNPROTECT(4);
  return value;
}

/// Where the elements of a value lie, or will.
static const char *placeName(SEXP x) {
  SEXP storage = known(x);
  return storage && isOnDevice(storage)       ? "vulkan"
         : storage && deviceNumber == kVulkan ? "cpu"
                                              : deviceName();
}

/// The value with its elements on a device, or in R's memory.
SEXP C_to_device(SEXP x, SEXP device) {
  if (tracing)
    return x;
  force(x);
  if (deviceFromName(CHAR(STRING_ELT(device, 0))) == kVulkan) {
    moveToDevice(x);
  } else {
    SEXP storage = PROTECT(hostStorage(known(x)));
    if (isParam(x))
      SET_VECTOR_ELT(cellOf(x), kData, storage);
    else
      R_SetExternalPtrProtected(x, storage);
    UNPROTECT(1);
  }
  return x;
}

SEXP C_is_param(SEXP x) { return Rf_ScalarLogical(isValue(x) && isParam(x)); }

SEXP C_field(SEXP x, SEXP name) {
  expectValue(x, "$");
  const char *field = CHAR(STRING_ELT(name, 0));
  bool param = isParam(x);
  if (param)
    nameParam(x);
  if (!strcmp(field, "data")) {
    SEXP data = matrixOf(force(x));
    // p$data[1] <- 0 writes into a matrix that only the cell counts; while ops are
    // pending that would change what they read, so make R copy.
    if (!param || current->trace.numValues() || previous->trace.numValues())
      MARK_NOT_MUTABLE(data);
    return data;
  }
  if (!strcmp(field, "requires_grad"))
    return Rf_ScalarLogical(param);
  if (!strcmp(field, "id"))
    return param ? VECTOR_ELT(cellOf(x), kId) : R_NilValue;
  if (!strcmp(field, "dtype"))
    return Rf_mkString(tenon_dtype_name(typeOf(x).dtype));
  if (!strcmp(field, "device"))
    return Rf_mkString(placeName(x));
  if (!strcmp(field, "grad")) {
    SEXP grad = param ? VECTOR_ELT(cellOf(x), kGrad) : R_NilValue;
    return grad == R_NilValue ? grad : matrixOf(force(grad));
  }
  return R_NilValue;
}

SEXP C_set_data(SEXP x, SEXP data) {
  expectValue(x, "$data<-");
  if (!isParam(x))
    fail(TENON_ERROR_ARGUMENT, "$data<-: only the data of a parameter can be set");
  if (tracing)
    fail(TENON_ERROR_ARGUMENT, "$data<-: not while a function is traced");
  SEXP cell = cellOf(x);
  SEXP storage = PROTECT(storageLike(data, storageType(VECTOR_ELT(cell, kData)), "$data<-"));
  detach(x);
  SET_VECTOR_ELT(cell, kData, storage);
  UNPROTECT(1);
  return x;
}

SEXP C_set_grad(SEXP x, SEXP grad) {
  expectValue(x, "$grad<-");
  if (!isParam(x))
    fail(TENON_ERROR_ARGUMENT, "$grad<-: not a parameter");
  if (tracing)
    fail(TENON_ERROR_ARGUMENT, "$grad<-: not while a function is traced");
  SEXP value = resolve(grad);
  if (value != R_NilValue) {
    Type type = storageType(VECTOR_ELT(cellOf(x), kData));
    bool fits = isValue(value) && !isParam(value) && typeOf(value).dtype == type.dtype &&
                tenon::infer::sameShape(typeOf(value), type);
    if (!fits) // what fits may stay pending
      value = newValue(storageLike(value, type, "$grad<-"));
  }
  SET_VECTOR_ELT(cellOf(x), kGrad, value);
  return x;
}

SEXP C_is_tensor(SEXP x, SEXP y) { return Rf_ScalarLogical(isValue(x) || isValue(y)); }

SEXP C_array(SEXP x) {
  x = resolve(x);
  expectValue(x, "as.array");
  return arrayOf(force(x));
}

SEXP C_matrix(SEXP x) {
  x = resolve(x);
  expectValue(x, "as.matrix");
  return matrixOf(force(x));
}

SEXP C_dim(SEXP x) {
  expectValue(x, "dim");
  Type type = typeOf(x);
  return type.rank ? dimOf(type) : R_NilValue;
}
SEXP C_dtype(SEXP x) {
  expectValue(x, "dtype");
  return Rf_mkString(tenon_dtype_name(typeOf(x).dtype));
}
}
