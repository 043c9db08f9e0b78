//===- CompileKernel.cpp - From kernels to objects ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CompileKernel.h"
#include "codegen/cpu/KernelFrame.h"
#include "codegen/cpu/LowerToLLVM.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/SHA256.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace mlir;

namespace tenon::cpu {
namespace {

/// What a worker makes of one kernel. Expressions belong to the worker's context.
struct Outcome {
  KernelObject object;
  AffineExpr scratchShared, scratchPerWorker;
  std::string error; ///< why not
};

/// A context with all that compiling takes. Making one costs more than compiling
/// a small kernel, so they are kept.
class Worker {
public:
  static std::unique_ptr<Worker> acquire(const CpuTarget &target, const CompileOptions &options,
                                         std::string &error);
  static void release(std::unique_ptr<Worker> worker);

  void compile(StringRef bytecode, StringRef symbol, const KernelStrategies &strategies,
               Outcome &outcome);

private:
  Worker(const CpuTarget &target, const CompileOptions &options);
  LogicalResult emit(ModuleOp module, StringRef symbol, const KernelStrategies &strategies,
                     Outcome &outcome);
  bool fits(const CpuTarget &wanted, const CompileOptions &asked) const {
    return target.triple == wanted.triple && target.cpu == wanted.cpu &&
           target.features == wanted.features && options.optLevel == asked.optLevel;
  }

  CpuTarget target;
  CompileOptions options;
  MLIRContext context;
  std::unique_ptr<LowerToLLVM> lowering;
  std::unique_ptr<ObjectCode> code;
  unsigned compiled = 0;

  /// Types and attributes of a context are never freed, so it is not kept for ever.
  static constexpr unsigned maxCompiled = 1000;
  static constexpr size_t maxIdle = 8;
  struct Idle {
    std::mutex mutex;
    std::vector<std::unique_ptr<Worker>> workers;
  };
  static Idle &idle() {
    static Idle *all = new Idle; // outlives threads that still compile at exit
    return *all;
  }
};

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<TenonDialect>();
  registerCpuDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

Worker::Worker(const CpuTarget &target, const CompileOptions &options)
    : target(target), options(options),
      context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  lowering = std::make_unique<LowerToLLVM>(&context, this->target);
}

std::unique_ptr<Worker> Worker::acquire(const CpuTarget &target, const CompileOptions &options,
                                        std::string &error) {
  {
    std::lock_guard<std::mutex> lock(idle().mutex);
    auto &workers = idle().workers;
    auto found = llvm::find_if(workers, [&](auto &w) { return w->fits(target, options); });
    if (found != workers.end()) {
      std::unique_ptr<Worker> worker = std::move(*found);
      workers.erase(found);
      worker->options = options;
      return worker;
    }
  }
  std::unique_ptr<Worker> worker(new Worker(target, options));
  auto code = ObjectCode::create(target, options.optLevel);
  if (!code) {
    error = llvm::toString(code.takeError());
    return nullptr;
  }
  worker->code = std::move(*code);
  return worker;
}

void Worker::release(std::unique_ptr<Worker> worker) {
  std::lock_guard<std::mutex> lock(idle().mutex);
  if (worker->compiled < maxCompiled && idle().workers.size() < maxIdle)
    idle().workers.push_back(std::move(worker));
}

/// Emits, lowers and compiles the one kernel of `module`.
LogicalResult Worker::emit(ModuleOp module, StringRef symbol, const KernelStrategies &strategies,
                           Outcome &outcome) {
  auto wrapper = cast<func::FuncOp>(module.getBody()->front());
  KernelOp kernel = *wrapper.getOps<KernelOp>().begin();
  const KernelStrategy *strategy = strategies.find(kernel.getStrategy());
  if (!strategy)
    return kernel.emitError() << "unknown kernel strategy '" << kernel.getStrategy() << "'";
  KernelFrame frame(module, kernel, symbol, target);
  if (failed(static_cast<const CpuStrategy *>(strategy)->emit(frame)))
    return failure();
  frame.finish();
  outcome.scratchShared = frame.sharedBytes();
  outcome.scratchPerWorker = frame.workerBytes();
  wrapper.erase();
  if (options.texts)
    llvm::raw_string_ostream(outcome.object.texts.emitted) << *module;
  if (options.verify && failed(verify(module)))
    return failure();
  if (failed(lowering->run(module)) || (options.verify && failed(verify(module))))
    return failure();
  auto object = code->compile(module, options.texts ? &outcome.object.texts : nullptr);
  if (!object)
    return module.emitError() << llvm::toString(object.takeError());
  outcome.object.bytes = std::move(*object);
  return success();
}

void Worker::compile(StringRef bytecode, StringRef symbol, const KernelStrategies &strategies,
                     Outcome &outcome) {
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

std::string symbolOf(StringRef bytecode) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytecode));
  return "tenon_kernel_" + llvm::toHex(ArrayRef<uint8_t>(digest).take_front(12), true);
}

