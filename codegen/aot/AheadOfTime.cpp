//===- AheadOfTime.cpp - Planned functions as an artifact -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/aot/AheadOfTime.h"
#include "codegen/PlannedProgram.h"
#include "codegen/aot/Link.h"
#include "codegen/aot/Signature.h"
#include "codegen/spirv/SpirvProgram.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace tenon::aot {

std::string prefixOf(StringRef path) {
  StringRef name = llvm::sys::path::filename(path);
  name = name.take_front(name.find('.'));
  if (name.size() > 3)
    name.consume_front("lib");
  return cName(name);
}

/// The functions' kernels for one target, compiled at once: equal ones are shared.
static FailureOr<cpu::CompiledKernels> compileFor(const cpu::CpuTarget &target, unsigned number,
                                                  ArrayRef<func::FuncOp> functions,
                                                  const Options &options,
                                                  MutableArrayRef<Entry> entries) {
  SmallVector<KernelOp> kernels;
  for (func::FuncOp function : functions)
    llvm::append_range(kernels, kernelsOf(function));
  cpu::CompileOptions code = options.code;
  if (options.targets.size() > 1)
    code.suffix = "_" + std::to_string(number);
  FailureOr<cpu::CompiledKernels> compiled = cpu::compileKernels(kernels, target, code);
  if (failed(compiled))
    return failure();
  size_t next = 0;
  for (auto [function, entry] : llvm::zip(functions, entries)) {
    FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
    if (failed(shapes))
      return failure();
    std::vector<std::string> symbols;
    SmallVector<KernelCode> codes;
    for (size_t count = kernelsOf(function).size(); count > 0; --count, ++next) {
      const cpu::CompiledKernel &kernel = compiled->kernels[next];
      symbols.push_back(compiled->objects[kernel.object].symbol);
      codes.push_back({nullptr, kernel.scratchShared, kernel.scratchPerWorker});
    }
    entry.programs.push_back(buildProgram(function, *shapes, codes));
    entry.kernels.push_back(std::move(symbols));
  }
  return compiled;
}

/// For the Vulkan device.
static LogicalResult addShaders(ArrayRef<func::FuncOp> functions,
                                const spirv::SpirvFeatures &features,
                                MutableArrayRef<Entry> entries) {
  for (auto [function, entry] : llvm::zip(functions, entries)) {
    FailureOr<std::unique_ptr<Program>> program = spirv::buildSpirvProgram(function, features);
    if (failed(program))
      return failure();
    entry.programs.push_back(std::move(*program));
    entry.kernels.emplace_back();
  }
  return success();
}

/// Names in C, which must differ.
static LogicalResult nameEntries(ArrayRef<func::FuncOp> functions, const std::string &prefix,
                                 std::vector<Entry> &entries, Artifact &artifact) {
  llvm::StringSet<> used = {artifactSymbol(prefix)};
  artifact.symbols.push_back(artifactSymbol(prefix));
  for (func::FuncOp function : functions) {
    Entry &entry = entries.emplace_back();
    entry.name = function.getName().str();
    entry.function = prefix + "_" + cName(function.getName()); // never a word of C
    if (auto metadata = function->getAttrOfType<StringAttr>("tenon.metadata"))
      entry.metadata = metadata.str();
    if (!used.insert(entry.function).second)
      return function.emitError() << "in C, function '" << entry.name << "' would be called '"
                                  << entry.function << "', as is another";
    artifact.symbols.push_back(entry.function);
  }
  return success();
}

static LogicalResult checkTargets(func::FuncOp function, ArrayRef<cpu::CpuTarget> targets) {
  for (const cpu::CpuTarget &target : targets) {
    llvm::Triple triple(target.triple);
    if (!triple.isOSBinFormatELF() || !triple.isArch64Bit() || !triple.isLittleEndian())
      return function.emitError() << "expected a 64-bit little-endian target with ELF files, got "
                                  << target.triple;
  }
  return success();
}

llvm::Expected<std::vector<cpu::CpuTarget>> readTargets(StringRef march, StringRef triple) {
  std::vector<cpu::CpuTarget> targets;
  SmallVector<StringRef> names;
  march.split(names, ',');
  for (StringRef name : names) {
    llvm::Expected<cpu::CpuTarget> target = cpu::CpuTarget::get(name.trim(), triple);
    if (!target)
      return target.takeError();
    targets.push_back(std::move(*target));
    if (targets.back().triple != targets[0].triple)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "expected processors of one target, got '%s' of %s and '%s' "
                                     "of %s",
                                     targets[0].name.c_str(), targets[0].triple.c_str(),
                                     targets.back().name.c_str(), targets.back().triple.c_str());
  }
  auto worth = [](const cpu::CpuTarget &target) {
    return std::make_pair(target.vectorBytes, target.neededFeatures().size());
  };
  llvm::sort(targets, [&](auto &a, auto &b) { return worth(a) > worth(b); });
  return targets;
}

