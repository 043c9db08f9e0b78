//===- EachOp.cpp - Every op, dtype by dtype ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/EachOp.h"

#include "tools/fuzz/Check.h"
#include "tools/fuzz/Models.h"
#include "tools/run/Elements.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;

namespace tenon::fuzz {

constexpr int64_t kExtents[] = {0, 1, 3, 17, 65, 1000};
constexpr int kNumExtents = std::size(kExtents);
constexpr int kNumDtypes = TENON_I1 + 1;

namespace {
/// One kind of op.
class EachOp {
public:
  EachOp(MLIRContext &context, const EachOpOptions &options, RegisteredOperationName name,
         unsigned &failures)
      : context(context), options(options), name(name), failures(failures) {}
  unsigned run();

private:
  Program make(tenon_dtype dtype, size_t number, bool isDynamic);
  bool add(Program &program, tenon_dtype dtype);
  void noteDtypes(Operation *op, tenon_dtype dtype);
  Verdict check(const std::string &text, std::vector<Inputs> &inputs) const;
  bool isRight(const Verdict &verdict) const {
    return verdict.kind == Verdict::Right || (hasBodies && verdict.kind == Verdict::Refused);
  }
  void report(tenon_dtype dtype);
  void runDtype(tenon_dtype dtype);
  void fail(const std::string &message) {
    llvm::outs() << "FAIL " << name.getStringRef() << ": " << message << "\n";
    failures++;
  }

  MLIRContext &context;
  const EachOpOptions &options;
  RegisteredOperationName name;
  unsigned &failures;
  std::vector<std::vector<int64_t>> extents;           ///< of one program after the other
  std::map<std::string, std::vector<Inputs>> programs; ///< of a dtype; data they run on
  unsigned numCases[kNumDtypes] = {};
  bool hasBodies = false;        ///< made by chance, so that extents may not fit
  bool isTyped[kNumDtypes] = {}; ///< takes what has been made, of this dtype instead
};
} // namespace

static bool isAmong(const std::vector<std::string> &names, StringRef name) {
  return names.empty() || llvm::is_contained(names, name);
}

/// The same for an op of a name everywhere.
static uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15u ^ (hash >> 29);
}

/// Starts with extents[first], then mostly others: what is all of one extent hides which of
/// its axes is taken for which.
static std::vector<int64_t> extentsFrom(int64_t first) {
  std::vector<int64_t> extents;
  for (int64_t i : {0, 1, 4, 2, 3, 0, 4, 1, 3, 2})
    extents.push_back(kExtents[(first + i) % kNumExtents]);
  return extents;
}

/// All of extentsFrom; or lengths of tiles, one more and one less, at one of the first places that
/// extents are asked for, with small ones elsewhere, and then at all.
static std::vector<std::vector<int64_t>> extentsOf(const EachOpOptions &options) {
  constexpr size_t kPlaces = 5;
  std::vector<std::vector<int64_t>> extents;
  if (options.around.empty())
    for (int64_t first = 0; first < kNumExtents; first++)
      extents.push_back(extentsFrom(first));
  for (int64_t tile : options.around) {
    for (size_t place = 0; place < kPlaces; place++)
      for (int64_t length : {tile - 1, tile, tile + 1}) {
        extents.push_back({3, 2, 5, 3, 4, 2});
        extents.back()[place] = length;
      }
    extents.push_back({tile - 1, tile + 1, tile});
    extents.push_back({tile, tile - 1, tile + 1});
    extents.push_back({tile + 1, tile, tile - 1});
    extents.push_back({tile});
  }
  return extents;
}

Program EachOp::make(tenon_dtype dtype, size_t number, bool isDynamic) {
  uint64_t seed = options.seed;
  for (char c : name.getStringRef())
    seed = mix(seed, uint64_t(c));
  seed = mix(seed, uint64_t(dtype));
  GeneratorOptions made;
  made.dtype = dtype;
  made.extents = extents[number];
  made.isDynamic = isDynamic;
  made.hasLargeResults = true;
  made.mostElements = options.around.empty() ? 6000 : 1 << 16;
  // Dynamic programs differ in extents alone, if these do not matter to how one is made.
  return Generator(&context, isDynamic ? seed : mix(seed, uint64_t(number) + 1), made).runOne(name);
}

