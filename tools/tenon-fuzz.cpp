//===- tenon-fuzz.cpp - Random programs against the reference -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program is generated from a seed of its own, so any one can be had again. It is
// compiled and run in a process of its own.
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Check.h"
#include "tools/fuzz/Generator.h"
#include "tools/fuzz/Reduce.h"

#include "ir/TenonOps.h"
#include "reference/Interpreter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

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

static Verdict verdictOf(Case &program, llvm::ArrayRef<Variant> variants) {
  return inProcess ? check(program, variants) : checkApart(program, variants);
}

/// Makes it as small as it still fails, and says how to see that.
static void report(Program &program, uint64_t programSeed, const Verdict &verdict) {
  std::vector<Variant> variants;
  for (const Variant &variant : allVariants())
    if (verdict.variant.empty() || variant.name == verdict.variant)
      variants.push_back(variant);
  reduce(program,
         [&](Case &candidate) { return verdictOf(candidate, variants).kind == Verdict::Wrong; });
  Case smallest = program.toCase();
  std::string message = verdictOf(smallest, variants).message;
  std::string command = smallest.write(output + "-" + std::to_string(programSeed));
  llvm::outs() << "FAIL seed " << programSeed << ": "
               << (message.empty() ? verdict.message : message) << "\n"
               << smallest.text << "  " << command << " " << verdict.variant << "\n";
  llvm::outs().flush(); // a long run may be stopped
}

/// One program; false if it fails.
static bool runSeed(MLIRContext &context, uint64_t programSeed, Totals &totals) {
  Generator generator(&context, programSeed);
  Program program = generator.run(int(generator.between(1, mostOps)));
  for (const auto &[name, count] : generator.counts())
    totals.ops[name] += unsigned(count);
  Case whole = program.toCase();
  if (printOnly) {
    llvm::outs() << "// seed " << programSeed << "\n" << whole.text;
    return true;
  }
  Verdict verdict = verdictOf(whole, allVariants());
  totals.elements += verdict.elements;
  totals.undecided += verdict.undecided;
  if (verdict.kind == Verdict::Wrong)
    report(program, programSeed, verdict);
  else if (verdict.kind == Verdict::Refused)
    totals.refused[verdict.message]++;
  else
    totals.right++;
  return verdict.kind != Verdict::Wrong;
}

static void summarize(MLIRContext &context, const Totals &totals) {
  unsigned refused = 0;
  for (const auto &[reason, count] : totals.refused)
    refused += count;
  llvm::outs() << totals.right << " programs right, " << refused << " refused, " << totals.failed
               << " failed; " << totals.elements << " elements compared, " << totals.undecided
               << " of them without a finite bound\n";
  for (const auto &[reason, count] : totals.refused)
    llvm::outs() << "refused, " << count << " times: " << reason << "\n";
  llvm::SmallVector<llvm::StringRef> missing;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "tenon" && !isStructure(name.getStringRef()) &&
        !totals.ops.contains(name.getStringRef()))
      missing.push_back(name.getStringRef());
  if (!missing.empty())
    llvm::outs() << "never made: " << llvm::join(missing, ", ") << "\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "tenon-fuzz " TENON_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Makes random programs of the tenon dialect, compiles each in many ways and compares what\n"
      "they give with the reference interpreter. What fails is made small and written to files.\n");
  DialectRegistry registry;
  registry.insert<TenonDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  registerGenerators(registry);
  // One thread: this process forks.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Totals totals;
  for (uint64_t i = 0; i < graphs && totals.failed < mostFailures; i++)
    totals.failed += !runSeed(context, seed + i, totals);
  if (!printOnly)
    summarize(context, totals);
  return totals.failed ? 1 : 0;
}
