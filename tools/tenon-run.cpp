//===- tenon-run.cpp - Run a function of an MLIR file ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses nothing but the C API: what it does, any program can do.
//
//===----------------------------------------------------------------------===//
#include "reference/Judge.h"
#include "runtime/files/Npy.h"
#include "tenon/compiler.h"
#include "tenon/library.h"
#include "tools/run/Elements.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

using namespace llvm;
using namespace tenon::run;
using namespace tenon::files;

static cl::OptionCategory category("tenon-run's options");
static cl::opt<std::string> inputFile(cl::Positional,
                                      cl::desc("<file.mlir, or library of tenon-compile>"),
                                      cl::Required, cl::cat(category));
static cl::list<std::string> inputArrays(cl::Positional, cl::desc("<input.npy>..."),
                                         cl::cat(category));
static cl::opt<std::string> functionName("function",
                                         cl::desc("the function to run (default: every one)"),
                                         cl::cat(category));
static cl::opt<std::string> backend("backend", cl::desc("cpu (default), vulkan or reference"),
                                    cl::init("cpu"), cl::cat(category));
static cl::opt<std::string> against("compare",
                                    cl::desc("a second backend whose results to compare with"),
                                    cl::cat(category));
static cl::opt<double>
    tolerance("tolerance", cl::init(1),
              cl::desc("largest error of an element, in units of the bound that the reference "
                       "interpreter derives for it (default: 1)"),
              cl::cat(category));
static cl::opt<unsigned> seed("random-inputs", cl::init(1),
                              cl::desc("seed of the inputs where no files are given (default: 1)"),
                              cl::cat(category));
static cl::opt<double> low("low", cl::init(-2), cl::desc("least random float (default: -2)"),
                           cl::cat(category));
static cl::opt<double> high("high", cl::init(2), cl::desc("largest random float (default: 2)"),
                            cl::cat(category));
static cl::opt<int> limit("int-limit", cl::init(3),
                          cl::desc("random integers are below this (default: 3)"),
                          cl::cat(category));
static cl::list<int64_t> sizes("extent", cl::CommaSeparated,
                               cl::desc("values of dynamic extents, in order; the last one "
                                        "serves for those that follow"),
                               cl::cat(category));
static cl::opt<int64_t> memoryBudget("memory-budget", cl::init(0), cl::value_desc("bytes"),
                                     cl::desc("most bytes that intermediate values may take: "
                                              "values are computed again to keep to it (default: "
                                              "0, no limit)"));
static cl::opt<std::string> mixedPrecision("mixed-precision", cl::value_desc("type"),
                                           cl::desc("f16 or bf16: compute products of f32 values "
                                                    "in it"),
                                           cl::cat(category));
static cl::opt<std::string> disable("disable", cl::desc("passes to leave out, comma separated"),
                                    cl::cat(category));
static cl::opt<std::string> march("march", cl::desc("processor to compile for"), cl::cat(category));
static cl::opt<int> optLevel("O", cl::Prefix, cl::init(2), cl::desc("0 to 3 (default: 2)"),
                             cl::cat(category));
static cl::opt<bool> sanitize("sanitize", cl::cat(category),
                              cl::desc("check every access of a kernel to memory: one outside of "
                                       "its buffers is an error (slow)"));
static cl::opt<std::string> outputPrefix("output", cl::desc("write result i to <prefix><i>.npy"),
                                         cl::cat(category));
static cl::opt<std::string> profile("profile", cl::desc("write a Chrome trace of the run"),
                                    cl::cat(category));
static cl::opt<int> repeat("repeat", cl::init(1), cl::desc("run so often; prints the best time"),
                           cl::cat(category));
static cl::opt<bool> donate("donate", cl::desc("results overwrite the inputs that they donate"),
                            cl::cat(category));
static cl::opt<std::string> cacheFolder("cache",
                                        cl::desc("keep compiled programs in this folder, and take "
                                                 "them from there"),
                                        cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("do not print results"), cl::cat(category));

[[noreturn]] static void die(const Twine &message) {
  errs() << "tenon-run: " << message << "\n";
  exit(1);
}