static bool hasDtype(Operation *op, tenon_dtype dtype) {
  auto has = [&](Type type) {
    std::optional<infer::Type> inferred = inferTypeOf(type);
    return inferred && inferred->dtype == dtype;
  };
  return llvm::any_of(op->getOperandTypes(), has) || llvm::any_of(op->getResultTypes(), has);
}

/// Which dtypes would be taken in the place of this one?
void EachOp::noteDtypes(Operation *op, tenon_dtype dtype) {
  int id = infer::findOp(op->getName().stripDialect().str().c_str());
  SmallVector<int64_t> words;
  if (id < 0 || op->getNumOperands() == 0 || op->getNumRegions() > 0 ||
      !attrWords(infer::opSpec(id).schema, op->getAttrDictionary(), words))
    return;
  const infer::OpSpec &spec = infer::opSpec(id);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  for (int other = 0; other < kNumDtypes; other++) {
    SmallVector<infer::Type> types;
    bool isOther = false;
    Block arguments;
    for (Type type : op->getOperandTypes()) {
      types.push_back(*inferTypeOf(type));
      if (types.back().dtype == dtype) {
        types.back().dtype = tenon_dtype(other);
        isOther = true;
      }
      arguments.addArgument(tensorTypeOf(&context, types.back()), op->getLoc());
    }
    SmallVector<const infer::Type *> operands;
    unsigned next = 0;
    if (segments)
      for (int32_t size : segments.asArrayRef())
        operands.push_back(size ? &types[next++] : nullptr);
    else
      for (const infer::Type &type : types)
        operands.push_back(&type);
    infer::Call call{};
    call.numOperands = operands.size();
    call.operands = operands.data();
    call.attrs = {spec.schema, words.data()};
    if (isTyped[other] || !isOther || !infer::infer(spec, call))
      continue;
    Operation *copy = op->cloneWithoutRegions();
    copy->setOperands(arguments.getArguments());
    for (int i = 0; i < call.numResults; i++)
      copy->getResult(i).setType(tensorTypeOf(&context, call.results[i]));
    isTyped[other] = succeeded(verify(copy));
    copy->destroy();
  }
}

/// Keeps a program if the op in it has the dtype.
bool EachOp::add(Program &program, tenon_dtype dtype) {
  if (!program.module)
    return false;
  bool found = false;
  program.function.walk([&](Operation *op) {
    if (op->getName() != name)
      return;
    noteDtypes(op, dtype);
    hasBodies |= op->getNumRegions() > 0;
    found |= hasDtype(op, dtype);
  });
  if (found) {
    Case whole = program.toCase();
    programs[whole.text].push_back(std::move(whole.inputs));
  }
  return found;
}

/// The same with some elements that are no numbers, or the largest and smallest there are; none
/// if there are no floats.
static std::optional<Inputs> withSpecials(const Inputs &inputs, uint64_t seed) {
  constexpr double kSpecials[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-42, -1e300};
  std::mt19937_64 random(seed);
  Inputs changed;
  bool any = false;
  std::string error;
  for (const files::HostTensor &input : inputs) {
    files::HostTensor &copy = changed.emplace_back();
    if (!copy.allocate(input.dtype, input.extents, error))
      return {};
    std::copy_n(input.data(), input.numBytes(), copy.data());
    if (input.dtype > TENON_BF16 || input.size() == 0)
      continue;
    any = true;
    for (int64_t left = std::max<int64_t>(1, input.size() / 16); left > 0; left--)
      run::setElement(copy, int64_t(random() % uint64_t(input.size())),
                      kSpecials[random() % std::size(kSpecials)]);
  }
  return any ? std::optional(std::move(changed)) : std::nullopt;
}

Verdict EachOp::check(const std::string &text, std::vector<Inputs> &inputs) const {
  return fuzz::check(text, inputs, options.variant);
}

