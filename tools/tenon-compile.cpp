//===- tenon-compile.cpp - Compile a module and look at every step --------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/CheckProgram.h"
#include "codegen/Pipelines.h"
#include "codegen/PlannedProgram.h"
#include "codegen/aot/AheadOfTime.h"
#include "codegen/aot/Signature.h"
#include "codegen/cpu/CpuReport.h"
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/spirv/DebugInfo.h"
#include "codegen/spirv/SpirvProgram.h"
#include "codegen/spirv/SpirvStrategies.h"
#include "passes/Cost.h"
#include "passes/autodiff/Autodiff.h"
#include "tenon/runtime.h"
#include "tools/compile/KernelBenchmarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <chrono>

using namespace mlir;
using namespace tenon;
namespace cl = llvm::cl;

namespace {

enum class Emit { Mlir, Kernels, Llvm, Assembly, Spirv, SpirvAssembly, Object, Shared, Executable };

cl::OptionCategory category("tenon-compile's options");
cl::opt<std::string> input(cl::Positional, cl::desc("<file.mlir, or - for standard input>"),
                           cl::init("-"), cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Where to write (- is standard output)"),
                            cl::value_desc("file"), cl::init("-"), cl::cat(category));
cl::opt<Emit> emit(
    "emit", cl::desc("What to write:"), cl::init(Emit::Mlir), cl::cat(category),
    cl::values(clEnumValN(Emit::Mlir, "mlir", "the module after the phases"),
               clEnumValN(Emit::Kernels, "kernels", "each kernel's code as its strategy emits it"),
               clEnumValN(Emit::Llvm, "llvm", "each kernel's LLVM IR"),
               clEnumValN(Emit::Assembly, "asm", "each kernel's assembly"),
               clEnumValN(Emit::Spirv, "spirv",
                          "each dispatch's SPIR-V, in MLIR's form; as binaries with "
                          "--dump-phases-to (--target=vulkan)"),
               clEnumValN(Emit::SpirvAssembly, "spvasm", "the same in SPIR-V's assembly"),
               clEnumValN(Emit::Object, "object",
                          "an object file to link into programs, and its C header"),
               clEnumValN(Emit::Shared, "shared", "a shared library and its C header"),
               clEnumValN(Emit::Executable, "executable",
                          "a program that reads inputs from files; a C++ compiler links it")));
cl::opt<std::string> prefix("prefix", cl::value_desc("name"), cl::cat(category),
                            cl::desc("C functions are called <prefix>_<function> (default: the "
                                     "output's name without lib and what follows a dot)"));
cl::opt<std::string> header("header", cl::value_desc("file"), cl::cat(category),
                            cl::desc("Where to write the C header (default: <prefix>.h beside the "
                                     "output)"));
cl::opt<unsigned> optLevel("O", cl::Prefix, cl::init(cpu::defaultOptLevel),
                           cl::desc("0: as emitted, 1: quick, 2: default, 3: all of LLVM"),
                           cl::value_desc("level"), cl::cat(category));
cl::opt<bool> sanitize("sanitize", cl::cat(category),
                       cl::desc("Check every access of a kernel to memory: one outside of its "
                                "buffers makes the run fail (slow)"));
cl::opt<std::string> march("march", cl::value_desc("processor"),
                           cl::desc("native (default), x86-64-v2, x86-64-v3, x86-64-v4, armv8.2-a "
                                    "or LLVM's name; of several, separated by commas, a library "
                                    "or object takes the best that the processor runs"),
                           cl::cat(category));
cl::opt<std::string> targetTriple("target", cl::value_desc("triple"), cl::cat(category),
                                  cl::desc("The machine that is to run the code, as "
                                           "aarch64-linux-gnu (default: this one, or the one of "
                                           "which --march is); vulkan; or vulkan,cpu: a library, "
                                           "object or program with code for both, which takes "
                                           "the GPU's where there is one"));
cl::opt<std::string> gpuFeatures(
    "gpu-features", cl::value_desc("features"), cl::cat(category),
    cl::desc(
        "What code may use of a GPU beyond what every one has, separated by commas: "
        "cooperative-matrix (16 x 16 in f16, subgroups of 32), fragments (whose elements lie "
        "among the lanes as NVIDIA's do), shuffle (values go around subgroups of 32), preserve "
        "(signed zeros, infinities and NaN of f16, f32 and f64), debug-info (names, and lines of "
        "the program)"));
cl::list<std::string> gpuLacks("gpu-lacks", cl::CommaSeparated, cl::value_desc("types"),
                               cl::desc("Element types that the GPU does not have, as f64 or i64: "
                                        "kernels of them are placed on the CPU"),
                               cl::cat(category));
cl::opt<std::string> runtimeFolder("runtime", cl::value_desc("folder"), cl::cat(category),
                                   cl::desc("Where the static runtime lies that an executable "
                                            "gets (default: the one installed with this tool)"));
cl::opt<std::string> compileTo("compile-to", cl::value_desc("phase"),
                               cl::cat(category)); // described in main
cl::opt<std::string> compileFrom("compile-from", cl::value_desc("phase"), cl::cat(category),
                                 cl::desc("The file is what --compile-to wrote: go on behind this "
                                          "phase"));
cl::opt<std::string> dumpPhasesTo("dump-phases-to", cl::value_desc("folder"),
                                  cl::desc("Write the module after each phase, and each "
                                           "kernel's code, to files in this folder"),
                                  cl::cat(category));
cl::opt<std::string> benchmarksTo("emit-kernel-benchmarks", cl::value_desc("folder"),
                                  cl::cat(category),
                                  cl::desc("Write each kernel as a program, which prints its "
                                           "rate when started with --benchmark, and its module"));
cl::list<std::string> disable("disable", cl::CommaSeparated, cl::value_desc("passes"),
                              cl::desc("Leave out these passes: fuse-attention, ..."),
                              cl::cat(category));
cl::opt<int64_t> memoryBudget("memory-budget", cl::value_desc("bytes"), cl::init(0),
                              cl::cat(category),
                              cl::desc("Most bytes that intermediate values may take: values are "
                                       "computed again to keep to it (0: no limit)"));
cl::opt<std::string> mixedPrecision("mixed-precision", cl::value_desc("type"), cl::cat(category),
                                    cl::desc("f16 or bf16: products of f32 values are computed in "
                                             "it, and what follows them; parameters, losses and "
                                             "sums stay f32"));
cl::opt<unsigned> threads("compile-threads", cl::init(0), cl::cat(category),
                          cl::desc("Threads that compile kernels (0: TENON_NUM_THREADS, or "
                                   "one per processor)"));
cl::opt<unsigned> repeat("repeat", cl::init(1), cl::cat(category),
                         cl::desc("Compile the kernels this often; --report shows the last time"));
cl::opt<ReportFormat>
    report("report", cl::ValueOptional, cl::cat(category),
           cl::desc("Say what was compiled, what each kernel costs and how long it took to "
                    "compile, what lies where in memory, and why passes left something alone"),
           cl::values(clEnumValN(ReportFormat::Text, "text", "for people"),
                      clEnumValN(ReportFormat::Json, "json", "for programs"),
                      clEnumValN(ReportFormat::Svg, "svg", "the memory plan as a picture"),
                      clEnumValN(ReportFormat::Text, "", "")));
cl::opt<std::string> reportTo("report-to", cl::value_desc("file"), cl::cat(category),
                              cl::desc("Where to write the report (default: standard error)"));
cl::list<int64_t> extents("extent", cl::CommaSeparated, cl::value_desc("numbers"),
                          cl::cat(category),
                          cl::desc("Values of the extents known at run time only, for the "
                                   "report: s0, s1, ... in it"));
cl::opt<bool> verify("verify", cl::desc("Run the verifier between the steps"), cl::cat(category));

std::string programPath; ///< argv[0]
std::vector<Report::Remark> remarks;

int fail(const llvm::Twine &message) {
  llvm::errs() << "tenon-compile: " << message << "\n";
  return 1;
}

bool write(const llvm::Twine &path, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string error;
  auto file = openOutputFile(path.str(), &error);
  if (!file) {
    fail(error);
    return false;
  }
  print(file->os());
  file->os().flush(); // a full disk shows here
  if (std::error_code code = file->os().error()) {
    file->os().clear_error();
    fail(path + ": " + code.message());
    return false;
  }
  file->keep();
  return true;
}

bool dump(const llvm::Twine &name, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (dumpPhasesTo.empty())
    return true;
  llvm::SmallString<128> path(dumpPhasesTo);
  llvm::sys::path::append(path, name);
  return write(path, print);
}

bool isArtifact() {
  return emit == Emit::Object || emit == Emit::Shared || emit == Emit::Executable;
}

bool emitsShaders() { return emit == Emit::Spirv || emit == Emit::SpirvAssembly; }

/// What --target names.
struct Targets {
  bool vulkan = false, cpu = false;
  std::string triple; ///< of the code for the processor; "": the default
};
Targets wanted;

bool readTarget() {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(targetTriple).split(names, ',');
  for (llvm::StringRef name : names) {
    bool &flag = name == "vulkan" ? wanted.vulkan : wanted.cpu;
    if (flag) {
      fail("--target: expected one machine, vulkan, or both, got '" + targetTriple + "'");
      return false;
    }
    flag = true;
    if (name != "vulkan" && name != "cpu")
      wanted.triple = name.str();
  }
  return true;
}

bool checkOptions() {
  std::string wrong;
  std::vector<std::string> disabled(disable.begin(), disable.end());
  if (optLevel > 3)
    wrong = "-O" + std::to_string(optLevel) + ": expected 0 to 3";
  else if (wanted.vulkan && wanted.cpu && !isArtifact())
    wrong = "--target=" + targetTriple + ": expected --emit=object, shared or executable";
  else if (wanted.vulkan && emit != Emit::Mlir && !emitsShaders() && !isArtifact())
    wrong = "--target=vulkan: expected --emit=mlir, spirv, spvasm, object, shared or executable";
  else if (!wanted.vulkan && !gpuFeatures.empty())
    wrong = "--gpu-features: expected --target=vulkan";
  else if (!wanted.vulkan && !gpuLacks.empty())
    wrong = "--gpu-lacks: expected --target=vulkan";
  else if (!wanted.vulkan && emitsShaders())
    wrong = "--emit=spirv, spvasm: expected --target=vulkan";
  else if (wanted.vulkan && (report.getNumOccurrences() || !benchmarksTo.empty() || sanitize))
    wrong = "--target=vulkan: expected no --sanitize, --report or --emit-kernel-benchmarks";
  else if (!wanted.cpu && !march.empty())
    wrong = "--march: expected code for the processor, got --target=vulkan alone";
  else if (!prefix.empty() && aot::cName(prefix) != prefix)
    wrong = "--prefix: expected a name in C, got '" + prefix + "'";
  else if (!benchmarksTo.empty() && (isArtifact() || !compileTo.empty()))
    wrong = "--emit-kernel-benchmarks: expected without --compile-to, and with another --emit "
            "than object, shared or executable";
  else if (auto least = llvm::min_element(extents); least != extents.end() && *least < 0)
    wrong = "--extent: expected at least 0, got " + std::to_string(*least);
  else if (memoryBudget < 0)
    wrong = "--memory-budget: expected at least 0 bytes, got " + std::to_string(memoryBudget);
  else if (!mixedPrecision.empty() && mixedPrecision != "f16" && mixedPrecision != "bf16")
    wrong = "--mixed-precision: expected f16 or bf16, got '" + mixedPrecision + "'";
  else if (repeat < 1)
    wrong = "--repeat: expected at least 1, got 0";
  else if (wrong = checkDisabled(disabled); !wrong.empty())
    wrong = "--disable: " + wrong;
  if (!wrong.empty())
    fail(wrong);
  return wrong.empty();
}

/// Fails with an error at each function that cannot be compiled.
bool checkFunctions(ModuleOp module) {
  bool ok = true;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    ok &= succeeded(checkProgram(function));
  return ok;
}

/// Runs the phases up to the one asked for, for "cpu" or "vulkan".
bool runPhases(ModuleOp module, const std::string &target, TimingScope &timing) {
  PipelineOptions options;
  options.report = report.getNumOccurrences() > 0;
  options.memoryBudget = memoryBudget;
  options.mixedPrecision = mixedPrecision;
  options.lacking.assign(gpuLacks.begin(), gpuLacks.end());
  options.target = target;
  options.disabled.assign(disable.begin(), disable.end());
  unsigned number = 0;
  std::string prefix = wanted.vulkan && wanted.cpu ? target + "-" : "";
  bool isBehind = compileFrom.empty();
  for (const Phase &phase : phases()) {
    if (!isBehind) {
      isBehind = compileFrom == phase.name;
      number++;
      continue;
    }
    PassManager pm(module.getContext());
    if (failed(applyPassManagerCLOptions(pm)))
      return false;
    TimingScope ofPhase = timing.nest(phase.name);
    pm.enableTiming(ofPhase);
    pm.enableVerifier(verify);
    phase.build(pm, options);
    if (failed(pm.run(module)))
      return false;
    if (!dump(prefix + llvm::Twine(number++) + "-" + phase.name + ".mlir",
              [&](llvm::raw_ostream &os) { os << module; }))
      return false;
    if (compileTo == phase.name)
      break;
  }
  return true;
}

/// Writes the report of functions that have been compiled, if one is wanted.
bool writeReport(llvm::ArrayRef<func::FuncOp> functions, const cpu::CompiledKernels &compiled,
                 const cpu::CpuTarget &target, double seconds) {
  if (report.getNumOccurrences() == 0)
    return true;
  auto made = cpu::reportFunctions(functions, compiled, target, seconds,
                                   std::vector<int64_t>(extents.begin(), extents.end()));
  if (failed(made))
    return false;
  made->remarks = remarks;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Error error = printReport(*made, report, os);
  if (error) {
    fail(llvm::toString(std::move(error)));
    return false;
  }
  if (!reportTo.empty())
    return write(reportTo, [&](llvm::raw_ostream &file) { file << text; });
  llvm::errs() << text;
  return true;
}

/// The files of one kernel.
bool dumpKernel(const cpu::KernelObject &object) {
  return dump(object.symbol + ".bufferized.mlir",
              [&](llvm::raw_ostream &os) { os << object.texts.emitted; }) &&
         dump(object.symbol + ".ll", [&](llvm::raw_ostream &os) { os << object.texts.llvm; }) &&
         dump(object.symbol + ".s", [&](llvm::raw_ostream &os) { os << object.texts.assembly; });
}

cpu::CompileOptions codeOptions() {
  cpu::CompileOptions options;
  options.optLevel = optLevel;
  options.boundsChecks = sanitize;
  options.verify = verify;
  options.threads = threads ? threads : unsigned(tenon_num_threads());
  options.cached = false;
  options.texts = emit == Emit::Kernels || emit == Emit::Llvm || emit == Emit::Assembly ||
                  !dumpPhasesTo.empty();
  return options;
}

/// The folder of the static runtime: of a build tree, or of an installation.
std::string libraryFolder() {
  if (!runtimeFolder.empty())
    return runtimeFolder;
  static int here;
  std::string main = llvm::sys::fs::getMainExecutable(programPath.c_str(), &here);
  llvm::StringRef top = llvm::sys::path::parent_path(llvm::sys::path::parent_path(main));
  for (const char *name : {"/lib", "/" TENON_LIBDIR})
    if (llvm::sys::fs::exists(top + name + "/libtenon_main.a"))
      return (top + name).str();
  return (top + "/" TENON_LIBDIR).str();
}

llvm::Expected<aot::ObjectBytes> linkArtifact(const aot::Artifact &artifact, Emit kind,
                                              llvm::StringRef path) {
  switch (kind) {
  case Emit::Object:
    return artifact.object();
  case Emit::Shared:
    return artifact.shared(llvm::sys::path::filename(path));
  default:
    if (llvm::Triple triple(artifact.triple);
        runtimeFolder.empty() &&
        triple.getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch())
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "--runtime: expected the folder of the static runtime for " +
                                         triple.getArchName());
    return artifact.executable(libraryFolder());
  }
}

