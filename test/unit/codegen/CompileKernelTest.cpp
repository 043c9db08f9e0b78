//===- CompileKernelTest.cpp - Targets, equal kernels, errors, linking ----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/CompiledKernel.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

using namespace mlir;
using namespace tenon;
using namespace tenon::cpu;
using namespace tenon::test;

namespace {

CpuTarget native() { return llvm::cantFail(CpuTarget::get("native")); }

/// Stores the extent of the result's first axis in its first element.
LogicalResult emitExtent(KernelFrame &frame) {
  OpBuilder &b = frame.builder();
  Value n = frame.extent(1, 0);
  Value word = b.create<arith::IndexCastOp>(frame.loc(), b.getI64Type(), n);
  b.create<memref::StoreOp>(frame.loc(), word, frame.result(0), frame.index(0));
  return success();
}

struct Program {
  explicit Program(llvm::StringRef text, Emit emit = emitExtent) {
    context.loadDialect<TenonDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    strategies.add(std::make_unique<TestStrategy>(std::move(emit)));
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  llvm::SmallVector<KernelOp> kernels;
  KernelStrategies strategies;
};

const char *threeKernels = R"(
func.func @f(%a: tensor<8xi64>, %b: tensor<9xi64>) -> (tensor<8xi64>, tensor<8xi64>, tensor<9xi64>) {
  %0 = tenon.kernel "test"(%a) : (tensor<8xi64>) -> tensor<8xi64> {
  ^bb0(%x: tensor<8xi64>):
    tenon.yield %x : tensor<8xi64>
  }
  %1 = tenon.kernel "test"(%0) : (tensor<8xi64>) -> tensor<8xi64> {
  ^bb0(%x: tensor<8xi64>):
    tenon.yield %x : tensor<8xi64>
  }
  %2 = tenon.kernel "test"(%b) : (tensor<9xi64>) -> tensor<9xi64> {
  ^bb0(%x: tensor<9xi64>):
    tenon.yield %x : tensor<9xi64>
  }
  return %0, %1, %2 : tensor<8xi64>, tensor<8xi64>, tensor<9xi64>
})";

TEST(CompileKernel, EqualKernelsAreCompiledOnce) {
  Program program(threeKernels);
  auto compiled = compileKernels(program.kernels, program.strategies, native(), {});
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->objects.size(), 2u);
  EXPECT_EQ(compiled->kernels[0].object, compiled->kernels[1].object);
  EXPECT_NE(compiled->kernels[0].object, compiled->kernels[2].object);
  EXPECT_NE(compiled->objects[0].symbol, compiled->objects[1].symbol);
}

TEST(CompileKernel, SameSourceGivesSameBytes) {
  Program first(threeKernels), second(threeKernels);
  CompileOptions one, several;
  one.threads = 1;
  several.threads = 2;
  auto a = compileKernels(first.kernels, first.strategies, native(), one);
  auto b = compileKernels(second.kernels, second.strategies, native(), several);
  ASSERT_TRUE(succeeded(a) && succeeded(b));
  for (size_t i = 0; i < a->objects.size(); ++i) {
    EXPECT_EQ(a->objects[i].symbol, b->objects[i].symbol);
    EXPECT_TRUE(a->objects[i].bytes == b->objects[i].bytes);
  }
}

/// Threads that emit: this one, then others, which leave signals to those of the program.
TEST(CompileKernel, CompilesOnTheThreadsThatItIsGiven) {
  auto emitters = [](unsigned threads) {
    static std::mutex lock;
    static std::condition_variable changed;
    static std::set<std::thread::id> seen;
    static unsigned expected;
    seen.clear();
    expected = threads;
    Program program(threeKernels, [](KernelFrame &frame) {
      std::unique_lock<std::mutex> guard(lock);
      seen.insert(std::this_thread::get_id());
      changed.notify_all();
      changed.wait(guard, [] { return seen.size() >= expected; });
      return emitExtent(frame);
    });
    CompileOptions options;
    options.threads = threads;
    EXPECT_TRUE(succeeded(compileKernels(program.kernels, program.strategies, native(), options)));
    return seen;
  };
  EXPECT_EQ(emitters(1), std::set<std::thread::id>{std::this_thread::get_id()});
  EXPECT_EQ(emitters(2).size(), 2u);
}

