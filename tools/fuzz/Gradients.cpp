//===- Gradients.cpp - Are derived gradients right? -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Gradients.h"

#include "ir/TenonOps.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/autodiff/Autodiff.h"
#include "reference/Interpreter.h"
#include "reference/Models.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

using namespace mlir;
using tenon::reference::Array;

namespace tenon::fuzz {

constexpr double kStep = 1e-6;
/// An eighth or so; by the golden ratio, so that whole periods of jumps fit into one of both only.
constexpr double kSmallStep = kStep / 8.618034;

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
/// A function without gradient ops. The first evaluation is the one that others are
/// differences to: what stops gradients keeps the values that it had there.
class Evaluator {
public:
  explicit Evaluator(func::FuncOp function) : function(function) {}

  FailureOr<std::vector<Array>> operator()(ArrayRef<Array> arguments) {
    if (failed(reference::checkArguments(function, arguments)))
      return failure();
    auto results = body(function.getBody().front(), arguments);
    isFirst = false;
    next = 0;
    return results;
  }

private:
  FailureOr<std::vector<Array>> body(Block &block, ArrayRef<Array> arguments) {
    return reference::evaluateBlock(
        block, arguments,
        [&](Operation *op, reference::Operands operands, reference::Results results) {
          return evaluate(op, operands, results);
        });
  }

  LogicalResult evaluate(Operation *op, reference::Operands operands, reference::Results results) {
    if (auto loop = dyn_cast<LoopOp>(op))
      return reference::runLoop(
          loop, operands, results,
          [&](Block &block, ArrayRef<Array> arguments) { return body(block, arguments); });
    if (auto branch = dyn_cast<IfOp>(op))
      return reference::runIf(
          branch, operands, results,
          [&](Block &block, ArrayRef<Array> arguments) { return body(block, arguments); });
    if (!op->hasTrait<trait::NotDifferentiable>())
      return reference::evaluateOp(op, operands, results);
    if (!isFirst) {
      llvm::copy(kept[next++], results.begin());
      return success();
    }
    LogicalResult done = reference::evaluateOp(op, operands, results);
    kept.emplace_back(results.begin(), results.end());
    return done;
  }

  func::FuncOp function;
  bool isFirst = true;
  size_t next = 0;
  std::vector<std::vector<Array>> kept; ///< of what stops gradients, as they come
};

/// One function in one module, and what it is called with.
struct Function {
  OwningOpRef<ModuleOp> module;
  std::vector<Array> arguments;

  func::FuncOp get() { return *module->getOps<func::FuncOp>().begin(); }
  Block &block() { return get().getBody().front(); }
  Function clone() { return {cast<ModuleOp>(module->getOperation()->clone()), arguments}; }
  void setResults(ArrayRef<Value> values) {
    block().getTerminator()->setOperands(values);
    func::FuncOp function = get();
    function.setType(FunctionType::get(function.getContext(), block().getArgumentTypes(),
                                       TypeRange(ValueRange(values))));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

namespace {
class GradientCheck {
public:
  explicit GradientCheck(MLIRContext &context) : context(context) {}
  Verdict run(Case &program);

private:
  bool load(Case &program);
  bool derive(Function &function, bool withAllPasses);
  bool addWeights(Function &function);
  Function differentiate(Function &value);
  bool compareAll(Function &value, const std::string &order);
  bool compare(Evaluator &value, Function &function, size_t index, const Array &gradient,
               const std::string &name);
  bool fail(Verdict::Kind kind, std::string message) {
    verdict.kind = kind;
    verdict.message = std::move(message);
    return false;
  }
  double draw(double low, double high) {
    return low + (high - low) * double(random() >> 11) * 0x1p-53;
  }

  MLIRContext &context;
  std::mt19937_64 random{1};
  Function program;
  SmallVector<size_t> sources; ///< arguments to differentiate by
  std::string diagnostics;
  Verdict verdict;
};
} // namespace

static bool isDouble(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF64();
}

/// Are there floats, and all of them f64? Others are rounded: a difference sees steps.
static bool isAllDouble(ModuleOp module) {
  bool any = false, others = false;
  auto look = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    any |= isDouble(type);
    others |= tensor && isa<FloatType>(tensor.getElementType()) && !isDouble(type);
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), look);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), look);
  });
  return any && !others;
}

