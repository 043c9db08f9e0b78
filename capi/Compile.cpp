//===- Compile.cpp - From a module to an executable -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Compile.h"

#include "capi/Reference.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tenon {

namespace {

/// One compilation: a context, what it complains of, and the module.
class Compilation {
public:
  Compilation() : lease(std::make_shared<ContextLease>()), diagnostics(lease->get()) {}

  tenon_status begin(MakeModule make, StringRef name);
  tenon_status differentiate();
  tenon_status reference(tenon_executable **executable);

private:
  tenon_status error(const char *fallback) {
    return tenon_status_make(TENON_ERROR_COMPILE, "%s", diagnostics.errors(fallback).c_str());
  }
  tenon_status select(StringRef name);

  std::shared_ptr<ContextLease> lease;
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace

/// Finds the function and drops the others: they are not part of the program.
tenon_status Compilation::select(StringRef name) {
  SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  std::string names;
  for (func::FuncOp each : functions) {
    names += (names.empty() ? "'" : ", '") + each.getName().str() + "'";
    if (name.empty() ? functions.size() == 1 : each.getName() == name)
      function = each;
  }
  if (!function && name.empty())
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "function: expected a name, as there are %zu functions: %s",
                             functions.size(), names.c_str());
  if (!function)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "function: no '%s' among %s", name.str().c_str(),
                             names.empty() ? "no functions" : names.c_str());
  if (!function.getBody().hasOneBlock())
    return tenon_status_make(TENON_ERROR_ARGUMENT, "function '%s': expected a body of one block",
                             function.getName().str().c_str());
  for (func::FuncOp each : functions)
    if (each != function)
      each.erase();
  return nullptr;
}

tenon_status Compilation::begin(MakeModule make, StringRef name) {
  module = make(lease->get());
  if (!module)
    return error("the program cannot be read");
  return select(name);
}

/// Gradients become ops; that is all that the interpreter asks for.
tenon_status Compilation::differentiate() {
  PassManager pm(lease->get());
  pm.addNestedPass<func::FuncOp>(createDeriveBackwardPass());
  if (failed(pm.run(*module)))
    return error("the gradient cannot be derived");
  return nullptr;
}

static tenon_status openDevice(tenon_device **device) { return tenon_device_open("cpu", 0, device); }

tenon_status Compilation::reference(tenon_executable **executable) {
  tenon_device *device;
  if (tenon_status status = openDevice(&device))
    return status;
  *executable = nullptr;
  tenon_status status =
      createReferenceExecutable(lease, std::move(module), function, device, executable);
  tenon_device_release(device);
  if (!status && !*executable)
    return error("the program cannot be interpreted");
  return status;
}

tenon_status compileModule(MakeModule make, StringRef function, const Options &options,
                           tenon_executable **executable) {
  Compilation compilation;
  if (tenon_status status = compilation.begin(make, function))
    return status;
  if (tenon_status status = compilation.differentiate())
    return status;
  return compilation.reference(executable);
}

tenon_status printModule(MakeModule make, const Options &options, StringRef phase,
                         std::string &text) {
  return tenon_status_make(TENON_ERROR_ARGUMENT, "phase: unknown \"%s\"", phase.str().c_str());
}

} // namespace tenon
