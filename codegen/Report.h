//===- Report.h - What a compiled program costs -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of planned functions with their work, traffic and the least time they can take, the
// memory plan, and what passes left alone; as text, as JSON, and the plan as a picture.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_REPORT_H
#define TENON_CODEGEN_REPORT_H

#include "ir/TenonOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// What a machine can do with all the threads that are asked for; 0 where it is not known.
struct MachineRates {
  double flopsF32 = 0, flopsF64 = 0; ///< per second, a multiply-add counts as two
  double bytes = 0;                  ///< per second, read or written
};

/// An amount that may depend on extents known at run time only.
struct Amount {
  std::optional<int64_t> value;
  std::string text; ///< the number, or an expression over s0, s1, ...
};

struct KernelReport {
  struct Source {
    std::string op, location; ///< the location is empty where there is none
  };
  int64_t step;
  int64_t runs = 1;           ///< how often loops run it
  bool isConditional = false; ///< in a body of an if: perhaps fewer
  std::string strategy;
  std::string symbol; ///< empty for a copy, which the runtime does itself
  std::vector<Source> sources;
  bool isDouble = false;
  Amount flops, bytes; ///< of one run
  Amount scratchShared, scratchPerWorker;
  size_t codeBytes = 0;
  double compileSeconds = 0;

  /// The least seconds that one run takes; 0 if that is not known.
  double secondsAtPeak(const MachineRates &rates) const;
  double secondsAtBandwidth(const MachineRates &rates) const;
};

/// A value that lies in the arena from step `begin` to step `end`, both included.
struct ValueReport {
  std::string maker, type;
  Amount offset, bytes;
  int64_t begin, end;
};

struct ProgramReport {
  std::string name;
  int64_t steps = 0;
  Amount arena;
  std::vector<KernelReport> kernels;
  std::vector<ValueReport> values;
};

struct Report {
  std::string processor;
  unsigned threads = 1;
  MachineRates rates;
  double compileSeconds = 0;
  unsigned distinctKernels = 0;
  std::vector<ProgramReport> programs;
  struct Remark {
    std::string location, text;
    bool operator==(const Remark &other) const {
      return location == other.location && text == other.text;
    }
  };
  std::vector<Remark> remarks; ///< why passes left something alone
};

/// Code and scratch of a kernel, to be told of in a report.
struct KernelFacts {
  std::string symbol;
  mlir::AffineExpr scratchShared, scratchPerWorker; ///< as in KernelCode
  size_t codeBytes;
  double compileSeconds;
};

/// Describes a function that `tenon-plan-memory` has planned. `facts` go with kernelsOf();
/// `extents` are values of the function's symbols, or none. Fails with an error.
mlir::FailureOr<ProgramReport> reportProgram(mlir::func::FuncOp function,
                                             llvm::ArrayRef<KernelFacts> facts,
                                             llvm::ArrayRef<int64_t> extents = {});

/// Adds the remarks of a context to a report while it lives, instead of showing them.
class RemarkCollector : public mlir::ScopedDiagnosticHandler {
public:
  RemarkCollector(mlir::MLIRContext *context, std::vector<Report::Remark> &remarks);
};

/// A location as a report shows it: a name, or file:line:column.
std::string locationText(mlir::Location location);

enum class ReportFormat {
  Text,
  Json,
  Svg, ///< the memory plans as a picture: steps to the right, the arena upwards
};

/// An error, and nothing printed, if a picture depends on extents that have no value.
llvm::Error printReport(const Report &report, ReportFormat format, llvm::raw_ostream &os);

} // namespace tenon

#endif // TENON_CODEGEN_REPORT_H
