//===- ToSpirv.cpp - From a dispatch's code to a SPIR-V module ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First all accesses to memory, extents and the number of the invocation become SPIR-V
// ops on global variables; then one conversion takes the rest along.
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/ToSpirv.h"

#include "codegen/cpu/FloatConversions.h"
#include "codegen/spirv/DebugInfo.h"
#include "codegen/spirv/SpirvFrame.h"
#include "passes/TensorTypes.h"

#include "tenon/artifact.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace spv = mlir::spirv;

namespace tenon::spirv {

void registerSpirvDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
              memref::MemRefDialect, scf::SCFDialect, spv::SPIRVDialect, vector::VectorDialect>();
}

/// What modules may ask of a device; each asks for what it uses.
static spv::TargetEnvAttr targetEnv(MLIRContext *context) {
  using C = spv::Capability;
  auto triple = spv::VerCapExtAttr::get(
      spv::Version::V_1_6,
      {C::Shader, C::Float16, C::Float64, C::Int8, C::Int16, C::Int64, C::StorageBuffer8BitAccess,
       C::StorageBuffer16BitAccess, C::GroupNonUniform, C::GroupNonUniformBallot,
       C::GroupNonUniformShuffle, C::SignedZeroInfNanPreserve, C::CooperativeMatrixKHR,
       C::VulkanMemoryModel},
      {spv::Extension::SPV_KHR_storage_buffer_storage_class, spv::Extension::SPV_KHR_8bit_storage,
       spv::Extension::SPV_KHR_16bit_storage, spv::Extension::SPV_KHR_float_controls,
       spv::Extension::SPV_KHR_cooperative_matrix, spv::Extension::SPV_KHR_vulkan_memory_model},
      context);
  return spv::TargetEnvAttr::get(triple, spv::getDefaultResourceLimits(context),
                                 spv::ClientAPI::Vulkan, spv::Vendor::Unknown,
                                 spv::DeviceType::Unknown, spv::TargetEnvAttr::kUnknownDeviceID);
}

namespace {

/// Gives the code of one dispatch its global variables.
class Shader {
public:
  Shader(func::FuncOp dispatch, int64_t numExtents)
      : dispatch(dispatch), location(dispatch.getLoc()), at(location), numExtents(numExtents),
        b(dispatch.getContext()) {}

  /// Moves the function into a module and rewrites what is about memory.
  spv::ModuleOp build();
  LogicalResult convert(spv::ModuleOp module, const SpirvFeatures &features, int64_t workgroup);

  SmallVector<int64_t> bindings;

private:
  using Cast = UnrealizedConversionCastOp;
  static std::optional<int64_t> tagOf(Value value, StringRef attribute) {
    Operation *op = value.getDefiningOp();
    auto number = op ? op->getAttrOfType<IntegerAttr>(attribute) : IntegerAttr();
    return number ? std::optional(number.getInt()) : std::nullopt;
  }

