//===- KernelWorker.cpp - Compiles kernels on one thread ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/KernelWorker.h"
#include "codegen/cpu/CpuFrame.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include <chrono>
#include <mutex>

using namespace mlir;

namespace tenon::cpu {

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<TenonDialect>();
  registerCpuDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

KernelWorker::KernelWorker(const CpuTarget &target, const CompileOptions &options)
    : target(target), options(options), context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  lowering = std::make_unique<LowerToLLVM>(&context, this->target);
}

struct KernelWorker::Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<KernelWorker>> workers;
};

KernelWorker::Idle &KernelWorker::idle() {
  static Idle *all = new Idle; // outlives threads that still compile at exit
  return *all;
}

std::unique_ptr<KernelWorker>
KernelWorker::acquire(const CpuTarget &target, const CompileOptions &options, std::string &error) {
  {
    std::lock_guard<std::mutex> lock(idle().mutex);
    auto &workers = idle().workers;
    auto found = llvm::find_if(workers, [&](auto &w) { return w->fits(target, options); });
    if (found != workers.end()) {
      std::unique_ptr<KernelWorker> worker = std::move(*found);
      workers.erase(found);
      worker->options = options;
      return worker;
    }
  }
  std::unique_ptr<KernelWorker> worker(new KernelWorker(target, options));
  auto code = ObjectCode::create(target, options.optLevel);
  if (!code) {
    error = llvm::toString(code.takeError());
    return nullptr;
  }
  worker->code = std::move(*code);
  return worker;
}

void KernelWorker::release(std::unique_ptr<KernelWorker> worker) {
  std::lock_guard<std::mutex> lock(idle().mutex);
  if (worker->compiled < maxCompiled && idle().workers.size() < maxIdle)
    idle().workers.push_back(std::move(worker));
}

/// Emits, lowers and compiles the one kernel of `module`.
LogicalResult KernelWorker::emit(ModuleOp module, StringRef symbol,
                                 const KernelStrategies &strategies, KernelOutcome &outcome) {
  auto wrapper = cast<func::FuncOp>(module.getBody()->front());
  KernelOp kernel = *wrapper.getOps<KernelOp>().begin();
  const KernelStrategy *strategy = strategies.find(kernel.getStrategy());
  if (!strategy)
    return kernel.emitError() << "unknown kernel strategy '" << kernel.getStrategy() << "'";
  CpuFrame frame(module, kernel, symbol, target);
  if (failed(static_cast<const CpuStrategy *>(strategy)->emit(frame)))
    return failure();
  frame.finish();
  std::optional<SmallVector<BufferBytes>> checks;
  if (options.boundsChecks)
    checks = bufferBytes(kernel);
  outcome.scratchShared = frame.sharedBytes();
  outcome.scratchPerWorker = frame.workerBytes();
  wrapper.erase();
  if (options.texts)
    llvm::raw_string_ostream(outcome.object.texts.emitted) << *module;
  if (options.verify && failed(verify(module)))
    return failure();
  if (isSet(options.cancelled))
    return module.emitError("cancelled");
  if (failed(lowering->run(module)) || (options.verify && failed(verify(module))))
    return failure();
  ObjectCode::Wanted wanted{options.texts ? &outcome.object.texts : nullptr, options.cancelled,
                            symbol, checks};
  auto object = code->compile(module, wanted);
  if (!object)
    return module.emitError() << llvm::toString(object.takeError());
  outcome.object.bytes = std::move(*object);
  return success();
}

void KernelWorker::compile(StringRef bytecode, StringRef symbol, const KernelStrategies &strategies,
                           KernelOutcome &outcome) {
  auto start = std::chrono::steady_clock::now();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    if (!outcome.error.empty())
      outcome.error += "; ";
    outcome.error += diagnostic.str();
  });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, config);
  if (!module || failed(emit(*module, symbol, strategies, outcome)))
    if (outcome.error.empty())
      outcome.error = "code generation failed without giving a reason";
  outcome.object.symbol = symbol.str();
  ++compiled;
  outcome.object.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace tenon::cpu
