//===- KernelFrame.h - The functions around a kernel's code -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy emits the code of one kernel into a frame. The frame makes the functions
// that a target calls, gives buffers as memrefs, extents and scratch, and takes the
// bodies of parallel loops. Code is emitted in arith, math, memref, scf and vector.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_KERNELFRAME_H
#define TENON_CODEGEN_CPU_KERNELFRAME_H

#include "codegen/cpu/CpuTarget.h"
#include "ir/TenonOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tenon::cpu {

/// Where iterations of a parallel loop are shared: the invocations of a GPU's workgroup.
class Teams {
public:
  /// Members that are worth having for so many elements an iteration (none: not known); a
  /// power of two, 1 if it is to be a loop of its own.
  virtual int64_t sizeFor(std::optional<int64_t> elements) const = 0;
  /// Emits a parallel loop over [0, count) of whose iterations each has a team of `size` members.
  /// All of them run `body`, and all of it; only in the entry function.
  virtual void forEach(mlir::Value count, int64_t size,
                       llvm::function_ref<void(mlir::Value item, mlir::Value member)> body) = 0;
  /// Emits the merging of what the members have, in an order that the size decides; each member
  /// gets the result. `a` is of members before those of `b`. With `apart` of those alone whose
  /// numbers are a multiple of it apart.
  using Merge =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange a, mlir::ValueRange b)>;
  virtual llvm::SmallVector<mlir::Value> combine(mlir::ValueRange own, Merge merge,
                                                 int64_t apart = 1) = 0;
  /// The same of the members before each; the first one gets `neutral`.
  virtual llvm::SmallVector<mlir::Value> before(mlir::ValueRange own, mlir::ValueRange neutral,
                                                Merge merge) = 0;
  /// In forEach: the members of a team.
  virtual int64_t size() const = 0;
  /// Memory that the members share, each number one array; combine() and before() take the first
  /// numbers.
  virtual mlir::Value shared(unsigned number, mlir::Type type, int64_t elements) = 0;
  /// What any member stored there before, all can load after it.
  virtual void barrier() = 0;

protected:
  ~Teams() = default;
};

class KernelFrame {
public:
  virtual ~KernelFrame() = default;

  /// While it lives, what is emitted comes from an op of the body, if the frame keeps locations.
  class LocationScope {
  public:
    LocationScope(KernelFrame &frame, mlir::Operation *op) : frame(frame), before(frame.location) {
      if (frame.keepsLocations)
        frame.location = op->getLoc();
    }
    ~LocationScope() { frame.location = before; }
    LocationScope(const LocationScope &) = delete;
    LocationScope &operator=(const LocationScope &) = delete;

  private:
    KernelFrame &frame;
    mlir::Location before;
  };

  mlir::OpBuilder &builder() { return b; }
  mlir::Location loc() const { return location; }
  const CpuTarget &target() const { return cpu; }
  KernelOp kernel() const { return op; }

  /// Operand or result `index` of the kernel (operands first, then results) as a
  /// row-major memref of its type in the function under construction. i1 tensors are
  /// memrefs of i8. Nothing may be said of its alignment beyond that of an element.
  virtual mlir::Value buffer(unsigned index) = 0;
  unsigned numOperands() { return op.getInputs().size(); }
  mlir::Value result(unsigned index) { return buffer(numOperands() + index); }

  /// Extent `dim` of buffer `index`: a constant where it is static.
  mlir::Value extent(unsigned index, unsigned dim);
  /// The extent as an expression: a constant, or the symbol that stands for the
  /// kernel's dynamic extent (counted over operands, then results, in order).
  mlir::AffineExpr extentExpr(unsigned index, unsigned dim);

  /// A number that divides an expression of extents, or an index by how it is made; 0 of 0, 1
  /// where nothing is known. Loops need no rest of what is a multiple of their step.
  int64_t divisorOf(mlir::AffineExpr expr) const;
  int64_t divisorOf(mlir::Value index) const;
  template <typename T> bool isMultiple(T extent, int64_t of) const {
    return divisorOf(extent) % of == 0;
  }

  /// Scratch that all workers share, and one piece per worker; contents undefined,
  /// 64-byte aligned. A shape is static extents or expressions of extentExpr().
  /// May be called in the entry or in a parallel body (workerScratch: the piece of the
  /// body's worker; in the entry: the piece of worker 0). The returned id names the
  /// same storage in every function: ask again for the memref with `scratch(id)`.
  unsigned addSharedScratch(mlir::Type elementType, llvm::ArrayRef<mlir::AffineExpr> shape);
  unsigned addWorkerScratch(mlir::Type elementType, llvm::ArrayRef<mlir::AffineExpr> shape);
  virtual mlir::Value scratch(unsigned id) = 0;