static void check(tenon_status status) {
  if (status)
    die(Twine(tenon_code_name(tenon_status_code(status))) + ": " + tenon_status_message(status));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static tenon_executable *compile(StringRef source, const std::string &function,
                                 const std::string &device) {
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  options.device = device.c_str();
  options.disable = disable.empty() ? nullptr : disable.c_str();
  options.march = march.empty() ? nullptr : march.c_str();
  options.opt_level = optLevel;
  options.memory_budget = memoryBudget;
  options.mixed_precision = mixedPrecision.empty() ? nullptr : mixedPrecision.c_str();
  options.sanitize = sanitize;
  tenon_executable *executable;
  check(tenon_compile_mlir(source.data(), int64_t(source.size()), function.c_str(), &options,
                           &executable));
  return executable;
}

/// The names of the functions in the text, private ones left out.
static std::vector<std::string> functionsOf(StringRef source) {
  if (!functionName.empty())
    return {functionName};
  std::vector<std::string> names;
  Regex pattern("func\\.func +(public +)?@([A-Za-z0-9_.$-]+)");
  SmallVector<StringRef> lines;
  source.split(lines, '\n');
  for (StringRef line : lines) {
    SmallVector<StringRef> match;
    if (!line.ltrim().starts_with("//") && pattern.match(line, &match))
      names.push_back(match[2].str());
  }
  if (names.empty())
    die("no function in " + inputFile + " (name one with --function if it is bytecode)");
  return names;
}

/// What runs the function: compiled from the text, or of the library if there is one.
static tenon_executable *load(StringRef source, tenon_library *library,
                              const std::string &function) {
  if (!library)
    return compile(source, function, backend);
  tenon_executable *executable;
  check(tenon_library_executable(library, function.c_str(), nullptr, &executable));
  return executable;
}

/// Opens the input as a library that tenon-compile wrote.
static tenon_library *openLibrary(std::vector<std::string> &functions) {
  if (!against.empty() || !march.empty() || !disable.empty() || backend != "cpu")
    die("--compare, --march, --disable and --backend are about programs that are compiled; " +
        inputFile + " is a library");
  tenon_library *library;
  check(tenon_library_open(inputFile.c_str(), &library));
  const tenon_artifact *artifact = tenon_library_artifact(library);
  if (!functionName.empty())
    functions = {functionName};
  else
    for (int64_t i = 0; i < artifact->num_entries; i++)
      functions.push_back(artifact->entries[i].name);
  return library;
}

static HostTensor allocate(tenon_dtype dtype, std::vector<int64_t> extents, const char *name) {
  HostTensor tensor;
  std::string error;
  if (!tensor.allocate(dtype, std::move(extents), error))
    die("'" + Twine(name) + "': " + error);
  return tensor;
}

static HostTensor randomTensor(const tenon_port &port, std::mt19937_64 &generator,
                               size_t &nextSize) {
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < port.rank; d++) {
    const tenon_expr &extent = port.extents[d];
    if (extent.length == 1 && extent.code[0].op == TENON_EXPR_CONST)
      extents.push_back(extent.code[0].value);
    else if (!sizes.empty())
      extents.push_back(sizes[std::min(nextSize++, sizes.size() - 1)]);
    else
      die("input '" + Twine(port.name) + "' has a dynamic extent: give --extent");
  }
  HostTensor tensor = allocate(tenon_dtype(port.dtype), extents, port.name);
  fillRandom(tensor, generator, {low, high, limit});
  return tensor;
}

/// How many values of --extent have been of use so far.
static size_t usedSizes = 0;

