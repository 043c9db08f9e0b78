//===- tenon-reduce.cpp - A short program instead of a long one -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tenon-fuzz's reducer for programs of files: what is kept is what a script, or the comparison
// of the CPU or a GPU with the reference interpreter, finds interesting.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/LowerToLLVM.h"
#include "ir/TenonOps.h"
#include "reference/Interpreter.h"
#include "runtime/files/Npy.h"
#include "tools/fuzz/Check.h"
#include "tools/fuzz/Reduce.h"
#include "tools/run/Elements.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("tenon-reduce's options");
static cl::OptionCategory inputCategory("Inputs of --test=compare, as of tenon-run");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<file.mlir>"), cl::Required,
                                      cl::cat(category));
static cl::list<std::string> inputArrays(cl::Positional, cl::desc("<input.npy>..."),
                                         cl::cat(category));
static cl::opt<std::string>
    test("test", cl::Required, cl::value_desc("script"),
         cl::desc("what is interesting. A script is called with the name of a .mlir file and\n"
                  "ends with status 0 if that is not interesting, with another if it is (as for\n"
                  "mlir-reduce). 'compare': what the CPU computes differs from the reference\n"
                  "interpreter's results, does not compile, crashes or does not end"),
         cl::cat(category));
static cl::opt<bool> onVulkan("vulkan",
                              cl::desc("'compare': what a GPU computes, instead of the CPU"),
                              cl::cat(category));
static cl::list<std::string> testArguments("test-arg", cl::desc("the script's first arguments"),
                                           cl::cat(category));
static cl::opt<std::string> functionName("function",
                                         cl::desc("the function to reduce (default: the only one)"),
                                         cl::cat(category));
static cl::opt<std::string>
    output("o", cl::init("-"), cl::value_desc("file.mlir"),
           cl::desc("where what is left goes, with --test=compare its inputs as\n"
                    "<file>.<i>.npy as well (default: standard output, without them)"),
           cl::cat(category));
static cl::opt<unsigned> timeout("timeout", cl::init(kSecondsAtMost), cl::value_desc("seconds"),
                                 cl::desc("for each try. A script that takes longer finds it not "
                                          "interesting (default: 120)"),
                                 cl::cat(category));
static cl::opt<unsigned> seed("random-inputs", cl::init(1),
                              cl::desc("seed of the inputs where no files are given (default: 1)"),
                              cl::cat(inputCategory));
static cl::opt<double> low("low", cl::init(-2), cl::desc("least random float (default: -2)"),
                           cl::cat(inputCategory));
static cl::opt<double> high("high", cl::init(2), cl::desc("largest random float (default: 2)"),
                            cl::cat(inputCategory));
static cl::opt<int> limit("int-limit", cl::init(3),
                          cl::desc("random integers are below this (default: 3)"),
                          cl::cat(inputCategory));
static cl::list<int64_t> sizes("extent", cl::CommaSeparated,
                               cl::desc("values of dynamic extents, in order; the last one "
                                        "serves for those that follow"),
                               cl::cat(inputCategory));

[[noreturn]] static void die(const Twine &message) {
  llvm::errs() << "tenon-reduce: " << message << "\n";
  exit(1);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static Program readProgram(MLIRContext &context) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!buffer)
    die(inputFile + ": " + buffer.getError().message());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  Program program;
  program.module = parseSourceFile<ModuleOp>(sources, &context);
  if (!program.module)
    die(inputFile + " is not a module that can be read");
  SmallVector<func::FuncOp> functions;
  for (auto function : program.module->getOps<func::FuncOp>())
    if (!function.isExternal() &&
        (functionName.empty() || functionName == function.getName().str()))
      functions.push_back(function);
  if (functions.size() != 1)
    die(inputFile + ": expected one function" +
        (functionName.empty() ? "; name one with --function" : " '" + functionName + "'") +
        ", got " + Twine(functions.size()));
  if (!functions.front().getBody().hasOneBlock())
    die(inputFile + ": expected a function of one block");
  program.function = functions.front();
  return program;
}

static files::HostTensor randomInput(const infer::Type &type, std::mt19937_64 &generator,
                                     size_t &nextSize) {
  std::vector<int64_t> extents(type.dims, type.dims + type.rank);
  for (int64_t &extent : extents)
    if (extent == infer::kDynamic) {
      if (sizes.empty())
        die("an input has a dynamic extent: give --extent");
      extent = sizes[std::min(nextSize++, sizes.size() - 1)];
    }
  std::string error;
  files::HostTensor tensor;
  if (!tensor.allocate(type.dtype, extents, error))
    die(error);
  run::fillRandom(tensor, generator, {low, high, limit});
  return tensor;
}

/// Gives the arguments values, and all that the reference interpreter computes of them.
static void giveInputs(Program &program) {
  std::mt19937_64 generator(seed);
  size_t nextSize = 0;
  std::vector<reference::Array> arrays;
  unsigned count = program.function.getNumArguments();
  if (!inputArrays.empty() && inputArrays.size() != count)
    die("expected " + Twine(count) + " input files, got " + Twine(inputArrays.size()));
  for (BlockArgument argument : program.function.getArguments()) {
    std::optional<infer::Type> type = inferTypeOf(argument.getType());
    if (!type)
      die("argument " + Twine(argument.getArgNumber()) + " is not a tensor that can be given");
    std::string error;
    files::HostTensor tensor;
    if (inputArrays.empty())
      tensor = randomInput(*type, generator, nextSize);
    else if (!files::readNpy(inputArrays[argument.getArgNumber()], tensor, error))
      die(error);
    infer::Type given;
    given.dtype = tensor.dtype;
    given.rank = int(tensor.extents.size());
    if (given.rank > infer::kMaxRank)
      die(inputArrays[argument.getArgNumber()] + ": has more than " + Twine(infer::kMaxRank) +
          " axes");
    llvm::copy(tensor.extents, given.dims);
    arrays.push_back(reference::load(given, tensor.data()));
  }
  if (failed(reference::checkArguments(program.function, arrays)))
    die("the inputs do not fit");
  for (auto [argument, array] : llvm::zip(program.function.getArguments(), arrays))
    program.values[argument] = std::move(array);
  auto evaluate = [&] {
    program.evaluate();
    return Verdict();
  };
  if (apart(evaluate, timeout).kind == Verdict::Right) // the fault may be the interpreter's
    program.evaluate();
}

