//===- Reference.h - Programs that run on the interpreter -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device "reference": the oracle behind the same C API as compiled code, so
// that any caller can compare the two.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_REFERENCE_H
#define TENON_CAPI_REFERENCE_H

#include "capi/Contexts.h"
#include "capi/Options.h"
#include "tenon/runtime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// An executable on the cpu's device that interprets a function, `kind` saying whether
/// with bounds. Takes the module
/// that holds it and the context both live in. The error, if any, is a diagnostic
/// and the status is null with no executable made.
tenon_status createReferenceExecutable(std::shared_ptr<ContextLease> context,
                                       mlir::OwningOpRef<mlir::ModuleOp> module,
                                       mlir::func::FuncOp function, Options::Device kind,
                                       tenon_device *device, tenon_executable **executable);

} // namespace tenon

#endif // TENON_CAPI_REFERENCE_H
