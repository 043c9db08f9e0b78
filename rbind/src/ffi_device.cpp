//===- ffi_device.cpp - Entry points of the session: device, threads, counters, profiler
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <algorithm>
#include <iterator>

extern "C" {

/// Folder of the compiler library, as found when the package is loaded.
SEXP C_set_library(SEXP folder) {
  setLibraryFolder(CHAR(STRING_ELT(folder, 0)));
  return R_NilValue;
}

SEXP C_library() { return Rf_mkString(libraryFolder()); }

/// The device; another one unless NULL is given. Returns the one before.
SEXP C_device(SEXP name) {
  SEXP before = PROTECT(Rf_mkString(deviceName()));
  if (name != R_NilValue)
    setDevice(deviceFromName(CHAR(STRING_ELT(name, 0))));
  UNPROTECT(1);
  return before;
}

/// The default dtype; sets it unless NULL is given. Returns the one before.
SEXP C_default_dtype(SEXP dtype) {
  const char *before = tenon_dtype_name(defaultDtype);
  if (dtype != R_NilValue) {
    tenon_dtype type = dtypeFromName(dtype);
    if (type > TENON_BF16)
      fail(TENON_ERROR_DTYPE, "expected a float type, got \"%s\"", tenon_dtype_name(type));
    setDefaultDtype(type);
  }
  return Rf_mkString(before);
}

/// Counts of the compiler's cache, then of this package.
SEXP C_stats() {
  tenon_cache_info info = compilerCache();
  const char *names[] = {"entries", "hits",    "misses", "compile_seconds", "launches", "compiles",
                         "outputs", "pending", ""};
  double values[] = {double(info.entries),        double(info.hits),
                     double(info.misses),         info.compile_seconds,
                     double(statistics.launches), double(statistics.compiles),
                     double(statistics.outputs),  double(current->trace.numValues())};
  SEXP x = Rf_mkNamed(REALSXP, names);
  std::copy(std::begin(values), std::end(values), REAL(x));
  return x;
}

/// Turns the disk cache on, or off with NULL.
SEXP C_disk_cache(SEXP path, SEXP limit) {
  openDiskCache(path == R_NilValue ? nullptr : Rf_translateCharUTF8(STRING_ELT(path, 0)),
                int64_t(Rf_asReal(limit)));
  return R_NilValue;
}

/// Counts of the disk cache, and why its last failure was.
SEXP C_disk_cache_info() {
  tenon_disk_cache_info info = diskCache();
  const char *names[] = {"entries", "bytes", "hits", "misses", "failures", "problem", ""};
  const double values[] = {double(info.entries), double(info.bytes), double(info.hits),
                           double(info.misses), double(info.failures)};
  SEXP x = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 5; i++)
    SET_VECTOR_ELT(x, i, Rf_ScalarReal(values[i]));
  SET_VECTOR_ELT(x, 5, diskCacheProblem());
  UNPROTECT(1);
  return x;
}

SEXP C_clear_cache() {
  clearPrograms();
  return R_NilValue;
}

SEXP C_threads(SEXP count) {
  int64_t before = tenon_num_threads();
  if (count != R_NilValue)
    check(tenon_set_num_threads(Rf_asInteger(count)));
  return Rf_ScalarInteger(int(before));
}

SEXP C_memory_budget(SEXP bytes) {
  if (bytes == R_NilValue)
    return Rf_ScalarReal(double(memoryBudget()));
  return Rf_ScalarReal(double(setMemoryBudget(int64_t(Rf_asReal(bytes)))));
}

/// How many devices a driver finds.
SEXP C_device_count(SEXP driver) {
  int64_t count = 0;
  check(tenon_device_count(CHAR(STRING_ELT(driver, 0)), &count));
  return Rf_ScalarInteger(int(count));
}

/// A device, opened if need be, by driver and index from 0.
SEXP C_device_info(SEXP driver, SEXP index) {
  tenon_device *device = nullptr;
  check(tenon_device_open(CHAR(STRING_ELT(driver, 0)), Rf_asInteger(index), &device));
  tenon_device_info info = {};
  tenon_status status = tenon_device_info_get(device, &info);
  double bytes = double(tenon_device_bytes(device));
  tenon_device_release(device);
  check(status);
  const char *names[] = {"name", "type", "memory", "free", "bytes", "features", ""};
  SEXP x = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(x, 0, Rf_mkString(info.description));
  SET_VECTOR_ELT(x, 1, Rf_mkString(info.kind));
  SET_VECTOR_ELT(x, 2, Rf_ScalarReal(double(info.memory_total)));
  SET_VECTOR_ELT(x, 3, Rf_ScalarReal(double(info.memory_free)));
  SET_VECTOR_ELT(x, 4, Rf_ScalarReal(bytes));
  SET_VECTOR_ELT(x, 5, Rf_mkString(info.features));
  UNPROTECT(1);
  return x;
}

SEXP C_profile(SEXP path) {
  check(path == R_NilValue ? tenon_profile_start() : tenon_profile_stop(CHAR(STRING_ELT(path, 0))));
  return R_NilValue;
}
}
