//===- program.cpp - From a slice to a running executable
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime is linked; the compiler library is opened at the first compile.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <R_ext/Utils.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace {

/// What we call in libtenon_compiler.so.
struct Compiler {
  decltype(&tenon_compiler_version) version;
  decltype(&tenon_compile_options_init) initOptions;
  decltype(&tenon_compile_trace) compileTrace;
  decltype(&tenon_print_trace) printTrace;
  decltype(&tenon_compile_artifact) compileArtifact;
  decltype(&tenon_check_shader) checkShader;
  decltype(&tenon_text_free) freeText;
  decltype(&tenon_cache_info_get) cacheInfo;
  decltype(&tenon_cache_clear) clearCache;
  decltype(&tenon_disk_cache_open) openDiskCache;
  decltype(&tenon_disk_cache_info_get) diskCacheInfo;
  decltype(&tenon_disk_cache_problem) diskCacheProblem;
};
Compiler api;
bool opened;
int64_t budget;                   // bytes of intermediate values; 0: no limit
char folder[1024] = TENON_LIBDIR; // of the compiler library

const char *openCompiler() {
  static std::string error;
  std::string path = std::string(folder) + "/libtenon_compiler.so";
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    error = dlerror();
    return error.c_str();
  }
  const char *missing = nullptr;
  auto bind = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    if (!function)
      missing = name;
  };
  bind("tenon_compiler_version", api.version);
  bind("tenon_compile_options_init", api.initOptions);
  bind("tenon_compile_trace", api.compileTrace);
  bind("tenon_print_trace", api.printTrace);
  bind("tenon_compile_artifact", api.compileArtifact);
  bind("tenon_check_shader", api.checkShader);
  bind("tenon_text_free", api.freeText);
  bind("tenon_cache_info_get", api.cacheInfo);
  bind("tenon_cache_clear", api.clearCache);
  bind("tenon_disk_cache_open", api.openDiskCache);
  bind("tenon_disk_cache_info_get", api.diskCacheInfo);
  bind("tenon_disk_cache_problem", api.diskCacheProblem);
  if (missing) {
    error = std::string(missing) + " is missing in " + path;
    return error.c_str();
  }
  opened = true;
  return nullptr;
}

tenon_status needCompiler() {
  if (opened)
    return nullptr;
  const char *error = "out of memory";
  noThrow([&] { error = openCompiler(); });
  if (error)
    return tenon_status_make(TENON_ERROR_COMPILE, "the compiler library could not be opened: %s",
                             error);
  if (api.version() == TENON_COMPILER_VERSION)
    return nullptr;
  opened = false;
  return tenon_status_make(
      TENON_ERROR_COMPILE,
      "this package needs version %d of the compiler library, got %d; install the package again",
      int(TENON_COMPILER_VERSION), int(api.version()));
}

void checkInterrupt(void *) { R_CheckUserInterrupt(); }

/// Called on R's thread in a long run or compilation. The interrupt must not jump over the runtime.
int32_t poll(void *) { return R_ToplevelExec(checkInterrupt, nullptr) ? 0 : 1; }

/// What tells programs of one slice apart.
int programTarget() { return deviceNumber << 8 | (isLow(defaultDtype) ? defaultDtype : 0); }

constexpr size_t kMaxVariants = 4; // output sets per slice before a superset is accepted
constexpr size_t kMaxPrograms = 4096;

std::unordered_map<uint64_t, std::vector<Program *>> programs;
size_t programCount;

void dropPrograms() {
  for (auto &bucket : programs)
    for (Program *program : bucket.second) {
      tenon_executable_release(program->executable);
      delete program;
    }
  programs.clear();
  programCount = 0;
}

/// Adds to `slice` the outputs of `other`, in order, with their donations.
void uniteOutputs(Trace::Slice &slice, const Trace::Slice &other) {
  std::vector<std::pair<int32_t, int32_t>> all;
  for (size_t i = 0; i < slice.outputs.size(); i++)
    all.emplace_back(slice.outputs[i], slice.donates[i]);
  for (size_t i = 0; i < other.outputs.size(); i++)
    all.emplace_back(other.outputs[i], other.donates[i]);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  slice.outputs.clear(), slice.donates.clear();
  for (auto &pair : all)
    slice.outputs.push_back(pair.first), slice.donates.push_back(pair.second);
}