/// Says which of the programs is wrong, and for what.
void EachOp::report(tenon_dtype dtype) {
  for (auto &program : programs) {
    const std::string &text = program.first;
    std::vector<Inputs> &inputs = program.second;
    auto look = [&] { return check(program.first, program.second); };
    Verdict verdict = options.inProcess ? look() : apart(look);
    if (isRight(verdict) || failures >= options.mostFailures)
      continue;
    Case failing{text, std::move(inputs[std::min(verdict.place, inputs.size() - 1)])};
    std::string prefix = options.output + "-" + name.stripDialect().str() + "-" +
                         tenon_dtype_name(dtype) + "-" + std::to_string(failures);
    fail(verdict.message + "\n" + text + "  tenon-run --compare=reference " + verdict.variant +
         " " + failing.write(prefix));
  }
}

void EachOp::runDtype(tenon_dtype dtype) {
  // So many without one of this dtype: the op does not take it.
  const int mostOthers = options.around.empty() ? 4 : 24;
  programs.clear();
  int others = 0;
  for (bool isDynamic : {false, true})
    for (size_t number = 0; number < extents.size(); number++)
      if (others < mostOthers || !programs.empty()) {
        Program program = make(dtype, number, isDynamic);
        others += !add(program, dtype);
      }
  unsigned count = 0;
  for (auto &[text, inputs] : programs) {
    for (size_t i = 0, numMade = inputs.size(); i < numMade; i++)
      if (std::optional<Inputs> changed = withSpecials(inputs[i], mix(options.seed, i)))
        inputs.push_back(std::move(*changed));
    count += inputs.size();
    if (options.printOnly)
      llvm::outs() << "// " << inputs.size() << " cases\n" << text;
  }
  if (options.printOnly)
    return;
  // One process for all, since a fork takes as long as one of them; the time of each.
  unsigned seconds = kSecondsAtMost * unsigned(programs.size());
  auto look = [&] {
    for (auto &[text, inputs] : programs)
      if (Verdict verdict = check(text, inputs); !isRight(verdict))
        return verdict;
    return Verdict();
  };
  if (isRight(options.inProcess ? look() : apart(look, seconds)))
    numCases[dtype] = count;
  else
    report(dtype);
}

unsigned EachOp::run() {
  unsigned count = 0, before = failures;
  extents = extentsOf(options);
  auto isWanted = [&](int dtype) {
    return isAmong(options.dtypes, tenon_dtype_name(tenon_dtype(dtype)));
  };
  for (int dtype = 0; dtype < kNumDtypes; dtype++)
    if (isWanted(dtype))
      runDtype(tenon_dtype(dtype));
  if (options.printOnly)
    return 0;
  std::string missing;
  llvm::outs() << llvm::format("%-28s", name.getStringRef().str().c_str());
  for (int dtype = 0; dtype < kNumDtypes; dtype++) {
    if (numCases[dtype])
      llvm::outs() << " " << tenon_dtype_name(tenon_dtype(dtype)) << " " << numCases[dtype];
    else if (isTyped[dtype] && isWanted(dtype))
      missing += std::string(" ") + tenon_dtype_name(tenon_dtype(dtype));
    count += numCases[dtype];
  }
  llvm::outs() << "\n";
  if (failures == before && count == 0 && options.dtypes.empty())
    fail("has no case");
  else if (failures == before && !missing.empty())
    fail("takes, and has no case of," + missing);
  llvm::outs().flush();
  return count;
}

bool runEachOp(MLIRContext &context, const EachOpOptions &options) {
  std::vector<RegisteredOperationName> names;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "tenon" && !isStructure(name.getStringRef()) &&
        name.getStringRef() != "tenon.gradient" && // gone before anything is compiled
        isAmong(options.only, name.getStringRef()))
      names.push_back(name);
  llvm::sort(names, [](RegisteredOperationName a, RegisteredOperationName b) {
    return a.getStringRef() < b.getStringRef();
  });
  unsigned cases = 0, failures = 0, ops = 0;
  for (size_t i = options.shard; i < names.size() && failures < options.mostFailures;
       i += options.numShards, ops++) {
    if (names[i].hasInterface<GenerateOpInterface>()) {
      cases += EachOp(context, options, names[i], failures).run();
      continue;
    }
    llvm::outs() << "FAIL " << names[i].getStringRef() << ": has no GenerateOpInterface\n";
    failures++;
  }
  if (!options.printOnly)
    llvm::outs() << cases << " cases of " << ops << " ops right, " << failures << " failed\n";
  return failures == 0;
}

} // namespace tenon::fuzz