/// The expression in another context.
AffineExpr transfer(AffineExpr expr, MLIRContext *context) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getAffineConstantExpr(constant.getValue(), context);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getAffineSymbolExpr(symbol.getPosition(), context);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return getAffineBinaryOpExpr(expr.getKind(), transfer(binary.getLHS(), context),
                               transfer(binary.getRHS(), context));
}

/// Compiles all, several at a time. Contexts whose expressions are still to be
/// read are kept in `workers`.
void compileAll(ArrayRef<std::string> bytecodes, const KernelStrategies &strategies,
                const CpuTarget &target, const CompileOptions &options,
                std::vector<Outcome> &outcomes, std::vector<std::unique_ptr<Worker>> &workers) {
  unsigned threads = options.threads ? options.threads : std::thread::hardware_concurrency();
  threads = std::max(1u, std::min<unsigned>(threads, bytecodes.size()));
  workers.resize(threads);
  std::atomic<size_t> next{0};
  auto work = [&](unsigned thread) {
    std::string error;
    for (size_t i; (i = next.fetch_add(1)) < bytecodes.size();) {
      if (!workers[thread] && error.empty())
        workers[thread] = Worker::acquire(target, options, error);
      if (workers[thread])
        workers[thread]->compile(bytecodes[i], symbolOf(bytecodes[i]), strategies, outcomes[i]);
      else
        outcomes[i].error = error;
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  for (std::thread &other : others)
    other.join();
}

} // namespace

FailureOr<CompiledKernels> compileKernels(ArrayRef<KernelOp> kernels,
                                          const KernelStrategies &strategies,
                                          const CpuTarget &target,
                                          const CompileOptions &options) {
  CompiledKernels result;
  std::vector<std::string> bytecodes;
  llvm::StringMap<unsigned> known;
  for (KernelOp kernel : kernels) {
    std::string bytecode = bytecodeOf(kernel);
    auto [place, isNew] = known.try_emplace(bytecode, bytecodes.size());
    if (isNew)
      bytecodes.push_back(std::move(bytecode));
    result.kernels.push_back({place->second, {}, {}});
  }
  std::vector<Outcome> outcomes(bytecodes.size());
  std::vector<std::unique_ptr<Worker>> workers;
  compileAll(bytecodes, strategies, target, options, outcomes, workers);

  bool ok = true;
  for (auto [op, kernel] : llvm::zip(kernels, result.kernels)) {
    KernelOp kernelOp = op;
    Outcome &outcome = outcomes[kernel.object];
    if (!outcome.error.empty()) {
      ok = false;
      kernelOp.emitError() << "cannot compile this '" << kernelOp.getStrategy()
                           << "' kernel: " << outcome.error;
      continue;
    }
    kernel.scratchShared = transfer(outcome.scratchShared, kernelOp.getContext());
    kernel.scratchPerWorker = transfer(outcome.scratchPerWorker, kernelOp.getContext());
  }
  for (std::unique_ptr<Worker> &worker : workers)
    if (worker)
      Worker::release(std::move(worker));
  if (!ok)
    return failure();
  for (Outcome &outcome : outcomes)
    result.objects.push_back(std::move(outcome.object));
  return result;
}

FailureOr<CompiledKernels> compileKernels(ArrayRef<KernelOp> kernels, const CpuTarget &target,
                                          const CompileOptions &options) {
  return compileKernels(kernels, cpuStrategies(), target, options);
}

} // namespace tenon::cpu