/// The processors of --march, the most able first.
bool readTargets(std::vector<cpu::CpuTarget> &targets) {
  auto found = aot::readTargets(march, wanted.triple);
  if (!found) {
    fail(llvm::toString(found.takeError()));
    return false;
  }
  targets = std::move(*found);
  if (targets.size() == 1 || isArtifact())
    return true;
  fail("--march: expected one processor for this --emit, got '" + march + "'");
  return false;
}

/// Writes what was linked.
bool writeBytes(const std::string &path, llvm::Expected<aot::ObjectBytes> bytes, bool executable) {
  llvm::Error error = bytes ? aot::writeFile(path, *bytes, executable) : bytes.takeError();
  if (!error)
    return true;
  fail(llvm::toString(std::move(error)));
  return false;
}

/// What shaders may use.
bool readFeatures(tenon::spirv::SpirvFeatures &features) {
  auto found = tenon::spirv::readFeatures(gpuFeatures);
  if (!found) {
    fail("--gpu-features: " + llvm::toString(found.takeError()));
    return false;
  }
  features = std::move(*found);
  return true;
}

/// The functions that become entries.
llvm::SmallVector<func::FuncOp> entriesOf(ModuleOp module) {
  llvm::SmallVector<func::FuncOp> functions;
  if (module)
    llvm::copy_if(module.getOps<func::FuncOp>(), std::back_inserter(functions),
                  [](func::FuncOp function) { return !function.isPrivate(); });
  return functions;
}

