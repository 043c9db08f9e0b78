//===- Dialects.h - What the compiler's contexts know -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One place that names all that a context must be able to load, whatever it is for.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_DIALECTS_H
#define TENON_CAPI_DIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace tenon {

/// The dialects of every layer with the models of their interfaces: backward rules
/// and the reference interpreter.
const mlir::DialectRegistry &compilerDialects();

} // namespace tenon

#endif // TENON_CAPI_DIALECTS_H
