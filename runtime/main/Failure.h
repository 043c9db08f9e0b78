//===- Failure.h - How a generated program gives up -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrown with a message for the user, caught in tenon_main.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_MAIN_FAILURE_H
#define TENON_RUNTIME_MAIN_FAILURE_H

#include "tenon/runtime.h"

#include <string>

namespace tenon {

struct Failure {
  std::string message;
};

inline void check(tenon_status status) {
  if (!status)
    return;
  std::string message = tenon_status_message(status);
  tenon_status_free(status);
  throw Failure{message};
}

} // namespace tenon

#endif // TENON_RUNTIME_MAIN_FAILURE_H