/// Writes an object or a library, and the header. Of the modules, planned for the processor and for
/// the Vulkan device, one may be null.
int compileArtifact(ModuleOp cpuModule, ModuleOp vulkanModule) {
  if (output == "-")
    return fail("-o: expected a file for this --emit");
  aot::Options options;
  options.code = codeOptions();
  options.prefix = prefix.empty() ? aot::prefixOf(output) : prefix.getValue();
  if (!readTargets(options.targets) || !readFeatures(options.gpu))
    return 1;
  auto functions = entriesOf(cpuModule), shaders = entriesOf(vulkanModule);
  if (functions.empty() && shaders.empty())
    return fail(input + ": expected a function");
  llvm::SmallString<128> headerPath(header);
  if (header.empty()) {
    headerPath = llvm::sys::path::parent_path(output);
    llvm::sys::path::append(headerPath, options.prefix + ".h");
  }
  if (emit != Emit::Executable && headerPath == output)
    return fail("-o, --header: expected two files, got " + output + " twice");
  auto start = std::chrono::steady_clock::now();
  auto artifact = aot::compileAheadOfTime({functions, shaders}, options);
  if (failed(artifact))
    return 1;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!wanted.vulkan && !writeReport(functions, artifact->kernels[0], options.targets[0], seconds))
    return 1;
  std::string path = output; // the linker sets all options back
  Emit kind = emit;
  if (!writeBytes(path, linkArtifact(*artifact, kind, path), kind == Emit::Executable))
    return 1;
  if (kind == Emit::Executable)
    return 0;
  return !write(headerPath, [&](llvm::raw_ostream &os) { os << artifact->header; });
}