TEST(CompileKernel, ItsThreadsTakeNoSignals) {
  static std::thread::id caller;
  static std::atomic<int> others, open, arrived;
  caller = std::this_thread::get_id();
  others = open = arrived = 0;
  Program program(threeKernels, [](KernelFrame &frame) {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (std::this_thread::get_id() != caller) {
      ++others;
      open += !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGALRM);
    }
    for (++arrived; arrived < 2;) // both threads get a kernel
      std::this_thread::yield();
    return emitExtent(frame);
  });
  CompileOptions options;
  options.threads = 2;
  ASSERT_TRUE(succeeded(compileKernels(program.kernels, program.strategies, native(), options)));
  EXPECT_EQ(others, 1);
  EXPECT_EQ(open, 0);
}

TEST(CompileKernel, WhatWasCompiledIsRemembered) {
  const char *text = R"(
func.func @f(%a: tensor<8x?xf32>) -> tensor<8xf32> {
  %0 = tenon.kernel "rows"(%a) : (tensor<8x?xf32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<8x?xf32>):
    %s = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<8x?xf32>) -> tensor<8xf32>
    tenon.yield %s : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
})";
  clearKernelCache();
  Program first(text), second(text), third(text);
  auto a = compileKernels(first.kernels, native());
  auto b = compileKernels(second.kernels, native());
  clearKernelCache();
  auto c = compileKernels(third.kernels, native());
  ASSERT_TRUE(succeeded(a) && succeeded(b) && succeeded(c));
  EXPECT_GT(a->objects[0].seconds, 0);
  EXPECT_EQ(b->objects[0].seconds, 0);
  EXPECT_GT(c->objects[0].seconds, 0);
  EXPECT_TRUE(a->objects[0].bytes == b->objects[0].bytes);
  EXPECT_TRUE(a->objects[0].bytes == c->objects[0].bytes);
  EXPECT_EQ(b->kernels[0].scratchShared.getContext(), &second.context);
}

/// The flag is set while a kernel is compiled: LLVM's passes are skipped from there on.
TEST(CompileKernel, AKernelCaughtByTheFlagIsDropped) {
  static CancelFlag cancelled;
  cancelled = false;
  Program program(threeKernels, [](KernelFrame &frame) {
    cancelled = true;
    return emitExtent(frame);
  });
  CompileOptions options;
  options.cancelled = &cancelled;
  std::string message;
  ScopedDiagnosticHandler handler(&program.context,
                                  [&](Diagnostic &d) { message += d.str() + "\n"; });
  EXPECT_TRUE(failed(compileKernels(program.kernels, program.strategies, native(), options)));
  EXPECT_NE(message.find("cancelled"), std::string::npos) << message;
}

TEST(CompileKernel, WhatWasCancelledIsNotRemembered) {
  const char *text = R"(
func.func @f(%a: tensor<8x9xf32>) -> tensor<8xf32> {
  %0 = tenon.kernel "rows"(%a) : (tensor<8x9xf32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<8x9xf32>):
    %s = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<8x9xf32>) -> tensor<8xf32>
    tenon.yield %s : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
})";
  clearKernelCache();
  Program first(text), second(text);
  ScopedDiagnosticHandler handler(&first.context, [](Diagnostic &) {});
  CancelFlag cancelled{true};
  CompileOptions options;
  options.cancelled = &cancelled;
  EXPECT_TRUE(failed(compileKernels(first.kernels, native(), options)));
  auto compiled = compileKernels(second.kernels, native());
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_GT(compiled->objects[0].seconds, 0);
}

TEST(CompileKernel, UnknownStrategyIsAnErrorAtTheKernel) {
  Program program(threeKernels);
  std::string message;
  ScopedDiagnosticHandler handler(&program.context,
                                  [&](Diagnostic &d) { message += d.str() + "\n"; });
  EXPECT_TRUE(failed(compileKernels(program.kernels, KernelStrategies(), native(), {})));
  EXPECT_NE(message.find("unknown kernel strategy 'test'"), std::string::npos) << message;
}

