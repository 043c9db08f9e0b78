//===- Compile.h - From a module to an executable ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole compilation for the device that the options name, as the C API's
// entries share it. Diagnostics become a status; nothing of MLIR leaves.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_COMPILE_H
#define TENON_CAPI_COMPILE_H

#include "capi/Contexts.h"
#include "capi/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

/// Makes the module to compile in a context; null after a diagnostic.
using MakeModule =
    llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext *context)>;

/// Compiles a function of the module (empty: its only one).
tenon_status compileModule(MakeModule make, llvm::StringRef function, const Options &options,
                           tenon_executable **executable);

/// Prints the module after a phase; see tenon_print_trace.
tenon_status printModule(MakeModule make, const Options &options, llvm::StringRef phase,
                         std::string &text);

} // namespace tenon

#endif // TENON_CAPI_COMPILE_H