std::string assemblyOf(const tenon::spirv::ShaderModule &module) {
  std::string text;
  return tenon::spirv::disassemble(module.words, text)
             ? text
             : "; spirv-tools cannot show this: " + text + "; --emit=spirv does\n";
}

int compileShaders(ModuleOp module) {
  llvm::SmallVector<KernelOp> kernels;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    llvm::append_range(kernels, kernelsOf(function));
  tenon::spirv::SpirvFeatures features;
  if (!readFeatures(features))
    return 1;
  features.debugInfo = true;
  auto compiled = tenon::spirv::compileKernels(kernels, features, emit == Emit::Spirv);
  if (failed(compiled))
    return 1;
  for (auto [number, kernel] : llvm::enumerate(*compiled))
    for (auto [place, dispatch] : llvm::enumerate(kernel.dispatches))
      if (!dump("kernel" + llvm::Twine(number) + "-dispatch" + llvm::Twine(place) + ".spv",
                [&, &words = dispatch.module.words](llvm::raw_ostream &os) {
                  os.write(reinterpret_cast<const char *>(words.data()),
                           words.size() * sizeof words[0]);
                }))
        return 1;
  return !write(output.getValue(), [&](llvm::raw_ostream &os) {
    if (emit == Emit::Mlir)
      os << module;
    else
      for (const tenon::spirv::CompiledKernel &kernel : *compiled)
        for (const auto &dispatch : kernel.dispatches)
          os << (emit == Emit::Spirv ? dispatch.module.text : assemblyOf(dispatch.module)) << "\n";
  });
}

