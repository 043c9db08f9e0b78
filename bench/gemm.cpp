//===- gemm.cpp - Matrix products beside OpenBLAS -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread each, in turn, in processor time; the ratio is the median over rounds. Rows are work,
// ours, peer, ratio and target, tab-separated. Options: --quick, --compile (adds compile times),
// and a part of the names of the rows to be run.
//
//===----------------------------------------------------------------------===//
#include "bench/LinkedKernel.h"

#include <algorithm>
#include <cblas.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace tenon;

namespace {

struct Work {
  const char *name;
  int64_t m, n, k;
  bool transposeA, transposeB;
  const char *dtype, *target;
};

const Work works[] = {
    {"f32 512^3", 512, 512, 512, false, false, "f32", ">= .88"},
    {"f32 1024^3", 1024, 1024, 1024, false, false, "f32", ">= .88"},
    {"f32 2048^3", 2048, 2048, 2048, false, false, "f32", ">= .88"},
    {"f32 1000^3", 1000, 1000, 1000, false, false, "f32", ">= .88"},
    {"f32 777x1023x555", 777, 1023, 555, false, false, "f32", ">= .88"},
    {"f64 512^3", 512, 512, 512, false, false, "f64", ">= .85"},
    {"f64 1024^3", 1024, 1024, 1024, false, false, "f64", ">= .85"},
    {"f32 64^3", 64, 64, 64, false, false, "f32", ">= 1"},
    {"f32 128^3", 128, 128, 128, false, false, "f32", ">= 1"},
    {"f32 MLP X W 128x512x784", 128, 512, 784, false, false, "f32", ">= .9"},
    {"f32 MLP X W 128x256x512", 128, 256, 512, false, false, "f32", ">= .9"},
    {"f32 MLP X W 128x10x256", 128, 10, 256, false, false, "f32", ">= 1"},
    {"f32 MLP X^T dY 784x512x128", 784, 512, 128, true, false, "f32", ">= .9"},
    {"f32 MLP X^T dY 512x256x128", 512, 256, 128, true, false, "f32", ">= .9"},
    {"f32 MLP X^T dY 256x10x128", 256, 10, 128, true, false, "f32", ">= 1"},
    {"f32 MLP dY W^T 128x512x256", 128, 512, 256, false, true, "f32", ">= .9"},
    {"f32 MLP dY W^T 128x256x10", 128, 256, 10, false, true, "f32", ">= 1"},
    {"f64 MLP X W 128x512x784", 128, 512, 784, false, false, "f64", ">= .85"},
    {"f64 MLP dY W^T 128x512x256", 128, 512, 256, false, true, "f64", ">= .85"},
    {"f32 tokens 2048x128x128", 2048, 128, 128, false, false, "f32", ">= .9"},
    {"f32 tokens 2048x384x128", 2048, 384, 128, false, false, "f32", ">= .9"},
    {"f32 tokens 2048x128x512", 2048, 128, 512, false, false, "f32", ">= .9"},
    {"f32 tokens 2048x100x128", 2048, 100, 128, false, false, "f32", ">= .9"},
    {"f32 tokens dY W^T 2048x128x384", 2048, 128, 384, false, true, "f32", ">= .9"},
    {"f32 tokens X^T dY 128x128x2048", 128, 128, 2048, true, false, "f32", ">= .9"},
    {"f32 tokens X^T dY 128x512x2048", 128, 512, 2048, true, false, "f32", ">= .9"},
    {"f32 tokens X^T dY 128x100x2048", 128, 100, 2048, true, false, "f32", ">= .9"},
    {"f32 tiny 32x10x10", 32, 10, 10, false, false, "f32", "< .5 us"},
    {"f32 tiny X^T dY 10x10x32", 10, 10, 32, true, false, "f32", "< .5 us"},
    {"f32 tiny dY W^T 32x10x10", 32, 10, 10, false, true, "f32", "< .5 us"},
    {"f64 tiny 32x10x10", 32, 10, 10, false, false, "f64", "< .5 us"},
    {"f32 row by matrix 1x1024x1024", 1, 1024, 1024, false, false, "f32", ">= .9"},
    {"f32 row by matrix^T 1x1024x1024", 1, 1024, 1024, false, true, "f32", ">= .9"},
    {"f32 matrix by column 1024x1x1024", 1024, 1, 1024, false, false, "f32", ">= .9"},
};

std::string type(int64_t rows, int64_t columns, const char *dtype) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + dtype + ">";
}

