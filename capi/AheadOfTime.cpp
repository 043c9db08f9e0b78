//===- AheadOfTime.cpp - Traces as an artifact ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each trace becomes a function of one module, with its constants in it.
//
//===----------------------------------------------------------------------===//
#include "codegen/aot/AheadOfTime.h"
#include "capi/Contexts.h"
#include "capi/Job.h"
#include "capi/Options.h"
#include "capi/Phases.h"
#include "capi/TraceCopy.h"
#include "codegen/CheckProgram.h"
#include "codegen/spirv/SpirvProgram.h"
#include "frontend/TraceCheck.h"
#include "ir/TenonOps.h"

#include "llvm/Support/Path.h"

#include <optional>

using namespace mlir;
using namespace tenon;

namespace {

/// A function as it was given, for a compilation that may outlive the caller.
struct FunctionCopy {
  explicit FunctionCopy(const tenon_artifact_function &given);
  /// Adds it to the module; false after a diagnostic.
  bool addTo(ModuleOp module) const;

  std::string name;
  TraceCopy trace;
  std::vector<std::string> inputNames, outputNames;
  std::vector<std::optional<std::vector<char>>> constants; ///< by input
  std::optional<std::string> metadata;
};

} // namespace

FunctionCopy::FunctionCopy(const tenon_artifact_function &given)
    : name(given.name), trace(*given.trace) {
  for (int i = 0; i < given.trace->num_inputs; i++) {
    inputNames.push_back(given.input_names[i]);
    std::optional<std::vector<char>> &constant = constants.emplace_back();
    if (!given.constants || !given.constants[i])
      continue;
    const char *data = static_cast<const char *>(given.constants[i]);
    const tenon_trace_value &value = given.trace->values[i];
    int64_t bytes = tenon_dtype_size(tenon_dtype(value.dtype));
    for (int d = 0; d < value.rank; d++)
      bytes *= value.extents[d];
    constant.emplace(data, data + bytes);
  }
  for (int i = 0; i < given.trace->num_outputs; i++)
    outputNames.push_back(given.output_names[i]);
  if (given.metadata)
    metadata = given.metadata;
}

static DenseElementsAttr elementsOf(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> flags;
  for (char byte : bytes)
    flags.push_back(byte != 0);
  return DenseElementsAttr::get(type, flags);
}

