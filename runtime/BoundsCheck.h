//===- BoundsCheck.h - Accesses of kernels, checked -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels call that were compiled with bounds checks; see tenon_env.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_BOUNDSCHECK_H
#define TENON_RUNTIME_BOUNDSCHECK_H

#include "tenon/artifact.h"

namespace tenon::runtime {

void beginChecks(tenon_env *env, int64_t count, void *const *buffers, const int64_t *bytes);
void *checkAccess(tenon_env *env, void *address, int64_t bytes, int64_t buffer, int64_t writes);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_BOUNDSCHECK_H
