//===- LinkedKernel.cpp - One kernel, compiled and linked -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "bench/LinkedKernel.h"

#include "codegen/cpu/CompileKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <cstdio>
#include <cstdlib>

namespace tenon::bench {

static void fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

LinkedKernel::LinkedKernel(const std::string &text, int compiles) {
  context.loadDialect<TenonDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto target = cpu::CpuTarget::get("native");
  if (!module || !target)
    fail("cannot parse");
  llvm::SmallVector<KernelOp> kernels;
  module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  llvm::FailureOr<cpu::CompiledKernels> compiled = mlir::failure();
  cpu::CompileOptions options;
  options.cached = false;
  for (int i = 0; i < compiles; i++) {
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    compiled = cpu::compileKernels(kernels, *target, options);
    double took = now(CLOCK_PROCESS_CPUTIME_ID) - start;
    seconds = i > 1 ? std::min(seconds, took) : took;
  }
  if (mlir::failed(compiled))
    fail("cannot compile");
  auto linked = cpu::JitProgram::link(llvm::ArrayRef<char>(compiled->objects[0].bytes));
  if (!linked)
    fail(llvm::toString(linked.takeError()));
  program = std::move(*linked);
  function =
      reinterpret_cast<tenon_kernel>(llvm::cantFail(program->lookup(compiled->objects[0].symbol)));
  auto bytes = [](mlir::AffineExpr expr) {
    return mlir::cast<mlir::AffineConstantExpr>(expr).getValue();
  };
  static const int32_t cancelled = 0;
  env.cancelled = &cancelled;
  env.parallel_for = [](tenon_env *env, tenon_body body, void *context, int64_t n, int64_t chunk) {
    for (int64_t begin = 0; begin < n; begin += chunk)
      body(env, context, begin, std::min(n, begin + chunk), 0);
  };
  env.scratch_shared = bytes(compiled->kernels[0].scratchShared);
  env.scratch_per_worker = bytes(compiled->kernels[0].scratchPerWorker);
  env.num_workers = 1;
  size_t total = size_t(env.scratch_shared + env.scratch_per_worker + 63) / 64 * 64;
  env.scratch = static_cast<unsigned char *>(std::aligned_alloc(64, total + 64));
}

LinkedKernel::~LinkedKernel() { std::free(env.scratch); }

} // namespace tenon::bench