bool GradientCheck::load(Case &text) {
  program.module = parseSourceString<ModuleOp>(text.text, &context);
  if (!program.module)
    return fail(Verdict::Wrong, "does not parse: " + diagnostics);
  if (!isAllDouble(*program.module))
    return false;
  // Of which the gradient has no regard to the floor, as its description says.
  program.module->walk([](SoftmaxCrossEntropyOp op) { op.setFloor(APFloat(0.0)); });
  for (auto [i, input] : llvm::enumerate(text.inputs)) {
    infer::Type type;
    type.dtype = input.dtype;
    type.rank = int(input.extents.size());
    std::copy(input.extents.begin(), input.extents.end(), type.dims);
    program.arguments.push_back(reference::load(type, input.data()));
    if (type.isFloat())
      sources.push_back(i);
  }
  return !sources.empty();
}

bool GradientCheck::derive(Function &function, bool withAllPasses) {
  PassManager pm(&context);
  pm.enableVerifier();
  if (withAllPasses) {
    buildInputPhase(pm, {});
    buildFusedPhase(pm, {});
    buildDifferentiatedPhase(pm, {});
  } else {
    pm.addNestedPass<func::FuncOp>(createDeriveBackwardPass());
  }
  diagnostics.clear();
  if (succeeded(pm.run(*function.module)))
    return true;
  bool hasNoRule = StringRef(diagnostics).contains("has no backward rule");
  return fail(hasNoRule ? Verdict::Refused : Verdict::Wrong, "no gradient: " + diagnostics);
}

/// One result in place of all: their elements, times new arguments, summed up.
bool GradientCheck::addWeights(Function &function) {
  Function evaluated = function.clone();
  if (!derive(evaluated, false))
    return false;
  auto results = Evaluator(evaluated.get())(function.arguments);
  if (failed(results))
    return fail(Verdict::Wrong, "cannot be evaluated: " + diagnostics);
  Block &block = function.block();
  OpBuilder builder(block.getTerminator());
  Location loc = builder.getUnknownLoc();
  Value sum;
  for (auto [i, y] : llvm::enumerate(SmallVector<Value>(block.getTerminator()->getOperands()))) {
    if (!isDouble(y.getType()))
      continue;
    Array weights((*results)[i].type);
    for (double &w : weights.reals)
      w = draw(-1, 1);
    Value weight = block.addArgument(y.getType(), loc);
    function.arguments.push_back(std::move(weights));
    Value part = builder.create<MulOp>(loc, y, weight);
    auto axes =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(y.getType()).getRank()));
    if (!axes.empty())
      part = builder.create<ReduceSumOp>(loc, part, axes, false);
    sum = sum ? builder.create<AddOp>(loc, sum, part).getResult() : part;
  }
  if (sum)
    function.setResults(sum);
  return bool(sum);
}

/// Gradients of the one result by all sources.
Function GradientCheck::differentiate(Function &value) {
  Function function = value.clone();
  Block &block = function.block();
  OpBuilder builder(block.getTerminator());
  SmallVector<Value> gradients;
  for (size_t i : sources) {
    Value x = block.getArgument(i);
    gradients.push_back(builder.create<GradientOp>(
        builder.getUnknownLoc(), x.getType(), block.getTerminator()->getOperand(0), x, Value()));
  }
  function.setResults(gradients);
  return function;
}

