//===- storage.cpp - Where the elements of a value lie
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

/// Head of a raw vector that holds elements; `offset` is that of the data, a
/// multiple of 64 in memory where the vector was made.
struct Header {
  uint32_t magic;
  int32_t dtype, rank, offset;
  int64_t dims[tenon::infer::kMaxRank];
};
constexpr uint32_t kMagic = 0x74656e6f;

const Header *headerOf(SEXP raw) {
  R_xlen_t size = Rf_xlength(raw);
  if (size < R_xlen_t(sizeof(Header)))
    return nullptr;
  const Header *header = reinterpret_cast<const Header *>(RAW(raw));
  if (header->magic != kMagic || header->dtype < 0 || header->dtype > TENON_I1 ||
      header->rank < 0 || header->rank > tenon::infer::kMaxRank ||
      header->offset < int(sizeof(Header)))
    return nullptr;
  double bytes = double(tenon_dtype_size(tenon_dtype(header->dtype)));
  for (int i = 0; i < header->rank; i++) {
    if (header->dims[i] < 0 || header->dims[i] > INT_MAX)
      return nullptr;
    bytes *= double(header->dims[i]);
  }
  return header->offset + bytes <= double(size) ? header : nullptr;
}

float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 31, bits;
  uint32_t fraction = half & 1023;
  if (exponent == 0)
    return std::copysign(std::ldexp(float(fraction), -24), sign ? -1.f : 1.f);
  bits = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | fraction << 13;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/// Rounds to nearest, ties to even.
uint16_t halfOf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return 0x7e00;
  if (magnitude >= 65520)
    return sign | 0x7c00;
  if (magnitude < std::ldexp(1, -14))
    return sign | uint16_t(std::nearbyint(std::ldexp(magnitude, 24)));
  int exponent;
  double fraction = std::frexp(magnitude, &exponent); // [0.5, 1)
  int rounded = int(std::nearbyint(std::ldexp(fraction, 11)));
  return sign | uint16_t(((exponent + 14) << 10) + (rounded - 1024));
}

