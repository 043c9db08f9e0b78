//===- ArtifactObject.cpp - Programs and their entries as an object -------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/aot/ArtifactObject.h"
#include "codegen/aot/ProgramData.h"
#include "codegen/aot/Signature.h"
#include "runtime/ArtifactNote.h"
#include "tenon/library.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tenon::aot {

static Error failure(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Code that every processor of the architecture runs: the runtime has yet to look which it is.
static Expected<ObjectBytes> emit(Module &module, StringRef triple) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple.str(), error);
  if (!target)
    return failure(error);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, Triple(triple).isX86() ? "x86-64" : "generic", "", {},
                                  Reloc::PIC_, CodeModel::Small, CodeGenOptLevel::Default));
  if (!machine)
    return failure("no code generator for " + triple);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  ObjectBytes bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    return failure("the code generator of " + triple + " writes no objects");
  passes.run(module);
  return bytes;
}

std::string artifactSymbol(StringRef prefix) { return (prefix + "_artifact").str(); }

namespace {

class Builder {
public:
  Builder(Module &module, StringRef prefix, StringRef triple, ArrayRef<Variant> variants)
      : module(module), context(module.getContext()), prefix(prefix), triple(triple),
        variants(variants), data(module), pointer(PointerType::getUnqual(context)),
        word(Type::getInt64Ty(context)) {}

  void build(ArrayRef<Entry> entries);

private:
  std::string architecture() const { return Triple(triple).getArchName().str(); }
  /// A tenon_entry's fields.
  void addEntry(SmallVectorImpl<Constant *> &fields, Constant *artifact, const Entry &entry);
  void defineFunction(const Entry &entry, Constant *address);
  void addNote();

  Module &module;
  LLVMContext &context;
  StringRef prefix, triple;
  ArrayRef<Variant> variants;
  ProgramData data;
  PointerType *pointer;
  Type *word;
};

} // namespace

static constexpr char producer[] = "Tenon " TENON_VERSION;

void Builder::addEntry(SmallVectorImpl<Constant *> &fields, Constant *artifact,
                       const Entry &entry) {
  SmallVector<Constant *> rows;
  for (auto [variant, program, kernels] : zip(variants, entry.programs, entry.kernels))
    rows.append({data.text(variant.driver), data.text(variant.processor),
                 data.text(variant.features), data.program(program->program, kernels)});
  auto *cell = new GlobalVariable(module, pointer, false, GlobalValue::PrivateLinkage,
                                  ConstantPointerNull::get(pointer), "cell");
  fields.append({artifact, data.text(entry.name), data.word(int64_t(variants.size())),
                 data.table(rows), cell,
                 entry.metadata ? data.text(*entry.metadata) : ConstantPointerNull::get(pointer)});
}

/// tenon_status f(extents..., inputs..., outputs..., options): puts the parameters into
/// arrays and calls the runtime.
void Builder::defineFunction(const Entry &entry, Constant *address) {
  const tenon_program &program = entry.programs[0]->program;
  unsigned numSymbols = program.num_symbols, numTensors = program.num_inputs + program.num_outputs;
  SmallVector<Type *> types(numSymbols, word);
  types.append(numTensors + 1, pointer);
  auto *function = Function::Create(FunctionType::get(pointer, types, false),
                                    GlobalValue::ExternalLinkage, entry.function, module);
  function->setDoesNotThrow();
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  auto store = [&](Type *type, unsigned first, unsigned count) -> Value * {
    Value *array = b.CreateAlloca(ArrayType::get(type, std::max(count, 1u)));
    for (unsigned i = 0; i < count; ++i)
      b.CreateStore(function->getArg(first + i), b.CreateConstGEP1_32(type, array, i));
    return array;
  };
  Value *symbols = store(word, 0, numSymbols), *tensors = store(pointer, numSymbols, numTensors);
  FunctionCallee call =
      module.getOrInsertFunction(entryCall, pointer, pointer, pointer, pointer, pointer);
  b.CreateRet(b.CreateCall(call, {address, tensors, symbols, function->getArg(types.size() - 1)}));
}