/// Compares one gradient along one direction; false if they differ.
bool GradientCheck::compare(Evaluator &value, Function &function, size_t index,
                            const Array &gradient, const std::string &name) {
  std::vector<Array> &arguments = function.arguments;
  const Array kept = arguments[index];
  Array direction = kept;
  double derived = 0, size = 0;
  for (int64_t i = 0; i < kept.size(); i++) {
    direction.reals[i] = draw(-1, 1) * std::max(1.0, std::fabs(kept.reals[i]));
    double part = gradient.reals[i] * direction.reals[i];
    derived += part;
    size += std::fabs(part);
  }
  auto at = [&](double step) {
    for (int64_t i = 0; i < kept.size(); i++)
      arguments[index].reals[i] = kept.reals[i] + step * direction.reals[i];
    auto results = value(arguments);
    return succeeded(results) ? (*results)[0].reals[0] : NAN;
  };
  double middle = at(0);
  auto slopes = [&](double step) {
    return std::pair((middle - at(-step)) / step, (at(step) - middle) / step);
  };
  auto [left, right] = slopes(kStep);
  auto [nearLeft, nearRight] = slopes(kSmallStep);
  arguments[index] = kept;
  verdict.elements++;
  double expected = (left + right) / 2, bend = std::fabs(right - left),
         nearExpected = (nearLeft + nearRight) / 2, nearBend = std::fabs(nearRight - nearLeft),
         noise = 1e-8 * (1 + std::fabs(middle) + std::fabs(expected));
  // The slopes to both sides draw together as the step shrinks, by as much as it does: not at a
  // kink or a jump, and by more than that where one lies between the smaller step and the larger.
  bool isSmooth =
      bend <= noise || (nearBend <= bend / 4 + noise && bend <= 16 * nearBend + 4 * noise);
  double most = 1e-5 + 1e-3 * std::max(std::fabs(expected), size);
  double bound = std::min(most, 1e-6 * (1 + size) + noise + bend / 8);
  // Jumps to both sides, of a remainder of many periods, hide from that: the mean of the slopes
  // then depends on the step. Where the function is smooth, by less than the bound.
  isSmooth &= std::fabs(nearExpected - expected) <= bound / 2 + noise;
  if (!std::isfinite(left) || !std::isfinite(right) || !isSmooth) {
    verdict.undecided++;
    return true;
  }
  if (std::fabs(expected - derived) <= bound)
    return true;
  return fail(Verdict::Wrong,
              llvm::formatv("{0} by argument {1}: {2} along a direction, but "
                            "central differences give {3}, bound {4}",
                            name, index, llvm::format("%.12g", derived),
                            llvm::format("%.12g", expected), llvm::format("%.3g", bound)));
}

/// Compares the gradients of `value`, which has one result.
bool GradientCheck::compareAll(Function &value, const std::string &order) {
  Function plain = value.clone();
  if (!derive(plain, false))
    return false;
  Evaluator evaluate(plain.get());
  if (failed(evaluate(plain.arguments)))
    return fail(Verdict::Wrong, "cannot be evaluated: " + diagnostics);
  for (bool withAllPasses : {false, true}) {
    Function gradient = differentiate(value);
    if (!derive(gradient, withAllPasses))
      return false;
    auto results = Evaluator(gradient.get())(gradient.arguments);
    if (failed(results))
      return fail(Verdict::Wrong, "gradient cannot be evaluated: " + diagnostics);
    std::string name = order + (withAllPasses ? ", all passes" : ", derivation alone");
    for (auto [i, source] : llvm::enumerate(sources))
      if (plain.arguments[source].size() > 0 &&
          !compare(evaluate, plain, source, (*results)[i], name))
        return false;
  }
  return true;
}

Verdict GradientCheck::run(Case &text) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
  if (!load(text) || !addWeights(program) || !compareAll(program, "gradient"))
    return verdict;
  Function gradient = differentiate(program);
  if (addWeights(gradient))
    compareAll(gradient, "second gradient");
  return verdict;
}

Verdict checkGradients(Case &program) {
  DialectRegistry registry;
  registry.insert<TenonDialect, func::FuncDialect>();
  registerAutodiffModels(registry);
  reference::registerReferenceModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  return GradientCheck(context).run(program);
}

} // namespace tenon::fuzz
