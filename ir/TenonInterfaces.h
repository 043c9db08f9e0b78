//===- TenonInterfaces.h - What ops answer ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated op interfaces. Array is only declared, so that the dialect does not
// depend on the interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_TENONINTERFACES_H
#define TENON_IR_TENONINTERFACES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace tenon::reference {
struct Array; // reference/Array.h
}

#include "ir/TenonInterfaces.h.inc"

#endif // TENON_IR_TENONINTERFACES_H
