//===- Compiler.cpp - The C API of the compiler ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Cache.h"
#include "capi/Compile.h"
#include "capi/DiskCache.h"
#include "capi/Job.h"
#include "capi/Options.h"
#include "capi/TraceCopy.h"
#include "capi/Variants.h"
#include "codegen/cpu/CompileKernel.h"
#include "frontend/TraceCheck.h"
#include "ir/infer/Infer.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstring>
#include <utility>

using namespace tenon;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

namespace {

/// The bytes that tell one compilation from another. The storage is kept for the
/// next call of the thread.
class Key {
public:
  Key(char kind) {
    bytes().clear();
    bytes().push_back(kind);
  }
  void words(const void *data, size_t size) {
    bytes().append(static_cast<const char *>(data), size);
  }
  void number(int64_t value) { words(&value, sizeof value); }
  void text(const char *text) {
    size_t size = text ? strlen(text) : 0;
    number(text ? int64_t(size) : -1);
    words(text, size);
  }
  void options(const tenon_compile_options *options);
  void trace(const tenon_trace &trace);
  std::string_view view() const { return bytes(); }

private:
  static std::string &bytes() {
    static thread_local std::string storage;
    return storage;
  }
};

} // namespace

void Key::options(const tenon_compile_options *options) {
  tenon_compile_options defaults;
  if (!options) {
    tenon_compile_options_init(&defaults);
    options = &defaults;
  }
  text(options->device);
  text(options->march);
  text(options->disable);
  text(options->mixed_precision);
  const int64_t numbers[] = {options->opt_level,  options->memory_budget, options->sanitize,
                             options->loop_trips, options->loop_state,    options->loop_invariant};
  words(numbers, sizeof numbers);
}

