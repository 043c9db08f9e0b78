//===- Status.h - errors inside the runtime ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers around tenon_status: propagation, and the guard that keeps exceptions
// inside the library.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_STATUS_H
#define TENON_RUNTIME_STATUS_H

#include "tenon/runtime.h"

#include <cinttypes>
#include <exception>
#include <new>

/// Returns from the enclosing function when `expression` yields an error.
#define TENON_TRY(expression)                                                                      \
  do {                                                                                             \
    if (tenon_status tenonTryStatus = (expression))                                                \
      return tenonTryStatus;                                                                       \
  } while (false)

namespace tenon::runtime {

/// Runs the body of an entry point; what it throws becomes a status.
template <typename Function> tenon_status guarded(Function &&function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return tenon_status_make(TENON_ERROR_MEMORY, "out of memory for the runtime's own tables");
  } catch (const std::exception &error) {
    return tenon_status_make(TENON_ERROR_DEVICE, "unexpected failure: %s", error.what());
  }
}

/// As tenon_dtype_size and tenon_dtype_name, for a number that may be no dtype:
/// it must not be made a tenon_dtype before it is known to be one. 0 and
/// "unknown".
int64_t dtypeSize(int64_t dtype);
const char *dtypeName(int64_t dtype);

/// A status that says that a required pointer argument is NULL.
tenon_status nullArgument(const char *function, const char *argument);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_STATUS_H
