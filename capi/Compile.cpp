//===- Compile.cpp - From a module to an executable -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Compile.h"

#include "capi/DiskCache.h"
#include "capi/Phases.h"
#include "capi/Reference.h"
#include "codegen/CheckProgram.h"
#include "codegen/Pipelines.h"
#include "codegen/aot/AheadOfTime.h"
#include "codegen/cpu/CpuProgram.h"
#include "codegen/cpu/CpuReport.h"
#include "codegen/spirv/SpirvProgram.h"
#include "passes/Passes.h"
#include "runtime/Stopwatch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;

namespace tenon {

namespace {

/// One compilation: a context, what it complains of, and the module.
class Compilation {
public:
  explicit Compilation(const Options &options)
      : options(options), lease(std::make_shared<ContextLease>()), diagnostics(lease->get()) {
    watch.lap("context");
  }

  tenon_status begin(MakeModule make, StringRef name);
  tenon_status reference(tenon_device *device, tenon_executable **executable);
  tenon_status cpu(tenon_device *device, tenon_executable **executable);
  tenon_status vulkan(tenon_device *device, tenon_executable **executable);
  /// Through the disk cache; null if that cannot be, or is not wanted.
  tenon_executable *kept(const aot::Entries &entries, const spirv::SpirvFeatures &gpu);
  tenon_status print(StringRef phase, std::string &text);
  /// What the GPU does not have; nothing where there is none.
  void findLacking();

private:
  tenon_status error(const char *fallback) { return compileError(options, diagnostics, fallback); }
  tenon_status select(StringRef name);
  /// Runs the phases up to `last`; with `report` passes remark on what they leave alone.
  tenon_status runPhases(StringRef last, bool report = false);
  tenon_status print(ReportFormat format, const cpu::CompiledKernels &compiled,
                     const cpu::CpuTarget &target, double seconds,
                     std::vector<Report::Remark> remarks, llvm::raw_ostream &os);
  tenon_status create(tenon_device *device, std::unique_ptr<Program> program,
                      tenon_executable **executable);
  tenon_status findTarget(cpu::CpuTarget &target);
  cpu::CompileOptions codeOptions() const;

  Options options;
  runtime::Stopwatch watch; ///< each part of a compilation
  std::shared_ptr<ContextLease> lease;
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// Finds the function and drops the others: they are not part of the program.
tenon_status Compilation::select(StringRef name) {
  SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  std::string names;
  for (func::FuncOp each : functions) {
    names += (names.empty() ? "'" : ", '") + each.getName().str() + "'";
    if (name.empty() ? functions.size() == 1 : each.getName() == name)
      function = each;
  }
  if (functions.empty())
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "function: expected one at the top level of the module, got none");
  if (!function && name.empty())
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "function: expected a name, as there are %zu functions: %s",
                             functions.size(), names.c_str());
  if (!function)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "no function '%s'; the module has %s",
                             name.str().c_str(), names.c_str());
  for (func::FuncOp each : functions)
    if (each != function)
      each.erase();
  return nullptr;
}

tenon_status Compilation::begin(MakeModule make, StringRef name) {
  module = make(lease->get());
  watch.lap("read");
  if (!module)
    return error("the program cannot be read");
  if (tenon_status status = select(name))
    return status;
  return failed(checkProgram(function)) ? error("the program cannot be compiled") : nullptr;
}

tenon_status Compilation::runPhases(StringRef last, bool report) {
  return tenon::runPhases(
      *module, options, diagnostics, last, [&](StringRef phase) { watch.lap(phase.str().c_str()); },
      report);
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

/// The interpreter sees the program as written: gradients become ops, and types are as asked for.
tenon_status Compilation::reference(tenon_device *device, tenon_executable **executable) {
  PassManager pm(lease->get());
  if (!options.mixedPrecision.empty())
    pm.addNestedPass<func::FuncOp>(createMixedPrecisionPass({options.mixedPrecision}));
  if (options.mixedPrecision == "f16")
    pm.addNestedPass<func::FuncOp>(createScaleLossPass());
  pm.addNestedPass<func::FuncOp>(createDeriveBackwardPass());
  if (failed(pm.run(*module)))
    return error("the gradient cannot be derived");
  *executable = nullptr;
  tenon_status status = createReferenceExecutable(lease, std::move(module), function,
                                                  options.device, device, executable);
  if (!status && !*executable)
    return error("the program cannot be interpreted");
  return status;
}

tenon_status Compilation::create(tenon_device *device, std::unique_ptr<Program> program,
                                 tenon_executable **executable) {
  Program *raw = program.release();
  tenon_status status =
      tenon_executable_create(device, &raw->program, raw, Program::free, executable);
  watch.lap("executable");
  return status;
}

tenon_status Compilation::findTarget(cpu::CpuTarget &target) {
  llvm::Expected<cpu::CpuTarget> found = cpu::CpuTarget::get(options.march);
  if (!found)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "march: %s",
                             llvm::toString(found.takeError()).c_str());
  target = *found;
  return nullptr;
}