int compileKernels(ModuleOp module) {
  std::vector<cpu::CpuTarget> targets;
  if (!readTargets(targets))
    return 1;
  llvm::SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  llvm::SmallVector<KernelOp> kernels;
  for (func::FuncOp function : functions)
    llvm::append_range(kernels, kernelsOf(function));
  cpu::CompileOptions options = codeOptions();
  llvm::FailureOr<cpu::CompiledKernels> compiled = cpu::CompiledKernels();
  double seconds = 0;
  for (unsigned i = 0; i < repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    compiled = cpu::compileKernels(kernels, targets[0], options);
    if (failed(compiled))
      return 1;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (!writeReport(functions, *compiled, targets[0], seconds))
    return 1;
  if (!benchmarksTo.empty())
    if (llvm::Error error = writeKernelBenchmarks(functions, *compiled, targets[0], options,
                                                  benchmarksTo.getValue(), libraryFolder()))
      return fail(llvm::toString(std::move(error)));
  for (const cpu::KernelObject &object : compiled->objects)
    if (!dumpKernel(object))
      return 1;
  if (emit == Emit::Mlir)
    return !write(output.getValue(), [&](llvm::raw_ostream &os) { os << module; });
  return !write(output.getValue(), [&](llvm::raw_ostream &os) {
    for (const cpu::KernelObject &object : compiled->objects)
      os << (emit == Emit::Kernels ? object.texts.emitted
             : emit == Emit::Llvm  ? object.texts.llvm
                                   : object.texts.assembly);
  });
}

std::string phaseNames() {
  std::string names;
  for (const Phase &phase : phases())
    names += phase.name.str() + ", ";
  return names + "bufferized or llvm";
}

/// Maps `--compile-to=bufferized|llvm`, which are about kernels, to what to emit.
bool readCompileTo() {
  auto check = [](const char *option, const std::string &phase, const std::string &expected) {
    bool known = phase.empty() ||
                 llvm::any_of(phases(), [&](const Phase &each) { return phase == each.name; });
    if (!known)
      fail(std::string(option) + ": unknown phase '" + phase + "', expected " + expected);
    return known;
  };
  if (compileTo == "bufferized" || compileTo == "llvm") {
    emit = compileTo == "llvm" ? Emit::Llvm : Emit::Kernels;
    compileTo = "";
  }
  return check("--compile-to", compileTo, phaseNames()) &&
         check("--compile-from", compileFrom, "one of --compile-to but bufferized and llvm");
}

} // namespace

