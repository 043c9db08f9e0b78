//===- LowerToLLVM.cpp - From vector and scf to the LLVM dialect ----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/LowerToLLVM.h"
#include "codegen/cpu/FloatConversions.h"
#include "codegen/cpu/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tenon::cpu {

#define GEN_PASS_DEF_CPULOWERTOLLVMPASS
#include "codegen/cpu/Passes.h.inc"

namespace {

/// KernelFrame casts what it knows as LLVM values to memrefs and function types to
/// pointers; both sides of such a cast convert to the same type.
struct CastPattern : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || adaptor.getInputs().size() != 1)
      return rewriter.notifyMatchFailure(op, "not a cast of one value");
    Value input = adaptor.getInputs()[0];
    if (input.getType() != getTypeConverter()->convertType(op.getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "the two sides convert to different types");
    rewriter.replaceOp(op, input);
    return success();
  }
};

/// create_mask n -> lanes < min(n, lanes), compared in 32 bits: half the work of
/// 64, and right for any n that is not below -2^31.
struct MaskPattern : OpRewritePattern<vector::CreateMaskOp> {
  MaskPattern(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(vector::CreateMaskOp op, PatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not a vector of one fixed dimension");
    Location loc = op.getLoc();
    int64_t lanes = type.getNumElements();
    Value all = rewriter.create<arith::ConstantIndexOp>(loc, lanes);
    Value bound = rewriter.create<arith::MinSIOp>(loc, op.getOperand(0), all);
    Value narrow = rewriter.create<arith::IndexCastOp>(loc, rewriter.getI32Type(), bound);
    auto wide = VectorType::get(lanes, rewriter.getI32Type());
    SmallVector<int32_t> numbers(lanes);
    for (int64_t i = 0; i < lanes; ++i)
      numbers[i] = int32_t(i);
    Value iota = rewriter.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(wide, ArrayRef<int32_t>(numbers)));
    Value splat = rewriter.create<vector::BroadcastOp>(loc, wide, narrow);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::slt, iota, splat);
    return success();
  }
};

/// A fused multiply-add that the processor lacks would be a library call.
struct UnfusePattern : OpRewritePattern<math::FmaOp> {
  UnfusePattern(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = rewriter.create<arith::MulFOp>(op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

/// Ops that LLVM makes calls of mathematics libraries of.
bool needsLibrary(Operation *op) {
  if (isa<arith::RemFOp>(op))
    return true;
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return false;
  return !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
              math::RoundEvenOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

LowerToLLVMOptions loweringOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  return options;
}

void populateVectorPatterns(const LLVMTypeConverter &, RewritePatternSet &patterns) {
  vector::VectorTransformsOptions options;
  options.setVectorTransposeLowering(vector::VectorTransposeLowering::Shuffle1D);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, options);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
}

FrozenRewritePatternSet makePatterns(LLVMTypeConverter &types, const CpuTarget &target) {
  RewritePatternSet patterns(&types.getContext());
  patterns.add<CastPattern>(types, patterns.getContext());
  patterns.add<MaskPattern>(patterns.getContext());
  if (!target.hasFma)
    patterns.add<UnfusePattern>(patterns.getContext());
  populateFloatConversionPatterns(patterns, target.hasF16);
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateVectorPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns, /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/false);
  populateMathToLLVMConversionPatterns(types, patterns);
  index::populateIndexToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

/// A processor without masked memory does such an access lane by lane. LLVM moves single halves
/// through f32, by a library where the processor does not convert: they move as words.
void moveHalvesAsWords(ModuleOp module) {
  auto asWords = [](OpBuilder &b, Value halves) -> Value {
    auto type = cast<VectorType>(halves.getType());
    return b.create<LLVM::BitcastOp>(halves.getLoc(), type.clone(b.getI16Type()), halves);
  };
  auto isHalves = [](Type type) {
    return isa<VectorType>(type) && getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 16 &&
           isa<FloatType>(getElementTypeOrSelf(type));
  };
  module.walk([&](Operation *op) {
    OpBuilder b(op);
    if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op); load && isHalves(load.getType())) {
      SmallVector<Value> passed;
      for (Value halves : load.getPassThru())
        passed.push_back(asWords(b, halves));
      Type words = cast<VectorType>(load.getType()).clone(b.getI16Type());
      Value loaded = b.create<LLVM::MaskedLoadOp>(load.getLoc(), words, load.getData(),
                                                  load.getMask(), passed, load.getAlignment());
      load.replaceAllUsesWith(
          b.create<LLVM::BitcastOp>(load.getLoc(), load.getType(), loaded).getResult());
      load.erase();
    } else if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op);
               store && isHalves(store.getValue().getType())) {
      store.getValueMutable().assign(asWords(b, store.getValue()));
    }
  });
}

} // namespace

void registerCpuDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, index::IndexDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
}

LowerToLLVM::LowerToLLVM(MLIRContext *context, const CpuTarget &target)
    : types(context, loweringOptions(context)), legality(*context),
      patterns(makePatterns(types, target)) {
  legality.addLegalOp<ModuleOp>();
  legality.addDynamicallyLegalOp<UnrealizedConversionCastOp>(
      [&types = types](UnrealizedConversionCastOp op) {
        return types.isLegal(op->getOperandTypes()) && types.isLegal(op->getResultTypes());
      });
}

LogicalResult LowerToLLVM::run(ModuleOp module) const {
  WalkResult walk = module.walk([](Operation *op) -> WalkResult {
    if (!needsLibrary(op))
      return WalkResult::advance();
    return op->emitError() << "no native code for '" << op->getName()
                           << "': expected it to be expanded into arithmetic before";
  });
  if (walk.wasInterrupted())
    return failure();
  if (failed(applyFullConversion(module, legality, patterns)))
    return failure();
  moveHalvesAsWords(module);
  // What is left of the memrefs that addFunction's functions take: a cast and its
  // inverse.
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  for (UnrealizedConversionCastOp op : casts)
    if (auto inverse = op.getInputs()[0].getDefiningOp<UnrealizedConversionCastOp>())
      if (inverse->getOperandTypes() == op->getResultTypes())
        op->replaceAllUsesWith(inverse.getInputs());
  for (UnrealizedConversionCastOp op : llvm::reverse(casts))
    if (op->use_empty())
      op->erase();
  return success();
}

namespace {
struct CpuLowerToLLVMPass : impl::CpuLowerToLLVMPassBase<CpuLowerToLLVMPass> {
  using CpuLowerToLLVMPassBase::CpuLowerToLLVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    llvm::Expected<CpuTarget> target = CpuTarget::get(march);
    if (!target)
      return emitError(UnknownLoc::get(context)) << llvm::toString(target.takeError());
    lowering = std::make_shared<LowerToLLVM>(context, *target);
    return success();
  }
  void runOnOperation() override {
    if (failed(lowering->run(getOperation())))
      signalPassFailure();
  }
  std::shared_ptr<LowerToLLVM> lowering;
};
} // namespace

} // namespace tenon::cpu
