//===- ElementEmitter.h - One vector of a tensor value ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes elements of a value of a kernel's body where they are needed: follows
// its ops up to block arguments (loads from buffers) and to values that the
// strategy has bound (an accumulator, a row statistic). Prologues, epilogues and
// elementwise kernels all come from here. How an op is computed stands in
// codegen/cpu/elements/<Family>.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_ELEMENTEMITTER_H
#define TENON_CODEGEN_CPU_ELEMENTEMITTER_H

#include "codegen/cpu/KernelFrame.h"

namespace tenon::cpu {

/// The index of an element along one axis, for all lanes of a vector:
/// base + lane * step, or, for the odd cases (a reshape across the lanes), a
/// vector of indices.
struct LaneIndex {
  mlir::Value base;     ///< index, of lane 0
  int64_t step = 0;     ///< 0 = the same for all lanes
  mlir::Value vector;   ///< vector<lanes x index>, if irregular; then base is null
  int64_t multiple = 1; ///< base is known to be a multiple of this

  bool isUniform() const { return step == 0 && !vector; }
  bool operator==(const LaneIndex &other) const {
    return base == other.base && step == other.step && vector == other.vector;
  }
};

/// How the arguments and results of a kernel's body lie in memory: as the frame
/// says, unless a strategy has given them other shapes.
class BodyBuffers {
public:
  explicit BodyBuffers(KernelFrame &frame) : frame(frame) {}
  virtual ~BodyBuffers() = default;
  virtual mlir::Value buffer(unsigned index) { return frame.buffer(index); }
  virtual mlir::AffineExpr extent(unsigned index, unsigned dim) {
    return frame.extentExpr(index, dim);
  }
  /// The buffer of what the body's yield has as this operand.
  virtual unsigned bufferOfYield(unsigned operand) { return frame.numOperands() + operand; }

  /// An extent that the type or an argument of the kernel tells; null if neither does.
  mlir::AffineExpr knownExtent(mlir::Value value, unsigned dim);
  /// An extent of any value of the body, over the frame's symbols.
  mlir::AffineExpr extentOf(mlir::Value value, unsigned dim);
  /// Emits an expression over the frame's symbols.
  mlir::Value emit(mlir::AffineExpr expression);

protected:
  KernelFrame &frame;
};

class ElementEmitter {
public:
  /// Emits at the frame's insertion point; `lanes` 1 means scalars. `mask`, a
  /// vector<lanes x i1> or null, tells which lanes exist: others are not loaded.
  /// `buffers` outlives the emitter.
  ElementEmitter(KernelFrame &frame, int lanes, mlir::Value mask = nullptr,
                 BodyBuffers *buffers = nullptr);

  /// What `value` is at these indices, given for all its axes: computation type
  /// (f16 and bf16 as f32, i1 as i1), a scalar where no lane depends on the
  /// indices' steps, else vector<lanes x type>. Code that does not depend on the loops
  /// around the insertion point (scf.for) is put before them, and what was emitted once
  /// is found again.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<LaneIndex> indices);

  /// Makes `value` known: `compute(indices)` gives its elements instead of its op, but
  /// for those for which it returns null.
  using Compute = std::function<mlir::Value(llvm::ArrayRef<LaneIndex>)>;
  void bind(mlir::Value value, Compute compute);
  /// The same, by an element that holds for all indices the emitter will see.
  void bind(mlir::Value value, mlir::Value element);

  /// `emit`, always as a vector<lanes x type>.
  mlir::Value emitVector(mlir::Value value, llvm::ArrayRef<LaneIndex> indices);

  /// Stores a computed vector (or scalar) to a kernel result buffer at indices:
  /// converts from the computation type, honours the mask.
  void store(mlir::Value vector, mlir::Value buffer, llvm::ArrayRef<LaneIndex> indices);
  /// The reverse, as `emit` does for block arguments.
  mlir::Value load(mlir::Value buffer, llvm::ArrayRef<LaneIndex> indices, bool isBool = false);

  /// Can this op be emitted here? (Elementwise, shape, index, random, constants.)
  static bool canEmit(mlir::Operation *op);

  /// f32 for f16 and bf16, else the type itself.
  static mlir::Type computeType(mlir::Type elementType);

  //===--------------------------------------------------------------------===//
  // For the families
  //===--------------------------------------------------------------------===//

