//===- CompiledFunction.h - A function for a unit test ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms and compiles the kernels of a function, runs them one after the other, and
// compares with the reference interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_UNIT_CODEGEN_COMPILEDFUNCTION_H
#define TENON_TEST_UNIT_CODEGEN_COMPILEDFUNCTION_H

#include "codegen/cpu/CompileKernel.h"
#include "codegen/cpu/Jit.h"
#include "passes/Passes.h"
#include "reference/Interpreter.h"
#include "tenon/artifact.h"
#include "test/unit/codegen/EvaluateSize.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cstring>
#include <random>

namespace tenon::test {

using reference::Array;

inline int64_t bytesOf(tenon_dtype dtype) {
  switch (dtype) {
  case TENON_F64:
  case TENON_I64:
    return 8;
  case TENON_F32:
  case TENON_I32:
    return 4;
  case TENON_F16:
  case TENON_BF16:
    return 2;
  default:
    return 1;
  }
}

/// A tensor in memory, with a guard behind it.
struct Memory {
  infer::Type type;
  std::vector<unsigned char> bytes;
  int64_t size = 0;

  explicit Memory(const infer::Type &type) : type(type) {
    size = bytesOf(type.dtype);
    for (int i = 0; i < type.rank; i++)
      size *= type.dims[i];
    bytes.assign(size + 64 + 64, 0xA5);
  }
  void *data() { // not aligned beyond an element
    auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return reinterpret_cast<void *>((address + 15) / 16 * 16 + 8);
  }
  bool overrun() {
    auto *end = static_cast<unsigned char *>(data()) + size;
    for (auto *p = end; p < bytes.data() + bytes.size(); p++)
      if (*p != 0xA5)
        return true;
    return false;
  }
};

class CompiledFunction {
public:
  /// `text` has one function; `march` as for CpuTarget::get.
  explicit CompiledFunction(const std::string &text, const char *march = "native",
                            int64_t numWorkers = 2)
      : workers(numWorkers) {
    mlir::DialectRegistry registry;
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<TenonDialect, mlir::func::FuncDialect>();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) { error += diagnostic.str() + "\n"; });
    original = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!original)
      return;
    cpu::registerCpuStrategies();
    formed = original->clone();
    mlir::PassManager passes(&context);
    passes.addNestedPass<mlir::func::FuncOp>(createFormKernelsPass());
    if (failed(passes.run(*formed)) || failed(mlir::verify(*formed)))
      return;
    auto target = cpu::CpuTarget::get(march);
    if (!target) {
      error = llvm::toString(target.takeError());
      return;
    }
    formed->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    cpu::CompileOptions options;
    options.verify = options.texts = true;
    options.threads = 1;
    auto result = cpu::compileKernels(kernels, *target, options);
    if (mlir::failed(result))
      return;
    compiled = std::move(*result);
    llvm::SmallVector<llvm::ArrayRef<char>> objects;
    for (auto &object : compiled.objects)
      objects.push_back(object.bytes);
    auto linked = cpu::JitProgram::link(objects);
    if (!linked) {
      error = llvm::toString(linked.takeError());
      return;
    }
    program = std::move(*linked);
    ready = true;
  }

  mlir::func::FuncOp function() { return *original->getOps<mlir::func::FuncOp>().begin(); }

  llvm::FailureOr<std::vector<Array>> reference(llvm::ArrayRef<Array> arguments) {
    return reference::evaluate(function(), arguments);
  }

  /// Runs the kernels in order. Empty on an overrun or a failure, with `error` set.
  std::vector<Array> run(llvm::ArrayRef<Array> arguments) {
    llvm::DenseMap<mlir::Value, std::shared_ptr<Memory>> values;
    auto formedFunction = *formed->getOps<mlir::func::FuncOp>().begin();
    auto keep = [&](mlir::Value value, const Array &array) {
      auto memory = std::make_shared<Memory>(array.type);
      reference::store(array, memory->data());
      values[value] = memory;
    };
    for (auto [value, array] : llvm::zip(formedFunction.getArguments(), arguments))
      keep(value, array);
    // Types of the results of kernels, with their extents, are those of the reference.
    size_t number = 0;
    for (mlir::Operation &op : formedFunction.getBody().front()) {
      if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
        auto got = reference::evaluateBlock(*wrap(constant), {});
        keep(constant.getResult(), (*got)[0]);
      } else if (auto kernel = llvm::dyn_cast<KernelOp>(op)) {
        if (!launch(kernel, number++, values))
          return {};
      }
    }
    std::vector<Array> results;
    for (mlir::Value value : formedFunction.getBody().front().getTerminator()->getOperands())
      results.push_back(reference::load(values[value]->type, values[value]->data()));
    return results;
  }

  size_t numKernels() const { return kernels.size(); }
  const cpu::CompiledKernels &code() const { return compiled; }

  bool ready = false;
  std::string error;

  /// Calls one kernel, for benchmarks: buffers as in memory.
  tenon_kernel kernel(size_t number) {
    tenon_kernel &known = entries[number];
    if (!known) {
      auto address = program->lookup(compiled.objects[compiled.kernels[number].object].symbol);
      known = reinterpret_cast<tenon_kernel>(llvm::cantFail(std::move(address)));
    }
    return known;
  }
  void call(size_t number, std::vector<void *> &buffers, std::vector<int64_t> &extents) {
    static const int32_t cancelled = 0;
    tenon_env env = {};
    env.cancelled = &cancelled;
    env.parallel_for = [](tenon_env *env, tenon_body body, void *context, int64_t n,
                          int64_t chunk) {
      int64_t worker = 0;
      for (int64_t begin = 0; begin < n; begin += chunk, worker = (worker + 1) % env->num_workers)
        body(env, context, begin, std::min(n, begin + chunk), worker);
    };
    auto align = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
    env.scratch_shared = align(evaluateSize(compiled.kernels[number].scratchShared, extents));
    env.scratch_per_worker =
        align(evaluateSize(compiled.kernels[number].scratchPerWorker, extents));
    env.num_workers = workers;
    size_t total = size_t(env.scratch_shared + workers * env.scratch_per_worker) + 64;
    if (scratch.size() < total + 64)
      scratch.assign(total + 64, 0xA5);
    env.scratch = reinterpret_cast<unsigned char *>(
        (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    kernel(number)(&env, buffers.data(), extents.data());
  }

private:
  /// A block that yields the constant, for the reference.
  mlir::Block *wrap(ConstantOp constant) {
    mlir::OpBuilder b(&context);
    auto type = constant.getType();
    auto holder = b.create<KernelOp>(constant.getLoc(), mlir::TypeRange{type}, mlir::ValueRange{},
                                     b.getStringAttr("rows"));
    mlir::Block &block = holder.getBody().emplaceBlock();
    b.setInsertionPointToEnd(&block);
    mlir::Operation *copy = b.clone(*constant);
    b.create<YieldOp>(constant.getLoc(), copy->getResults());
    holders.emplace_back(holder);
    return &block;
  }

  bool launch(KernelOp kernel, size_t number,
              llvm::DenseMap<mlir::Value, std::shared_ptr<Memory>> &values) {
    std::vector<Array> inputs;
    std::vector<void *> buffers;
    std::vector<int64_t> extents;
    auto add = [&](mlir::Type type, Memory &memory) {
      buffers.push_back(memory.data());
      auto tensor = llvm::cast<mlir::RankedTensorType>(type);
      for (int64_t i = 0; i < tensor.getRank(); i++)
        if (tensor.isDynamicDim(i))
          extents.push_back(memory.type.dims[i]);
    };
    for (mlir::Value input : kernel.getInputs()) {
      add(input.getType(), *values[input]);
      inputs.push_back(reference::load(values[input]->type, values[input]->data()));
    }
    auto shapes = reference::evaluateBlock(kernel.getBody().front(), inputs);
    if (failed(shapes)) {
      error += "the reference failed on a kernel\n";
      return false;
    }
    for (auto [result, shape] : llvm::zip(kernel.getResults(), *shapes)) {
      values[result] = std::make_shared<Memory>(shape.type);
      add(result.getType(), *values[result]);
    }
    call(number, buffers, extents);
    for (mlir::Value result : kernel.getResults())
      if (values[result]->overrun()) {
        error += "a kernel wrote beyond its result\n";
        return false;
      }
    return true;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> original, formed;
  llvm::SmallVector<KernelOp> kernels;
  cpu::CompiledKernels compiled;
  std::unique_ptr<cpu::JitProgram> program;
  std::vector<unsigned char> scratch;
  std::map<size_t, tenon_kernel> entries;
  std::vector<mlir::OwningOpRef<KernelOp>> holders;
  int64_t workers;
};

/// Arguments for the function: floats from a normal distribution, integers in [0, 5).
/// Dynamic extents are `dynamic`.
inline std::vector<Array> randomArguments(mlir::func::FuncOp function, int64_t dynamic,
                                          unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<Array> arguments;
  for (mlir::Type type : function.getArgumentTypes()) {
    infer::Type shape = *inferTypeOf(type);
    for (int i = 0; i < shape.rank; i++)
      if (shape.dims[i] < 0)
        shape.dims[i] = dynamic;
    Array array(shape);
    for (int64_t i = 0; i < array.size(); i++)
      if (shape.isFloat())
        array.reals[i] = reference::roundTo(shape.dtype, normal(generator));
      else
        array.set(i, int64_t(generator() % (shape.isBool() ? 2 : 5)));
    arguments.push_back(std::move(array));
  }
  return arguments;
}

} // namespace tenon::test

#endif // TENON_TEST_UNIT_CODEGEN_COMPILEDFUNCTION_H
