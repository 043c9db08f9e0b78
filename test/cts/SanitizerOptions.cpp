//===- SanitizerOptions.cpp - defaults for sanitized test runs ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests ask for memory that cannot be had and start threads after a fork, both on
// purpose. The sanitizers' runtimes call these functions where they are linked in.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1:die_after_fork=0";
}