cpu::CompileOptions Compilation::codeOptions() const {
  cpu::CompileOptions result;
  // Level 2 is the default of a caller and gets what the code generators are tuned for.
  result.optLevel = options.optLevel == 2 ? cpu::defaultOptLevel : unsigned(options.optLevel);
  result.threads = unsigned(tenon_num_threads());
  result.boundsChecks = options.sanitize;
  result.cancelled = options.cancelled;
  return result;
}

tenon_executable *Compilation::kept(const aot::Entries &entries, const spirv::SpirvFeatures &gpu) {
  if (options.diskName.empty())
    return nullptr;
  aot::Options code;
  code.gpu = gpu;
  code.prefix = "kept";
  code.targets = {llvm::cantFail(cpu::CpuTarget::get(options.march))}; // the name tells of it
  code.code = codeOptions();
  code.code.cached = false;
  FailureOr<aot::Artifact> artifact = aot::compileAheadOfTime(entries, code);
  if (failed(artifact))
    return nullptr; // without the cache it fails as well, and tells why
  llvm::Expected<aot::ObjectBytes> library = artifact->shared(options.diskName);
  DiskCache &disk = DiskCache::instance();
  if (!library) {
    disk.fail(llvm::toString(library.takeError()));
    return nullptr;
  }
  tenon_executable *executable = disk.add(options.diskName, driverOf(options), ArrayRef(*library));
  watch.lap("disk");
  return executable;
}

tenon_status Compilation::cpu(tenon_device *device, tenon_executable **executable) {
  cpu::CpuTarget target;
  if (tenon_status status = findTarget(target))
    return status;
  if (!target.runsHere())
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "march: this processor does not run code for "
                             "\"%s\"",
                             options.march.c_str());
  if (tenon_status status = runPhases("planned"))
    return status;
  if ((*executable = kept({function, {}}, {})))
    return nullptr;
  FailureOr<std::unique_ptr<Program>> program =
      cpu::buildCpuProgram(function, target, codeOptions());
  if (failed(program))
    return error("code cannot be generated");
  watch.lap("code");
  return create(device, std::move(*program), executable);
}

/// What code may use of this device, and the element types that it lacks.
static tenon_status findFeatures(tenon_device *device, spirv::SpirvFeatures &features,
                                 std::vector<std::string> &lacking) {
  tenon_device_info info = {};
  if (tenon_status status = tenon_device_info_get(device, &info))
    return status;
  SmallVector<StringRef> words;
  StringRef(info.features).split(words, ' ');
  for (StringRef word : words) {
    int32_t width;
    if (word.consume_front("subgroup"))
      word.consumeInteger(10, features.subgroupSize);
    else if (word.consume_front("preserve") && !word.consumeInteger(10, width))
      features.preserved.push_back(width);
  }
  features.shuffle = llvm::is_contained(words, "shuffle");
  features.cooperativeMatrix =
      llvm::is_contained(words, "cooperative-matrix") && llvm::is_contained(words, "memory-model");
  features.fragments =
      features.cooperativeMatrix && features.shuffle && llvm::is_contained(words, "fragments");
  lacking.clear();
  for (StringRef type : {"f64", "i64"})
    if (!llvm::is_contained(words, type))
      lacking.push_back(type.str());
  return nullptr;
}

void Compilation::findLacking() {
  tenon_device *device = nullptr;
  spirv::SpirvFeatures features;
  tenon_status status = tenon_device_open(driverOf(options), 0, &device);
  if (!status) {
    status = findFeatures(device, features, options.lacking);
    tenon_device_release(device);
  }
  tenon_status_free(status);
}