TEST(CompileKernel, LevelAboveThreeIsRefused) {
  Program program(threeKernels);
  std::string message;
  ScopedDiagnosticHandler handler(&program.context,
                                  [&](Diagnostic &d) { message += d.str() + "\n"; });
  CompileOptions options;
  options.optLevel = 4;
  EXPECT_TRUE(failed(compileKernels(program.kernels, program.strategies, native(), options)));
  EXPECT_NE(message.find("optimization level 4: expected 0 to 3"), std::string::npos) << message;
}

TEST(CompileKernel, EveryLevelGivesWorkingCode) {
  for (unsigned level = 0; level <= 3; ++level) {
    Program program(threeKernels);
    CompileOptions options;
    options.optLevel = level;
    auto compiled = compileKernels(program.kernels, program.strategies, native(), options);
    ASSERT_TRUE(succeeded(compiled));
    auto linked = llvm::cantFail(JitProgram::link(
        {llvm::ArrayRef<char>(compiled->objects[0].bytes), compiled->objects[1].bytes}));
    auto run = [&](unsigned object) {
      auto kernel = reinterpret_cast<tenon_kernel>(
          llvm::cantFail(linked->lookup(compiled->objects[object].symbol)));
      tenon_env env = {};
      int64_t value = 0;
      void *buffers[] = {nullptr, &value};
      kernel(&env, buffers, nullptr);
      return value;
    };
    EXPECT_EQ(run(0), 8);
    EXPECT_EQ(run(1), 9);
  }
}

TEST(JitProgram, UnknownSymbolIsAnError) {
  Program program(threeKernels);
  auto compiled = compileKernels(program.kernels, program.strategies, native(), {});
  ASSERT_TRUE(succeeded(compiled));
  auto linked = llvm::cantFail(JitProgram::link(llvm::ArrayRef<char>(compiled->objects[0].bytes)));
  auto found = linked->lookup("nothing");
  ASSERT_FALSE(bool(found));
  EXPECT_NE(llvm::toString(found.takeError()).find("nothing"), std::string::npos);
}

TEST(JitProgram, GarbageIsAnError) {
  llvm::StringRef text = "not an object";
  auto linked = JitProgram::link(llvm::ArrayRef<char>(text.data(), text.size()));
  EXPECT_FALSE(bool(linked));
  llvm::consumeError(linked.takeError());
}

TEST(CpuTarget, LevelsSayWhatTheyCanDo) {
  struct {
    const char *march;
    int bytes, registers;
    bool fma, f16, masks;
  } expected[] = {{"x86-64-v2", 16, 16, false, false, false},
                  {"x86-64-v3", 32, 16, true, true, false},
                  {"x86-64-v4", 64, 32, true, true, true},
                  {"znver4", 64, 32, true, true, true}};
  for (auto &e : expected) {
    CpuTarget target = llvm::cantFail(CpuTarget::get(e.march));
    EXPECT_EQ(target.vectorBytes, e.bytes) << e.march;
    EXPECT_EQ(target.vectorRegisters, e.registers) << e.march;
    EXPECT_EQ(target.hasFma, e.fma) << e.march;
    EXPECT_EQ(target.hasF16, e.f16) << e.march;
    EXPECT_EQ(target.hasMaskedMemory, e.masks) << e.march;
  }
  EXPECT_TRUE(native().runsHere());
  EXPECT_TRUE(llvm::cantFail(CpuTarget::get("x86-64-v2")).runsHere());
}

TEST(CpuTarget, UnknownAndTooOldProcessorsAreRefused) {
  auto unknown = CpuTarget::get("x86-65");
  ASSERT_FALSE(bool(unknown));
  EXPECT_EQ(llvm::toString(unknown.takeError()),
            "unknown processor 'x86-65'; expected native, x86-64-v2, x86-64-v3, x86-64-v4 or a "
            "name that LLVM knows");
  auto old = CpuTarget::get("x86-64");
  ASSERT_FALSE(bool(old));
  EXPECT_NE(llvm::toString(old.takeError()).find("lacks SSE4.1"), std::string::npos);
}

} // namespace
