//===- Report.cpp - What a compiled program costs -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/Report.h"

#include "codegen/PlannedProgram.h"
#include "passes/Cost.h"
#include "passes/InPlace.h"
#include "passes/Lifetimes.h"
#include "passes/SymbolicShapes.h"

using namespace mlir;

namespace tenon {

namespace {

class Reporter {
public:
  Reporter(func::FuncOp function, const SymbolicShapes &shapes, ArrayRef<KernelFacts> facts,
           ArrayRef<int64_t> extents)
      : function(function), shapes(shapes), facts(facts), lifetimes(function.getBody().front()) {
    for (int64_t extent : extents)
      symbols.push_back(getAffineConstantExpr(extent, function.getContext()));
  }

  ProgramReport run();

private:
  Amount amount(AffineExpr expr) const;
  void visit(Block &block, int64_t runs);
  KernelReport describe(KernelOp kernel, int64_t runs);
  void addValues(Operation *op);
  void addValue(Operation *op, Value value, Attribute slot, int64_t begin, int64_t end);

  func::FuncOp function;
  const SymbolicShapes &shapes;
  ArrayRef<KernelFacts> facts;
  Lifetimes lifetimes;
  SmallVector<AffineExpr> symbols;
  ProgramReport report;
  unsigned numKernels = 0; ///< that are not copies, so far
};

} // namespace

double KernelReport::secondsAtPeak(const MachineRates &rates) const {
  double rate = isDouble ? rates.flopsF64 : rates.flopsF32;
  return flops.value && rate > 0 ? double(*flops.value) / rate : 0;
}

double KernelReport::secondsAtBandwidth(const MachineRates &rates) const {
  return bytes.value && rates.bytes > 0 ? double(*bytes.value) / rates.bytes : 0;
}

std::string locationText(Location location) {
  std::string text;
  location->walk([&](Location each) {
    std::string one;
    if (auto name = dyn_cast<NameLoc>(each))
      one = name.getName().str();
    else if (auto file = dyn_cast<FileLineColLoc>(each))
      one = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
            std::to_string(file.getColumn());
    if (!one.empty() && text.find(one) == std::string::npos)
      text += (text.empty() ? "" : ", ") + one;
    return isa<NameLoc>(each) ? WalkResult::skip() : WalkResult::advance();
  });
  return text;
}

RemarkCollector::RemarkCollector(MLIRContext *context, std::vector<Report::Remark> &remarks)
    : ScopedDiagnosticHandler(context, [&remarks](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
          return failure();
        Report::Remark remark{locationText(diagnostic.getLocation()), diagnostic.str()};
        if (!llvm::is_contained(remarks, remark))
          remarks.push_back(std::move(remark));
        return success();
      }) {}

Amount Reporter::amount(AffineExpr expr) const {
  if (!expr)
    return {0, "0"};
  if (!symbols.empty())
    expr = simplifyAffineExpr(expr.replaceSymbols(symbols), 0, 0);
  Amount result;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    result.value = constant.getValue();
  llvm::raw_string_ostream(result.text) << expr;
  return result;
}

KernelReport Reporter::describe(KernelOp kernel, int64_t runs) {
  KernelReport result;
  result.step = lifetimes.of(kernel).first;
  result.runs = runs;
  result.strategy = kernel.getStrategy().str();
  auto isDouble = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  result.isDouble = llvm::any_of(kernel->getOperandTypes(), isDouble) ||
                    llvm::any_of(kernel->getResultTypes(), isDouble);
  result.bytes = amount(bytesOf(kernel, shapes));
  if (isCopy(kernel)) {
    result.flops = amount({});
    result.scratchShared = result.scratchPerWorker = amount({});
    return result;
  }
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<ConstantOp>(op))
      result.sources.push_back({op.getName().stripDialect().str(), locationText(op.getLoc())});
  result.flops = amount(flopsOf(kernel.getBody(), shapes));
  const KernelFacts &fact = facts[numKernels++];
  SmallVector<Value> buffers(kernel->getOperands());
  llvm::append_range(buffers, kernel->getResults());
  SmallVector<AffineExpr> own = shapes.dynamicExtents(buffers);
  auto inProgram = [&](AffineExpr expr) { return amount(expr ? expr.replaceSymbols(own) : expr); };
  result.scratchShared = inProgram(fact.scratchShared);
  result.scratchPerWorker = inProgram(fact.scratchPerWorker);
  result.symbol = fact.symbol;
  result.codeBytes = fact.codeBytes;
  result.compileSeconds = fact.compileSeconds;
  return result;
}