  /// The buffer that a memref is all of, perhaps with other axes.
  static Cast baseOf(Value memref) {
    while (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
      memref = view.getSource();
    return memref.getDefiningOp<Cast>();
  }
  void findBindings();
  int64_t numWords() const { return int64_t(bindings.size()) + numExtents; }
  spv::GlobalVariableOp addGlobal(const std::string &name, Type pointee, spv::StorageClass storage,
                                  std::optional<int64_t> binding);
  spv::GlobalVariableOp bufferOf(int64_t binding, Type element);
  /// All arrays of one number and element have one size.
  spv::GlobalVariableOp sharedOf(int64_t number, Type element, int64_t size);
  spv::GlobalVariableOp builtin(spv::BuiltIn which);
  Value addressOf(spv::GlobalVariableOp global) {
    return b.create<spv::AddressOfOp>(loc(), global);
  }
  Location loc() { return at; }

  Value constant(int64_t value) {
    return b.create<spv::ConstantOp>(loc(), b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }
  Value parameter(int64_t number);
  Value asIndex(Value word) {
    return b.create<arith::IndexCastUIOp>(loc(), b.getIndexType(), word);
  }
  Value loadOf(spv::BuiltIn which) {
    return b.create<spv::LoadOp>(loc(), addressOf(builtin(which)));
  }
  Value partOf(spv::BuiltIn which, int32_t part);
  Value group();
  /// The address of an element, of the type that is in memory.
  Value elementAt(Value memref, ValueRange indices);
  /// An element of a table of constants.
  Value lookUp(vector::ExtractElementOp op);
  void rewriteAccesses();
  void rewriteIndices();

  func::FuncOp dispatch; ///< until it is converted
  Location location;     ///< the dispatch's
  Location at;           ///< of what is rewritten
  int64_t numExtents;
  OpBuilder b;
  spv::ModuleOp module;
  spv::GlobalVariableOp parameters;
  llvm::MapVector<std::pair<int64_t, Type>, spv::GlobalVariableOp> buffers, shared;
  llvm::MapVector<unsigned, spv::GlobalVariableOp> builtins;
  llvm::DenseMap<Attribute, spv::VariableOp> tables;
};

} // namespace

/// bf16 has no type of its own here, and an index has 32 bits.
static Type typeInMemory(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 32);
  return type.isBF16() ? IntegerType::get(type.getContext(), 16) : type;
}

static unsigned bytesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8 *
         (vector ? unsigned(vector.getNumElements()) : 1);
}

static Value reinterpret(OpBuilder &b, Location loc, Value x, Type type) {
  if (x.getType() == type)
    return x;
  if (x.getType().isIndex() || type.isIndex())
    return b.create<arith::IndexCastUIOp>(loc, type, x);
  return b.create<arith::BitcastOp>(loc, type, x);
}

void Shader::findBindings() {
  dispatch.walk([&](Operation *op) {
    Value memref;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      memref = load.getMemref();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      memref = store.getMemref();
    else
      return;
    auto binding = tagOf(baseOf(memref).getResult(0), kBindingAttr);
    if (binding && !llvm::is_contained(bindings, *binding))
      bindings.push_back(*binding);
  });
  llvm::sort(bindings);
}

spv::GlobalVariableOp Shader::addGlobal(const std::string &name, Type pointee,
                                        spv::StorageClass storage, std::optional<int64_t> binding) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = spv::PointerType::get(pointee, storage);
  if (!binding)
    return b.create<spv::GlobalVariableOp>(location, type, name, nullptr);
  return b.create<spv::GlobalVariableOp>(location, type, name, /*descriptorSet=*/0u,
                                         uint32_t(*binding));
}

spv::GlobalVariableOp Shader::bufferOf(int64_t binding, Type element) {
  spv::GlobalVariableOp &known = buffers[{binding, element}];
  if (known)
    return known;
  auto array = spv::RuntimeArrayType::get(element, bytesOf(element));
  int64_t place = llvm::find(bindings, binding) - bindings.begin();
  std::string name =
      binding == TENON_BINDING_SCRATCH ? "scratch" : "buffer" + std::to_string(binding);
  name += "_" + std::to_string(buffers.size());
  known =
      addGlobal(name, spv::StructType::get({array}, {0}), spv::StorageClass::StorageBuffer, place);
  known->setAttr("aliased", b.getUnitAttr()); // results may lie where operands lay
  return known;
}

spv::GlobalVariableOp Shader::sharedOf(int64_t number, Type element, int64_t size) {
  spv::GlobalVariableOp &known = shared[{number, element}];
  if (!known)
    known = addGlobal("shared" + std::to_string(shared.size()),
                      spv::ArrayType::get(element, unsigned(size)), spv::StorageClass::Workgroup,
                      std::nullopt);
  return known;
}