/// Locations are left out: they show in reports only. Values are implied by inputs
/// and nodes but for dynamic extents, so all are in.
void Key::trace(const tenon_trace &trace) {
  const int32_t counts[] = {trace.num_inputs, trace.num_values, trace.num_nodes, trace.num_outputs};
  words(counts, sizeof counts);
  for (int i = 0; i < trace.num_values; i++) {
    const tenon_trace_value &value = trace.values[i];
    words(&value, offsetof(tenon_trace_value, extents) + value.rank * sizeof(int64_t));
  }
  for (int i = 0; i < trace.num_nodes; i++) {
    const tenon_trace_node &node = trace.nodes[i];
    const int32_t head[] = {node.op, node.num_operands, node.num_words, node.num_results};
    words(head, sizeof head);
    words(trace.operands + node.first_operand, node.num_operands * sizeof(int32_t));
    words(trace.words + node.first_word, node.num_words * sizeof(int64_t));
  }
  words(trace.outputs, trace.num_outputs * sizeof(int32_t));
  for (int i = 0; i < trace.num_outputs; i++) {
    int32_t donated = trace.donates ? trace.donates[i] : -1;
    words(&donated, sizeof donated);
  }
  if (trace.multiples)
    words(trace.multiples, size_t(trace.num_inputs) * TENON_TRACE_MAX_RANK * sizeof(int64_t));
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

static tenon_status nullArgument(const char *function, const char *argument) {
  return tenon_status_make(TENON_ERROR_ARGUMENT, "%s: '%s' is NULL", function, argument);
}

int64_t tenon_compiler_version(void) { return TENON_COMPILER_VERSION; }

int64_t tenon_op_id(const char *mnemonic) { return mnemonic ? infer::findOp(mnemonic) : -1; }

const char *tenon_op_name(int64_t id) {
  return id >= 0 && id < infer::numOps() ? infer::opSpec(int(id)).name : nullptr;
}

static tenon_status checkedTrace(const tenon_trace *trace) {
  tenon_code code;
  std::string message;
  if (!trace)
    return tenon_status_make(TENON_ERROR_ARGUMENT, "trace: expected a trace, got NULL");
  if (!checkTrace(*trace, code, message))
    return tenon_status_make(code, "%s", message.c_str());
  return nullptr;
}

static tenon_status checkedTypes(const tenon_trace &trace) {
  tenon_code code;
  std::string message;
  if (!checkTraceTypes(trace, code, message))
    return tenon_status_make(code, "%s", message.c_str());
  return nullptr;
}

/// Also names what is to be compiled for the disk cache; true if it is there.
static bool findOnDisk(std::string_view key, Options &options, tenon_executable **executable) {
  DiskCache &disk = DiskCache::instance();
  options.diskName = disk.nameOf(key, options);
  *executable = disk.find(options.diskName, driverOf(options));
  return *executable;
}

static tenon_status compileTrace(std::string_view key, const tenon_trace &trace,
                                 const tenon_compile_options *given, Interruption &interruption,
                                 tenon_executable **executable) {
  Options options;
  if (tenon_status status = readOptions(given, options))
    return status;
  if (findOnDisk(key, options, executable))
    return nullptr;
  if (tenon_status status = checkedTypes(trace))
    return status;
  auto work = [options, copy = TraceCopy(trace)](const CancelFlag *cancelled, Compiled &made) {
    Options own = options;
    own.cancelled = cancelled;
    auto make = [&](mlir::MLIRContext *context) { return copy.toIR(context, own.loop); };
    return compileModule(make, "main", own, &made.executable);
  };
  return runJob(work, interruption,
                [&](Compiled &made) { *executable = std::exchange(made.executable, nullptr); });
}

static std::string keyOf(const tenon_trace &trace, const tenon_compile_options *options) {
  Key key('T');
  key.options(options);
  key.trace(trace);
  return std::string(key.view());
}

static tenon_status cachedTrace(std::string_view key, const tenon_trace &trace,
                                const tenon_compile_options *options, Interruption &interruption,
                                tenon_executable **executable) {
  auto compile = [&](tenon_executable **made) {
    return compileTrace(key, trace, options, interruption, made);
  };
  return Cache::instance().get(key, interruption, compile, executable);
}

/// Does the executable, of a trace with `?`, take the inputs of `trace` and give its
/// outputs?
static bool accepts(tenon_executable *executable, const tenon_trace &trace) {
  std::vector<tenon_tensor> inputs(size_t(trace.num_inputs));
  for (int i = 0; i < trace.num_inputs; i++) {
    const tenon_trace_value &value = trace.values[i];
    inputs[size_t(i)] = {};
    inputs[size_t(i)].dtype = value.dtype;
    inputs[size_t(i)].rank = value.rank;
    inputs[size_t(i)].extents = value.extents;
  }
  for (int i = 0; i < trace.num_outputs; i++) {
    const tenon_trace_value &value = trace.values[trace.outputs[i]];
    int64_t extents[TENON_TRACE_MAX_RANK];
    if (tenon_status status = tenon_executable_output_extents(executable, inputs.data(),
                                                              trace.num_inputs, i, extents)) {
      tenon_status_free(status);
      return false;
    }
    if (!std::equal(extents, extents + value.rank, value.extents))
      return false;
  }
  return true;
}

/// Compiles a program with `?`, or finds it; null if it does not serve `trace`. The
/// status is null or says that this was cancelled.
static tenon_status tryGeneral(const OwnedTrace &general, const tenon_trace &trace,
                               const tenon_compile_options *options, Interruption &interruption,
                               tenon_executable *&executable) {
  executable = nullptr;
  tenon_trace view = general.view();
  if (tenon_status status =
          cachedTrace(keyOf(view, options), view, options, interruption, &executable)) {
    if (tenon_status_code(status) == TENON_ERROR_CANCELLED)
      return status;
    tenon_status_free(status); // what cannot be compiled with `?` is compiled without
    return nullptr;
  }
  if (accepts(executable, trace))
    return nullptr;
  tenon_executable_release(executable);
  executable = nullptr;
  return nullptr;
}

/// A program with `?` that serves the trace; null if there is none. The status is as
/// of tryGeneral.
static tenon_status findGeneral(const tenon_trace &trace, const tenon_compile_options *options,
                                Interruption &interruption, tenon_executable *&executable) {
  executable = nullptr;
  if (options && (options->loop_trips > 0 || options->memory_budget > 0))
    return nullptr;
  for (int i = 0; i < trace.num_values; i++)
    for (int d = 0; d < trace.values[i].rank; d++)
      if (trace.values[i].extents[d] == infer::kDynamic)
        return nullptr;
  Key key('S');
  key.options(options);
  std::string site = std::string(key.view()) + siteOf(trace);
  Variants &variants = Variants::instance();
  for (const auto &general : variants.covering(site, trace)) {
    tenon_status status = tryGeneral(*general, trace, options, interruption, executable);
    if (status || executable)
      return status;
  }
  auto general = variants.add(site, trace);
  if (!general)
    return nullptr;
  if (tenon_status status = tryGeneral(*general, trace, options, interruption, executable))
    return status;
  if (executable)
    variants.keep(site, std::move(general));
  else
    variants.giveUp(site);
  return nullptr;
}

tenon_status tenon_compile_trace(const tenon_trace *trace, const tenon_compile_options *options,
                                 tenon_executable **executable) {
  if (!executable)
    return nullArgument("tenon_compile_trace", "executable");
  if (tenon_status status = checkedTrace(trace))
    return status;
  std::string key = keyOf(*trace, options);
  Interruption interruption(options);
  tenon_status status;
  if (Cache::instance().find(key, interruption, status, executable))
    return status;
  tenon_executable *general;
  if (tenon_status cancelled = findGeneral(*trace, options, interruption, general))
    return cancelled;
  if (general) {
    *executable = general;
    return nullptr;
  }
  return cachedTrace(key, *trace, options, interruption, executable);
}

//===----------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------===//

static mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext *context, llvm::StringRef source) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source, "input"), llvm::SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(context));
}