/// `isLast`: no other function is left to use the values of --extent.
static std::vector<HostTensor> makeInputs(const tenon_program &program, bool isLast) {
  std::vector<HostTensor> inputs;
  std::mt19937_64 generator(seed);
  size_t nextSize = 0;
  if (!inputArrays.empty() && int64_t(inputArrays.size()) != program.num_inputs)
    die("expected " + Twine(program.num_inputs) + " input files, got " + Twine(inputArrays.size()));
  for (int64_t i = 0; i < program.num_inputs; i++) {
    if (inputArrays.empty()) {
      inputs.push_back(randomTensor(program.inputs[i], generator, nextSize));
      continue;
    }
    std::string error;
    inputs.emplace_back();
    if (!readNpy(inputArrays[i], inputs.back(), error))
      die(error);
  }
  usedSizes = std::max(usedSizes, nextSize);
  if (isLast && sizes.size() > usedSizes)
    die("--extent: expected at most " + Twine(usedSizes) +
        ", a value for each dynamic extent of the inputs, got " + Twine(sizes.size()));
  return inputs;
}

/// Leaves the inputs as they are: a result that overwrites one gets a copy of it.
static std::vector<HostTensor> execute(tenon_executable *executable,
                                       std::vector<HostTensor> &inputs) {
  const tenon_program &program = *tenon_executable_program(executable);
  std::vector<tenon_tensor> arguments, results;
  for (HostTensor &input : inputs)
    arguments.push_back(input.view());
  std::vector<HostTensor> outputs;
  for (int64_t i = 0; i < program.num_outputs; i++) {
    std::vector<int64_t> extents(size_t(program.outputs[i].rank));
    check(tenon_executable_output_extents(executable, arguments.data(), program.num_inputs, i,
                                          extents.data()));
    const tenon_port &port = program.outputs[i];
    outputs.push_back(allocate(tenon_dtype(port.dtype), extents, port.name));
    if (!donate || port.donates < 0)
      continue;
    memcpy(outputs[i].data(), inputs[port.donates].data(),
           size_t(std::min(outputs[i].numBytes(), inputs[port.donates].numBytes())));
    arguments[port.donates].data = outputs[i].data();
  }
  for (HostTensor &output : outputs)
    results.push_back(output.view());
  double best = INFINITY;
  for (int i = 0; i < repeat; i++) {
    auto start = std::chrono::steady_clock::now();
    check(tenon_executable_run(executable, arguments.data(), program.num_inputs, results.data(),
                               program.num_outputs, nullptr));
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  if (repeat > 1)
    outs() << program.name << ": best of " << repeat << ": " << format("%.1f us\n", best * 1e6);
  return outputs;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static void printAxis(const HostTensor &tensor, size_t axis, int64_t &at) {
  constexpr int64_t kShown = 16;
  if (axis == tensor.extents.size()) {
    outs() << format("%.9g", elementAt(tensor, at++));
    return;
  }
  int64_t inner = 1, count = tensor.extents[axis];
  for (size_t i = axis + 1; i < tensor.extents.size(); i++)
    inner *= tensor.extents[i];
  outs() << "[";
  for (int64_t i = 0; i < count; i++) {
    if (i)
      outs() << ", ";
    if (i == kShown) {
      outs() << "...";
      at += inner * (count - i);
      break;
    }
    printAxis(tensor, axis + 1, at);
  }
  outs() << "]";
}

static void printTensor(const tenon_port &port, const HostTensor &tensor) {
  outs() << port.name << ": " << tenon_dtype_name(tensor.dtype) << "[";
  for (size_t i = 0; i < tensor.extents.size(); i++)
    outs() << (i ? "," : "") << tensor.extents[i];
  outs() << "] = ";
  int64_t at = 0;
  printAxis(tensor, 0, at);
  outs() << "\n";
}

/// One line an output; false if one is beyond the tolerance. `expected` ends with one
/// array of bounds for each output.
static bool report(const tenon_program &program, const std::vector<HostTensor> &got,
                   const std::vector<HostTensor> &expected) {
  bool passed = true;
  for (size_t i = 0; i < got.size(); i++) {
    const HostTensor &bounds = expected[got.size() + i];
    tenon::reference::Judgement judgement;
    for (int64_t e = 0, size = expected[i].size(); e < size; e++)
      judgement.add(elementAt(got[i], e), elementAt(expected[i], e), elementAt(bounds, e));
    bool ok = judgement.worst <= tolerance;
    passed &= ok;
    outs() << (ok ? "ok   " : "FAIL ") << program.name << " " << program.outputs[i].name << " "
           << tenon_dtype_name(got[i].dtype) << format(" error %.3g of the bound", judgement.worst);
    if (judgement.undecided)
      outs() << format(", %lld of %lld elements undecided", judgement.undecided, judgement.count);
    if (!ok) {
      int64_t place = judgement.place;
      outs() << format(", element %lld: got %.9g, expected %.9g, bound %.3g", (long long)place,
                       elementAt(got[i], place), elementAt(expected[i], place),
                       elementAt(bounds, place));
    }
    outs() << "\n";
  }
  return passed;
}

/// Results of the backend to compare with, and bounds of the reference.
static std::vector<HostTensor> expect(StringRef source, const std::string &function,
                                      std::vector<HostTensor> &inputs) {
  tenon_executable *bounds = compile(source, function, "reference-bounds");
  std::vector<HostTensor> expected = execute(bounds, inputs);
  tenon_executable_release(bounds);
  if (against == "reference")
    return expected;
  tenon_executable *other = compile(source, function, against);
  std::vector<HostTensor> results = execute(other, inputs);
  tenon_executable_release(other);
  std::move(results.begin(), results.end(), expected.begin());
  return expected;
}

static bool runFunction(StringRef source, tenon_library *library, const std::string &function,
                        bool isLast) {
  tenon_executable *executable = load(source, library, function);
  const tenon_program &program = *tenon_executable_program(executable);
  std::vector<HostTensor> inputs = makeInputs(program, isLast);
  if (!profile.empty())
    check(tenon_profile_start());
  std::vector<HostTensor> outputs = execute(executable, inputs);
  if (!profile.empty())
    check(tenon_profile_stop(profile.c_str()));
  bool passed = true;
  if (!against.empty())
    passed = report(program, outputs, expect(source, function, inputs));
  for (size_t i = 0; i < outputs.size(); i++) {
    if (against.empty() && !quiet)
      printTensor(program.outputs[i], outputs[i]);
    std::string error;
    if (!outputPrefix.empty() &&
        !writeNpy(outputPrefix + std::to_string(i) + ".npy", outputs[i], error))
      die(error);
  }
  tenon_executable_release(executable);
  return passed;
}

static void checkOptions() {
  if (repeat < 1)
    die("--repeat: expected at least 1, got " + Twine(repeat));
  if (limit < 1)
    die("--int-limit: expected at least 1, got " + Twine(limit));
  if (!(low <= high) || !std::isfinite(high - low))
    die("--low, --high: expected low <= high, both finite, got " + Twine(std::to_string(low)) +
        " and " + Twine(std::to_string(high)));
  if (!(tolerance >= 0))
    die("--tolerance: expected a number of at least 0, got " + Twine(std::to_string(tolerance)));
  for (int64_t size : sizes)
    if (size < 0)
      die("--extent: expected at least 0, got " + Twine(size));
}

int main(int argc, char **argv) {
  InitLLVM initialize(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](raw_ostream &os) { os << "tenon-run " TENON_VERSION "\n"; });
  cl::ParseCommandLineOptions(argc, argv, "Runs functions of the tenon dialect\n");
  checkOptions();
  auto buffer = MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!buffer)
    die(inputFile + ": " + buffer.getError().message());
  StringRef source = (*buffer)->getBuffer();
  if (!cacheFolder.empty())
    check(tenon_disk_cache_open(cacheFolder.c_str(), 0));
  std::vector<std::string> functions;
  tenon_library *library = nullptr;
  if (source.starts_with("\x7f"
                         "ELF"))
    library = openLibrary(functions);
  else
    functions = functionsOf(source);
  bool passed = true;
  for (const std::string &function : functions)
    passed &= runFunction(source, library, function, &function == &functions.back());
  tenon_library_release(library);
  if (char *problem = tenon_disk_cache_problem()) {
    errs() << "tenon-run: disk cache: " << problem << "\n"; // it was compiled all the same
    tenon_text_free(problem);
  }
  return passed ? 0 : 1;
}