spv::GlobalVariableOp Shader::builtin(spv::BuiltIn which) {
  spv::GlobalVariableOp &known = builtins[unsigned(which)];
  if (known)
    return known;
  bool isOne =
      which == spv::BuiltIn::SubgroupId || which == spv::BuiltIn::SubgroupLocalInvocationId;
  known = addGlobal(("builtin" + spv::stringifyBuiltIn(which)).str(),
                    isOne ? b.getI32Type() : Type(VectorType::get({3}, b.getI32Type())),
                    spv::StorageClass::Input, std::nullopt);
  known->setAttr("built_in", b.getStringAttr(spv::stringifyBuiltIn(which)));
  return known;
}

Value Shader::parameter(int64_t number) {
  Value address = b.create<spv::AccessChainOp>(loc(), addressOf(parameters),
                                               ValueRange{constant(0), constant(number)});
  return b.create<spv::LoadOp>(loc(), address);
}

Value Shader::partOf(spv::BuiltIn which, int32_t part) {
  return b.create<spv::CompositeExtractOp>(loc(), loadOf(which), ArrayRef<int32_t>{part});
}

/// Groups beyond kMostGroups lie along y. That rows are asked for by no shader lets a driver
/// dispatch some of them, and some groups of one, apart.
Value Shader::group() {
  Value row =
      b.create<spv::IMulOp>(loc(), partOf(spv::BuiltIn::WorkgroupId, 1), constant(kMostGroups));
  return b.create<spv::IAddOp>(loc(), row, partOf(spv::BuiltIn::WorkgroupId, 0));
}

Value Shader::elementAt(Value memref, ValueRange indices) {
  Cast source = baseOf(memref);
  auto type = cast<MemRefType>(memref.getType());
  Type element = typeInMemory(type.getElementType());
  if (auto number = tagOf(source.getResult(0), kSharedAttr)) {
    Value at = b.create<arith::IndexCastUIOp>(loc(), b.getI32Type(), indices[0]);
    return b.create<spv::AccessChainOp>(
        loc(), addressOf(sharedOf(*number, element, type.getDimSize(0))), ValueRange{at});
  }
  int64_t binding = *tagOf(source.getResult(0), kBindingAttr);
  // Row-major.
  SmallVector<Value> extents(type.getRank());
  auto view = memref.getDefiningOp<memref::ReinterpretCastOp>();
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), source->getOperands().drop_front(), b);
  if (view)
    sizes = view.getMixedSizes();
  for (auto [extent, size] : llvm::zip(extents, sizes))
    extent = getValueOrCreateConstantIndexOp(b, loc(), size);
  Value number = b.create<arith::ConstantIndexOp>(loc(), 0);
  for (int64_t d = 0; d < type.getRank(); d++) {
    number = b.createOrFold<arith::MulIOp>(loc(), number, extents[d]);
    number = b.createOrFold<arith::AddIOp>(loc(), number, indices[d]);
  }
  int64_t place = llvm::find(bindings, binding) - bindings.begin();
  Value bytes =
      b.createOrFold<arith::AddIOp>(loc(), asIndex(parameter(place)), source.getOperand(0));
  Value first = b.createOrFold<arith::ShRUIOp>(
      loc(), bytes, b.create<arith::ConstantIndexOp>(loc(), llvm::Log2_64(bytesOf(element))));
  number = b.createOrFold<arith::AddIOp>(loc(), first, number);
  Value at = b.create<arith::IndexCastUIOp>(loc(), b.getI32Type(), number);
  return b.create<spv::AccessChainOp>(loc(), addressOf(bufferOf(binding, element)),
                                      ValueRange{constant(0), at});
}

