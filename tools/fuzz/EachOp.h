//===- EachOp.h - Every op, dtype by dtype ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where random graphs leave to chance what they reach, this walks the registered ops: each
// one alone, of every dtype that it takes, with extents from nothing to many, static and
// dynamic, on numbers and on what is none.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_EACHOP_H
#define TENON_TOOLS_FUZZ_EACHOP_H

#include "tools/fuzz/Check.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::fuzz {

struct EachOpOptions {
  uint64_t seed = 1;
  unsigned shard = 0, numShards = 1; ///< which of the ops
  unsigned mostFailures = 5;
  std::string output;              ///< prefix of the files of what fails
  std::vector<std::string> only;   ///< these ops; all if empty
  std::vector<std::string> dtypes; ///< of these dtypes; of all if empty
  /// Lengths of tiles: extents are these, one more and one less, along one axis each time.
  std::vector<int64_t> around;
  bool printOnly = false, inProcess = false;
  Variant variant; ///< the way to compile
};

/// Prints how many cases each op has. True if all are right and there is one of every op and
/// of every dtype that it takes.
bool runEachOp(mlir::MLIRContext &context, const EachOpOptions &options);

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_EACHOP_H
