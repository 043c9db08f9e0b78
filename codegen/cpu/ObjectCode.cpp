//===- ObjectCode.cpp - From the LLVM dialect to an object file -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/ObjectCode.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tenon::cpu {

static Error failure(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::unique_ptr<ObjectCode>> ObjectCode::create(const CpuTarget &target,
                                                         unsigned optLevel) {
  std::string error;
  const Target *found = TargetRegistry::lookupTarget(target.triple, error);
  if (!found)
    return failure(error);
  static constexpr CodeGenOptLevel levels[] = {CodeGenOptLevel::None, CodeGenOptLevel::Less,
                                               CodeGenOptLevel::Less, CodeGenOptLevel::Aggressive};
  if (optLevel > 3)
    return failure("optimization level " + Twine(optLevel) + ": expected 0 to 3");
  TargetOptions options;
  // A product and a sum become one only where a strategy asked for it.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(
      found->createTargetMachine(target.triple, target.cpu, target.features, options, Reloc::PIC_,
                                 CodeModel::Small, levels[optLevel], /*JIT=*/false));
  if (!machine)
    return failure("no code generator for " + target.triple);
  return std::unique_ptr<ObjectCode>(new ObjectCode(std::move(machine), target, optLevel));
}

ObjectCode::ObjectCode(std::unique_ptr<TargetMachine> machine, const CpuTarget &target,
                       unsigned optLevel)
    : machine(std::move(machine)), target(target), optLevel(optLevel) {}

void ObjectCode::addAttributes(Module &module) {
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(target.triple);
  std::string width = std::to_string(8 * target.vectorBytes);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", width);
    // Nor is a 512-bit argument or accumulator to be split.
    function.addFnAttr("min-legal-vector-width", width);
    function.setDoesNotThrow();
  }
}

/// The pipeline of a level, as text of LLVM's.
static StringRef pipelineOf(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return "always-inline";
  case 1:
    return "always-inline,function(sroa,early-cse,simplifycfg)";
  default: // one round of instcombine: whether it was the last need not be proved
    return "always-inline,function(sroa,early-cse<memssa>,simplifycfg,"
           "instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)";
  }
}

/// Addresses must be seen to come from where they do.
Error ObjectCode::addChecks(Module &module, const Wanted &wanted) {
  prepareBoundsChecks(module, wanted.kernel);
  optimize(module, wanted.cancelled, "always-inline,function(sroa,early-cse,simplifycfg)");
  if (isSet(wanted.cancelled))
    return Error::success();
  return addBoundsChecks(module, wanted.kernel, *wanted.checked);
}

void ObjectCode::optimize(Module &module, const CancelFlag *cancelled, StringRef pipeline) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel == 3;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [=](StringRef, Any) { return !isSet(cancelled); });
  PassBuilder builder(machine.get(), tuning, std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager passes;
  if (!pipeline.empty())
    cantFail(builder.parsePassPipeline(passes, pipeline));
  else if (optLevel == 3)
    passes = builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  else
    cantFail(builder.parsePassPipeline(passes, pipelineOf(optLevel)));
  passes.run(module, modules);
}

Error ObjectCode::emit(Module &module, CodeGenFileType type, SmallVectorImpl<char> &bytes) {
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return failure("the code generator of " + target.triple + " cannot write this kind of file");
  passes.run(module);
  return Error::success();
}

/// Strategies expand all mathematics; a call into a library here would not link.
static Error checkSymbols(StringRef object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "kernel"));
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & object::SymbolRef::SF_Undefined) ||
        (*flags & object::SymbolRef::SF_FormatSpecific))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*name != "memcpy" && *name != "memmove" && *name != "memset" && !name->empty())
      return failure("generated code calls '" + *name +
                     "', which is not there: an op was not expanded into arithmetic");
  }
  return Error::success();
}

Expected<SmallVector<char, 0>> ObjectCode::compile(mlir::ModuleOp module, const Wanted &wanted) {
  LLVMContext context;
  std::unique_ptr<Module> code = mlir::translateModuleToLLVMIR(module, context);
  if (!code)
    return failure("translation to LLVM IR failed");
  addAttributes(*code);
  if (wanted.checked)
    if (Error error = addChecks(*code, wanted))
      return std::move(error);
  optimize(*code, wanted.cancelled);
  // The flag is never unset, so every pass has run if it is not set now.
  if (isSet(wanted.cancelled))
    return failure("cancelled");
  if (CodeTexts *texts = wanted.texts) {
    raw_string_ostream(texts->llvm) << *code;
    SmallString<0> assembly;
    // Code generation changes what it gets.
    std::unique_ptr<Module> copy = CloneModule(*code);
    if (Error error = emit(*copy, CodeGenFileType::AssemblyFile, assembly))
      return std::move(error);
    texts->assembly = assembly.str().str();
  }
  SmallVector<char, 0> object;
  if (Error error = emit(*code, CodeGenFileType::ObjectFile, object))
    return std::move(error);
  if (Error error = checkSymbols({object.data(), object.size()}))
    return std::move(error);
  return object;
}

} // namespace tenon::cpu
