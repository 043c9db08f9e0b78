//===- AttentionOperands.h - Where attention reads and writes ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention (or its gradient) that roots a kernel: its sizes, and the matrices of
// its operands and results. Views around the root (the head split of a
// [sequence, width] matrix) are strides here and cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONOPERANDS_H
#define TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONOPERANDS_H

#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/Placement.h"
#include "codegen/cpu/Views.h"
#include "codegen/cpu/strategies/AttentionTiles.h"

namespace tenon::cpu {

/// Extents of a root, as values of the function under construction. `group` query
/// heads share a key head.
struct AttentionSizes {
  mlir::Value batch, heads, keyHeads, group, queries, keys;
};

class AttentionOperands {
public:
  /// Finds the root of the frame's kernel and resolves all its views; says what is
  /// wrong where that fails.
  static mlir::FailureOr<AttentionOperands> get(KernelFrame &frame);

  /// Tells whether `op` can be the root of a kernel: the widths of heads are known.
  static bool canRoot(mlir::Operation *op);
  static bool canFuseProducer(const KernelGroup &group, mlir::Operation *op, std::string &reason);
  static bool canFuseConsumer(const KernelGroup &group, mlir::Operation *op, std::string &reason);

  mlir::Operation *root() const { return op; }
  mlir::Type computeType() const;
  int64_t width() const { return extent(q(), 3); }      ///< d, of q and k
  int64_t valueWidth() const { return extent(v(), 3); } ///< e, of v and o
  bool causal() const { return op->getAttrOfType<mlir::BoolAttr>("causal").getValue(); }
  double scale() const { return op->getAttrOfType<mlir::FloatAttr>("scale").getValueAsDouble(); }
  bool hasMask() const { return static_cast<bool>(mask()); }
  bool hasFloatMask() const;

  mlir::Value q() const { return op->getOperand(0); }
  mlir::Value k() const { return op->getOperand(1); }
  mlir::Value v() const { return op->getOperand(2); }
  mlir::Value mask() const;
  /// An extent if it is static, else kDynamic.
  static int64_t extent(mlir::Value value, unsigned axis);
  bool isMultiple(mlir::Value value, unsigned axis, int64_t of) const {
    return divisorOf(*frame, extentOf(value, axis)) % of == 0;
  }

  /// Do the rows of q, k, v, o and their gradients consist of whole vectors of so many elements,
  /// if their buffers begin with one?
  bool liesInVectors(int64_t elements) const;

  AttentionSizes sizes(TileBuilder &t) const;
  /// An extent of an operand for the size of scratch.
  mlir::AffineExpr extentExpr(mlir::Value value, unsigned axis) const;

  /// The last two axes of `operand` at the given batch and head; where the operand's
  /// extent of one of these is 1 it is repeated. lse: one row.
  Matrix matrix(TileBuilder &t, mlir::Value operand, mlir::Value batch, mlir::Value head) const;
  /// The same of a result: all the places where it is to be written.
  llvm::SmallVector<Matrix> places(TileBuilder &t, unsigned result, mlir::Value batch,
                                   mlir::Value head) const;
  /// Tells whether there is any.
  bool asks(unsigned result) const;

private:
  struct Place {
    unsigned result; ///< of the root
    unsigned buffer; ///< of the kernel
    llvm::SmallVector<Extent> strides;
  };
  Matrix matrixOf(TileBuilder &t, mlir::Value memory, mlir::Value offset,
                  llvm::ArrayRef<Extent> strides, mlir::Value batch, mlir::Value head) const;

  KernelFrame *frame = nullptr;
  mlir::Operation *op = nullptr;
  llvm::DenseMap<mlir::Value, StridedView> views;
  llvm::SmallVector<Place> allPlaces;
};

/// A strategy whose kernels `Op` roots and `Emitter` emits.
template <typename Op, typename Emitter> class AttentionStrategy : public CpuStrategy {
public:
  AttentionStrategy(llvm::StringRef name, int benefit) : ownName(name), ownBenefit(benefit) {}
  llvm::StringRef name() const override { return ownName; }
  int benefit() const override { return ownBenefit; }
  bool canRoot(mlir::Operation *op) const override {
    return llvm::isa<Op>(op) && AttentionOperands::canRoot(op);
  }
  bool canFuseProducer(const KernelGroup &group, mlir::Operation *op,
                       std::string &reason) const override {
    return AttentionOperands::canFuseProducer(group, op, reason);
  }
  bool canFuseConsumer(const KernelGroup &group, mlir::Operation *op,
                       std::string &reason) const override {
    return AttentionOperands::canFuseConsumer(group, op, reason);
  }
  llvm::LogicalResult emit(KernelFrame &frame) const override {
    auto operands = AttentionOperands::get(frame);
    if (failed(operands))
      return mlir::failure();
    Emitter(frame, *operands).emit();
    return mlir::success();
  }

private:
  llvm::StringRef ownName;
  int ownBenefit;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_STRATEGIES_ATTENTIONOPERANDS_H