//===----------------------------------------------------------------------===//
// What is interesting
//===----------------------------------------------------------------------===//

/// Runs the script on the text, silently. True if it ends with another status than 0.
static bool asksScript(StringRef script, const std::string &text) {
  SmallString<64> path;
  if (auto error = llvm::sys::fs::createTemporaryFile("tenon-reduce", "mlir", path))
    die("no temporary file: " + error.message());
  std::string message;
  if (!files::writeFile(path.str().str(), {text}, message))
    die(message);
  Verdict verdict = apart(
      [&] {
        SmallVector<StringRef> words{script};
        words.append(testArguments.begin(), testArguments.end());
        words.push_back(path);
        Verdict found;
        StringRef nothing = ""; // /dev/null
        found.place =
            size_t(llvm::sys::ExecuteAndWait(script, words, std::nullopt,
                                             {nothing, nothing, nothing}, 0, 0, &found.message) &
                   0xff);
        return found;
      },
      timeout);
  llvm::sys::fs::remove(path);
  if (verdict.kind != Verdict::Right)
    return false; // out of time
  int status = int(verdict.place);
  if (status == 0xff && !verdict.message.empty()) // status 126 or 127
    die("--test: '" + script + "', or a command in it, cannot be run: " + verdict.message);
  return status != 0;
}

static void reduceByScript(Program &program) {
  SmallString<64> script(test);
  if (auto error = llvm::sys::fs::make_absolute(script))
    die("--test: " + error.message());
  if (!llvm::sys::fs::exists(script))
    die("--test: there is no '" + test + "' (a script, or 'compare')");
  if (llvm::sys::fs::is_directory(script) || !llvm::sys::fs::can_execute(script))
    die("--test: '" + test + "' is not executable");
  if (!inputArrays.empty())
    die("input files are for --test=compare, got " + inputArrays.front());
  program.hasInputs = false;
  auto isInteresting = [&](Case &candidate) { return asksScript(script, candidate.text); };
  Case whole = program.toCase();
  if (!isInteresting(whole))
    die(inputFile + " is not interesting: '" + test + "' ends with status 0, or not within " +
        Twine(timeout) + " s");
  reduce(program, isInteresting);
}

/// Leaves a program that fails in the same way. Returns how, and the flags to see that.
static Verdict reduceByComparison(Program &program) {
  giveInputs(program);
  Case whole = program.toCase();
  std::vector<Variant> variants;
  if (onVulkan) {
    variants.push_back(vulkanVariant());
  } else {
    variants.push_back({"-O2", 2, "", "cpu"});
    llvm::append_range(variants, allVariants());
  }
  // One at a time, so that a crash tells its variant.
  for (const Variant &variant : variants) {
    auto look = [&](Case &candidate) {
      return apart([&] { return fuzz::check(candidate, variant); }, timeout);
    };
    Verdict verdict = look(whole);
    if (!verdict.isFault())
      continue;
    reduce(program, [&](Case &candidate) { return look(candidate).kind == verdict.kind; });
    Case smallest = program.toCase();
    verdict = look(smallest);
    verdict.variant = variant.name;
    return verdict;
  }
  die(inputFile + " is not interesting: it agrees with the reference interpreter " +
      (onVulkan ? "on the GPU" : "at -O0 to -O3 and without each pass that may be left out"));
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  cl::HideUnrelatedOptions({&category, &inputCategory});
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "tenon-reduce " TENON_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Makes a program small as long as it stays interesting: ops give way to arguments or to\n"
      "their operands, results and functions are dropped.\n");
  if (limit < 1 || !(low <= high) || timeout < 1)
    die("--int-limit and --timeout: expected at least 1; --low: expected at most --high");
  DialectRegistry registry;
  registry.insert<TenonDialect>();
  cpu::registerCpuDialects(registry);
  reference::registerReferenceModels(registry);
  // One thread: this process forks.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Program program = readProgram(context);
  Verdict verdict;
  if (test == "compare")
    verdict = reduceByComparison(program);
  else
    reduceByScript(program);
  Case smallest = program.toCase();
  if (output == "-") {
    llvm::outs() << smallest.text;
  } else {
    StringRef prefix = output;
    prefix.consume_back(".mlir");
    std::string error, inputs;
    if (!files::writeFile(output, {smallest.text}, error))
      die(error);
    for (auto [i, input] : llvm::enumerate(smallest.inputs)) {
      std::string path = (prefix + "." + Twine(i) + ".npy").str();
      inputs += " " + path;
      if (!files::writeNpy(path, input, error))
        die(error);
    }
    if (program.hasInputs)
      llvm::errs() << "tenon-run --compare=reference " << verdict.variant << " " << output << inputs
                   << "\n";
  }
  if (!verdict.message.empty())
    llvm::errs() << verdict.message << "\n";
  return 0;
}
