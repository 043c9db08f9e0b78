//===- TenonOps.h - The ops of the dialect ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that code needs to name an op, generated from ir/ops/*.td.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_TENONOPS_H
#define TENON_IR_TENONOPS_H

#include "ir/TenonDialect.h"
#include "ir/TenonInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/TenonEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TenonAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/TenonOps.h.inc"

#endif // TENON_IR_TENONOPS_H