int main(int argc, char **argv) {
  tenon::cpu::registerCpuStrategies();
  tenon::spirv::registerSpirvStrategies();
  llvm::InitLLVM init(argc, argv);
  programPath = argv[0];
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "tenon-compile " TENON_VERSION "\n"; });
  std::string compileToHelp = "Stop after this phase: " + phaseNames();
  compileTo.setDescription(compileToHelp);
  cl::ParseCommandLineOptions(argc, argv,
                              "Tenon's compiler: a module of the tenon dialect to kernels\n");
  if (!readCompileTo() || !readTarget() || !checkOptions())
    return 1;
  if (!dumpPhasesTo.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(dumpPhasesTo))
      return fail(dumpPhasesTo + ": " + error.message());

  DialectRegistry registry;
  registry.insert<TenonDialect, func::FuncDialect>();
  registerAutodiffModels(registry);
  registerCostModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // the source line says where
  llvm::SourceMgr sources;
  std::string error;
  auto file = openInputFile(input, &error);
  if (!file)
    return fail(error);
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, [](Location) { return true; });
  RemarkCollector collector(&context, remarks);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || (compileFrom.empty() && !checkFunctions(*module)))
    return 1;
  OwningOpRef<ModuleOp> other = wanted.vulkan && wanted.cpu ? module->clone() : ModuleOp();
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  if (!runPhases(*module, wanted.cpu ? "cpu" : "vulkan", timing) ||
      (other && !runPhases(*other, "vulkan", timing)))
    return 1;
  bool wantsCode = !dumpPhasesTo.empty() || !benchmarksTo.empty() ||
                   (report.getNumOccurrences() > 0 && compileTo.empty());
  if (emit == Emit::Mlir && !wantsCode)
    return !write(output.getValue(), [&](llvm::raw_ostream &os) { os << *module; });
  if (isArtifact())
    return wanted.cpu ? compileArtifact(*module, other.get()) : compileArtifact({}, *module);
  return wanted.vulkan ? compileShaders(*module) : compileKernels(*module);
}
