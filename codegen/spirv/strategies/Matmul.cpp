//===- Matmul.cpp - Matrix products, an element an invocation -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large ones go in tiles. This is for the others: it reads each operand as often as the
// other is wide.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/cpu/strategies/RowsEmit.h"
#include "codegen/spirv/SpirvStrategies.h"
#include "codegen/spirv/strategies/MatmulBody.h"

using namespace mlir;

namespace tenon::spirv {

using cpu::ElementEmitter;
using cpu::LaneIndex;
using cpu::Num;

namespace {

class MatmulStrategy : public cpu::CpuStrategy {
public:
  StringRef name() const override { return "matmul"; }
  int benefit() const override { return 80; }
  bool canRoot(Operation *op) const override { return isa<MatmulOp>(op); }
  bool findsWindows() const override { return true; }
  // What else can be computed inside does not depend on the target.
  bool canFuseProducer(const KernelGroup &group, Operation *op,
                       std::string &reason) const override {
    // Convolutions: windows are not in memory, their elements are found where they are loaded.
    if (isa<WindowsOp>(op))
      return true;
    bool isSlid = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return isa<WindowsOp>(user) && group.ops.contains(user);
    });
    if (isSlid && op->hasTrait<trait::Elementwise>() && !isa<CastOp>(op)) {
      reason = "it would be computed again for each window";
      return false;
    }
    return legality->canFuseProducer(group, op, reason);
  }
  bool canFuseConsumer(const KernelGroup &group, Operation *op,
                       std::string &reason) const override {
    return legality->canFuseConsumer(group, op, reason);
  }

  LogicalResult emit(cpu::KernelFrame &frame) const override {
    Block &body = frame.kernel().getBody().front();
    MatmulOp root = *body.getOps<MatmulOp>().begin();
    auto &gpu = static_cast<SpirvFrame &>(frame);
    if (emitMatmulMatrices(gpu, root) || emitMatmulTiles(gpu, root))
      return success();
    cpu::BodyBuffers buffers(frame);
    for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      SmallVector<AffineExpr> extents;
      for (int64_t i = 0; i < cast<RankedTensorType>(value.getType()).getRank(); i++)
        extents.push_back(buffers.extentOf(value, i));
      cpu::emitPoints(frame, buffers, extents, [&](ElementEmitter &e, ArrayRef<LaneIndex> at) {
        e.bind(root.getY(), [&](ArrayRef<LaneIndex> place) {
          return emitElement(frame, buffers, e, root, place);
        });
        e.store(e.emit(value, at), frame.result(number), at);
      });
    }
    return success();
  }

private:
  static Value emitElement(cpu::KernelFrame &frame, cpu::BodyBuffers &buffers, ElementEmitter &e,
                           MatmulOp op, ArrayRef<LaneIndex> place) {
    OpBuilder &b = frame.builder();
    MatmulAxes axes(op);
    SmallVector<LaneIndex> left(place), right(place);
    left[axes.wideA] = place[axes.rank - 2];
    right[axes.wideB] = place[axes.rank - 1];
    Value depth = buffers.emit(buffers.extentOf(op.getA(), axes.deepA));
    Value zero = e.constantOf(op.getY(), 0);
    return cpu::emitLoop(frame, frame.index(0), depth, {zero}, [&](Value k, ValueRange sum) {
      left[axes.deepA] = right[axes.deepB] = e.uniform(k);
      Num x(b, frame.loc(), e.emit(op.getA(), left)), y(b, frame.loc(), e.emit(op.getB(), right));
      return cpu::Values{x.isFloat() ? fma(x, y, x.of(sum[0])).v : (x * y + x.of(sum[0])).v};
    })[0];
  }

  std::unique_ptr<cpu::CpuStrategy> legality = cpu::createMatmulStrategy();
};

} // namespace

std::unique_ptr<cpu::CpuStrategy> createMatmulStrategy() {
  return std::make_unique<MatmulStrategy>();
}

} // namespace tenon::spirv