  /// Does a worker run a whole slice of a parallel loop, one iteration after the other? Else
  /// every iteration is a slice, and pieces of scratch are many.
  virtual bool hasWorkers() const { return true; }
  /// Null where there are none.
  virtual Teams *teams() { return nullptr; }

  /// Emits a parallel loop over [0, count): `body(begin, end)` is called with the
  /// insertion point in an outlined function and handles iterations [begin, end) of a
  /// slice of at most `chunk`. Values of the entry function are not visible in
  /// there, except those listed in `captures` (index or scalar), which `body`
  /// gets as its own values. Slices depend on count and chunk alone. Only legal in
  /// the entry function.
  virtual void parallelFor(
      mlir::Value count, mlir::Value chunk, mlir::ValueRange captures,
      llvm::function_ref<void(mlir::Value begin, mlir::Value end, mlir::ValueRange captures)>
          body) = 0;

  /// Emits a look at whether the run goes on (i1), for loops that take long within one
  /// slice: the results of a run that does not are never used, so the rest may be
  /// skipped. Not in addFunction.
  virtual mlir::Value goesOn() = 0;

  /// A private function in the module, for register tiles that are called from
  /// several places; `emit` fills its body (the return is added). The frame's buffers
  /// and scratch are not available inside; pass memrefs as arguments. Returns the
  /// function to `func.call`. Inlined when `inlined`.
  virtual mlir::func::FuncOp addFunction(
      llvm::StringRef name, mlir::TypeRange arguments, mlir::TypeRange results, bool inlined,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange arguments)> emit) = 0;

  /// Emits `body` as a function of its own that is called here, with the frame's buffers
  /// and scratch: what it keeps in registers does not compete with what surrounds the
  /// call. It gets the captures (index or scalar) as its own values.
  virtual void callApart(llvm::StringRef name, mlir::ValueRange captures,
                         llvm::function_ref<void(mlir::ValueRange captures)> body) = 0;

  /// Ends the entry function. To be called once, last.
  virtual void finish() = 0;

  /// Bytes of scratch, over the kernel's extent symbols; valid after finish().
  mlir::AffineExpr sharedBytes() const { return shared; }
  mlir::AffineExpr workerBytes() const { return perWorker; }

  // Short cuts.
  virtual mlir::Value index(int64_t value) = 0;
  mlir::Value constant(mlir::Type floatOrIntType, double value);

protected:
  struct Scratch {
    mlir::Type elementType;
    llvm::SmallVector<mlir::AffineExpr> shape;
    mlir::AffineExpr offset;
    bool worker;
  };

  KernelFrame(mlir::MLIRContext *context, KernelOp kernel, const CpuTarget &target);

  virtual mlir::Value dynamicExtent(unsigned symbol) = 0;
  /// Runs `emit` with the insertion point at the end of what stands before all other code.
  virtual mlir::Value inPrologue(llvm::function_ref<mlir::Value()> emit) = 0;
  mlir::RankedTensorType typeOf(unsigned index);
  mlir::Value extentValue(unsigned symbol);
  /// From here on a value is known to be a multiple.
  void noteDivisor(mlir::Value index, int64_t divisor);
  mlir::Value evaluate(mlir::AffineExpr expr);
  const Scratch &scratchPiece(unsigned id) const { return scratches[id]; }

  KernelOp op;
  mlir::Location location; ///< of what is emitted
  bool keepsLocations = false;
  mlir::OpBuilder b;

private:
  /// The place of an extent among the dynamic ones, or of the next one.
  unsigned extentSymbol(unsigned index, unsigned dim);
  unsigned addScratch(mlir::Type elementType, llvm::ArrayRef<mlir::AffineExpr> shape, bool worker);

  const CpuTarget &cpu;
  llvm::SmallVector<Scratch> scratches;
  mlir::AffineExpr shared, perWorker;
  llvm::SmallVector<int64_t> multiples; ///< what divides the dynamic extents
  llvm::DenseMap<mlir::Value, int64_t> divisors;
};

/// How elements lie in memory: i1 takes a byte.
mlir::Type storageType(mlir::Type elementType);
int64_t storageBytes(mlir::Type type);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_KERNELFRAME_H
