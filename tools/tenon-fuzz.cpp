//===- tenon-fuzz.cpp - Random programs against the reference -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program is generated from a seed of its own, so any one can be had again. It is
// compiled and run in a process of its own. Gradients have a check of their own, and so have
// ops one by one.
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Check.h"
#include "tools/fuzz/EachOp.h"
#include "tools/fuzz/Generator.h"
#include "tools/fuzz/Gradients.h"
#include "tools/fuzz/Reduce.h"

#include "ir/TenonOps.h"
#include "passes/autodiff/Autodiff.h"
#include "reference/Interpreter.h"
#include "runtime/files/Npy.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("tenon-fuzz's options");
static cl::opt<unsigned> graphs("graphs", cl::desc("how many programs"), cl::init(300),
                                cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("of the first program; the next one has the next"),
                              cl::init(1), cl::cat(category));
static cl::opt<int> mostOps("ops", cl::desc("largest number of ops that are asked for"),
                            cl::init(16), cl::cat(category));
static cl::opt<std::string> output("output", cl::desc("prefix of the files of what fails"),
                                   cl::init("fuzz"), cl::cat(category));
static cl::opt<unsigned> mostFailures("max-failures", cl::desc("stop after so many"), cl::init(5),
                                      cl::cat(category));
static cl::opt<bool> gradients(
    "gradients",
    cl::desc("compare gradients with central differences: of programs in f64, and of each\n"
             "differentiable op alone. With files, the .mlir and .npy of one program, of that"),
    cl::cat(category));
static cl::opt<bool>
    eachOp("each-op", cl::desc("instead of graphs: every op, dtype by dtype, over many extents"),
           cl::cat(category));
static cl::list<std::string> only("only", cl::CommaSeparated, cl::value_desc("ops"),
                                  cl::desc("of the ops of --each-op these (tenon.exp)"),
                                  cl::cat(category));
static cl::list<std::string> dtypes("dtypes", cl::CommaSeparated, cl::value_desc("dtypes"),
                                    cl::desc("of those of --each-op these (f32)"),
                                    cl::cat(category));
static cl::list<int64_t>
    around("around", cl::CommaSeparated, cl::value_desc("lengths"),
           cl::desc("extents of --each-op are these lengths of tiles, one more and one less"),
           cl::cat(category));
static cl::opt<unsigned> shard("shard", cl::desc("which part of the ops of --each-op, from 0"),
                               cl::init(0), cl::cat(category));
static cl::opt<unsigned> numShards("num-shards", cl::desc("how many parts there are"), cl::init(1),
                                   cl::cat(category));
static cl::opt<bool> onVulkan("vulkan", cl::desc("compare what a GPU computes, instead of the CPU"),
                              cl::cat(category));
static cl::list<std::string> paths(cl::Positional, cl::desc("[files]"), cl::cat(category));
static cl::opt<bool> printOnly("print", cl::desc("print the programs and do not run them"),
                               cl::cat(category));
static cl::opt<bool> inProcess("in-process",
                               cl::desc("run in this process, for a debugger; stops at a crash"),
                               cl::cat(category));

namespace {
struct Totals {
  unsigned right = 0, failed = 0;
  int64_t elements = 0, undecided = 0;
  llvm::StringMap<unsigned> refused, ops;
};
} // namespace

static std::vector<Variant> wantedVariants() {
  return onVulkan ? std::vector<Variant>{vulkanVariant()} : allVariants();
}

static Verdict verdictOf(Case &program, llvm::ArrayRef<Variant> variants) {
  auto look = [&] { return gradients ? checkGradients(program) : check(program, variants); };
  return inProcess ? look() : apart(look);
}

/// Makes it as small as it still fails, and says how to see that.
static void report(Program &program, uint64_t programSeed, const Verdict &verdict) {
  std::vector<Variant> variants;
  for (const Variant &variant : wantedVariants())
    if (verdict.variant.empty() || variant.name == verdict.variant)
      variants.push_back(variant);
  reduce(program,
         [&](Case &candidate) { return verdictOf(candidate, variants).kind == verdict.kind; });
  Case smallest = program.toCase();
  std::string message = verdictOf(smallest, variants).message;
  std::string files = smallest.write(output + "-" + std::to_string(programSeed));
  std::string command =
      gradients ? "tenon-fuzz --gradients" : "tenon-run --compare=reference " + verdict.variant;
  llvm::outs() << "FAIL seed " << programSeed << ": "
               << (message.empty() ? verdict.message : message) << "\n"
               << smallest.text << "  " << command << " " << files << "\n";
  llvm::outs().flush(); // a long run may be stopped
}

/// False if it fails.
static bool runProgram(Program &program, uint64_t programSeed, Totals &totals) {
  Case whole = program.toCase();
  if (printOnly) {
    llvm::outs() << "// seed " << programSeed << "\n" << whole.text;
    return true;
  }
  Verdict verdict = verdictOf(whole, wantedVariants());
  totals.elements += verdict.elements;
  totals.undecided += verdict.undecided;
  if (verdict.isFault())
    report(program, programSeed, verdict);
  else if (verdict.kind == Verdict::Refused)
    totals.refused[verdict.message]++;
  else
    totals.right++;
  return !verdict.isFault();
}