void Reporter::addValue(Operation *op, Value value, Attribute attribute, int64_t begin,
                        int64_t end) {
  auto slot = dyn_cast_or_null<SlotAttr>(attribute);
  if (!slot || slot.getKind() != SlotKind::arena)
    return;
  AffineExpr offset = getAffineConstantExpr(slot.getValue(), op->getContext());
  if (slot.getOffset())
    offset = slot.getOffset().getResult(0) + offset;
  std::string maker = isa<LoopOp>(op) ? "loop"
                      : isa<IfOp>(op) ? "if"
                                      : kernelName(cast<KernelOp>(op));
  std::string type;
  llvm::raw_string_ostream(type) << value.getType();
  report.values.push_back({maker, type, amount(offset), amount(shapes.bytes(value)), begin, end});
}

/// Does it lie where the result of an if around it does?
static bool isResultOfIf(OpResult value) {
  return isa<IfOp>(value.getOwner()->getParentOp()) &&
         llvm::any_of(value.getOwner()->getBlock()->getTerminator()->getOperands(),
                      [&](Value yielded) { return storageOf(yielded) == value; });
}

void Reporter::addValues(Operation *op) {
  auto [begin, end] = lifetimes.of(op);
  if (auto slots = op->getAttrOfType<ArrayAttr>("tenon.slots"))
    for (auto [value, slot] : llvm::zip(op->getResults(), slots))
      if (!isResultOfIf(value))
        addValue(op, value, slot, begin, lifetimes.lastUse(value));
  auto loop = dyn_cast<LoopOp>(op);
  if (!loop)
    return;
  auto arguments = loop->getAttrOfType<ArrayAttr>("tenon.body_slots");
  for (auto [argument, slot] : llvm::zip(loop.getBody().front().getArguments(), arguments))
    addValue(op, argument, slot, begin, end);
}

void Reporter::visit(Block &block, int64_t runs) {
  for (Operation &op : block) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      report.kernels.push_back(describe(kernel, runs));
      report.kernels.back().isConditional = bool(kernel->getParentOfType<IfOp>());
    } else if (!isa<LoopOp, IfOp>(op)) {
      continue;
    }
    addValues(&op);
    if (auto loop = dyn_cast<LoopOp>(op))
      visit(loop.getBody().front(), runs * int64_t(loop.getTrips()));
    if (isa<IfOp>(op))
      for (Region &region : op.getRegions())
        visit(region.front(), runs);
  }
}

ProgramReport Reporter::run() {
  report.name = function.getName().str();
  report.steps = lifetimes.numSteps();
  visit(function.getBody().front(), 1);
  Attribute arena = function->getAttr("tenon.arena");
  auto map = dyn_cast<AffineMapAttr>(arena);
  report.arena =
      amount(map ? map.getValue().getResult(0)
                 : getAffineConstantExpr(cast<IntegerAttr>(arena).getInt(), function.getContext()));
  return std::move(report);
}

FailureOr<ProgramReport> reportProgram(func::FuncOp function, ArrayRef<KernelFacts> facts,
                                       ArrayRef<int64_t> extents) {
  FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
  if (failed(shapes))
    return failure();
  if (!extents.empty() && extents.size() != shapes->numSymbols())
    return function.emitError("extents: expected a value for each of the ")
           << shapes->numSymbols() << " that are known at run time only, got " << extents.size();
  return Reporter(function, *shapes, facts, extents).run();
}

} // namespace tenon