tenon_status tenon_compile_mlir(const char *source, int64_t length, const char *function,
                                const tenon_compile_options *given, tenon_executable **executable) {
  if (!source || !executable)
    return nullArgument("tenon_compile_mlir", source ? "executable" : "source");
  if (length < 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "source: expected a length of at least 0, got %lld",
                             (long long)length);
  Options options;
  if (tenon_status status = readOptions(given, options))
    return status;
  if (options.loop.trips > 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "loop_trips: expected 0 for MLIR, which has tenon.loop, got %lld",
                             (long long)options.loop.trips);
  Key key('M');
  key.options(given);
  key.text(function);
  key.words(source, size_t(length));
  Interruption interruption(given);
  auto compile = [&](tenon_executable **executable) -> tenon_status {
    if (findOnDisk(key.view(), options, executable))
      return nullptr;
    auto work = [options, text = std::string(source, size_t(length)),
                 name = std::string(function ? function : "")](const CancelFlag *cancelled,
                                                               Compiled &made) {
      Options own = options;
      own.cancelled = cancelled;
      auto make = [&](mlir::MLIRContext *context) { return parse(context, text); };
      return compileModule(make, name, own, &made.executable);
    };
    return runJob(work, interruption,
                  [&](Compiled &made) { *executable = std::exchange(made.executable, nullptr); });
  };
  return Cache::instance().get(key.view(), interruption, compile, executable);
}

//===----------------------------------------------------------------------===//
// Printing, cache
//===----------------------------------------------------------------------===//

tenon_status tenon_print_trace(const tenon_trace *trace, const tenon_compile_options *given,
                               const char *phase, char **text) {
  if (!phase || !text)
    return nullArgument("tenon_print_trace", phase ? "text" : "phase");
  Options options;
  if (tenon_status status = readOptions(given, options))
    return status;
  if (tenon_status status = checkedTrace(trace))
    return status;
  if (tenon_status status = checkedTypes(*trace))
    return status;
  auto work = [options, copy = TraceCopy(*trace),
               phase = std::string(phase)](const CancelFlag *cancelled, Compiled &made) {
    Options own = options;
    own.cancelled = cancelled;
    auto make = [&](mlir::MLIRContext *context) { return copy.toIR(context, own.loop); };
    return printModule(make, own, phase, made.text);
  };
  std::string printed;
  Interruption interruption(given);
  if (tenon_status status =
          runJob(work, interruption, [&](Compiled &made) { printed = std::move(made.text); }))
    return status;
  *text = strdup(printed.c_str());
  if (!*text)
    return tenon_status_make(TENON_ERROR_MEMORY, "no memory for %zu bytes of text", printed.size());
  return nullptr;
}

void tenon_text_free(char *text) { free(text); }

void tenon_cache_info_get(tenon_cache_info *info) {
  if (info)
    *info = Cache::instance().info();
}

void tenon_cache_clear(void) {
  Cache::instance().clear();
  Variants::instance().clear();
  cpu::clearKernelCache();
}

tenon_status tenon_disk_cache_open(const char *folder, int64_t most_bytes) {
  return DiskCache::instance().open(folder ? folder : "", most_bytes);
}

void tenon_disk_cache_info_get(tenon_disk_cache_info *info) {
  if (info)
    *info = DiskCache::instance().info();
}

char *tenon_disk_cache_problem(void) {
  std::string problem = DiskCache::instance().problem();
  return problem.empty() ? nullptr : strdup(problem.c_str());
}
