//===- device_storage.cpp - Elements in a device's memory
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An external pointer without an address; protected is a list of the type, the buffer and
// a lazy raw vector (ALTREP) of the elements' bytes, which R writes into a file as any other.
// R's collector does not see how much memory a buffer takes: it is run when many bytes have
// been asked for, and when there are no more. What was read survives a device that is lost.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <R_ext/Altrep.h>
#include <algorithm>
#include <cstring>

namespace {

SEXP bufferTag;
R_altrep_class_t bytesClass; // data1 = the parts, data2 = storage once the elements were read
/// Dtype and extents as integers; bytes (lazy, or those of a file); a pointer with a finalizer,
/// which counts as a reference to what it is on.
enum Part { kType, kBytes, kBuffer, kParts };

constexpr int64_t kLeastLimit = int64_t(256) << 20;
int64_t heldBytes;               // of buffers that R refers to
int64_t collectAt = kLeastLimit; // held bytes

/// Null in another session.
tenon_buffer *bufferIn(SEXP parts) {
  return static_cast<tenon_buffer *>(R_ExternalPtrAddr(VECTOR_ELT(parts, kBuffer)));
}
tenon_buffer *bufferOf(SEXP storage) { return bufferIn(R_ExternalPtrProtected(storage)); }

Type typeIn(SEXP parts) {
  SEXP words = VECTOR_ELT(parts, kType);
  Type type;
  type.dtype = tenon_dtype(INTEGER(words)[0]);
  type.rank = int(Rf_xlength(words)) - 1;
  if (type.dtype < 0 || type.dtype > TENON_I1 || type.rank > tenon::infer::kMaxRank)
    fail(TENON_ERROR_ARGUMENT, "this tensor's storage is damaged");
  std::copy(INTEGER(words) + 1, INTEGER(words) + 1 + type.rank, type.dims);
  return type;
}

void addBytes(SEXP parts, SEXP host) {
  SET_VECTOR_ELT(parts, kBytes, R_new_altrep(bytesClass, parts, host));
}

/// Copies the elements once, be it from a file.
SEXP hostCopy(SEXP parts) {
  SEXP bytes = VECTOR_ELT(parts, kBytes);
  bool lazy = ALTREP(bytes) && R_altrep_inherits(bytes, bytesClass);
  if (lazy && R_altrep_data2(bytes) != R_NilValue)
    return R_altrep_data2(bytes);
  Type type = typeIn(parts);
  auto size = int64_t(bytesOf(type));
  if (lazy ? !bufferIn(parts) : TYPEOF(bytes) != RAWSXP || Rf_xlength(bytes) != size)
    fail(TENON_ERROR_ARGUMENT, "this tensor's storage is damaged");
  SEXP host = PROTECT(allocStorage(type));
  if (lazy)
    check(tenon_buffer_read(bufferIn(parts), 0, storageData(host), size));
  else
    memcpy(storageData(host), RAW(bytes), size_t(size));
  MARK_NOT_MUTABLE(host); // `x$data[1] <- 0` must not write into it
  if (lazy)
    R_set_altrep_data2(bytes, host);
  else
    addBytes(parts, host);
  UNPROTECT(1);
  return host;
}

R_xlen_t bytesLength(SEXP bytes) { return R_xlen_t(bytesOf(typeIn(R_altrep_data1(bytes)))); }
void *bytesData(SEXP bytes, Rboolean) { return storageData(hostCopy(R_altrep_data1(bytes))); }
const void *bytesDataOrNull(SEXP bytes) {
  SEXP host = R_altrep_data2(bytes);
  return host != R_NilValue ? storageData(host) : nullptr;
}

void dropBuffer(SEXP pointer) {
  if (auto *buffer = static_cast<tenon_buffer *>(R_ExternalPtrAddr(pointer))) {
    heldBytes -= tenon_buffer_bytes(buffer);
    tenon_buffer_release(buffer);
  }
  R_ClearExternalPtr(pointer);
}

/// May run finalizers.
tenon_buffer *allocate(int64_t bytes) {
  if (heldBytes + bytes > collectAt) {
    R_gc();
    collectAt = std::max(kLeastLimit, 2 * (heldBytes + bytes));
  }
  tenon_device *device = openGpu();
  tenon_buffer *buffer = nullptr;
  tenon_status status = tenon_buffer_allocate(device, bytes, &buffer);
  if (tenon_status_code(status) == TENON_ERROR_MEMORY) {
    tenon_status_free(status);
    R_gc();
    status = tenon_buffer_allocate(device, bytes, &buffer);
  }
  check(status);
  heldBytes += bytes;
  return buffer;
}

} // namespace

