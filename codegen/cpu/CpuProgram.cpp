//===- CpuProgram.cpp - A planned function as native code -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuProgram.h"

#include "codegen/cpu/Jit.h"

using namespace mlir;

namespace tenon::cpu {

static FailureOr<std::shared_ptr<JitProgram>> link(func::FuncOp function,
                                                   const CompiledKernels &compiled) {
  SmallVector<ArrayRef<char>> objects;
  for (const KernelObject &object : compiled.objects)
    objects.push_back(object.bytes);
  llvm::Expected<std::unique_ptr<JitProgram>> linked = JitProgram::link(objects);
  if (!linked)
    return function.emitError("linking failed: ") << llvm::toString(linked.takeError());
  return std::shared_ptr<JitProgram>(std::move(*linked));
}

FailureOr<std::unique_ptr<Program>> buildCpuProgram(func::FuncOp function, const CpuTarget &target,
                                                    const CompileOptions &options) {
  FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
  if (failed(shapes))
    return failure();
  SmallVector<KernelOp> kernels = kernelsOf(function);
  FailureOr<CompiledKernels> compiled = compileKernels(kernels, target, options);
  if (failed(compiled))
    return failure();
  FailureOr<std::shared_ptr<JitProgram>> jit = link(function, *compiled);
  if (failed(jit))
    return failure();
  SmallVector<KernelCode> codes;
  for (const CompiledKernel &kernel : compiled->kernels) {
    llvm::Expected<void *> address = (*jit)->lookup(compiled->objects[kernel.object].symbol);
    if (!address)
      return function.emitError("linking failed: ") << llvm::toString(address.takeError());
    codes.push_back({reinterpret_cast<tenon_kernel>(*address),
                     kernel.scratchShared,
                     kernel.scratchPerWorker,
                     {}});
  }
  std::unique_ptr<Program> program = buildProgram(function, *shapes, codes);
  program->code = *jit;
  return std::move(program);
}

} // namespace tenon::cpu
