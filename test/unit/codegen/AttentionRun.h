//===- AttentionRun.h - Attention kernels, compiled and run -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the kernel of a problem, runs it on given threads, and knows the exact
// result: for the tests of attention and for its bench.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_UNIT_CODEGEN_ATTENTIONRUN_H
#define TENON_TEST_UNIT_CODEGEN_ATTENTIONRUN_H

#include "codegen/cpu/CompileKernel.h"
#include "codegen/cpu/Jit.h"
#include "ir/TenonOps.h"
#include "tenon/artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tenon::test {

struct AttentionProblem {
  int64_t b = 1, h = 1, g = 1, n = 1, m = 1, d = 1, e = 0; ///< e = 0: as d
  bool causal = false;
  const char *dtype = "f32";
  const char *mask = ""; ///< "", "i1" or a float type
  int64_t maskBatch = 1, maskHeads = 1;
  bool maskGrad = false;
  bool split = false;   ///< operands and results are [b, n, h * d], split in the kernel
  bool dynamic = false; ///< all extents but d and e
  double scale = 0;     ///< 0 = 1 / sqrt(d)
  double range = 1;     ///< of q and k
  const char *march = "native";

  int64_t width() const { return e ? e : d; }
  double factor() const { return scale != 0 ? scale : 1 / std::sqrt(double(d)); }
  bool masked() const { return *mask != 0; }
};

std::ostream &operator<<(std::ostream &out, const AttentionProblem &p);

/// Elements as a type stores them, and back.
std::vector<char> pack(const std::vector<double> &values, const std::string &dtype);
std::vector<double> unpack(const std::vector<char> &bytes, const std::string &dtype);

/// Inputs and exact results. All are [b, h, n, d], or, when the problem is split,
/// [b, n, h, d]; lse is [b, h, n].
struct AttentionData {
  explicit AttentionData(const AttentionProblem &problem, int seed = 1);
  /// o and lse, then the gradients, from the inputs.
  void compute();

  AttentionProblem problem;
  std::vector<double> q, k, v, mask, grad;
  std::vector<double> o, lse, dq, dk, dv, dmask;

private:
  struct Row;
  void forward(Row &row);
  void backward(const Row &row);
  size_t at(int64_t b, int64_t h, int64_t heads, int64_t i, int64_t rows, int64_t width) const;
  size_t maskAt(int64_t b, int64_t h, int64_t i, int64_t j) const;
};

class AttentionKernel {
public:
  AttentionKernel(const AttentionProblem &problem, bool backward);
  const std::string &error() const { return message; }
  double seconds() const { return object.seconds; }
  int64_t scratchBytes(int64_t workers) const;

  /// buffers: operands, then results.
  void run(const std::vector<void *> &buffers, int threads);
  int32_t cancelled = 0; ///< the flag that runs see
  /// Packs operands, runs, unpacks all results. `raw` are the results' bytes.
  std::vector<std::vector<double>> run(const AttentionData &data, int threads,
                                       std::vector<char> *raw = nullptr);

private:
  std::string text() const;
  int64_t evaluate(mlir::AffineExpr expr) const;
  std::vector<int64_t> extents() const;

  AttentionProblem problem;
  bool isBackward;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<cpu::JitProgram> program;
  cpu::KernelObject object;
  mlir::AffineExpr shared, perWorker;
  tenon_kernel function = nullptr;
  std::string message;
  std::vector<char> scratch;
};

} // namespace tenon::test

#endif // TENON_TEST_UNIT_CODEGEN_ATTENTIONRUN_H