/// Looks `slice` up; reference counts err upwards, so stray output sets turn up:
/// past kMaxVariants a superset serves, and one is made if there is none. The
/// outputs of `slice` become those of what was found or is to be compiled.
Program *lookUp(Trace::Slice &slice) {
  auto bucket = programs.find(slice.hash);
  if (bucket == programs.end())
    return nullptr;
  size_t variants = 0;
  Program *wider = nullptr;
  for (Program *program : bucket->second) {
    if (program->target != programTarget() || !program->slice.sameNodes(slice))
      continue;
    const Trace::Slice &other = program->slice;
    if (other.outputs == slice.outputs && other.donates == slice.donates)
      return program;
    if (std::includes(other.outputs.begin(), other.outputs.end(), slice.outputs.begin(),
                      slice.outputs.end()))
      wider = program;
    variants++;
  }
  if (variants < kMaxVariants)
    return nullptr;
  if (wider) {
    slice.outputs = wider->slice.outputs, slice.donates = wider->slice.donates;
    return wider;
  }
  for (Program *program : bucket->second)
    if (program->target == programTarget() && program->slice.sameNodes(slice))
      uniteOutputs(slice, program->slice);
  return nullptr;
}

constexpr const char *deviceNames[] = {"cpu", "reference", "vulkan"}; // as DeviceNumber

std::vector<std::string> reasons; // why programs run on the CPU; those before `told` were said
size_t told;

/// Whether the CPU may do what a GPU was asked for: keeps the reason.
bool fallsBack(tenon_status status) {
  tenon_code code = tenon_status_code(status);
  if (deviceNumber != kVulkan || (code != TENON_ERROR_DEVICE && code != TENON_ERROR_COMPILE))
    return false;
  noThrow([&] {
    std::string reason = tenon_status_message(status);
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  });
  return true;
}

} // namespace

Statistics statistics;
int deviceNumber;

tenon_status compileSlice(const Trace::Slice &slice, const tenon_compile_options *options,
                          Compiled &compiled) {
  if (tenon_status status = needCompiler())
    return status;
  tenon_compile_options defaults;
  api.initOptions(&defaults);
  tenon_trace trace = slice.view();
  defaults.device = deviceName();
  defaults.poll = poll;
  defaults.memory_budget = budget;
  defaults.mixed_precision = mixedPrecision();
  if (options) {
    defaults.loop_trips = options->loop_trips;
    defaults.loop_state = options->loop_state;
    defaults.loop_invariant = options->loop_invariant;
  }
  statistics.compiles++;
  compiled.onDevice = deviceNumber == kVulkan;
  tenon_status status = api.compileTrace(&trace, &defaults, &compiled.executable);
  if (!status || !fallsBack(status))
    return status;
  tenon_status_free(status);
  defaults.device = "cpu";
  compiled.onDevice = false;
  return api.compileTrace(&trace, &defaults, &compiled.executable);
}

void tellFallback() {
  while (told < reasons.size()) {
    SEXP reason = PROTECT(Rf_mkString(reasons[told++].c_str()));
    Rf_eval(PROTECT(Rf_lang2(Rf_install("tell_fallback"), reason)), packageEnv);
    UNPROTECT(2);
  }
}

tenon_status checkShader(const char *glsl, const tenon_trace_value *inputs, int32_t numInputs,
                         const tenon_trace_value *results, int32_t numResults) {
  tenon_status status = needCompiler();
  return status ? status : api.checkShader(glsl, inputs, numInputs, results, numResults);
}

tenon_status compileArtifact(const tenon_artifact_function *functions, int64_t count,
                             const char *device, const char *march, const char *features,
                             const char *path) {
  if (tenon_status status = needCompiler())
    return status;
  tenon_compile_options options;
  api.initOptions(&options);
  options.device = device;
  options.march = march;
  options.gpu_features = features;
  options.poll = poll;
  options.memory_budget = budget;
  options.mixed_precision = mixedPrecision();
  statistics.compiles++;
  return api.compileArtifact(functions, count, &options, path);
}

Program *findProgram(Trace::Slice &slice, tenon_status *status) {
  Program *program = nullptr;
  noThrow([&] { program = lookUp(slice); });
  if (program)
    return program;
  if (programCount >= kMaxPrograms)
    dropPrograms();
  Compiled compiled;
  *status = compileSlice(slice, nullptr, compiled);
  if (*status)
    return nullptr;
  noThrow([&] {
    program = new Program{compiled, slice, programTarget()};
    programs[slice.hash].push_back(program);
    programCount++;
  });
  tellFallback();
  return program;
}