float bfloatToFloat(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

uint16_t bfloatOf(double value) {
  float single = float(value);
  uint32_t bits;
  memcpy(&bits, &single, 4);
  if (std::isnan(single))
    return 0x7fc0;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename T> void toNumbers(const void *data, double *out, R_xlen_t count) {
  const T *from = static_cast<const T *>(data);
  for (R_xlen_t i = 0; i < count; i++)
    out[i] = double(from[i]);
}

template <typename T> void fromNumbers(const double *from, void *data, R_xlen_t count) {
  T *out = static_cast<T *>(data);
  for (R_xlen_t i = 0; i < count; i++)
    out[i] = T(from[i]);
}

/// Doubles as elements of an integer type: NaN and fractions are refused.
template <typename T>
void fromWholeNumbers(const double *from, void *data, R_xlen_t count, double least, double most) {
  T *out = static_cast<T *>(data);
  for (R_xlen_t i = 0; i < count; i++) {
    if (std::isnan(from[i]))
      fail(TENON_ERROR_ARGUMENT, "expected whole numbers from %.0f to %.0f, got NaN or NA", least,
           most);
    if (!(from[i] >= least && from[i] <= most) || from[i] != std::floor(from[i]))
      fail(TENON_ERROR_ARGUMENT, "expected whole numbers from %.0f to %.0f, got %.15g", least, most,
           from[i]);
    out[i] = T(from[i]);
  }
}

} // namespace

int64_t countOf(const Type &type) {
  for (int i = 0; i < type.rank; i++)
    if (type.dims[i] == 0)
      return 0;
  int64_t count = 1;
  for (int i = 0; i < type.rank; i++)
    if (__builtin_mul_overflow(count, type.dims[i], &count))
      return INT64_MAX;
  return count;
}

size_t bytesOf(const Type &type) {
  return size_t(countOf(type)) * size_t(tenon_dtype_size(type.dtype));
}

bool isStorage(SEXP x) {
  return TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP || (TYPEOF(x) == RAWSXP && headerOf(x)) ||
         isOnDevice(x);
}

void refuseFactor(SEXP x) {
  if (OBJECT(x) && Rf_inherits(x, "factor"))
    fail(TENON_ERROR_DTYPE,
         "expected a tensor or numbers, got a factor (as.integer() gives its codes, from 1)");
}

void refuseOther(SEXP x) {
  if (Rf_inherits(x, "data.frame"))
    fail(TENON_ERROR_DTYPE,
         "expected a tensor or numbers, got a data frame (as.matrix() makes numbers of it)");
  fail(TENON_ERROR_DTYPE, "expected a tensor or numbers, got %s",
       TYPEOF(x) == NILSXP ? "NULL" : Rf_type2char(TYPEOF(x)));
}

void expand(SEXP x) {
  if (!ALTREP(x))
    return;
  if (TYPEOF(x) == REALSXP)
    (void)REAL(x);
  else if (TYPEOF(x) == INTSXP)
    (void)INTEGER(x);
}

Type arrayType(SEXP x) {
  Type type;
  type.dtype = TYPEOF(x) == INTSXP ? TENON_I32 : TYPEOF(x) == LGLSXP ? TENON_I1 : TENON_F64;
  SEXP dim = Rf_getAttrib(x, R_DimSymbol);
  if (dim == R_NilValue) {
    if (Rf_xlength(x) != 1) {
      type.rank = 1;
      type.dims[0] = Rf_xlength(x);
    }
  } else {
    int rank = int(Rf_xlength(dim));
    if (rank > tenon::infer::kMaxRank)
      fail(TENON_ERROR_SHAPE, "expected an array of at most %d axes, got %d",
           tenon::infer::kMaxRank, rank);
    type.rank = rank;
    for (int i = 0; i < rank; i++)
      type.dims[i] = INTEGER(dim)[rank - 1 - i];
  }
  if (Rf_xlength(x) > INT_MAX)
    fail(TENON_ERROR_SHAPE, "expected fewer than 2^31 elements, got %.0f", double(Rf_xlength(x)));
  return type;
}

Type storageType(SEXP storage) {
  if (isOnDevice(storage))
    return deviceStorageType(storage);
  if (TYPEOF(storage) != RAWSXP)
    return arrayType(storage);
  const Header *header = headerOf(storage);
  if (!header)
    fail(TENON_ERROR_ARGUMENT, "this tensor's storage is damaged");
  Type type;
  type.dtype = tenon_dtype(header->dtype);
  type.rank = header->rank;
  std::copy(header->dims, header->dims + header->rank, type.dims);
  return type;
}

void *storageData(SEXP storage) {
  storage = hostStorage(storage);
  switch (TYPEOF(storage)) {
  case REALSXP:
    return REAL(storage);
  case INTSXP:
    return INTEGER(storage);
  default:
    return RAW(storage) + reinterpret_cast<const Header *>(RAW(storage))->offset;
  }
}

SEXP dimOf(const Type &type) {
  SEXP dim = Rf_allocVector(INTSXP, type.rank);
  for (int i = 0; i < type.rank; i++)
    INTEGER(dim)[i] = int(type.dims[type.rank - 1 - i]);
  return dim;
}

namespace {
struct VectorRequest {
  SEXPTYPE kind;
  R_xlen_t length;
};
} // namespace

static SEXP allocRequested(void *data) {
  auto *request = static_cast<VectorRequest *>(data);
  return Rf_allocVector(request->kind, request->length);
}

/// R's own error for want of memory has no class. Catching it takes longer than a small
/// vector, which there is memory for.
static SEXP allocVector(SEXPTYPE kind, R_xlen_t length, const Type &type) {
  constexpr R_xlen_t large = 1 << 22;
  if (length < large)
    return Rf_allocVector(kind, length);
  VectorRequest request{kind, length};
  SEXP x = R_tryCatchError(
      allocRequested, &request, [](SEXP, void *) -> SEXP { return R_NilValue; }, nullptr);
  char text[120];
  if (x == R_NilValue)
    fail(TENON_ERROR_MEMORY, "no memory for a tensor of %s %s, %.1f GB",
         tenon_dtype_name(type.dtype), shapeText(type, text, sizeof text),
         double(countOf(type)) * double(tenon_dtype_size(type.dtype)) / 1e9);
  return x;
}

static SEXP allocArray(SEXPTYPE kind, const Type &type) {
  SEXP x = PROTECT(allocVector(kind, countOf(type), type));
  if (type.rank) {
    SEXP dim = PROTECT(dimOf(type));
    Rf_setAttrib(x, R_DimSymbol, dim);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return x;
}

void refuseLong(const Type &type) {
  double count = 1;
  for (int i = 0; i < type.rank; i++)
    count *= double(type.dims[i]);
  if (count > INT_MAX) {
    char text[120];
    fail(TENON_ERROR_SHAPE, "expected fewer than 2^31 elements, got %.0f: %s", count,
         shapeText(type, text, sizeof text));
  }
}

SEXP allocStorage(const Type &type) {
  refuseLong(type);
  if (type.dtype == TENON_F64)
    return allocArray(REALSXP, type);
  if (type.dtype == TENON_I32)
    return allocArray(INTSXP, type);
  size_t bytes = bytesOf(type);
  SEXP raw = allocVector(RAWSXP, R_xlen_t(sizeof(Header) + 64 + bytes), type);
  Header *header = reinterpret_cast<Header *>(RAW(raw));
  uintptr_t at = reinterpret_cast<uintptr_t>(header);
  header->magic = kMagic;
  header->dtype = type.dtype;
  header->rank = type.rank;
  header->offset = int32_t(((at + sizeof(Header) + 63) & ~uintptr_t(63)) - at);
  memset(header->dims, 0, sizeof header->dims);
  std::copy(type.dims, type.dims + type.rank, header->dims);
  return raw;
}

static void fill(void *data, const double *from, R_xlen_t count, tenon_dtype dtype) {
  switch (dtype) {
  case TENON_F64:
    memcpy(data, from, sizeof(double) * size_t(count));
    break;
  case TENON_F32:
    fromNumbers<float>(from, data, count);
    break;
  case TENON_F16:
    for (R_xlen_t i = 0; i < count; i++)
      static_cast<uint16_t *>(data)[i] = halfOf(from[i]);
    break;
  case TENON_BF16:
    for (R_xlen_t i = 0; i < count; i++)
      static_cast<uint16_t *>(data)[i] = bfloatOf(from[i]);
    break;
  case TENON_I64:
    fromWholeNumbers<int64_t>(from, data, count, -9e15, 9e15);
    break;
  case TENON_I32:
    fromWholeNumbers<int32_t>(from, data, count, -2147483647., 2147483647.);
    break;
  case TENON_I8:
    fromWholeNumbers<int8_t>(from, data, count, -128, 127);
    break;
  case TENON_I1:
    for (R_xlen_t i = 0; i < count; i++) {
      if (std::isnan(from[i]))
        fail(TENON_ERROR_ARGUMENT, "expected TRUE or FALSE, got NA");
      static_cast<uint8_t *>(data)[i] = from[i] != 0;
    }
    break;
  }
}

SEXP scalarStorage(double value, tenon_dtype dtype) {
  Type type;
  type.dtype = dtype;
  SEXP storage = PROTECT(allocStorage(type));
  fill(storageData(storage), &value, 1, dtype);
  UNPROTECT(1);
  return storage;
}

SEXP storageOf(SEXP x, tenon_dtype dtype) {
  if (TYPEOF(x) != REALSXP && TYPEOF(x) != INTSXP && TYPEOF(x) != LGLSXP)
    refuseOther(x);
  refuseFactor(x);
  Type type = arrayType(x);
  type.dtype = dtype;
  if (dtype == TENON_F64 && TYPEOF(x) == REALSXP) {
    expand(x); // now: a flush must not run foreign code
    return x;
  }
  if (dtype == TENON_I32 && TYPEOF(x) == INTSXP) {
    const int *from = INTEGER(x);
    for (R_xlen_t i = 0, n = Rf_xlength(x); i < n; i++)
      if (from[i] == NA_INTEGER)
        fail(TENON_ERROR_ARGUMENT, "expected whole numbers, got NA");
    return x;
  }
  SEXP storage = PROTECT(allocStorage(type));
  if (dtype == TENON_I1 && TYPEOF(x) == LGLSXP) {
    uint8_t *out = static_cast<uint8_t *>(storageData(storage));
    const int *from = LOGICAL(x);
    for (R_xlen_t i = 0, n = Rf_xlength(x); i < n; i++) {
      if (from[i] == NA_LOGICAL)
        fail(TENON_ERROR_ARGUMENT, "expected TRUE or FALSE, got NA");
      out[i] = from[i] != 0;
    }
  } else {
    SEXP numbers = PROTECT(Rf_coerceVector(x, REALSXP));
    fill(storageData(storage), REAL(numbers), Rf_xlength(x), dtype);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return storage;
}

SEXP arrayOf(SEXP storage) {
  storage = hostStorage(storage);
  if (TYPEOF(storage) != RAWSXP)
    return storage;
  Type type = storageType(storage);
  SEXP x = PROTECT(allocArray(type.dtype == TENON_I1   ? LGLSXP
                              : type.dtype == TENON_I8 ? INTSXP
                                                       : REALSXP,
                              type));
  R_xlen_t count = Rf_xlength(x);
  const void *data = storageData(storage);
  switch (type.dtype) {
  case TENON_F32:
    toNumbers<float>(data, REAL(x), count);
    break;
  case TENON_F16:
    for (R_xlen_t i = 0; i < count; i++)
      REAL(x)[i] = halfToFloat(static_cast<const uint16_t *>(data)[i]);
    break;
  case TENON_BF16:
    for (R_xlen_t i = 0; i < count; i++)
      REAL(x)[i] = bfloatToFloat(static_cast<const uint16_t *>(data)[i]);
    break;
  case TENON_I64:
    toNumbers<int64_t>(data, REAL(x), count);
    break;
  case TENON_I8:
    for (R_xlen_t i = 0; i < count; i++)
      INTEGER(x)[i] = int{static_cast<const int8_t *>(data)[i]};
    break;
  case TENON_I1:
    for (R_xlen_t i = 0; i < count; i++)
      LOGICAL(x)[i] = static_cast<const uint8_t *>(data)[i] != 0;
    break;
  default:
    break;
  }
  UNPROTECT(1);
  return x;
}

SEXP matrixOf(SEXP storage) {
  Type type = storageType(storage);
  storage = hostStorage(storage);
  SEXP x = arrayOf(storage);
  if (type.rank == 2)
    return x;
  x = PROTECT(x == storage ? Rf_duplicate(x) : x);
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
  // Three and more axes: the first stays, the others become columns.
  INTEGER(dim)[0] = type.rank == 0 ? 1 : int(type.dims[type.rank - 1]);
  Type columns = type;
  columns.rank = std::max(0, type.rank - 1);
  if (countOf(columns) > INT_MAX)
    fail(TENON_ERROR_SHAPE, "expected fewer than 2^31 columns, got %.0f", double(countOf(columns)));
  INTEGER(dim)[1] = int(countOf(columns));
  Rf_setAttrib(x, R_DimSymbol, dim);
  UNPROTECT(2);
  return x;
}

const char *shapeText(const Type &type, char *text, int size) {
  int at = snprintf(text, size_t(size), "[");
  for (int i = type.rank; i-- > 0 && at < size;)
    at += snprintf(text + at, size_t(size - at), i ? "%lld," : "%lld", (long long)type.dims[i]);
  if (at < size)
    snprintf(text + at, size_t(size - at), "]");
  return text;
}