  mlir::OpBuilder &builder() { return b; }
  mlir::Location loc() const { return frame.loc(); }
  int numLanes() const { return lanes; }
  const CpuTarget &target() const { return frame.target(); }
  mlir::Value laneMask() const { return mask; }
  /// From here on only the lanes of `newMask` exist.
  void setMask(mlir::Value newMask) { mask = newMask; }

  mlir::Value extent(mlir::Value value, unsigned dim);
  mlir::AffineExpr extentExpr(mlir::Value value, unsigned dim);

  /// A scalar as a vector<lanes x type>; a vector stays.
  mlir::Value splat(mlir::Value value);
  /// Elements of the computation type of `value` that are `constant`, a scalar.
  mlir::Value constantOf(mlir::Value value, double constant);

  // Index arithmetic.
  mlir::Value index(int64_t value) { return frame.index(value); }
  LaneIndex plus(LaneIndex a, LaneIndex b);
  LaneIndex plus(LaneIndex a, int64_t offset);
  LaneIndex times(LaneIndex a, mlir::AffineExpr factor);
  /// Quotient and remainder; `crosses` tells if lanes may have different quotients.
  std::pair<LaneIndex, LaneIndex> divide(LaneIndex a, mlir::AffineExpr divisor, bool crosses);
  LaneIndex uniform(mlir::Value base) { return LaneIndex{base, 0, nullptr, 1}; }
  /// vector<lanes x index>, or an index where all lanes agree.
  mlir::Value valueOf(LaneIndex index);
  /// The row-major number of an element of `value`.
  LaneIndex linear(mlir::Value value, llvm::ArrayRef<LaneIndex> indices);

  /// Emits something that depends on `anchors` alone as far out of the loops as they
  /// allow, once for every (op, tag).
  mlir::Value invariant(mlir::Operation *op, int tag, llvm::ArrayRef<mlir::Value> anchors,
                        llvm::function_ref<mlir::Value()> make);

  /// Emits `inside` under a condition (i1, or vector<lanes x i1>): elsewhere the result is
  /// `outside`, a scalar, and nothing is loaded.
  mlir::Value guarded(mlir::Value condition, mlir::Value outside,
                      llvm::function_ref<mlir::Value()> inside);

private:
  struct Cone { ///< what a value depends on beyond indices
    bool opaque = false;
    llvm::SmallVector<mlir::Value, 4> anchors;
  };
  struct Known {
    llvm::SmallVector<LaneIndex, 4> indices;
    mlir::Value mask, result;
  };
  using Memo = std::tuple<void *, void *, int64_t>;

  void forget(mlir::Value value);
  const Cone &coneOf(mlir::Value value);
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<LaneIndex> indices);
  bool isVisible(mlir::Value value);
  void hoist(llvm::ArrayRef<mlir::Value> anchors);
  mlir::Value memo(Memo key, llvm::ArrayRef<mlir::Value> anchors,
                   llvm::function_ref<mlir::Value()> make);
  mlir::Value addIndex(mlir::Value a, mlir::Value c);
  mlir::Value mulIndex(mlir::Value a, mlir::Value c);
  /// The scalar indices and, where lanes differ, offsets of a gather or scatter.
  mlir::Value gatherOffsets(mlir::Value buffer, llvm::ArrayRef<LaneIndex> indices,
                            llvm::SmallVectorImpl<mlir::Value> &bases);
  mlir::Value fullMask();
  bool movesLaneByLane(mlir::Type element, llvm::ArrayRef<LaneIndex> indices) const;
  llvm::SmallVector<mlir::Value> indicesOfLane(llvm::ArrayRef<LaneIndex> indices, mlir::Value lane);
  mlir::Value forEachLane(mlir::Value carried,
                          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> visit);

  KernelFrame &frame;
  mlir::OpBuilder &b;
  int lanes;
  mlir::Value mask;
  BodyBuffers ownBuffers;
  BodyBuffers *buffers;
  llvm::DenseMap<mlir::Value, Compute> bound;
  llvm::DenseMap<mlir::Value, mlir::Value> boundElements;
  llvm::DenseMap<mlir::Value, Cone> cones;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 2>> known;
  std::map<Memo, mlir::Value> memos;
};

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_ELEMENTEMITTER_H