void initDeviceStorage(DllInfo *dll) {
  bufferTag = Rf_install("tenon:buffer");
  bytesClass = R_make_altraw_class("tenon_device_bytes", "tenon", dll);
  R_set_altrep_Length_method(bytesClass, bytesLength);
  R_set_altvec_Dataptr_method(bytesClass, bytesData);
  R_set_altvec_Dataptr_or_null_method(bytesClass, bytesDataOrNull);
}

tenon_device *openGpu() {
  static tenon_device *device; // the runtime keeps it open
  if (!device)
    check(tenon_device_open("vulkan", 0, &device));
  return device;
}

/// Whether there is a buffer (none in another session) that was not lost with its device.
static bool isAlive(SEXP storage) {
  tenon_buffer *buffer = bufferOf(storage);
  return buffer && !tenon_buffer_lost(buffer);
}

bool isOnDevice(SEXP x) {
  if (TYPEOF(x) != EXTPTRSXP || R_ExternalPtrTag(x) != bufferTag)
    return false;
  SEXP parts = R_ExternalPtrProtected(x);
  return TYPEOF(parts) == VECSXP && Rf_xlength(parts) == kParts &&
         TYPEOF(VECTOR_ELT(parts, kType)) == INTSXP && Rf_xlength(VECTOR_ELT(parts, kType)) > 0 &&
         TYPEOF(VECTOR_ELT(parts, kBuffer)) == EXTPTRSXP;
}

Type deviceStorageType(SEXP storage) { return typeIn(R_ExternalPtrProtected(storage)); }

SEXP allocDeviceStorage(const Type &type) {
  refuseLong(type);
  SEXP parts = PROTECT(Rf_allocVector(VECSXP, kParts));
  SEXP words = Rf_allocVector(INTSXP, type.rank + 1);
  SET_VECTOR_ELT(parts, kType, words);
  INTEGER(words)[0] = int(type.dtype);
  std::copy(type.dims, type.dims + type.rank, INTEGER(words) + 1);
  SEXP pointer = R_MakeExternalPtr(nullptr, R_NilValue, R_NilValue);
  SET_VECTOR_ELT(parts, kBuffer, pointer);
  R_RegisterCFinalizer(pointer, dropBuffer);
  R_SetExternalPtrAddr(pointer, allocate(int64_t(bytesOf(type))));
  addBytes(parts, R_NilValue);
  SEXP storage = R_MakeExternalPtr(nullptr, bufferTag, parts);
  UNPROTECT(1);
  return storage;
}

bool isWritable(SEXP storage, bool onDevice) {
  return onDevice ? isOnDevice(storage) && isAlive(storage) : !isOnDevice(storage);
}

SEXP hostStorage(SEXP storage) {
  return isOnDevice(storage) ? hostCopy(R_ExternalPtrProtected(storage)) : storage;
}

SEXP deviceStorage(SEXP storage) {
  if (isOnDevice(storage) && isAlive(storage))
    return storage;
  storage = PROTECT(hostStorage(storage));
  Type type = storageType(storage);
  SEXP moved = PROTECT(allocDeviceStorage(type));
  check(tenon_buffer_write(bufferOf(moved), 0, storageData(storage), int64_t(bytesOf(type))));
  UNPROTECT(2);
  return moved;
}

void moveToDevice(SEXP holder) {
  SEXP cell = isValue(holder) ? R_ExternalPtrProtected(holder) : holder;
  SEXP storage = TYPEOF(cell) == VECSXP ? VECTOR_ELT(cell, kData) : cell;
  if (!isStorage(storage) || (isOnDevice(storage) && isAlive(storage)))
    return;
  storage = deviceStorage(storage);
  if (TYPEOF(cell) == VECSXP)
    SET_VECTOR_ELT(cell, kData, storage);
  else
    R_SetExternalPtrProtected(holder, storage);
}

void willBeWritten(SEXP storage) {
  if (isOnDevice(storage))
    addBytes(R_ExternalPtrProtected(storage), R_NilValue);
}

tenon_tensor elementsOf(SEXP storage, bool onDevice) {
  tenon_tensor tensor = {};
  if (onDevice && isOnDevice(storage) && isAlive(storage))
    tensor.buffer = bufferOf(storage);
  else
    tensor.data = storageData(storage);
  return tensor;
}