Value Shader::lookUp(vector::ExtractElementOp op) {
  DenseElementsAttr all;
  bool isConstant = matchPattern(op.getVector(), m_Constant(&all));
  assert(isConstant && "code for GPUs is scalar but for tables");
  (void)isConstant;
  spv::VariableOp &table = tables[all];
  if (!table) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&dispatch.getBody().front());
    auto type = spv::ArrayType::get(all.getElementType(), all.getNumElements());
    auto flat = all.reshape(RankedTensorType::get({all.getNumElements()}, all.getElementType()));
    Value values = b.create<spv::ConstantOp>(loc(), type, flat);
    table =
        b.create<spv::VariableOp>(loc(), spv::PointerType::get(type, spv::StorageClass::Function),
                                  spv::StorageClass::Function, values);
  }
  Value at = b.create<arith::IndexCastUIOp>(loc(), b.getI32Type(), op.getPosition());
  return b.create<spv::LoadOp>(loc(), b.create<spv::AccessChainOp>(loc(), table, ValueRange{at}));
}

void Shader::rewriteAccesses() {
  dispatch.walk([&](Operation *op) {
    b.setInsertionPoint(op);
    at = op->getLoc();
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value x = b.create<spv::LoadOp>(loc(), elementAt(load.getMemref(), load.getIndices()));
      load.replaceAllUsesWith(reinterpret(b, loc(), x, load.getType()));
      load.erase();
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      Value x = store.getValueToStore();
      x = reinterpret(b, loc(), x, typeInMemory(x.getType()));
      b.create<spv::StoreOp>(loc(), elementAt(store.getMemref(), store.getIndices()), x);
      store.erase();
    } else if (auto fma = dyn_cast<LLVM::FMulAddOp>(op)) {
      fma.replaceAllUsesWith(
          b.create<spv::GLFmaOp>(loc(), fma.getType(), fma.getA(), fma.getB(), fma.getC())
              .getResult());
      fma.erase();
    } else if (auto address = dyn_cast<Cast>(op); address && address->hasAttr(kAddressAttr)) {
      address.getResult(0).replaceAllUsesWith(
          elementAt(address.getOperand(0), address.getOperand(1)));
      address.erase();
    } else if (auto number = dyn_cast<arith::IndexCastOp>(op);
               number && number.getIn().getType().isIndex()) {
      // A place is never negative; of signed ones Mesa 22.3 compares some wrongly on the processor.
      number.replaceAllUsesWith(
          b.create<arith::IndexCastUIOp>(loc(), number.getType(), number.getIn()).getResult());
      number.erase();
    } else if (isa<memref::PrefetchOp>(op)) {
      op->erase();
    } else if (auto element = dyn_cast<vector::ExtractElementOp>(op)) {
      element.replaceAllUsesWith(lookUp(element));
      element.erase();
    }
  });
}

void Shader::rewriteIndices() {
  dispatch.walk([](memref::ReinterpretCastOp view) {
    if (view->use_empty())
      view.erase();
  });
  SmallVector<Cast> casts;
  dispatch.walk([&](Cast cast) { casts.push_back(cast); });
  for (Cast cast : llvm::reverse(casts)) {
    b.setInsertionPoint(cast);
    at = cast.getLoc();
    Value result = cast.getResult(0);
    if (auto extent = tagOf(result, kExtentAttr))
      result.replaceAllUsesWith(asIndex(parameter(int64_t(bindings.size()) + *extent)));
    else if (tagOf(result, kGroupAttr))
      result.replaceAllUsesWith(asIndex(group()));
    else if (tagOf(result, kSubgroupAttr))
      result.replaceAllUsesWith(asIndex(loadOf(spv::BuiltIn::SubgroupId)));
    else if (tagOf(result, kLaneAttr))
      result.replaceAllUsesWith(asIndex(loadOf(spv::BuiltIn::SubgroupLocalInvocationId)));
    else if (tagOf(result, kMemberAttr))
      result.replaceAllUsesWith(asIndex(partOf(spv::BuiltIn::LocalInvocationId, 0)));
    if (cast->use_empty())
      cast.erase();
  }
}