static llvm::Error writeTo(llvm::raw_fd_ostream &stream, ArrayRef<char> bytes) {
  stream.write(bytes.data(), bytes.size());
  stream.flush(); // a full disk shows here
  std::error_code error = stream.error();
  stream.clear_error();
  return error ? llvm::errorCodeToError(error) : llvm::Error::success();
}

llvm::Error writeFile(StringRef path, ArrayRef<char> bytes, bool executable) {
  auto failure = [&](llvm::Error error) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cannot write " + path + ": " +
                                       llvm::toString(std::move(error)));
  };
  llvm::sys::fs::file_status status;
  std::error_code unknown = llvm::sys::fs::status(path, status);
  if (!unknown && status.type() != llvm::sys::fs::file_type::regular_file) { // a pipe, /dev/null
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    llvm::Error failed = error ? llvm::errorCodeToError(error) : writeTo(stream, bytes);
    return failed ? failure(std::move(failed)) : llvm::Error::success();
  }
  unsigned mode = llvm::sys::fs::all_read | llvm::sys::fs::all_write;
  if (executable)
    mode |= llvm::sys::fs::all_exe;
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%", llvm::sys::fs::perms(mode));
  if (!file)
    return failure(file.takeError());
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  llvm::Error error = writeTo(stream, bytes);
  if (!error)
    error = file->keep(path);
  else
    llvm::consumeError(file->discard());
  return error ? failure(std::move(error)) : llvm::Error::success();
}

FailureOr<Artifact> compileAheadOfTime(const Entries &planned, const Options &options) {
  ArrayRef<func::FuncOp> functions = planned.cpu.empty() ? planned.vulkan : planned.cpu;
  Artifact artifact;
  artifact.prefix = options.prefix;
  artifact.triple = options.targets[0].triple;
  std::vector<Entry> entries;
  if (failed(checkTargets(functions[0], options.targets)) ||
      failed(nameEntries(functions, options.prefix, entries, artifact)))
    return failure();
  std::vector<Variant> variants;
  if (!planned.vulkan.empty()) { // first, as the first that runs is taken
    variants.push_back({"vulkan", "vulkan", ""});
    if (failed(addShaders(planned.vulkan, options.gpu, entries)))
      return failure();
  }
  for (auto [number, target] : llvm::enumerate(options.targets)) {
    if (planned.cpu.empty())
      break;
    variants.push_back({"cpu", target.name, target.neededFeatures()});
    auto compiled = compileFor(target, unsigned(number), planned.cpu, options, entries);
    if (failed(compiled))
      return failure();
    artifact.kernels.push_back(std::move(*compiled));
  }
  auto object = artifactObject(options.prefix, artifact.triple, variants, entries);
  if (!object)
    return func::FuncOp(functions[0]).emitError() << llvm::toString(object.takeError());
  artifact.programs = std::move(*object);

  std::vector<HeaderEntry> declared;
  for (const Entry &entry : entries)
    declared.push_back({entry.function, &entry.programs[0]->program});
  std::string processors;
  for (const Variant &variant : variants)
    processors += (processors.empty() ? "" : ", ") + variant.processor;
  artifact.header = headerText(options.prefix, processors + " (" + artifact.triple + ")", declared);
  return artifact;
}

std::vector<llvm::ArrayRef<char>> Artifact::objects() const {
  std::vector<llvm::ArrayRef<char>> result = {programs};
  for (const cpu::CompiledKernels &compiled : kernels)
    for (const cpu::KernelObject &object : compiled.objects)
      result.push_back(object.bytes);
  return result;
}

llvm::Expected<ObjectBytes> Artifact::object() const {
  llvm::Expected<ObjectBytes> file = joinObjects(objects(), symbols);
  if (file)
    if (llvm::Error error = stampNote(*file))
      return std::move(error);
  return file;
}

llvm::Expected<ObjectBytes> Artifact::shared(StringRef name) const {
  llvm::Expected<ObjectBytes> file = linkShared(objects(), symbols, triple, name);
  if (file)
    if (llvm::Error error = stampNote(*file))
      return std::move(error);
  return file;
}

llvm::Expected<ObjectBytes> Artifact::executable(StringRef libraries) const {
  llvm::Expected<ObjectBytes> start = mainObject(prefix, triple);
  if (!start)
    return start;
  std::vector<llvm::ArrayRef<char>> all = objects();
  all.push_back(*start);
  llvm::Expected<ObjectBytes> file = linkExecutable(all, libraries, triple);
  if (file)
    if (llvm::Error error = stampNote(*file))
      return std::move(error);
  return file;
}

} // namespace tenon::aot
