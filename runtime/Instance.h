//===- Instance.h - the state of one run ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a run of an executable needs and that the next run can use
// again: evaluated sizes, the arena, scratch, and the addresses of slots.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_INSTANCE_H
#define TENON_RUNTIME_INSTANCE_H

#include "runtime/Expr.h"
#include "runtime/Plan.h"
#include "runtime/RunControl.h"

#include <memory>
#include <vector>

namespace tenon::runtime {

/// Bytes at an address.
struct Extent {
  char *address = nullptr;
  int64_t bytes = 0;

  bool operator==(const Extent &other) const {
    return address == other.address && bytes == other.bytes;
  }
};

class Instance {
public:
  explicit Instance(const Plan &plan);

  /// Evaluates every expression for the symbols in `wanted` and a number of
  /// threads, unless that is what the instance already holds.
  tenon_status evaluate(int64_t threads) {
    if (evaluatedThreads == threads && symbols == wanted)
      return nullptr;
    return evaluateAll(threads);
  }
  /// Makes sure of the arena and scratch that the evaluated sizes ask for.
  tenon_status reserve();

  /// Makes the candidates the arguments, resolves the slots, and finds which
  /// outputs are updated in place.
  void bindArguments();
  /// Whether `candidates` differ from what the slots are resolved for.
  bool argumentsChanged() const { return argumentsStale || !(candidates == arguments); }

  int64_t value(ValueIndex index) const { return values[size_t(index)]; }
  const int64_t *valuesFrom(ValueIndex index) const { return values.data() + index; }
  ExprScope scope() const { return {symbols.data(), evaluatedThreads}; }
  /// Resolves a slot from its base, its argument or the arena.
  void resolve(int64_t slot);

  /// Whether the device was lost since it was made: it cannot be used any more.
  bool lost() const { return generation != plan.device->generation(); }

  const Plan &plan;
  const int64_t generation;       ///< of the device
  std::vector<int64_t> wanted;    ///< symbols of the run that begins
  std::vector<Extent> candidates; ///< its inputs, then its outputs
  std::vector<Extent> arguments;  ///< those that the slots are resolved for
  std::vector<int64_t> inputBytes, outputBytes;
  std::vector<char> inPlace;     ///< per output: it lies where its donated input does
  std::vector<char *> addresses; ///< per slot
  std::vector<void *> operands;  ///< of the launch under way
  std::vector<char *> saved;     ///< of the loops under way
  std::vector<int64_t> order;    ///< for the overlap check
  char *temporary = nullptr;     ///< for entangled loops
  std::vector<DeviceMemory> staging;
  std::shared_ptr<const Loaded> loaded; ///< what `stream` runs
  std::unique_ptr<Stream> stream;       ///< on a device apart from the host
  /// The next run asks the stream for the same as the last one did.
  bool repeatable = false;
  RunControl control;
  tenon_env env{};

private:
  tenon_status evaluateAll(int64_t threads);
  tenon_status evaluateExprs(int64_t threads);
  tenon_status checkSizes();
  tenon_status portBytes(const tenon_port *ports, const std::vector<PortPlan> &plans,
                         const char *kind, std::vector<int64_t> &bytes);
  tenon_status sizeScratch(int64_t threads);
  tenon_status checkLoop(const LoopPlan &loop);

  std::vector<int64_t> symbols;
  int64_t evaluatedThreads = 0; ///< 0: nothing is evaluated
  std::vector<int64_t> values;
  int64_t arenaBytes = 0, temporaryBytes = 0, scratchBytes = 0;
  DeviceMemory arena, scratch;
  bool fixedStale = true;     ///< addresses in the arena are to be resolved
  bool argumentsStale = true; ///< those that depend on arguments too
};

/// Whether the program's checks hold.
tenon_status checkExtents(const Plan &plan, const ExprScope &scope);

/// Evaluates the extents of output `index` for given symbols.
tenon_status evaluateOutputExtents(const Plan &plan, const ExprScope &scope, int64_t index,
                                   int64_t *extents);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_INSTANCE_H