spv::ModuleOp Shader::build() {
  findBindings();
  b.setInsertionPoint(dispatch);
  module = b.create<spv::ModuleOp>(loc(), spv::AddressingModel::Logical, spv::MemoryModel::GLSL450);
  module->setAttr(spv::getTargetEnvAttrName(), targetEnv(b.getContext()));
  if (numWords() > 0) {
    bool isPushed = numWords() <= TENON_MOST_PUSHED_WORDS;
    auto array = spv::ArrayType::get(b.getI32Type(), numWords(), 4);
    parameters =
        addGlobal("parameters", spv::StructType::get({array}, {0}),
                  isPushed ? spv::StorageClass::PushConstant : spv::StorageClass::StorageBuffer,
                  isPushed ? std::nullopt : std::optional<int64_t>(bindings.size()));
  }
  dispatch->moveBefore(module.getBody(), module.getBody()->end());
  rewriteAccesses();
  rewriteIndices();
  at = location;
  return module;
}

namespace {
/// MLIR has no op for GLSL's trunc.
struct TruncPattern : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Value zero = rewriter.create<arith::ConstantOp>(loc, rewriter.getFloatAttr(x.getType(), 0));
    Value below = rewriter.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x, zero);
    Value up = rewriter.create<math::CeilOp>(loc, x), down = rewriter.create<math::FloorOp>(loc, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, below, up, down);
    return success();
  }
};
} // namespace

