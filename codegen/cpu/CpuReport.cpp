//===- CpuReport.cpp - What a report says of a processor ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuReport.h"

#include "codegen/PlannedProgram.h"
#include "codegen/cpu/Jit.h"
#include "codegen/cpu/ObjectCode.h"
#include "tenon/runtime.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace mlir;

namespace tenon::cpu {

/// Latency times throughput of multiply-adds is 8 or 10, and all chains stay in registers.
static constexpr int chains = 12;

static double secondsOf(llvm::function_ref<void()> work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A function that takes `chains` vectors from memory, each times the first plus the second for
/// so many trips, and puts them back.
static std::string peakSource(const std::string &vector, int64_t vectorBytes) {
  std::string loads, types, starts, arguments, steps, sums, stores;
  for (int i = 0; i < chains; i++) {
    std::string n = std::to_string(i), comma = i ? ", " : "";
    loads += "%o" + n + " = llvm.mlir.constant(" + std::to_string(i * vectorBytes) +
             " : i64) : i64\n%p" + n + " = llvm.getelementptr %data[%o" + n +
             "] : (!llvm.ptr, i64) -> !llvm.ptr, i8\n%l" + n + " = llvm.load %p" + n +
             " : !llvm.ptr -> " + vector + "\n";
    types += comma + vector;
    starts += comma + "%l" + n;
    arguments += ", %x" + n + ": " + vector;
    steps += "%y" + n + " = llvm.intr.fmuladd(%x" + n + ", %l0, %l1) : (" + vector + ", " + vector +
             ", " + vector + ") -> " + vector + "\n";
    sums += comma + "%y" + n;
    stores += "llvm.store %y" + n + ", %p" + n + " : " + vector + ", !llvm.ptr\n";
  }
  return "llvm.func @peak(%data: !llvm.ptr, %trips: i64) {\n"
         "%zero = llvm.mlir.constant(0 : i64) : i64\n%one = llvm.mlir.constant(1 : i64) : i64\n" +
         loads + "llvm.br ^loop(%zero, " + starts + " : i64, " + types + ")\n^loop(%i: i64" +
         arguments + "):\n" + steps +
         "%next = llvm.add %i, %one : i64\n%more = llvm.icmp \"slt\" %next, %trips : i64\n"
         "llvm.cond_br %more, ^loop(%next, " +
         sums + " : i64, " + types + "), ^end\n^end:\n" + stores + "llvm.return\n}\n";
}

template <typename T>
static llvm::Expected<double> measureFlops(const CpuTarget &target, const char *element) {
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  int64_t lanes = target.vectorBytes / int64_t(sizeof(T));
  std::string vector = "vector<" + std::to_string(lanes) + "x" + element + ">";
  auto module = parseSourceString<ModuleOp>(peakSource(vector, target.vectorBytes), &context);
  auto code = ObjectCode::create(target);
  if (!code)
    return code.takeError();
  auto object = (*code)->compile(*module, {});
  if (!object)
    return object.takeError();
  auto program = JitProgram::link({llvm::ArrayRef<char>(*object)});
  if (!program)
    return program.takeError();
  auto symbol = (*program)->lookup("peak");
  if (!symbol)
    return symbol.takeError();
  auto peak = reinterpret_cast<void (*)(void *, int64_t)>(*symbol);
  constexpr int64_t trips = 200000;
  alignas(64) T data[chains * 64 / sizeof(T)];
  double best = 0;
  for (int round = 0; round < 5; round++) {
    std::fill(std::begin(data), std::end(data), T(0.5));
    double seconds = secondsOf([&] { peak(data, trips); });
    best = std::max(best, 2. * chains * double(lanes) * double(trips) / seconds);
  }
  return best;
}

static double measureBandwidth(unsigned threads) {
  constexpr size_t bytes = size_t(64) << 20;
  size_t share = bytes / threads;
  std::vector<char> from(bytes, 1), to(bytes, 2);
  double best = 0;
  for (int round = 0; round < 3; round++) {
    double seconds = secondsOf([&] {
      std::vector<std::thread> others;
      auto copy = [&](unsigned i) { memcpy(&to[i * share], &from[i * share], share); };
      for (unsigned i = 1; i < threads; i++)
        others.emplace_back(copy, i);
      copy(0);
      for (std::thread &other : others)
        other.join();
    });
    best = std::max(best, 2. * double(share) * threads / seconds);
  }
  return best;
}

llvm::Expected<MachineRates> measureRates(const CpuTarget &target, unsigned threads) {
  llvm::Expected<double> f32 = measureFlops<float>(target, "f32");
  if (!f32)
    return f32.takeError();
  llvm::Expected<double> f64 = measureFlops<double>(target, "f64");
  if (!f64)
    return f64.takeError();
  return MachineRates{*f32 * threads, *f64 * threads, measureBandwidth(threads)};
}

FailureOr<Report> reportFunctions(ArrayRef<func::FuncOp> functions, const CompiledKernels &compiled,
                                  const CpuTarget &target, double seconds,
                                  ArrayRef<int64_t> extents) {
  Report report;
  report.processor = target.name;
  report.threads = unsigned(tenon_num_threads());
  report.compileSeconds = seconds;
  report.distinctKernels = unsigned(compiled.objects.size());
  std::vector<KernelFacts> facts;
  for (const CompiledKernel &kernel : compiled.kernels) {
    const KernelObject &object = compiled.objects[kernel.object];
    facts.push_back({object.symbol, kernel.scratchShared, kernel.scratchPerWorker,
                     object.bytes.size(), object.seconds});
  }
  ArrayRef<KernelFacts> rest = facts;
  for (func::FuncOp function : functions) {
    size_t count = kernelsOf(function).size();
    FailureOr<ProgramReport> program = reportProgram(function, rest.take_front(count), extents);
    if (failed(program))
      return failure();
    report.programs.push_back(std::move(*program));
    rest = rest.drop_front(count);
  }
  if (!target.runsHere())
    return report;
  llvm::Expected<MachineRates> rates = measureRates(target, report.threads);
  if (!rates)
    return emitError(functions[0]->getLoc(), "the machine's rates: ")
           << llvm::toString(rates.takeError());
  report.rates = *rates;
  return report;
}

} // namespace tenon::cpu