tenon_status run(tenon_executable *executable, const tenon_tensor *inputs, size_t numInputs,
                 const tenon_tensor *outputs, size_t numOutputs) {
  tenon_run_options options = {};
  options.poll = poll;
  statistics.launches++;
  statistics.outputs = int64_t(numOutputs);
  return tenon_executable_run(executable, inputs, int64_t(numInputs), outputs, int64_t(numOutputs),
                              &options);
}

tenon_tensor argumentOf(SEXP storage, bool onDevice, const Type &type) {
  tenon_tensor tensor = elementsOf(storage, onDevice);
  tensor.dtype = type.dtype;
  tensor.rank = type.rank;
  tensor.extents = type.dims; // a program may serve many extents
  return tensor;
}

tenon_tensor argumentOf(SEXP storage, bool onDevice, const tenon_trace_value &type) {
  tenon_tensor tensor = elementsOf(storage, onDevice);
  tensor.dtype = type.dtype;
  tensor.rank = type.rank;
  tensor.extents = type.extents;
  return tensor;
}

Type typeOfTrace(const tenon_trace_value &value) {
  Type type;
  type.dtype = tenon_dtype(value.dtype);
  type.rank = value.rank;
  std::copy(value.extents, value.extents + value.rank, type.dims);
  return type;
}

SEXP printSlice(const Trace::Slice &slice, const char *phase) {
  check(needCompiler());
  tenon_compile_options options;
  api.initOptions(&options);
  options.device = deviceName();
  options.poll = poll;
  options.memory_budget = budget;
  options.mixed_precision = mixedPrecision();
  tenon_trace trace = slice.view();
  char *text = nullptr;
  tenon_status status = api.printTrace(&trace, &options, phase, &text);
  if (status)
    check(status);
  SEXP string = PROTECT(Rf_mkString(text));
  api.freeText(text);
  UNPROTECT(1);
  return string;
}

const char *libraryFolder() { return folder; }

void setLibraryFolder(const char *path) { snprintf(folder, sizeof folder, "%s", path); }

const char *deviceName() { return deviceNames[deviceNumber]; }

int deviceFromName(const char *name) {
  auto matches = [&](const char *known) { return !strcmp(known, name); };
  auto it = std::find_if(std::begin(deviceNames), std::end(deviceNames), matches);
  if (it == std::end(deviceNames))
    fail(TENON_ERROR_DEVICE, "no device \"%s\"", name);
  return int(it - std::begin(deviceNames));
}

static bool dtypeChosen; // else it is the device's own

static tenon_dtype ownDtype() { return deviceNumber == kVulkan ? TENON_F32 : TENON_F64; }

void switchDevice(int device) {
  deviceNumber = device;
  if (!dtypeChosen)
    defaultDtype = ownDtype();
}

void setDevice(int device) {
  if (device == deviceNumber)
    return;
  if (device == kVulkan)
    openGpu();
  closeForGood();
  switchDevice(device);
}

void setDefaultDtype(tenon_dtype dtype) {
  if (dtype != defaultDtype && (isLow(dtype) || isLow(defaultDtype)))
    closeForGood(); // what is pending was to be computed in the other types
  defaultDtype = dtype;
  dtypeChosen = dtype != ownDtype();
}

int64_t memoryBudget() { return budget; }

int64_t setMemoryBudget(int64_t bytes) {
  int64_t before = budget;
  if (bytes != before)
    dropPrograms();
  budget = bytes;
  return before;
}

tenon_cache_info compilerCache() {
  tenon_cache_info info = {};
  if (opened)
    api.cacheInfo(&info);
  return info;
}

void openDiskCache(const char *path, int64_t limit) {
  if (!path && !opened)
    return;
  check(needCompiler());
  check(api.openDiskCache(path, limit));
}

tenon_disk_cache_info diskCache() {
  tenon_disk_cache_info info = {};
  if (opened)
    api.diskCacheInfo(&info);
  return info;
}

SEXP diskCacheProblem() {
  char *problem = opened ? api.diskCacheProblem() : nullptr;
  SEXP string = PROTECT(problem ? Rf_mkString(problem) : Rf_allocVector(STRSXP, 0));
  if (problem)
    api.freeText(problem);
  UNPROTECT(1);
  return string;
}

void clearPrograms() {
  dropPrograms();
  if (opened)
    api.clearCache();
}
