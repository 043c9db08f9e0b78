//===- attention.cpp - Attention beside the processor's peak --------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread, kernel and a loop of multiply-adds in turn, in processor time; the ratio is the
// median over rounds. A forward pass counts as 4 n m d multiplications and additions a
// head, a backward pass as 2.5 times that, a causal one as half. Rows are work, ours,
// peer, ratio and target, tab-separated. Options: --quick, --compile (adds times of
// compilation), and a part of the names of the rows to be run.
//
//===----------------------------------------------------------------------===//
#include "bench/Peak.h"
#include "test/unit/codegen/AttentionRun.h"

#include <cstdio>
#include <cstring>
#include <ctime>

using namespace tenon;

namespace {

struct Work {
  const char *name;
  bool backward;
  test::AttentionProblem problem;
  const char *target;
};

test::AttentionProblem heads(int64_t b, int64_t h, int64_t n, int64_t d, bool causal,
                             const char *dtype = "f32") {
  test::AttentionProblem p;
  p.b = b, p.h = p.g = h, p.n = p.m = n, p.d = d, p.causal = causal, p.dtype = dtype;
  return p;
}

std::vector<Work> allWorks() {
  std::vector<Work> works;
  auto both = [&](const char *name, test::AttentionProblem p, const char *forward,
                  const char *backward) {
    works.push_back({name, false, p, forward});
    works.push_back({name, true, p, backward});
  };
  both("f32 8 heads 1024 x 64", heads(1, 8, 1024, 64, false), ">= .75", ">= .75");
  both("f32 8 heads 1024 x 64 causal", heads(1, 8, 1024, 64, true), "-", "-");
  both("f64 8 heads 1024 x 64", heads(1, 8, 1024, 64, false, "f64"), ">= .6", "-");
  both("bf16 8 heads 1024 x 64", heads(1, 8, 1024, 64, false, "bf16"), "-", "-");
  both("f32 8 heads 1024 x 128", heads(1, 8, 1024, 128, false), "-", "-");
  both("f32 8 heads 4096 x 64", heads(1, 8, 4096, 64, false), "-", "-");
  test::AttentionProblem split = heads(1, 8, 1024, 64, false);
  split.split = true;
  both("f32 8 heads 1024 x 64 split", split, "-", "-");
  test::AttentionProblem masked = heads(1, 8, 1024, 64, false);
  masked.mask = "f32";
  both("f32 8 heads 1024 x 64 mask", masked, "-", "-");
  both("f32 128 heads 64 x 32 causal", heads(32, 4, 64, 32, true), "-", "-");
  both("f32 128 heads 64 x 32", heads(32, 4, 64, 32, false), "-", "-");
  both("f32 4 heads 100 x 66", heads(1, 4, 100, 66, false), "-", "-");
  return works;
}

/// Processor time: what else runs on the machine is not counted.
double now(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

double flops(const Work &work) {
  const test::AttentionProblem &p = work.problem;
  double pairs = double(p.b * p.h) * double(p.n) * double(p.m);
  if (p.causal)
    pairs *= (double(p.n) + 1) / double(p.n) / 2;
  return pairs * 2 * double(p.d + p.width()) * (work.backward ? 2.5 : 1);
}

/// Buffers of a problem: uniform inputs, o from no kernel, lse as for equal scores.
struct Buffers {
  std::vector<std::vector<char>> bytes;
  std::vector<void *> pointers;

  explicit Buffers(const Work &work) {
    const test::AttentionProblem &p = work.problem;
    test::AttentionData data(p);
    std::string dtype = p.dtype, stat = dtype == "f64" ? "f64" : "f32";
    bytes = {test::pack(data.q, dtype), test::pack(data.k, dtype), test::pack(data.v, dtype)};
    if (p.masked())
      bytes.push_back(test::pack(data.mask, p.mask));
    std::vector<char> lse =
        test::pack(std::vector<double>(p.b * p.h * p.n, std::log(double(p.m))), stat);
    if (work.backward) {
      bytes.push_back(test::pack(data.grad, dtype)), bytes.push_back(lse);
      bytes.push_back(test::pack(data.grad, dtype));
      for (int i = 0; i < 3; i++)
        bytes.push_back(bytes[i]);
    } else {
      bytes.push_back(test::pack(data.grad, dtype)), bytes.push_back(lse);
    }
    for (auto &buffer : bytes)
      pointers.push_back(buffer.data());
  }
};

/// From text to linked code, with patterns and target made before.
double compileMilliseconds(const Work &work) {
  test::AttentionProblem p = work.problem;
  std::vector<double> times;
  for (int i = 0; i < 3; i++) {
    p.scale = 0.3 + 0.1 * i; // another kernel
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    test::AttentionKernel kernel(p, work.backward);
    times.push_back(1e3 * (now(CLOCK_PROCESS_CPUTIME_ID) - start));
  }
  return median(times);
}

bool run(const Work &work, bool quick, bool compile) {
  test::AttentionKernel kernel(work.problem, work.backward);
  if (!kernel.error().empty()) {
    std::fprintf(stderr, "%s\n", kernel.error().c_str());
    return false;
  }
  Buffers buffers(work);
  double count = flops(work), start = now();
  kernel.run(buffers.pointers, 1);
  kernel.run(buffers.pointers, 1);
  int repeat = std::max(1, int(0.02 / ((now() - start) / 2)));
  bool isDouble = std::strcmp(work.problem.dtype, "f64") == 0;
  std::vector<double> rates, peaks, ratios;
  for (int round = 0; round < (quick ? 7 : 21); round++) {
    double before = bench::peakFlops(isDouble);
    start = now();
    for (int i = 0; i < repeat; i++)
      kernel.run(buffers.pointers, 1);
    double rate = count * repeat / (now() - start);
    double peak = (before + bench::peakFlops(isDouble)) / 2;
    rates.push_back(rate), peaks.push_back(peak), ratios.push_back(rate / peak);
  }
  const char *pass = work.backward ? "backward" : "forward";
  std::printf("attention %s, %s, GFLOP/s\t%.1f\t%.1f\t%.3f\t%s\n", pass, work.name,
              median(rates) * 1e-9, median(peaks) * 1e-9, median(ratios), work.target);
  if (compile)
    std::printf("compile attention %s, %s, ms\t%.1f\t-\t-\t%s\n", pass, work.name,
                compileMilliseconds(work), work.backward ? "<= 120" : "<= 60");
  std::fflush(stdout);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  bool quick = false, compile = false;
  std::string part;
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option == "--quick")
      quick = true;
    else if (option == "--compile")
      compile = true;
    else
      part = option;
  }
  bool good = true;
  for (const Work &work : allWorks()) {
    std::string name = std::string(work.backward ? "backward, " : "forward, ") + work.name;
    if (name.find(part) != std::string::npos)
      good &= run(work, quick, compile);
  }
  return good ? 0 : 1;
}