bool FunctionCopy::addTo(ModuleOp module) const {
  OwningOpRef<ModuleOp> own = trace.toIR(module.getContext());
  if (!own)
    return false;
  auto function = cast<func::FuncOp>(own->lookupSymbol("main"));
  function.setName(name);
  if (metadata)
    function->setAttr("tenon.metadata", StringAttr::get(module.getContext(), *metadata));
  Builder builder(module.getContext());
  for (size_t i = 0; i < outputNames.size(); i++)
    function.setResultAttr(unsigned(i), "tenon.name", builder.getStringAttr(outputNames[i]));
  OpBuilder body(function.getBody());
  BitVector gone(unsigned(inputNames.size()));
  for (unsigned i = 0; i < gone.size(); i++) {
    function.setArgAttr(i, "tenon.name", builder.getStringAttr(inputNames[i]));
    if (!constants[i])
      continue;
    BlockArgument argument = function.getArgument(i);
    auto elements = elementsOf(cast<RankedTensorType>(argument.getType()), *constants[i]);
    argument.replaceAllUsesWith(body.create<ConstantOp>(function.getLoc(), elements));
    gone.set(i);
  }
  for (unsigned i = 0; i < function.getNumResults(); i++)
    if (auto donates = function.getResultAttrOfType<IntegerAttr>(i, "tenon.donates")) {
      unsigned before = 0, input = unsigned(donates.getInt());
      for (unsigned k = 0; k < input; k++)
        before += gone.test(k);
      function.setResultAttr(i, "tenon.donates", builder.getI64IntegerAttr(input - before));
    }
  function.eraseArguments(gone);
  function->moveBefore(module.getBody(), module.getBody()->end());
  return true;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static tenon_status refuse(const std::string &message) {
  return tenon_status_make(TENON_ERROR_ARGUMENT, "tenon_compile_artifact: %s", message.c_str());
}

static tenon_status checkConstant(const std::string &at, const tenon_trace &trace, int input) {
  const tenon_trace_value &value = trace.values[input];
  for (int d = 0; d < value.rank; d++)
    if (value.extents[d] == infer::kDynamic)
      return refuse(at + ": expected constants of known extents, axis " + std::to_string(d) +
                    " of input " + std::to_string(input) + " is open");
  for (int i = 0; i < trace.num_outputs; i++)
    if (trace.donates && trace.donates[i] == input)
      return refuse(at + ": output " + std::to_string(i) + " donates input " +
                    std::to_string(input) + ", which is a constant");
  return nullptr;
}

static tenon_status checkFunction(const tenon_artifact_function &function, int64_t index) {
  std::string at = "function " + std::to_string(index);
  if (!function.name || !*function.name || !function.trace || !function.input_names ||
      !function.output_names)
    return refuse(at + ": expected a name, a trace and names of its inputs and outputs, got NULL");
  const tenon_trace &trace = *function.trace;
  tenon_code code;
  std::string message;
  if (!checkTrace(trace, code, message) || !checkTraceTypes(trace, code, message))
    return tenon_status_make(code, "%s", message.c_str());
  for (int i = 0; i < trace.num_inputs; i++) {
    if (!function.input_names[i])
      return refuse(at + ": the name of input " + std::to_string(i) + " is NULL");
    if (function.constants && function.constants[i])
      if (tenon_status status = checkConstant(at, trace, i))
        return status;
  }
  for (int i = 0; i < trace.num_outputs; i++)
    if (!function.output_names[i])
      return refuse(at + ": the name of output " + std::to_string(i) + " is NULL");
  return nullptr;
}

static tenon_status checkFunctions(const tenon_artifact_function *functions, int64_t count,
                                   const Options &options) {
  if (!functions || count < 1)
    return refuse("expected at least one function, got " + std::to_string(functions ? count : 0));
  if (options.loop.trips > 0)
    return refuse("loop_trips: expected 0, got " + std::to_string(options.loop.trips));
  if (options.device != Options::Device::Cpu && options.device != Options::Device::Vulkan &&
      options.device != Options::Device::VulkanOrCpu)
    return refuse("device: expected \"cpu\", \"vulkan\" or \"vulkan,cpu\"");
  llvm::StringMap<int64_t> names;
  for (int64_t i = 0; i < count; i++) {
    if (tenon_status status = checkFunction(functions[i], i))
      return status;
    if (!names.insert({functions[i].name, i}).second)
      return refuse("two functions are called '" + std::string(functions[i].name) + "'");
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {

class ArtifactCompilation {
public:
  ArtifactCompilation(const Options &options, std::string path)
      : options(options), path(std::move(path)), lease(/*shared=*/false), diagnostics(lease.get()) {
  }

  tenon_status run(llvm::ArrayRef<FunctionCopy> functions, Compiled &made);

private:
  struct Planned {
    OwningOpRef<ModuleOp> module;
    SmallVector<func::FuncOp> functions;
  };

  tenon_status plan(llvm::ArrayRef<FunctionCopy> functions, Options::Device device,
                    Planned &planned);
  tenon_status error(const char *fallback) { return compileError(options, diagnostics, fallback); }
  tenon_status error(llvm::Error error) {
    return tenon_status_make(TENON_ERROR_COMPILE, "%s", llvm::toString(std::move(error)).c_str());
  }

  const Options &options;
  std::string path;
  ContextLease lease;
  Diagnostics diagnostics;
};

} // namespace

/// The functions as they are when it is known what lies where, for one device.
tenon_status ArtifactCompilation::plan(llvm::ArrayRef<FunctionCopy> functions,
                                       Options::Device device, Planned &planned) {
  planned.module = ModuleOp::create(UnknownLoc::get(lease.get()));
  for (const FunctionCopy &function : functions)
    if (!function.addTo(*planned.module))
      return error("the program cannot be read");
  llvm::append_range(planned.functions, planned.module->getOps<func::FuncOp>());
  for (func::FuncOp function : planned.functions)
    if (failed(checkProgram(function)))
      return error("the program cannot be compiled");
  Options own = options;
  own.device = device;
  return runPhases(*planned.module, own, diagnostics, "planned");
}

tenon_status ArtifactCompilation::run(llvm::ArrayRef<FunctionCopy> functions, Compiled &made) {
  aot::Options code;
  auto targets = aot::readTargets(options.march);
  if (!targets)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "march: %s",
                             llvm::toString(targets.takeError()).c_str());
  code.targets = std::move(*targets);
  code.prefix = aot::prefixOf(path);
  code.code.optLevel = options.optLevel == 2 ? cpu::defaultOptLevel : unsigned(options.optLevel);
  code.code.threads = unsigned(tenon_num_threads());
  code.code.boundsChecks = options.sanitize;
  code.code.cancelled = options.cancelled;
  code.code.cached = false;
  auto gpu = tenon::spirv::readFeatures(options.gpuFeatures);
  if (!gpu)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "gpu_features: %s",
                             llvm::toString(gpu.takeError()).c_str());
  code.gpu = std::move(*gpu);

  Planned cpu, vulkan;
  if (options.device != Options::Device::Vulkan)
    if (tenon_status status = plan(functions, Options::Device::Cpu, cpu))
      return status;
  if (options.device != Options::Device::Cpu)
    if (tenon_status status = plan(functions, Options::Device::Vulkan, vulkan))
      return status;
  FailureOr<aot::Artifact> artifact =
      aot::compileAheadOfTime({cpu.functions, vulkan.functions}, code);
  if (failed(artifact))
    return error("code cannot be generated");
  auto file = StringRef(path).ends_with(".o") ? artifact->object()
                                              : artifact->shared(llvm::sys::path::filename(path));
  if (!file)
    return error(file.takeError());
  made.text.assign(file->begin(), file->end());
  made.header = std::move(artifact->header);
  return nullptr;
}

tenon_status tenon_compile_artifact(const tenon_artifact_function *functions, int64_t num_functions,
                                    const tenon_compile_options *given, const char *path) {
  if (!path || !*path)
    return refuse("expected a path, got none");
  Options options;
  if (tenon_status status = readOptions(given, options, /*aheadOfTime=*/true))
    return status;
  if (tenon_status status = checkFunctions(functions, num_functions, options))
    return status;
  std::vector<FunctionCopy> copies(functions, functions + num_functions);
  auto work = [options, copies = std::move(copies),
               path = std::string(path)](const CancelFlag *cancelled, Compiled &made) {
    Options own = options;
    own.cancelled = cancelled;
    return ArtifactCompilation(own, path).run(copies, made);
  };
  Interruption interruption(given);
  std::string file, header;
  if (tenon_status status = runJob(std::move(work), interruption, [&](Compiled &made) {
        file = std::move(made.text), header = std::move(made.header);
      }))
    return status;
  llvm::SmallString<128> headerPath = llvm::sys::path::parent_path(path);
  llvm::sys::path::append(headerPath, aot::prefixOf(path) + ".h");
  llvm::Error error = aot::writeFile(path, llvm::ArrayRef(file.data(), file.size()));
  if (!error)
    error = aot::writeFile(headerPath, llvm::ArrayRef(header.data(), header.size()));
  if (error)
    return tenon_status_make(TENON_ERROR_IO, "%s", llvm::toString(std::move(error)).c_str());
  return nullptr;
}
