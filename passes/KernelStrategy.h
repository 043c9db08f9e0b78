//===- KernelStrategy.h - How a target makes kernels ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel strategy answers what form-kernels asks: which op can root a kernel,
// what may be computed inside it. Legality and cost of fusion are decided here
// and nowhere else. Implementations live in codegen/<target>/strategies.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_KERNELSTRATEGY_H
#define TENON_PASSES_KERNELSTRATEGY_H

#include "ir/TenonOps.h"

#include "llvm/ADT/SetVector.h"
#include <memory>
#include <string>

namespace tenon {

/// The ops of a kernel that is being formed, in program order.
struct KernelGroup {
  mlir::Operation *root = nullptr;
  llvm::SmallSetVector<mlir::Operation *, 16> ops;
};

class KernelStrategy {
public:
  virtual ~KernelStrategy() = default;

  /// The `strategy` attribute of its kernels: "matmul", "attention", "rows".
  virtual llvm::StringRef name() const = 0;

  /// Strategies are asked in order of falling benefit.
  virtual int benefit() const = 0;

  /// Can `op` root a kernel?
  virtual bool canRoot(mlir::Operation *op) const = 0;

  /// May `op`, a producer of a group member's operand, be computed inside the
  /// kernel? Otherwise `reason` says why not, for the report.
  virtual bool canFuseProducer(const KernelGroup &group, mlir::Operation *op,
                               std::string &reason) const = 0;

  /// May `op`, a user of a group member's result, be computed inside?
  virtual bool canFuseConsumer(const KernelGroup &group, mlir::Operation *op,
                               std::string &reason) const = 0;

  /// Do its products find elements of windows where they load them, so that windows take no memory?
  virtual bool findsWindows() const { return false; }

  /// Does it root whatever no other strategy does? Its kernels may compute a value that
  /// others read as well, and small ones are merged. A target has one such strategy.
  virtual bool isGeneric() const { return false; }

  /// May a kernel of this strategy write result `result` to the storage of operand
  /// `operand`?
  virtual bool canOverwrite(KernelOp kernel, unsigned operand, unsigned result) const {
    return false;
  }
};

/// The strategies of one target, owned; sorted by benefit.
class KernelStrategies {
public:
  void add(std::unique_ptr<KernelStrategy> strategy);
  llvm::ArrayRef<std::unique_ptr<KernelStrategy>> all() const { return strategies; }
  const KernelStrategy *find(llvm::StringRef name) const;

private:
  llvm::SmallVector<std::unique_ptr<KernelStrategy>> strategies;
};

/// Makes a target's strategies known to tenon-form-kernels by name ("cpu"). The
/// strategies live as long as the process. Safe from several threads.
void registerKernelStrategies(llvm::StringRef target, const KernelStrategies &strategies);
/// Null after an error at `op` if there is no such target.
const KernelStrategies *kernelStrategiesOf(llvm::StringRef target, mlir::Operation *op);

} // namespace tenon

#endif // TENON_PASSES_KERNELSTRATEGY_H