tenon_status Compilation::vulkan(tenon_device *device, tenon_executable **executable) {
  spirv::SpirvFeatures features;
  if (tenon_status status = findFeatures(device, features, options.lacking))
    return status;
  if (tenon_status status = runPhases("planned"))
    return status;
  if ((*executable = kept({{}, function}, features)))
    return nullptr;
  FailureOr<std::unique_ptr<Program>> program = spirv::buildSpirvProgram(function, features);
  if (failed(program))
    return error("code cannot be generated");
  watch.lap("code");
  return create(device, std::move(*program), executable);
}

tenon_status compileModule(MakeModule make, StringRef function, const Options &options,
                           tenon_executable **executable) {
  Compilation compilation(options);
  if (tenon_status status = compilation.begin(make, function))
    return status;
  tenon_device *device;
  if (tenon_status status = tenon_device_open(driverOf(options), 0, &device))
    return status;
  tenon_status status =
      options.device == Options::Device::Vulkan ? compilation.vulkan(device, executable)
      : options.device == Options::Device::Cpu  ? compilation.cpu(device, executable)
                                                : compilation.reference(device, executable);
  tenon_device_release(device);
  return status;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string phaseNames() {
  std::string names;
  for (const Phase &phase : phases())
    names += "\"" + phase.name.str() + "\", ";
  return names + "\"llvm\", \"asm\", \"report-text\", \"report-json\" or \"report-svg\"";
}

tenon_status Compilation::print(StringRef phase, std::string &text) {
  llvm::raw_string_ostream os(text);
  auto report = llvm::StringSwitch<std::optional<ReportFormat>>(phase)
                    .Case("report-text", ReportFormat::Text)
                    .Case("report-json", ReportFormat::Json)
                    .Case("report-svg", ReportFormat::Svg)
                    .Default(std::nullopt);
  bool isCode = report || phase == "llvm" || phase == "asm";
  if (!isCode && llvm::none_of(phases(), [&](const Phase &known) { return known.name == phase; }))
    return tenon_status_make(TENON_ERROR_ARGUMENT, "phase: expected %s, got \"%s\"",
                             phaseNames().c_str(), phase.str().c_str());
  std::vector<Report::Remark> remarks;
  RemarkCollector collector(lease->get(), remarks);
  if (tenon_status status = runPhases(isCode ? StringRef("planned") : phase, report.has_value()))
    return status;
  if (!isCode) {
    function.print(os);
    os << "\n";
    return nullptr;
  }
  cpu::CpuTarget target;
  if (tenon_status status = findTarget(target))
    return status;
  cpu::CompileOptions code = codeOptions();
  code.texts = !report;
  code.cached = false;
  auto start = std::chrono::steady_clock::now();
  FailureOr<cpu::CompiledKernels> compiled = cpu::compileKernels(kernelsOf(function), target, code);
  if (failed(compiled))
    return error("code cannot be generated");
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (report)
    return print(*report, *compiled, target, seconds, std::move(remarks), os);
  for (const cpu::KernelObject &object : compiled->objects)
    os << (phase == "llvm" ? object.texts.llvm : object.texts.assembly) << "\n";
  return nullptr;
}

tenon_status Compilation::print(ReportFormat format, const cpu::CompiledKernels &compiled,
                                const cpu::CpuTarget &target, double seconds,
                                std::vector<Report::Remark> remarks, llvm::raw_ostream &os) {
  FailureOr<Report> report = cpu::reportFunctions({function}, compiled, target, seconds);
  if (failed(report))
    return error("the report cannot be made");
  report->remarks = std::move(remarks);
  if (llvm::Error failed = printReport(*report, format, os))
    return tenon_status_make(TENON_ERROR_ARGUMENT, "%s", llvm::toString(std::move(failed)).c_str());
  return nullptr;
}

tenon_status printModule(MakeModule make, const Options &options, StringRef phase,
                         std::string &text) {
  Compilation compilation(options);
  if (tenon_status status = compilation.begin(make, ""))
    return status;
  if (options.device == Options::Device::Vulkan)
    compilation.findLacking();
  return compilation.print(phase, text);
}

} // namespace tenon
