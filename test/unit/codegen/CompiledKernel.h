//===- CompiledKernel.h - A kernel for a unit test --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles code that a function emits into a frame, links it and runs it with an
// environment of two workers that take slices in turn.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_UNIT_CODEGEN_COMPILEDKERNEL_H
#define TENON_TEST_UNIT_CODEGEN_COMPILEDKERNEL_H

#include "codegen/cpu/CompileKernel.h"
#include "codegen/cpu/Jit.h"
#include "codegen/cpu/KernelFrame.h"
#include "tenon/artifact.h"
#include "test/unit/codegen/EvaluateSize.h"

#include "mlir/Parser/Parser.h"
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace tenon::test {

using Emit = std::function<llvm::LogicalResult(cpu::KernelFrame &)>;

class TestStrategy : public cpu::CpuStrategy {
public:
  explicit TestStrategy(Emit emitter) : emitter(std::move(emitter)) {}
  llvm::StringRef name() const override { return "test"; }
  int benefit() const override { return 1; }
  bool canRoot(mlir::Operation *) const override { return false; }
  bool canFuseProducer(const KernelGroup &, mlir::Operation *, std::string &) const override {
    return false;
  }
  bool canFuseConsumer(const KernelGroup &, mlir::Operation *, std::string &) const override {
    return false;
  }
  llvm::LogicalResult emit(cpu::KernelFrame &frame) const override { return emitter(frame); }

private:
  Emit emitter;
};

class Kernel {
public:
  /// A kernel of these operand and result types whose code is what `emit` emits.
  /// Its body, which `emit` does not read, is of no matter.
  Kernel(const std::string &operands, const std::string &results, Emit emit,
         const char *march = "native", bool boundsChecks = false)
      : boundsChecks(boundsChecks) {
    context.loadDialect<TenonDialect, mlir::func::FuncDialect>();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) { message += diagnostic.str() + "\n"; });
    std::string arguments, names, text;
    size_t count = 0;
    for (llvm::StringRef rest = operands; !rest.empty(); ++count) {
      size_t end = std::min(rest.find('>') + 1, rest.size());
      std::string separator = count ? ", " : "";
      arguments += separator + "%a" + std::to_string(count) + ": " + rest.take_front(end).str();
      names += separator + "%a" + std::to_string(count);
      rest = rest.drop_front(end).ltrim(", ");
    }
    std::string type = results, first = operands.substr(0, operands.find('>') + 1);
    text = "func.func @f(" + arguments + ") -> " + type + " {\n%r = tenon.kernel \"test\"(" +
           names + ") : (" + operands + ") -> " + type + " {\n^bb0(" + renamed(arguments) +
           "):\n  %u = builtin.unrealized_conversion_cast %b0 : " + first + " to " + type +
           "\n  tenon.yield %u : " + type + "\n}\nreturn %r : " + type + "\n}";
    mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, config);
    if (module)
      compile(std::make_unique<TestStrategy>(std::move(emit)), march);
  }

  /// The first kernel of a module, by a strategy of its own name.
  Kernel(const std::string &text, std::unique_ptr<cpu::CpuStrategy> strategy,
         const char *march = "native") {
    context.loadDialect<TenonDialect, mlir::func::FuncDialect>();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) { message += diagnostic.str() + "\n"; });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (module)
      compile(std::move(strategy), march);
  }

  int32_t cancelled = 0; ///< the flag that its runs see

  bool ok() const { return program != nullptr; }
  const std::string &error() const { return message; }
  int64_t sharedBytes(llvm::ArrayRef<int64_t> extents) const {
    return evaluateSize(compiled.kernels[0].scratchShared, extents);
  }
  int64_t perWorkerBytes(llvm::ArrayRef<int64_t> extents) const {
    return evaluateSize(compiled.kernels[0].scratchPerWorker, extents);
  }

  void run(std::vector<void *> buffers, std::vector<int64_t> extents) {
    constexpr int64_t workers = 2, guard = 64;
    tenon_env env = {};
    env.cancelled = &cancelled;
    env.parallel_for = [](tenon_env *env, tenon_body body, void *context, int64_t n,
                          int64_t chunk) {
      for (int64_t begin = 0, worker = 0; begin < n; begin += chunk, worker = 1 - worker)
        body(env, context, begin, std::min(n, begin + chunk), worker);
    };
    env.scratch_shared = sharedBytes(extents);
    env.scratch_per_worker = perWorkerBytes(extents);
    env.num_workers = workers;
    int64_t total = env.scratch_shared + workers * env.scratch_per_worker;
    auto *memory = static_cast<unsigned char *>(
        std::aligned_alloc(64, size_t((total + guard + 63) / 64 * 64)));
    std::memset(memory, 0xa5, size_t(total + guard));
    env.scratch = memory;
    function(&env, buffers.data(), extents.data());
    for (int64_t i = total; i < total + guard; ++i)
      ASSERT_EQ(memory[i], 0xa5) << "scratch was overrun";
    std::free(memory);
  }

  tenon_kernel entry() const { return function; }
  const cpu::KernelObject &object() const { return compiled.objects[0]; }

private:
  static std::string renamed(std::string arguments) {
    for (char &c : arguments)
      if (c == 'a' && &c != arguments.data() && (&c)[-1] == '%')
        c = 'b';
    return arguments;
  }

  void compile(std::unique_ptr<cpu::CpuStrategy> strategy, const char *march) {
    auto target = cpu::CpuTarget::get(march);
    if (!target) {
      message = llvm::toString(target.takeError());
      return;
    }
    KernelStrategies strategies;
    strategies.add(std::move(strategy));
    llvm::SmallVector<KernelOp> kernels;
    module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    cpu::CompileOptions options;
    options.verify = options.texts = true;
    options.boundsChecks = boundsChecks;
    auto result = cpu::compileKernels(kernels, strategies, *target, options);
    if (mlir::failed(result))
      return;
    compiled = std::move(*result);
    auto linked = cpu::JitProgram::link(llvm::ArrayRef<char>(compiled.objects[0].bytes));
    if (!linked) {
      message = llvm::toString(linked.takeError());
      return;
    }
    auto address = (*linked)->lookup(compiled.objects[0].symbol);
    if (!address) {
      message = llvm::toString(address.takeError());
      return;
    }
    program = std::move(*linked);
    function = reinterpret_cast<tenon_kernel>(*address);
  }

  bool boundsChecks = false;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  cpu::CompiledKernels compiled;
  std::unique_ptr<cpu::JitProgram> program;
  tenon_kernel function = nullptr;
  std::string message;
};

} // namespace tenon::test

#endif // TENON_TEST_UNIT_CODEGEN_COMPILEDKERNEL_H
