//===- Benchmark.cpp - A generated program measures itself ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/main/Benchmark.h"

#include "runtime/Expr.h"
#include "runtime/files/HostTensor.h"
#include "runtime/main/Failure.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace tenon::files;

namespace tenon {

namespace {

constexpr double wantedSeconds = 0.7;
constexpr size_t leastRuns = 5;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Benchmark {
public:
  Benchmark(tenon_executable *executable, const std::vector<int64_t> &symbols)
      : executable(executable), program(*tenon_executable_program(executable)), symbols(symbols) {}

  void run();

private:
  int64_t value(const tenon_expr &expr) const;
  HostTensor tensor(const tenon_port &port);
  void randomize(HostTensor &tensor);
  template <typename Word> void randomize(HostTensor &tensor, Word one, int fraction);
  void addCost(const tenon_step *steps, int64_t count, double runs);
  double secondsOfRun();

  tenon_executable *executable;
  const tenon_program &program;
  const std::vector<int64_t> &symbols;
  uint64_t state = 1;
  struct Cost {
    double flops = 0, bytes = 0;
  } cost;
  bool hasIfs = false; ///< the cost is that of the dearer bodies
  std::vector<tenon_tensor> arguments, results;
};

} // namespace

int64_t Benchmark::value(const tenon_expr &expr) const {
  int64_t result = 0;
  if (const char *reason =
          runtime::evaluateExpr(expr, {symbols.data(), tenon_num_threads()}, result))
    throw Failure{std::string("--extent: the program's sizes cannot be computed: ") + reason};
  return result;
}

/// Words of the form of `one` with the low `fraction` bits random: floats from 1/2 to 1.
template <typename Word> void Benchmark::randomize(HostTensor &tensor, Word one, int fraction) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's, of MMIX
    Word word = Word(one | Word(state >> (64 - fraction)));
    std::memcpy(tensor.data() + i * int64_t(sizeof word), &word, sizeof word);
  }
}

void Benchmark::randomize(HostTensor &tensor) {
  switch (tensor.dtype) {
  case TENON_F64:
    return randomize<uint64_t>(tensor, 0x3fe0000000000000, 52);
  case TENON_F32:
    return randomize<uint32_t>(tensor, 0x3f000000, 23);
  case TENON_F16:
    return randomize<uint16_t>(tensor, 0x3800, 10);
  case TENON_BF16:
    return randomize<uint16_t>(tensor, 0x3f00, 7);
  default:
    return; // zeros, which are valid as indices
  }
}

HostTensor Benchmark::tensor(const tenon_port &port) {
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < port.rank; ++d)
    extents.push_back(value(port.extents[d]));
  HostTensor result;
  std::string error;
  if (!result.allocate(tenon_dtype(port.dtype), std::move(extents), error))
    throw Failure{error};
  randomize(result);
  return result;
}

void Benchmark::addCost(const tenon_step *steps, int64_t count, double runs) {
  for (const tenon_step *step = steps; step != steps + count; ++step) {
    if (step->kind == TENON_STEP_LAUNCH) {
      cost.flops += runs * double(value(program.kernels[step->kernel].flops));
      cost.bytes += runs * double(value(program.kernels[step->kernel].bytes));
    } else if (step->kind == TENON_STEP_COPY) {
      cost.bytes += 2 * runs * double(value(step->size));
    } else if (step->kind == TENON_STEP_IF) {
      hasIfs = true;
      Cost before = std::exchange(cost, {});
      addCost(step->body, step->num_body, runs);
      Cost first = std::exchange(cost, {});
      addCost(step->else_body, step->num_else, runs);
      cost = {before.flops + std::max(first.flops, cost.flops),
              before.bytes + std::max(first.bytes, cost.bytes)};
    } else {
      addCost(step->body, step->num_body, runs * double(value(step->trips)));
    }
  }
}

double Benchmark::secondsOfRun() {
  double start = now();
  check(tenon_executable_run(executable, arguments.data(), int64_t(arguments.size()),
                             results.data(), int64_t(results.size()), nullptr));
  return now() - start;
}

void Benchmark::run() {
  if (int64_t(symbols.size()) != program.num_symbols)
    throw Failure{"--extent: expected " + std::to_string(program.num_symbols) +
                  " numbers, the values of n0, n1, ... in --help, got " +
                  std::to_string(symbols.size())};
  std::vector<HostTensor> tensors;
  for (int64_t i = 0; i < program.num_inputs; ++i)
    tensors.push_back(tensor(program.inputs[i]));
  for (int64_t i = 0; i < program.num_outputs; ++i)
    tensors.push_back(tensor(program.outputs[i]));
  for (HostTensor &each : tensors)
    (int64_t(arguments.size()) < program.num_inputs ? arguments : results).push_back(each.view());
  addCost(program.steps, program.num_steps, 1);
  secondsOfRun(); // touches the memory
  std::vector<double> seconds;
  for (double start = now(); seconds.size() < leastRuns || now() - start < wantedSeconds;)
    seconds.push_back(secondsOfRun());
  auto middle = seconds.begin() + ptrdiff_t(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  std::printf("%s: %.2f us, %s%.2f GFLOP/s, %.2f GB/s (%lld flops, %lld bytes, median of %zu runs, "
              "%lld threads)\n",
              program.name, 1e6 * *middle, hasIfs ? "at most " : "", 1e-9 * cost.flops / *middle,
              1e-9 * cost.bytes / *middle, (long long)cost.flops, (long long)cost.bytes,
              seconds.size(), (long long)tenon_num_threads());
}

void benchmark(tenon_executable *executable, const std::vector<int64_t> &symbols) {
  Benchmark(executable, symbols).run();
}

} // namespace tenon
