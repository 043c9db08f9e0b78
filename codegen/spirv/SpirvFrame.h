//===- SpirvFrame.h - The dispatches around a GPU kernel's code -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy emits one function, as for the CPU; then it is cut into dispatches: each
// parallel loop is one, an invocation an iteration, and what stores something between
// them is one of a single invocation. What they need of the code before is computed again.
//
// Buffers, extents and the invocation's number are unrealized casts with an attribute
// until ToSpirv gives them their form.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_SPIRV_SPIRVFRAME_H
#define TENON_CODEGEN_SPIRV_SPIRVFRAME_H

#include "codegen/cpu/KernelFrame.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

namespace tenon::spirv {

/// On a cast to a memref: the buffer of the kernel, or TENON_BINDING_SCRATCH. Operands are the
/// bytes where it begins, then the dynamic extents.
constexpr llvm::StringLiteral kBindingAttr = "tenon.binding";
/// On a cast to an index: the kernel's extent with this number.
constexpr llvm::StringLiteral kExtentAttr = "tenon.extent";
/// On a cast to a memref of a workgroup's own memory: its number.
constexpr llvm::StringLiteral kSharedAttr = "tenon.shared";
/// On a cast to an index: the number of the workgroup, and of the invocation in it.
constexpr llvm::StringLiteral kGroupAttr = "tenon.group";
constexpr llvm::StringLiteral kMemberAttr = "tenon.member";

/// On a cast to an index: the number of the subgroup, and of the invocation in it.
constexpr llvm::StringLiteral kSubgroupAttr = "tenon.subgroup";
constexpr llvm::StringLiteral kLaneAttr = "tenon.lane";
/// On a cast of a memref and an index to the pointer to that element.
constexpr llvm::StringLiteral kAddressAttr = "tenon.address";

/// What code may use of a device, beyond what every one has.
struct SpirvFeatures {
  /// 16 x 16 of f16 with sums in f32, by subgroups of this size.
  bool cooperativeMatrix = false;
  /// Their elements lie among the lanes as Fragments.h says.
  bool fragments = false;
  /// Values go from one invocation of a subgroup to another.
  bool shuffle = false;
  int64_t subgroupSize = 32;
  /// Widths of floats whose signed zeros, infinities and NaN can be asked for.
  llvm::SmallVector<int32_t, 3> preserved;
  /// Modules have names, and tell of which ops of the program their code is.
  bool debugInfo = false;
};

/// Invocations of a workgroup where each computes for itself.
constexpr int64_t kWorkgroup = 64;

/// One dispatch: a function without arguments, how many workgroups it has, an expression over
/// the kernel's extents, and how many invocations a workgroup.
struct DispatchCode {
  mlir::func::FuncOp function;
  mlir::AffineExpr groups;
  int64_t size;
};

class SpirvFrame final : public cpu::KernelFrame, private cpu::Teams {
public:
  SpirvFrame(mlir::ModuleOp module, KernelOp kernel, const SpirvFeatures &features);

  mlir::Value buffer(unsigned index) override;
  mlir::Value scratch(unsigned id) override;
  mlir::Value index(int64_t value) override;
  bool hasWorkers() const override { return false; }
  cpu::Teams *teams() override { return this; }
  void parallelFor(
      mlir::Value count, mlir::Value chunk, mlir::ValueRange captures,
      llvm::function_ref<void(mlir::Value begin, mlir::Value end, mlir::ValueRange captures)> body)
      override;
  mlir::Value goesOn() override;
  mlir::func::FuncOp addFunction(
      llvm::StringRef name, mlir::TypeRange arguments, mlir::TypeRange results, bool inlined,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange arguments)> emit) override;
  void callApart(llvm::StringRef name, mlir::ValueRange captures,
                 llvm::function_ref<void(mlir::ValueRange captures)> body) override;
  void finish() override;

  mlir::Value shared(unsigned number, mlir::Type type, int64_t elements) override;
  void barrier() override { barrier(mlir::spirv::Scope::Workgroup); }
  void barrier(mlir::spirv::Scope scope);
  mlir::Value subgroup() { return cast({}, b.getIndexType(), kSubgroupAttr, 0); }
  mlir::Value lane() { return cast({}, b.getIndexType(), kLaneAttr, 0); }
  mlir::Value address(mlir::Value memref, mlir::Value index);

  const SpirvFeatures &features() const { return device; }
  bool usesFragments = false; ///< the code knows where elements of cooperative matrices lie
  /// A buffer in vectors of 16 bytes. Its lines have to be of whole ones; then so is what comes
  /// before a slice of it in a loop, and all other buffers begin at multiples of 64 bytes.
  mlir::Value bufferOfVectors(unsigned number);
  /// The same in elements of another type, which whole lines are made of.
  mlir::Value bufferAs(unsigned number, mlir::Type element);
  /// Vectors of the buffer that a memref is all of.
  mlir::Value inVectors(mlir::Value memref);

  /// After finish(): the dispatches in order. A failure has emitted an error.
  llvm::LogicalResult cut(llvm::SmallVectorImpl<DispatchCode> &dispatches);
  /// After cut(): scratch that all dispatches share, with a piece for each invocation.
  mlir::AffineExpr scratchBytes() const { return scratchTotal; }

private:
  mlir::Value dynamicExtent(unsigned symbol) override;
  int64_t sizeFor(std::optional<int64_t> elements) const override;
  void forEach(mlir::Value count, int64_t size,
               llvm::function_ref<void(mlir::Value, mlir::Value)> body) override;
  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange own, Merge merge, int64_t apart) override;
  llvm::SmallVector<mlir::Value> before(mlir::ValueRange own, mlir::ValueRange neutral,
                                        Merge merge) override;
  int64_t size() const override { return teamSize; }
  llvm::SmallVector<mlir::Value> combineInMemory(mlir::ValueRange own, Merge merge, int64_t apart);
  llvm::SmallVector<mlir::Value> combineSubgroup(mlir::ValueRange own, Merge merge);
  bool canShuffle(mlir::ValueRange values) const;
  mlir::Value inPrologue(llvm::function_ref<mlir::Value()> emit) override;
  mlir::Value cast(mlir::ValueRange operands, mlir::Type type, llvm::StringRef attribute,
                   int64_t value);
  /// An index that was made of constants and extents, as an expression; null if it was not.
  mlir::AffineExpr exprOf(mlir::Value index);

  mlir::ModuleOp module;
  const SpirvFeatures &device;
  mlir::func::FuncOp whole;
  mlir::Operation *prologue = nullptr;
  mlir::Value worker; ///< in a parallel loop: its iteration
  mlir::Value member; ///< in a team
  int64_t teamSize = 0;
  llvm::DenseMap<unsigned, mlir::Value> bufferCache, extentCache;
  llvm::DenseMap<int64_t, mlir::Value> indexCache;
  mlir::AffineExpr scratchTotal;
};

} // namespace tenon::spirv

#endif // TENON_CODEGEN_SPIRV_SPIRVFRAME_H
