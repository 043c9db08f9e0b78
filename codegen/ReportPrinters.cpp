//===- ReportPrinters.cpp - Reports as text and as JSON -------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/ReportChart.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;

namespace tenon {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// "1.25M": three digits and a power of a thousand.
static std::string shortNumber(double value) {
  static constexpr const char *suffixes[] = {"", "k", "M", "G", "T", "P"};
  unsigned power = 0;
  while (std::abs(value) >= 999.5 && power + 1 < std::size(suffixes))
    value /= 1000, power++;
  int digits = power == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value) << suffixes[power];
  return text;
}

static std::string shortAmount(const Amount &amount) {
  return amount.value ? shortNumber(double(*amount.value)) : amount.text;
}

static std::string microseconds(double seconds) {
  std::string text;
  if (seconds <= 0)
    return "-";
  llvm::raw_string_ostream(text) << llvm::format("%.2f", 1e6 * seconds);
  return text;
}

/// What the kernel is made of: "matmul add (model.mlir:3:8)".
static std::string sourceText(const KernelReport &kernel) {
  std::string ops, locations;
  for (const KernelReport::Source &source : kernel.sources) {
    ops += (ops.empty() ? "" : " ") + source.op;
    if (!source.location.empty() && locations.find(source.location) == std::string::npos)
      locations += (locations.empty() ? "" : ", ") + source.location;
  }
  return locations.empty() ? ops : ops + " (" + locations + ")";
}

static void printMachine(const Report &report, llvm::raw_ostream &os) {
  const MachineRates &rates = report.rates;
  os << "processor " << report.processor << ", " << report.threads << " threads";
  if (rates.flopsF32 > 0)
    os << ", " << shortNumber(rates.flopsF32) << "FLOP/s f32, " << shortNumber(rates.flopsF64)
       << "FLOP/s f64";
  if (rates.bytes > 0)
    os << ", " << shortNumber(rates.bytes) << "B/s";
  os << "\n";
}

static void printKernels(const ProgramReport &program, const MachineRates &rates,
                         llvm::raw_ostream &os) {
  os << "  step  runs    flops    bytes  us at peak  us at bandwidth  scratch  per worker  "
        "compile ms    code  strategy: ops (where)\n";
  double peak = 0, bandwidth = 0, least = 0;
  bool hasIfs = false;
  for (const KernelReport &kernel : program.kernels) {
    double atPeak = kernel.secondsAtPeak(rates), atBandwidth = kernel.secondsAtBandwidth(rates);
    hasIfs |= kernel.isConditional;
    if (!kernel.isConditional) {
      peak += kernel.runs * atPeak, bandwidth += kernel.runs * atBandwidth;
      least += kernel.runs * std::max(atPeak, atBandwidth);
    }
    auto right = [&](const std::string &text, unsigned width) {
      os << "  " << llvm::right_justify(text, width);
    };
    right(std::to_string(kernel.step), 4);
    right((kernel.isConditional ? "0-" : "") + std::to_string(kernel.runs), 4);
    right(shortAmount(kernel.flops), 7);
    right(shortAmount(kernel.bytes), 7);
    right(microseconds(atPeak), 10);
    right(microseconds(atBandwidth), 15);
    right(shortAmount(kernel.scratchShared), 7);
    right(shortAmount(kernel.scratchPerWorker), 10);
    os << llvm::format("  %10.2f", 1e3 * kernel.compileSeconds);
    right(shortNumber(double(kernel.codeBytes)), 6);
    os << "  " << kernel.strategy;
    if (!kernel.sources.empty())
      os << ": " << sourceText(kernel);
    os << "\n";
    if (!kernel.symbol.empty())
      os << "        " << kernel.symbol << "\n";
  }
  if (least > 0)
    os << "  at least " << microseconds(least) << " us; all at peak " << microseconds(peak)
       << ", all at bandwidth " << microseconds(bandwidth)
       << (hasIfs ? "; without the bodies of ifs" : "") << "\n";
}

static void printMemory(const ProgramReport &program, llvm::raw_ostream &os) {
  os << "  arena of " << program.arena.text << " bytes for " << program.values.size()
     << " values\n";
  if (program.values.empty())
    return;
  os << "      offset       bytes  from    to  value\n";
  for (const ValueReport &value : program.values)
    os << "  " << llvm::right_justify(value.offset.text, 10) << "  "
       << llvm::right_justify(value.bytes.text, 10)
       << llvm::format("  %4lld  %4lld  ", (long long)value.begin, (long long)value.end)
       << value.type << " of " << value.maker << "\n";
}

