//===- CompileKernel.cpp - From kernels to objects ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CompileKernel.h"
#include "codegen/cpu/KernelCache.h"
#include "codegen/cpu/KernelWorker.h"
#include "runtime/platform/Platform.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SHA256.h"
#include <atomic>

using namespace mlir;

namespace tenon::cpu {
namespace {

/// A kernel to be compiled.
struct Task {
  std::string bytecode;
  int weight; ///< those that take long come first
  KernelOutcome outcome;
  bool done = false;
};

/// The kernel alone in a module, without locations and the memory plan: equal
/// kernels give equal bytes.
std::string bytecodeOf(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  Location unknown = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(unknown);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto type = b.getFunctionType(kernel->getOperandTypes(), kernel->getResultTypes());
  auto wrapper = b.create<func::FuncOp>(unknown, "wrapper", type);
  Block *entry = wrapper.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip(kernel->getOperands(), entry->getArguments()))
    mapping.map(operand, argument);
  auto copy = cast<KernelOp>(b.clone(*kernel, mapping));
  // The same value may be passed twice; operands are told apart here.
  copy->setOperands(entry->getArguments());
  copy->removeAttr("tenon.slots"); // where the results lie
  b.create<func::ReturnOp>(unknown, copy->getResults());
  copy->walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setLoc(unknown);
  });
  module->walk([&](Operation *op) { op->setLoc(unknown); });
  for (BlockArgument argument : entry->getArguments())
    argument.setLoc(unknown);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  (void)writeBytecodeToFile(*module, stream); // fails only for old versions
  return bytes;
}

std::string symbolOf(StringRef bytecode, const CompileOptions &options) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytecode));
  return "tenon_kernel_" + llvm::toHex(ArrayRef<uint8_t>(digest).take_front(12), true) +
         options.suffix;
}

/// Calls `work` with 0 here and with 1, 2, ... on other threads, as many as the system
/// has to give.
void onThreads(unsigned threads, llvm::function_ref<void(unsigned)> work) {
  struct Start {
    llvm::function_ref<void(unsigned)> work;
    unsigned number;
    runtime::platform::ThreadHandle thread;
  };
  std::vector<Start> others;
  others.reserve(threads); // the threads point into it
  for (unsigned number = 1; number < threads; ++number) {
    Start &start = others.emplace_back(Start{work, number, 0});
    auto run = [](void *argument) {
      auto *start = static_cast<Start *>(argument);
      start->work(start->number);
    };
    if (!runtime::platform::startThread(run, &start, start.thread)) {
      others.pop_back();
      break;
    }
  }
  work(0);
  for (Start &other : others)
    runtime::platform::join(other.thread);
}

/// Compiles all tasks that are not done, several at a time. Contexts whose
/// expressions are still to be read are kept in `workers`.
void compileAll(MutableArrayRef<Task> tasks, const KernelStrategies &strategies,
                const CpuTarget &target, const CompileOptions &options,
                std::vector<std::unique_ptr<KernelWorker>> &workers) {
  SmallVector<Task *> queue;
  for (Task &task : tasks)
    if (!task.done)
      queue.push_back(&task);
  if (queue.empty())
    return;
  llvm::sort(queue, [](Task *a, Task *b) {
    return std::make_pair(-a->weight, a) < std::make_pair(-b->weight, b);
  });
  unsigned threads = std::max(1u, std::min<unsigned>(options.threads, queue.size()));
  workers.resize(threads);
  std::atomic<size_t> next{0};
  auto work = [&](unsigned thread) {
    std::string error;
    for (size_t i; (i = next.fetch_add(1)) < queue.size();) {
      Task &task = *queue[i];
      if (isSet(options.cancelled)) {
        task.outcome.error = "cancelled";
        continue;
      }
      if (!workers[thread] && error.empty())
        workers[thread] = KernelWorker::acquire(target, options, error);
      if (workers[thread])
        workers[thread]->compile(task.bytecode, symbolOf(task.bytecode, options), strategies,
                                 task.outcome);
      else
        task.outcome.error = error;
    }
  };
  onThreads(threads, work);
}

/// One task for each distinct kernel; which one is noted in `kernels`.
std::vector<Task> makeTasks(ArrayRef<KernelOp> ops, const KernelStrategies &strategies,
                            std::vector<CompiledKernel> &kernels) {
  std::vector<Task> tasks;
  llvm::StringMap<unsigned> known;
  for (KernelOp op : ops) {
    std::string bytecode = bytecodeOf(op);
    auto [place, isNew] = known.try_emplace(bytecode, tasks.size());
    if (isNew) {
      const KernelStrategy *strategy = strategies.find(op.getStrategy());
      tasks.push_back({std::move(bytecode), strategy ? strategy->benefit() : 0, {}});
    }
    kernels.push_back({place->second, {}, {}});
  }
  return tasks;
}

FailureOr<CompiledKernels> compile(ArrayRef<KernelOp> ops, const KernelStrategies &strategies,
                                   const CpuTarget &target, const CompileOptions &options,
                                   KernelCache *cache) {
  CompiledKernels result;
  std::vector<Task> tasks = makeTasks(ops, strategies, result.kernels);
  std::string purpose = KernelCache::purpose(target, options);
  if (cache)
    for (Task &task : tasks)
      task.done =
          cache->find(purpose + task.bytecode, KernelOp(ops.front()).getContext(), task.outcome);
  std::vector<std::unique_ptr<KernelWorker>> workers;
  compileAll(tasks, strategies, target, options, workers);

  bool ok = true;
  for (auto [op, kernel] : llvm::zip(ops, result.kernels)) {
    KernelOp kernelOp = op;
    KernelOutcome &outcome = tasks[kernel.object].outcome;
    if (!outcome.error.empty()) {
      ok = false;
      kernelOp.emitError() << "cannot compile this '" << kernelOp.getStrategy()
                           << "' kernel: " << outcome.error;
      continue;
    }
    kernel.scratchShared = inContext(outcome.scratchShared, kernelOp.getContext());
    kernel.scratchPerWorker = inContext(outcome.scratchPerWorker, kernelOp.getContext());
  }
  if (cache)
    for (Task &task : tasks)
      if (!task.done && task.outcome.error.empty())
        cache->add(purpose + task.bytecode, task.outcome);
  for (std::unique_ptr<KernelWorker> &worker : workers)
    if (worker)
      KernelWorker::release(std::move(worker));
  if (!ok)
    return failure();
  for (Task &task : tasks)
    result.objects.push_back(std::move(task.outcome.object));
  return result;
}

} // namespace

FailureOr<CompiledKernels> compileKernels(ArrayRef<KernelOp> kernels,
                                          const KernelStrategies &strategies,
                                          const CpuTarget &target, const CompileOptions &options) {
  return compile(kernels, strategies, target, options, nullptr);
}

FailureOr<CompiledKernels> compileKernels(ArrayRef<KernelOp> kernels, const CpuTarget &target,
                                          const CompileOptions &options) {
  bool cached = options.cached && !options.texts;
  return compile(kernels, cpuStrategies(), target, options, cached ? &KernelCache::get() : nullptr);
}

void clearKernelCache() { KernelCache::get().clear(); }

} // namespace tenon::cpu