/// Cooperative matrices want Vulkan's memory model, in which accesses to the workgroup's memory
/// have to say that other invocations see them. Returns whether there are any.
static bool makeNonPrivate(spv::ModuleOp shader) {
  bool found =
      shader.walk([](spv::KHRCooperativeMatrixMulAddOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!found)
    return false;
  shader.setMemoryModel(spv::MemoryModel::Vulkan);
  auto access =
      spv::MemoryAccessAttr::get(shader.getContext(), spv::MemoryAccess::NonPrivatePointer);
  auto isShared = [](Value pointer) {
    return cast<spv::PointerType>(pointer.getType()).getStorageClass() ==
           spv::StorageClass::Workgroup;
  };
  shader.walk([&](Operation *op) {
    if (auto load = dyn_cast<spv::LoadOp>(op); load && isShared(load.getPtr()))
      load.setMemoryAccessAttr(access);
    else if (auto store = dyn_cast<spv::StoreOp>(op); store && isShared(store.getPtr()))
      store.setMemoryAccessAttr(access);
    else if (auto barrier = dyn_cast<spv::ControlBarrierOp>(op))
      barrier.setMemorySemantics(barrier.getMemorySemantics() |
                                 spv::MemorySemantics::MakeAvailable |
                                 spv::MemorySemantics::MakeVisible);
  });
  return true;
}

static void require(spv::ModuleOp shader, spv::Capability capability) {
  spv::VerCapExtAttr known = *shader.getVceTriple();
  SmallVector<spv::Capability> capabilities(known.getCapabilities());
  capabilities.push_back(capability);
  SmallVector<spv::Extension> extensions(known.getExtensions());
  shader.setVceTripleAttr(
      spv::VerCapExtAttr::get(known.getVersion(), capabilities, extensions, shader.getContext()));
}

LogicalResult Shader::convert(spv::ModuleOp shader, const SpirvFeatures &features,
                              int64_t workgroup) {
  MLIRContext *context = b.getContext();
  RewritePatternSet simple(context);
  cpu::populateFloatConversionPatterns(simple, /*hasF16=*/true);
  arith::populateCeilFloorDivExpandOpsPatterns(simple);
  simple.add<TruncPattern>(context);
  arith::BitcastOp::getCanonicalizationPatterns(simple, context);
  if (failed(applyPatternsAndFoldGreedily(dispatch, std::move(simple))))
    return failure();
  // What MLIR 19 makes of scf.for has no results where it has no iterations.
  PassManager loopsOnly(context, spv::ModuleOp::getOperationName());
  loopsOnly.enableVerifier(false); // half of the ops are of other dialects yet
  loopsOnly.addPass(createForToWhileLoopPass());
  if (failed(loopsOnly.run(shader)))
    return failure();

  SPIRVConversionOptions options;
  SPIRVTypeConverter types(targetEnv(context), options);
  RewritePatternSet patterns(context);
  arith::populateArithToSPIRVPatterns(types, patterns);
  populateMathToSPIRVPatterns(types, patterns);
  populateFuncToSPIRVPatterns(types, patterns);
  ScfToSPIRVContext loops;
  populateSCFToSPIRVPatterns(types, loops, patterns);
  populateBuiltinFuncToSPIRVPatterns(types, patterns);
  std::unique_ptr<ConversionTarget> target = SPIRVConversionTarget::get(targetEnv(context));
  target->addIllegalDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                            memref::MemRefDialect, LLVM::LLVMDialect, func::FuncDialect>();
  if (failed(applyFullConversion(shader, *target, std::move(patterns))))
    return failure();

  shader.walk([&](Operation *op) {
    // What is written is what is computed, as elsewhere.
    if (isa<spv::FAddOp, spv::FSubOp, spv::FMulOp>(op))
      op->setAttr("no_contraction", b.getUnitAttr());
    else if (isa<Cast>(op) && op->use_empty())
      op->erase(); // scf.while leaves some behind
  });
  bool hasMatrices = makeNonPrivate(shader);
  auto function = *shader.getOps<spv::FuncOp>().begin();
  b.setInsertionPointToEnd(shader.getBody());
  SmallVector<Attribute> interface; // from SPIR-V 1.4 on of all variables, before of inputs
  for (auto global : shader.getOps<spv::GlobalVariableOp>())
    if (hasMatrices || global->hasAttr("built_in"))
      interface.push_back(SymbolRefAttr::get(global));
  b.create<spv::EntryPointOp>(loc(), spv::ExecutionModel::GLCompute, function, interface);
  b.create<spv::ExecutionModeOp>(loc(), function, spv::ExecutionMode::LocalSize,
                                 ArrayRef<int32_t>{int32_t(workgroup), 1, 1});
  for (int32_t width : features.preserved)
    b.create<spv::ExecutionModeOp>(loc(), function, spv::ExecutionMode::SignedZeroInfNanPreserve,
                                   ArrayRef<int32_t>{width});
  PassManager pm(context, spv::ModuleOp::getOperationName());
  pm.addPass(spv::createSPIRVUpdateVCEPass());
  if (failed(pm.run(shader)))
    return failure();
  // What builtins ask for the pass does not look at.
  if (builtins.count(unsigned(spv::BuiltIn::SubgroupId)))
    require(shader, spv::Capability::GroupNonUniform);
  return success();
}

LogicalResult toSpirv(func::FuncOp dispatch, const SpirvFeatures &features, int64_t workgroup,
                      int64_t numExtents, bool wantsText, ShaderModule &result) {
  Shader shader(dispatch, numExtents);
  spv::ModuleOp module = shader.build();
  if (failed(shader.convert(module, features, workgroup)))
    return failure();
  result.entry = (*module.getOps<spv::FuncOp>().begin()).getName();
  result.bindings = shader.bindings;
  module.walk([&](Operation *op) {
    if (isa<spv::GroupNonUniformShuffleXorOp, spv::KHRCooperativeMatrixMulAddOp>(op))
      result.subgroupSize = features.subgroupSize;
  });
  if (wantsText) {
    llvm::raw_string_ostream text(result.text);
    module->print(text, OpPrintingFlags().enableDebugInfo(features.debugInfo));
  }
  if (features.debugInfo)
    return serializeWithDebugInfo(module, result.words);
  spv::SerializationOptions options;
  options.emitSymbolName = false;
  return spv::serialize(module, result.words, options);
}

} // namespace tenon::spirv
