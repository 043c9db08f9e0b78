//===- Status.cpp - status objects and names of codes and types -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A status is one malloc'ed block that ends in its message.
//
//===----------------------------------------------------------------------===//
#include "runtime/Status.h"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

struct tenon_status_object {
  tenon_code code;
  char message[24]; ///< longer in allocated objects
};

/// Stands for every status that there was no memory to make.
static tenon_status_object outOfMemory = {TENON_ERROR_MEMORY, "out of memory"};

tenon_status tenon_status_make(tenon_code code, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  if (length < 0)
    length = 0;
  size_t bytes = offsetof(tenon_status_object, message) + size_t(length) + 1;
  if (bytes < sizeof(tenon_status_object))
    bytes = sizeof(tenon_status_object);
  auto *status = static_cast<tenon_status_object *>(std::malloc(bytes));
  if (!status) {
    va_end(again);
    return &outOfMemory;
  }
  status->code = code;
  char *text = reinterpret_cast<char *>(status) + offsetof(tenon_status_object, message);
  if (std::vsnprintf(text, size_t(length) + 1, format, again) < 0)
    text[0] = '\0';
  va_end(again);
  return status;
}

tenon_code tenon_status_code(tenon_status status) { return status ? status->code : TENON_OK; }

const char *tenon_status_message(tenon_status status) { return status ? status->message : ""; }

void tenon_status_free(tenon_status status) {
  if (status != &outOfMemory)
    std::free(status);
}

const char *tenon_code_name(tenon_code code) {
  switch (code) {
  case TENON_OK:
    return "ok";
  case TENON_ERROR_SHAPE:
    return "shape";
  case TENON_ERROR_DTYPE:
    return "dtype";
  case TENON_ERROR_ARGUMENT:
    return "argument";
  case TENON_ERROR_DEVICE:
    return "device";
  case TENON_ERROR_MEMORY:
    return "memory";
  case TENON_ERROR_IO:
    return "io";
  case TENON_ERROR_COMPILE:
    return "compile";
  case TENON_ERROR_CANCELLED:
    return "cancelled";
  }
  return "unknown";
}

int64_t tenon::runtime::dtypeSize(int64_t dtype) {
  switch (dtype) {
  case TENON_F64:
  case TENON_I64:
    return 8;
  case TENON_F32:
  case TENON_I32:
    return 4;
  case TENON_F16:
  case TENON_BF16:
    return 2;
  case TENON_I8:
  case TENON_I1:
    return 1;
  }
  return 0;
}

const char *tenon::runtime::dtypeName(int64_t dtype) {
  switch (dtype) {
  case TENON_F64:
    return "f64";
  case TENON_F32:
    return "f32";
  case TENON_F16:
    return "f16";
  case TENON_BF16:
    return "bf16";
  case TENON_I64:
    return "i64";
  case TENON_I32:
    return "i32";
  case TENON_I8:
    return "i8";
  case TENON_I1:
    return "i1";
  }
  return "unknown";
}

int64_t tenon_dtype_size(tenon_dtype dtype) { return tenon::runtime::dtypeSize(dtype); }

const char *tenon_dtype_name(tenon_dtype dtype) { return tenon::runtime::dtypeName(dtype); }

int64_t tenon_runtime_abi_version(void) { return TENON_ABI_VERSION; }

tenon_status tenon::runtime::nullArgument(const char *function, const char *argument) {
  return tenon_status_make(TENON_ERROR_ARGUMENT, "%s: '%s' is NULL", function, argument);
}