static void runSeed(MLIRContext &context, uint64_t programSeed, Totals &totals) {
  GeneratorOptions options;
  if (gradients) {
    options.dtype = TENON_F64;
    options.isForGradients = true;
  }
  Generator generator(&context, programSeed, options);
  Program program = generator.run(int(generator.between(1, mostOps)));
  for (const auto &[name, count] : generator.counts())
    totals.ops[name] += unsigned(count);
  totals.failed += !runProgram(program, programSeed, totals);
}

/// Gradients of each op that has a rule, alone; one is to be smooth somewhere.
static void runEachRule(MLIRContext &context, Totals &totals) {
  constexpr int kPrograms = 12;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<DifferentiableOpInterface>() || isStructure(name.getStringRef()) ||
        totals.failed >= mostFailures)
      continue;
    Totals ofOp;
    for (uint64_t i = 0; i < kPrograms && ofOp.failed == 0; i++) {
      GeneratorOptions options;
      options.dtype = TENON_F64;
      options.isForGradients = true;
      uint64_t programSeed = seed + i;
      Program program = Generator(&context, programSeed, options).runOne(name);
      if (program.module)
        ofOp.failed += !runProgram(program, programSeed, ofOp);
    }
    if (!printOnly)
      llvm::outs() << name.getStringRef() << ": " << ofOp.elements << " directions, "
                   << ofOp.undecided << " of them not smooth\n";
    if (!printOnly && !ofOp.failed && ofOp.elements <= ofOp.undecided) {
      llvm::outs() << "FAIL " << name.getStringRef() << ": no gradient of it was compared\n";
      ofOp.failed++;
    }
    totals.right += ofOp.right;
    totals.failed += ofOp.failed;
    totals.elements += ofOp.elements;
    totals.undecided += ofOp.undecided;
    for (const auto &[reason, count] : ofOp.refused)
      totals.refused[reason] += count;
  }
}

static void summarize(MLIRContext &context, Totals &totals) {
  unsigned refused = 0;
  for (const auto &[reason, count] : totals.refused)
    refused += count;
  llvm::outs() << totals.right << " programs right, " << refused << " refused, " << totals.failed
               << " failed; " << totals.elements
               << (gradients ? " directions compared, " : " elements compared, ")
               << totals.undecided
               << (gradients ? " of them not smooth\n" : " of them without a finite bound\n");
  for (const auto &[reason, count] : totals.refused)
    llvm::outs() << "refused, " << count << " times: " << reason << "\n";
  if (gradients && totals.undecided > totals.elements / 10) {
    llvm::outs() << "FAIL: more than a tenth of the directions tell nothing\n";
    totals.failed++;
  }
  llvm::SmallVector<llvm::StringRef> missing;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "tenon" && !isStructure(name.getStringRef()) &&
        !totals.ops.contains(name.getStringRef()))
      missing.push_back(name.getStringRef());
  if (!missing.empty())
    llvm::outs() << "never made: " << llvm::join(missing, ", ") << "\n";
}

/// Gradients of the program of the files.
static int runFiles() {
  Case program;
  std::string error;
  auto text = llvm::MemoryBuffer::getFile(paths.front());
  if (!text) {
    llvm::errs() << "tenon-fuzz: " << paths.front() << ": " << text.getError().message() << "\n";
    return 1;
  }
  program.text = (*text)->getBuffer().str();
  for (const std::string &path : llvm::ArrayRef<std::string>(paths).drop_front())
    if (!files::readNpy(path, program.inputs.emplace_back(), error)) {
      llvm::errs() << "tenon-fuzz: " << path << ": " << error << "\n";
      return 1;
    }
  Verdict verdict = checkGradients(program);
  llvm::outs() << verdict.elements << " directions compared, " << verdict.undecided
               << " of them not smooth\n"
               << verdict.message << (verdict.message.empty() ? "" : "\n");
  return verdict.kind == Verdict::Right ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "tenon-fuzz " TENON_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Makes random programs of the tenon dialect, compiles each in many ways and compares what\n"
      "they give with the reference interpreter. What fails is made small and written to files.\n");
  if (!paths.empty() && !gradients) {
    llvm::errs() << "tenon-fuzz: expected no files without --gradients, got " << paths.front()
                 << "; tenon-run --compare=reference runs a program of files\n";
    return 1;
  }
  if (!paths.empty())
    return runFiles();
  DialectRegistry registry;
  registry.insert<TenonDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  registerAutodiffModels(registry);
  registerGenerators(registry);
  // One thread: this process forks.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  if (eachOp) {
    EachOpOptions options;
    options.seed = seed;
    options.shard = shard;
    options.numShards = numShards;
    options.mostFailures = mostFailures;
    options.output = output;
    options.only.assign(only.begin(), only.end());
    options.dtypes.assign(dtypes.begin(), dtypes.end());
    options.around.assign(around.begin(), around.end());
    options.printOnly = printOnly;
    options.inProcess = inProcess;
    options.variant = onVulkan ? vulkanVariant() : Variant{"-O1", 1, "", "cpu"};
    return !runEachOp(context, options);
  }
  Totals totals;
  if (gradients)
    runEachRule(context, totals);
  for (uint64_t i = 0; i < graphs && totals.failed < mostFailures; i++)
    runSeed(context, seed + i, totals);
  if (!printOnly)
    summarize(context, totals);
  return totals.failed ? 1 : 0;
}