/// See runtime/ArtifactNote.h. Size and digest are filled in when the file is there.
void Builder::addNote() {
  runtime::NoteHeader header{TENON_ARTIFACT_MAGIC, TENON_ARTIFACT_FORMAT, TENON_ABI_VERSION, 0, 0};
  std::string contents(reinterpret_cast<const char *>(&header), sizeof header);
  auto add = [&](StringRef text) { (contents += text) += '\0'; };
  add(producer);
  add(architecture());
  add(artifactSymbol(prefix));
  for (const Variant &variant : variants) {
    add(variant.processor);
    add(variant.features);
  }
  uint32_t head[] = {sizeof runtime::noteName, uint32_t(contents.size()), runtime::noteType};
  std::string note(reinterpret_cast<const char *>(head), sizeof head);
  note.append(runtime::noteName, sizeof runtime::noteName);
  note.resize((note.size() + 3) / 4 * 4);
  note += contents;
  note.resize((note.size() + 3) / 4 * 4);
  Constant *value = ConstantDataArray::getString(context, note, /*AddNull=*/false);
  auto *global = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage,
                                    value, "note");
  global->setSection(runtime::noteSection);
  global->setAlignment(Align(4));
  appendToCompilerUsed(module, {global});
}

void Builder::build(ArrayRef<Entry> entries) {
  // Entries and artifact point to each other, so both are there before their contents.
  auto *entryType = StructType::get(context, {pointer, pointer, word, pointer, pointer, pointer});
  auto *tableType = ArrayType::get(entryType, entries.size());
  auto *artifactType =
      StructType::get(context, {word, word, word, pointer, pointer, pointer, word, pointer});
  auto *table =
      new GlobalVariable(module, tableType, true, GlobalValue::PrivateLinkage, nullptr, "entries");
  auto *artifact = new GlobalVariable(module, artifactType, true, GlobalValue::ExternalLinkage,
                                      nullptr, artifactSymbol(prefix));
  SmallVector<Constant *> rows;
  for (auto [i, entry] : enumerate(entries)) {
    SmallVector<Constant *> fields;
    addEntry(fields, artifact, entry);
    rows.push_back(ConstantStruct::get(entryType, fields));
    Constant *place[] = {data.word(0), data.word(int64_t(i))};
    defineFunction(entry, ConstantExpr::getInBoundsGetElementPtr(tableType, table, place));
  }
  table->setInitializer(ConstantArray::get(tableType, rows));
  artifact->setInitializer(ConstantStruct::get(
      artifactType, {data.word(TENON_ARTIFACT_MAGIC), data.word(TENON_ARTIFACT_FORMAT),
                     data.word(TENON_ABI_VERSION), data.text(prefix), data.text(producer),
                     data.text(architecture()), data.word(int64_t(entries.size())), table}));
  addNote();
}

Expected<ObjectBytes> artifactObject(StringRef prefix, StringRef triple, ArrayRef<Variant> variants,
                                     ArrayRef<Entry> entries) {
  LLVMContext context;
  Module module(prefix, context);
  Builder(module, prefix, triple, variants).build(entries);
  return emit(module, triple);
}

Expected<ObjectBytes> mainObject(StringRef prefix, StringRef triple) {
  LLVMContext context;
  Module module("main", context);
  Type *number = Type::getInt32Ty(context), *pointer = PointerType::getUnqual(context);
  auto *artifact =
      new GlobalVariable(module, Type::getInt8Ty(context), true, GlobalValue::ExternalLinkage,
                         nullptr, artifactSymbol(prefix));
  auto *function = Function::Create(FunctionType::get(number, {number, pointer}, false),
                                    GlobalValue::ExternalLinkage, "main", module);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  FunctionCallee run = module.getOrInsertFunction("tenon_main", number, number, pointer, pointer);
  b.CreateRet(b.CreateCall(run, {function->getArg(0), function->getArg(1), artifact}));
  return emit(module, triple);
}

Expected<ObjectBytes> stubObject(StringRef triple, ArrayRef<StringRef> functions) {
  LLVMContext context;
  Module module("stub", context);
  for (StringRef name : functions) {
    auto *function = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                      GlobalValue::ExternalLinkage, name, module);
    IRBuilder<>(BasicBlock::Create(context, "", function)).CreateRetVoid();
  }
  return emit(module, triple);
}

} // namespace tenon::aot
