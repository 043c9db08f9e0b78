//===- MatmulBody.h - What kernels around a matrix product share -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_STRATEGIES_MATMULBODY_H
#define TENON_CODEGEN_SPIRV_STRATEGIES_MATMULBODY_H

#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorLoop.h"
#include "codegen/spirv/SpirvFrame.h"

namespace tenon::spirv {

/// The axis of an operand that it shares with the product, and the one that is summed over.
struct MatmulAxes {
  explicit MatmulAxes(MatmulOp op)
      : rank(mlir::cast<mlir::RankedTensorType>(op.getY().getType()).getRank()),
        wideA(rank - (op.getTransposeA() ? 1 : 2)), deepA(rank - (op.getTransposeA() ? 2 : 1)),
        wideB(rank - (op.getTransposeB() ? 2 : 1)), deepB(rank - (op.getTransposeB() ? 1 : 2)) {}
  unsigned rank, wideA, deepA, wideB, deepB;
};

/// A kernel around `op`, emitted in tiles of the product, a workgroup a tile.
class MatmulBody {
protected:
  MatmulBody(SpirvFrame &frame, MatmulOp op);

  /// One operand. Of it, the part from `first` along the axis that it shares with the product,
  /// and a piece of the depth, are in the workgroup's memory at a time.
  struct Operand {
    mlir::Value value;
    unsigned number;             ///< of its memory
    unsigned wideAxis, deepAxis; ///< in its own axes
    mlir::AffineExpr width;
    mlir::Value first;
    bool deepFirst; ///< neighbours in memory are neighbours along the depth
  };

  mlir::Value add(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::AddIOp>(loc, x, y);
  }
  mlir::Value add(mlir::Value x, int64_t n) { return n == 0 ? x : add(x, frame.index(n)); }
  mlir::Value mul(mlir::Value x, int64_t n) {
    return b.createOrFold<mlir::arith::MulIOp>(loc, x, frame.index(n));
  }
  mlir::Value div(mlir::Value x, int64_t n) {
    return b.createOrFold<mlir::arith::DivUIOp>(loc, x, frame.index(n));
  }
  mlir::Value rem(mlir::Value x, int64_t n) {
    return b.createOrFold<mlir::arith::RemUIOp>(loc, x, frame.index(n));
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return x && y ? b.create<mlir::arith::AndIOp>(loc, x, y).getResult() : (x ? x : y);
  }
  /// index < extent; null where every multiple of `step` below the extent has room for a step.
  mlir::Value isInside(mlir::Value index, mlir::AffineExpr extent, int64_t step);
  /// Of two values of one type, the first computed only if the condition, which may be null, holds.
  mlir::Value choose(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> ifTrue,
                     llvm::function_ref<mlir::Value()> ifFalse);

  /// Runs `emit(left, right)` for each tile of so many rows and columns.
  void
  forEachTile(int64_t height, int64_t width, int64_t team,
              llvm::function_ref<void(const Operand &, const Operand &, mlir::Value member)> emit);
  /// An element of an operand, with its prologue.
  mlir::Value element(const Operand &operand, mlir::Value wide, mlir::Value deep);
  /// Is an operand all of a buffer, of such elements in lines of whole vectors of 16 bytes?
  bool isInVectors(mlir::Value operand, mlir::Type element) const;
  /// The vector from an element of an operand on, 0 where not `exists`, which may be null. Null of
  /// operands that are not in vectors.
  mlir::Value vectorAt(const Operand &operand, mlir::Type element, mlir::Value wide,
                       mlir::Value deep, mlir::Value exists);
  /// For the emitter, reshapes of what is in memory: their elements lie at strides, so no axes are
  /// divided.
  void bindViews(cpu::ElementEmitter &e);
  /// How pieces of the depth get into the workgroup's memory, by way of registers, and are used.
  struct Pieces {
    int64_t depth;
    llvm::function_ref<cpu::Values(const Operand &, mlir::Value from)> load;
    llvm::function_ref<void(const Operand &, mlir::ValueRange loaded)> store;
    /// The sums with the products of what is in memory.
    llvm::function_ref<cpu::Values(mlir::ValueRange sums)> multiply;
  };
  /// Sums over the depth; the next piece is loaded while one is used.
  cpu::Values sumOverDepth(const Operand &left, const Operand &right, mlir::ValueRange sums,
                           const Pieces &pieces);
  /// Emits what is for elements of the product alone, not for what is beyond its end, which may
  /// be where tiles of this size end.
  void whenInside(mlir::Value row, mlir::Value column, int64_t height, int64_t width,
                  llvm::function_ref<void()> emit);
  /// The kernel's results at an element of the product, in their order: values, and where they
  /// are. `bind` may tell an emitter more.
  using Results = llvm::SmallVector<std::pair<mlir::Value, llvm::SmallVector<cpu::LaneIndex>>>;
  Results resultsAt(mlir::Value row, mlir::Value column, mlir::Value sum,
                    llvm::function_ref<void(cpu::ElementEmitter &)> bind);
  /// What the kernel yields.
  mlir::ValueRange yielded();
  /// Computes the kernel's results at an element of the product, if it is one.
  void finish(mlir::Value row, mlir::Value column, int64_t height, int64_t width, mlir::Value sum);

  SpirvFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  MatmulOp op;
  MatmulAxes axes;
  cpu::BodyBuffers buffers;
  unsigned rank;
  mlir::AffineExpr rows, columns, depth;
  mlir::Type type;             ///< of sums
  mlir::VectorType vectorType; ///< of 16 bytes
  llvm::SmallVector<cpu::LaneIndex> batch;
};

/// Emits a kernel around `op` in tiles of the product; false, and nothing emitted, where tiles
/// would be mostly empty.
bool emitMatmulTiles(SpirvFrame &frame, MatmulOp op);

/// The same with cooperative matrices; false where the device has none for these types.
bool emitMatmulMatrices(SpirvFrame &frame, MatmulOp op);

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_STRATEGIES_MATMULBODY_H