std::string kernelText(const Work &w) {
  std::string a = w.transposeA ? type(w.k, w.m, w.dtype) : type(w.m, w.k, w.dtype);
  std::string b = w.transposeB ? type(w.n, w.k, w.dtype) : type(w.k, w.n, w.dtype);
  std::string y = type(w.m, w.n, w.dtype), types = "(" + a + ", " + b + ") -> " + y;
  return "func.func @f(%a: " + a + ", %b: " + b + ") -> " + y +
         " {\n%r = tenon.kernel \"matmul\"(%a, %b) : " + types + " {\n^bb0(%x: " + a +
         ", %w: " + b +
         "):\n%y = tenon.matmul %x, %w {transpose_a = " + (w.transposeA ? "true" : "false") +
         ", transpose_b = " + (w.transposeB ? "true" : "false") + "} : " + types +
         "\ntenon.yield %y : " + y + "\n}\nreturn %r : " + y + "\n}";
}

void peer(const Work &w, void *a, void *b, void *y) {
  auto ta = w.transposeA ? CblasTrans : CblasNoTrans, tb = w.transposeB ? CblasTrans : CblasNoTrans;
  int m = int(w.m), n = int(w.n), k = int(w.k);
  int lda = w.transposeA ? m : k, ldb = w.transposeB ? k : n;
  if (std::string(w.dtype) == "f64")
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, static_cast<double *>(a), lda,
                static_cast<double *>(b), ldb, 0, static_cast<double *>(y), n);
  else
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, static_cast<float *>(a), lda,
                static_cast<float *>(b), ldb, 0, static_cast<float *>(y), n);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename T> void fill(std::vector<char> &bytes) {
  auto *elements = reinterpret_cast<T *>(bytes.data());
  for (size_t i = 0; i < bytes.size() / sizeof(T); i++)
    elements[i] = T(std::rand()) / T(RAND_MAX) - T(0.5);
}

void measure(const Work &w, bool quick, bool compileTime) {
  bool f64 = std::string(w.dtype) == "f64";
  size_t size = f64 ? 8 : 4;
  std::vector<char> a(w.m * w.k * size), b(w.k * w.n * size), y(w.m * w.n * size), z(y);
  for (auto *operand : {&a, &b})
    f64 ? fill<double>(*operand) : fill<float>(*operand);
  bench::LinkedKernel kernel(kernelText(w), compileTime ? 5 : 1);
  void *buffers[] = {a.data(), b.data(), y.data()};
  double flops = 2.0 * w.m * w.n * w.k;
  int64_t repeats = std::max<int64_t>(1, int64_t(3e-3 / (flops / 1e11 + 1e-7)));
  int rounds = quick ? 7 : flops > 1e9 ? 15 : 31;
  auto time = [&](auto call) {
    double start = bench::now();
    for (int64_t i = 0; i < repeats; i++)
      call();
    return (bench::now() - start) / double(repeats);
  };
  auto ours = [&] { kernel.run(buffers); };
  auto theirs = [&] { peer(w, a.data(), b.data(), z.data()); };
  ours(), theirs();
  std::vector<double> mine, others, ratios;
  for (int round = 0; round < rounds; round++) {
    mine.push_back(time(ours));
    others.push_back(time(theirs));
    ratios.push_back(others.back() / mine.back());
  }
  double x = median(mine), o = median(others);
  bool inMicroseconds = flops < 1e6;
  auto show = [&](double seconds) {
    return inMicroseconds ? seconds * 1e6 : flops / seconds / 1e9;
  };
  std::printf("gemm %s, %s\t%.4g\t%.4g\t%.3f\t%s\n", w.name, inMicroseconds ? "us" : "GFLOP/s",
              show(x), show(o), median(ratios), w.target);
  if (compileTime)
    std::printf("gemm %s, compile, ms\t%.3g\t-\t-\t<= 25\n", w.name, kernel.compileSeconds() * 1e3);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  bool quick = false, compileTime = false;
  std::string part;
  for (int i = 1; i < argc; i++) {
    std::string argument = argv[i];
    if (argument == "--quick")
      quick = true;
    else if (argument == "--compile")
      compileTime = true;
    else
      part = argument;
  }
  openblas_set_num_threads(1);
  for (const Work &work : works)
    if (std::string(work.name).find(part) != std::string::npos)
      measure(work, quick, compileTime);
  return 0;
}
