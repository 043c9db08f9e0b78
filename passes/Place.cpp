//===- Place.cpp - A device for each kernel -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/KernelDevice.h"

#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLACEPASS
#include "passes/Passes.h.inc"

StringRef deviceOf(KernelOp kernel) {
  auto device = kernel->getAttrOfType<StringAttr>(deviceAttr);
  return device ? device.getValue() : StringRef();
}

StringRef placementReason(KernelOp kernel) {
  auto reason = kernel->getAttrOfType<StringAttr>(reasonAttr);
  return reason ? reason.getValue() : StringRef();
}
} // namespace tenon

using namespace tenon;

namespace {

constexpr llvm::StringLiteral kCpu = "cpu";

/// The blocks of one function, each by itself: what enters and leaves one is on the target.
class Placer {
public:
  Placer(StringRef target, ArrayRef<std::string> lacks, MLIRContext *context)
      : target(target), builder(context) {
    for (StringRef each : lacks)
      this->lacks.insert(each);
  }

  unsigned numElsewhere = 0, numTransfers = 0;
  void run(Block &block);

private:
  std::string reasonAgainst(KernelOp kernel) const;
  bool isOnCpu(Value value) const { return onCpu.contains(value); }
  /// The value on a device, moved there before `reader` if need be.
  Value on(Value value, bool cpu, Operation *reader);

  StringRef target;
  llvm::StringSet<> lacks;
  OpBuilder builder;
  DenseSet<Value> onCpu;
  DenseMap<Value, Value> moved; ///< to the other device
};

} // namespace

/// Empty if the target can run it.
std::string Placer::reasonAgainst(KernelOp kernel) const {
  std::string reason;
  auto look = [&](Operation *op, TypeRange types) {
    for (mlir::Type type : types) {
      std::string element;
      llvm::raw_string_ostream(element) << getElementTypeOrSelf(type);
      if (reason.empty() && lacks.contains(element))
        reason = (op->getName().getStringRef() + ": " + target + " has no " + element).str();
    }
  };
  for (Operation &op : kernel.getBody().front()) {
    look(&op, op.getOperandTypes());
    look(&op, op.getResultTypes());
  }
  return reason;
}

Value Placer::on(Value value, bool cpu, Operation *reader) {
  Operation *op = value.getDefiningOp();
  if (isOnCpu(value) == cpu || (op && op->hasTrait<OpTrait::ConstantLike>()))
    return value;
  Value &there = moved[value];
  if (there)
    return there;
  builder.setInsertionPoint(reader);
  auto transfer = builder.create<KernelOp>(value.getLoc(), value.getType(), value,
                                           builder.getStringAttr(transferStrategy));
  transfer->setAttr(deviceAttr, builder.getStringAttr(cpu ? StringRef(kCpu) : target));
  Block &body = transfer.getBody().emplaceBlock();
  Value inside = body.addArgument(value.getType(), value.getLoc());
  builder.setInsertionPointToEnd(&body);
  builder.create<YieldOp>(value.getLoc(), inside);
  numTransfers++;
  there = transfer->getResult(0);
  if (cpu)
    onCpu.insert(there);
  return there;
}

void Placer::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto kernel = dyn_cast<KernelOp>(op);
    bool isView = op.hasTrait<trait::Rematerializable>() && op.getNumOperands() > 0;
    bool cpu = isView && isOnCpu(op.getOperand(0));
    if (kernel) {
      std::string reason = reasonAgainst(kernel);
      cpu = !reason.empty();
      kernel->setAttr(deviceAttr, builder.getStringAttr(cpu ? StringRef(kCpu) : target));
      if (cpu)
        kernel->setAttr(reasonAttr, builder.getStringAttr(reason));
      numElsewhere += cpu;
    }
    for (OpOperand &operand : op.getOpOperands())
      operand.set(on(operand.get(), cpu, &op));
    if (cpu)
      onCpu.insert(op.result_begin(), op.result_end());
  }
}

namespace {
struct PlacePass : tenon::impl::PlacePassBase<PlacePass> {
  using PlacePassBase::PlacePassBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Operation *op) {
      if (isa<func::FuncOp, LoopOp, IfOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    for (Block *block : blocks) {
      Placer placer(target, llvm::to_vector(lacks), &getContext());
      placer.run(*block);
      numElsewhere += placer.numElsewhere;
      numTransfers += placer.numTransfers;
    }
  }
};
} // namespace