static void printText(const Report &report, llvm::raw_ostream &os) {
  printMachine(report, os);
  size_t numKernels = 0;
  for (const ProgramReport &program : report.programs) {
    os << "\nprogram " << program.name << ": " << program.kernels.size() << " kernels in "
       << program.steps << " steps\n";
    printKernels(program, report.rates, os);
    printMemory(program, os);
    for (const KernelReport &kernel : program.kernels)
      numKernels += !kernel.symbol.empty();
  }
  os << llvm::format("\n%.2f ms to compile %zu kernels, %u of them distinct\n",
                     1e3 * report.compileSeconds, numKernels, report.distinctKernels);
  if (!report.remarks.empty())
    os << "\nleft alone\n";
  for (const Report::Remark &remark : report.remarks)
    os << "  " << remark.location << (remark.location.empty() ? "" : ": ") << remark.text << "\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// A number, or a string where it depends on extents.
static llvm::json::Value jsonAmount(const Amount &amount) {
  return amount.value ? llvm::json::Value(*amount.value) : llvm::json::Value(amount.text);
}

/// 0 stands for what is not known.
static llvm::json::Value jsonRate(double value) {
  return value > 0 ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

static llvm::json::Object jsonKernel(const KernelReport &kernel, const MachineRates &rates) {
  llvm::json::Array sources;
  for (const KernelReport::Source &source : kernel.sources)
    sources.push_back(llvm::json::Object{{"op", source.op}, {"location", source.location}});
  return llvm::json::Object({{"step", kernel.step},
                             {"runs", kernel.runs},
                             {"conditional", kernel.isConditional},
                             {"strategy", kernel.strategy},
                             {"symbol", kernel.symbol},
                             {"sources", std::move(sources)},
                             {"flops", jsonAmount(kernel.flops)},
                             {"bytes", jsonAmount(kernel.bytes)},
                             {"seconds_at_peak", jsonRate(kernel.secondsAtPeak(rates))},
                             {"seconds_at_bandwidth", jsonRate(kernel.secondsAtBandwidth(rates))},
                             {"scratch_shared", jsonAmount(kernel.scratchShared)},
                             {"scratch_per_worker", jsonAmount(kernel.scratchPerWorker)},
                             {"code_bytes", int64_t(kernel.codeBytes)},
                             {"compile_seconds", kernel.compileSeconds}});
}

static llvm::json::Object jsonProgram(const ProgramReport &program, const MachineRates &rates) {
  llvm::json::Array kernels, values;
  for (const KernelReport &kernel : program.kernels)
    kernels.push_back(jsonKernel(kernel, rates));
  for (const ValueReport &value : program.values)
    values.push_back(llvm::json::Object{{"maker", value.maker},
                                        {"type", value.type},
                                        {"offset", jsonAmount(value.offset)},
                                        {"bytes", jsonAmount(value.bytes)},
                                        {"from", value.begin},
                                        {"to", value.end}});
  return llvm::json::Object({{"name", program.name},
                             {"steps", program.steps},
                             {"arena_bytes", jsonAmount(program.arena)},
                             {"kernels", std::move(kernels)},
                             {"values", std::move(values)}});
}

static void printJson(const Report &report, llvm::raw_ostream &os) {
  llvm::json::Array programs, remarks;
  for (const ProgramReport &program : report.programs)
    programs.push_back(jsonProgram(program, report.rates));
  for (const Report::Remark &remark : report.remarks)
    remarks.push_back(llvm::json::Object{{"location", remark.location}, {"text", remark.text}});
  llvm::json::Value all =
      llvm::json::Object{{"processor", report.processor},
                         {"threads", report.threads},
                         {"flops_f32_per_second", jsonRate(report.rates.flopsF32)},
                         {"flops_f64_per_second", jsonRate(report.rates.flopsF64)},
                         {"bytes_per_second", jsonRate(report.rates.bytes)},
                         {"compile_seconds", report.compileSeconds},
                         {"distinct_kernels", report.distinctKernels},
                         {"programs", std::move(programs)},
                         {"remarks", std::move(remarks)}};
  os << llvm::formatv("{0:2}\n", all);
}

llvm::Error printReport(const Report &report, ReportFormat format, llvm::raw_ostream &os) {
  if (format == ReportFormat::Svg)
    return printSvg(report, os);
  (format == ReportFormat::Text ? printText : printJson)(report, os);
  return llvm::Error::success();
}

} // namespace tenon
