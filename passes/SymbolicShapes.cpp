//===- SymbolicShapes.cpp - Extents as expressions ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/SymbolicShapes.h"

#include "ir/TenonOps.h"

#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;

namespace tenon {

//===----------------------------------------------------------------------===//
// Working out
//===----------------------------------------------------------------------===//

namespace {

using Extents = SmallVector<AffineExpr, 4>;

/// Goes through a function once. Extents may hold symbols that turn out to be
/// determined by others; they are resolved at the end.
class Worker {
public:
  Worker(MLIRContext *context, DenseMap<Value, Extents> &shapes)
      : solver(context), context(context), shapes(shapes) {}

  LogicalResult run(func::FuncOp function);
  ExtentSolver solver;

private:
  /// What `tenon.multiple_of` says of an argument.
  LogicalResult requireMultiples(func::FuncOp function, BlockArgument argument);
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult infer(Operation *op);
  LogicalResult visitBody(Operation *op);
  LogicalResult visitLoop(LoopOp op);
  LogicalResult visitIf(IfOp op);
  /// Gives a value the extents of where it comes from, which its type may state, too.
  LogicalResult setExtents(Operation *op, Value value, ArrayRef<AffineExpr> extents);
  /// Requires a value to have these extents.
  LogicalResult require(Operation *op, Value value, ArrayRef<AffineExpr> extents);
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, context); }
  bool isStatic(Operation *op);

  MLIRContext *context;
  DenseMap<Value, Extents> &shapes;
};

} // namespace

LogicalResult Worker::run(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return function.emitOpError("argument ")
             << argument.getArgNumber() << ": expected a ranked tensor, got " << argument.getType();
    Extents &extents = shapes[argument];
    for (int64_t extent : type.getShape())
      extents.push_back(ShapedType::isDynamic(extent) ? solver.addSymbol() : constant(extent));
    if (failed(requireMultiples(function, argument)))
      return failure();
  }
  infer::ExtentAlgebra::Scope scope(&solver);
  return visit(function.getBody().front());
}

LogicalResult Worker::requireMultiples(func::FuncOp function, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Attribute attribute = function.getArgAttr(number, kMultipleOf);
  if (!attribute)
    return success();
  auto fail = [&] {
    return function.emitOpError("argument ")
           << number << ": '" << kMultipleOf << "' is " << attribute << ", expected ";
  };
  auto type = cast<RankedTensorType>(argument.getType());
  auto multiples = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!multiples || multiples.size() != type.getRank())
    return fail() << "a number for each of " << type.getRank() << " axes of " << type;
  for (auto [axis, of] : llvm::enumerate(multiples.asArrayRef())) {
    if (of < 1 || of > kMostMultiple)
      return fail() << "numbers from 1 to " << kMostMultiple << ", got " << of << " on axis "
                    << axis;
    if (!type.isDynamicDim(axis) && type.getDimSize(axis) % of != 0)
      return fail() << "what divides the extent " << type.getDimSize(axis) << " of axis " << axis
                    << ", got " << of;
    solver.setOwner("input '" + nameOfInput(function, number) + "' axis " + std::to_string(axis));
    solver.requireMultiple(solver.extentOf(shapes[argument][axis]), of);
  }
  return success();
}

LogicalResult Worker::visit(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult Worker::visit(Operation *op) {
  for (OpResult result : op->getResults())
    if (!isa<RankedTensorType>(result.getType()))
      return op->emitOpError("result ")
             << result.getResultNumber() << ": expected a ranked tensor, got " << result.getType();
  if (isa<KernelOp, CustomOp>(op))
    return visitBody(op);
  if (auto loop = dyn_cast<LoopOp>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<IfOp>(op))
    return visitIf(branch);
  if (!isStatic(op) && isa<InferTypeOpInterface>(op))
    return infer(op);
  for (Value result : op->getResults()) {
    Extents extents;
    for (int64_t extent : tensorOf(result).getShape()) {
      if (ShapedType::isDynamic(extent))
        return op->emitOpError("has extents that no operand tells: ") << result.getType();
      extents.push_back(constant(extent));
    }
    shapes[result] = extents;
  }
  return success();
}

bool Worker::isStatic(Operation *op) {
  auto hasSymbols = [&](Value value) {
    return llvm::any_of(shapes[value], [](AffineExpr e) { return !isa<AffineConstantExpr>(e); });
  };
  return llvm::none_of(op->getOperands(), hasSymbols) &&
         llvm::all_of(op->getResults(), [](Value v) { return tensorOf(v).hasStaticShape(); });
}

/// By the rule of the op, on expressions.
LogicalResult Worker::infer(Operation *op) {
  SmallVector<infer::Type> operands;
  for (Value operand : op->getOperands()) {
    infer::Type type = *inferTypeOf(operand.getType());
    for (auto [i, extent] : llvm::enumerate(shapes[operand]))
      type.dims[i] = solver.extentOf(extent);
    operands.push_back(type);
  }
  solver.setOwner(op->getName().stripDialect().str());
  infer::Call call{};
  if (!inferCall(op->getName().getStringRef(), op->getAttrDictionary(), operands, call))
    return op->emitOpError() << StringRef(call.message);
  for (OpResult result : op->getResults()) {
    const infer::Type &type = call.results[result.getResultNumber()];
    Extents extents;
    for (int i = 0; i < type.rank; i++) {
      if (type.dims[i] == infer::kDynamic)
        return op->emitOpError("result ")
               << result.getResultNumber() << ": no operand tells the extent of axis " << i
               << " of " << result.getType();
      extents.push_back(solver.exprOf(type.dims[i]));
    }
    if (failed(setExtents(op, result, extents)))
      return failure();
  }
  return success();
}

/// An extent that the type states holds, whatever else may be known.
LogicalResult Worker::setExtents(Operation *op, Value value, ArrayRef<AffineExpr> extents) {
  Extents known;
  for (auto [extent, declared] : llvm::zip(extents, tensorOf(value).getShape()))
    known.push_back(ShapedType::isDynamic(declared) ? extent : constant(declared));
  shapes[value] = known;
  return require(op, value, extents);
}

static std::string textOf(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

LogicalResult Worker::require(Operation *op, Value value, ArrayRef<AffineExpr> extents) {
  for (auto [i, known, extent] : llvm::enumerate(shapes[value], extents))
    if (!solver.requireEqual(solver.extentOf(extent), solver.extentOf(known)))
      return op->emitOpError("expected a value of extent ")
             << textOf(solver.resolve(known)) << " on axis " << i << ", got "
             << textOf(solver.resolve(extent)) << " for " << value.getType();
  return success();
}

/// The body computes the results from the operands.
LogicalResult Worker::visitBody(Operation *op) {
  Block &body = op->getRegion(0).front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), op->getOperands()))
    if (failed(setExtents(op, argument, Extents(shapes[input]))))
      return failure();
  if (failed(visit(body)))
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
    if (failed(setExtents(op, result, Extents(shapes[value]))))
      return failure();
  return success();
}

LogicalResult Worker::visitLoop(LoopOp op) {
  Block &body = op.getBody().front();
  unsigned carried = op.getCarried().size();
  solver.setOwner("loop");
  shapes[op.getIndex()] = {};
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Extents extents = shapes[operand];
    bool scanned = i >= carried && i < carried + op.getScanned().size();
    if (scanned) {
      if (!solver.requireEqual(solver.extentOf(extents[0]), int64_t(op.getTrips())))
        return op.emitOpError("expected a scanned value of ")
               << op.getTrips() << " slices, got " << operand.getType();
      extents.erase(extents.begin());
    }
    if (failed(setExtents(op, body.getArgument(1 + i), extents)))
      return failure();
  }
  if (failed(visit(body)))
    return failure();
  solver.setOwner("loop");
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Extents extents = shapes[value];
    if (i < carried) {
      if (failed(require(op, body.getArgument(1 + i), extents)))
        return failure();
    } else {
      extents.insert(extents.begin(), constant(int64_t(op.getTrips())));
    }
    if (failed(setExtents(op, op->getResult(i), extents)))
      return failure();
  }
  return success();
}

/// Results have the extents that both bodies give.
LogicalResult Worker::visitIf(IfOp op) {
  for (bool isThen : {true, false}) {
    Block &body = op.getBranch(isThen);
    for (auto [argument, used] : llvm::zip(body.getArguments(), op.getUsed()))
      if (failed(setExtents(op, argument, Extents(shapes[used]))))
        return failure();
    if (failed(visit(body)))
      return failure();
    solver.setOwner("if");
    for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands())) {
      Extents extents = shapes[value];
      if (failed(isThen ? setExtents(op, result, extents) : require(op, result, extents)))
        return failure();
    }
  }
  return success();
}

/// From checks that a symbol, or a constant times a symbol, is a multiple of a constant.
void SymbolicShapes::findMultiples() {
  multiples.assign(symbols, 1);
  for (const ExtentCheck &check : required) {
    auto of = dyn_cast<AffineConstantExpr>(check.right);
    if (check.kind != TENON_CHECK_MULTIPLE || !of || of.getValue() < 1)
      continue;
    AffineExpr extent = check.left;
    int64_t factor = 1;
    auto product = dyn_cast<AffineBinaryOpExpr>(extent);
    if (product && extent.getKind() == AffineExprKind::Mul)
      if (auto constant = dyn_cast<AffineConstantExpr>(product.getRHS()))
        extent = product.getLHS(), factor = constant.getValue();
    auto symbol = dyn_cast<AffineSymbolExpr>(extent);
    if (!symbol || factor < 1)
      continue;
    int64_t &known = multiples[symbol.getPosition()];
    int64_t also = of.getValue() / std::gcd(of.getValue(), factor), common = std::gcd(known, also);
    known = known / common <= kMostMultiple / also ? known / common * also : std::max(known, also);
  }
}

std::string nameOfInput(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "tenon.name");
  return name ? name.str() : "input" + std::to_string(index);
}

FailureOr<SymbolicShapes> SymbolicShapes::compute(func::FuncOp function) {
  SymbolicShapes result(function.getContext());
  Worker worker(function.getContext(), result.shapes);
  if (failed(worker.run(function)))
    return failure();
  const ExtentSolver &solver = worker.solver;
  if (solver.numSymbols() == 0)
    return result;
  // Symbols that are left are numbered anew, in the order of the arguments.
  SmallVector<AffineExpr> numbers;
  for (unsigned i = 0; i < solver.numSymbols(); i++)
    numbers.push_back(getAffineSymbolExpr(solver.isFree(i) ? result.symbols++ : 0, result.context));
  auto settled = [&](AffineExpr expr) { return solver.resolve(expr).replaceSymbols(numbers); };
  for (auto &[value, extents] : result.shapes)
    for (AffineExpr &extent : extents)
      extent = settled(extent);
  for (ExtentCheck &check : solver.openChecks())
    result.required.push_back(
        {check.kind, settled(check.left), settled(check.right), std::move(check.what)});
  result.findMultiples();
  return result;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

ArrayRef<AffineExpr> SymbolicShapes::extents(Value value) const {
  auto it = shapes.find(value);
  assert(it != shapes.end() && "a value of another function");
  return it->second;
}

AffineExpr SymbolicShapes::elements(Value value) const {
  AffineExpr count = getAffineConstantExpr(1, context);
  for (AffineExpr extent : extents(value))
    count = productOf(count, extent);
  return count;
}

AffineExpr SymbolicShapes::bytes(Value value) const {
  return elements(value) * elementBytes(tensorOf(value).getElementType());
}

SmallVector<AffineExpr> SymbolicShapes::dynamicExtents(ValueRange values) const {
  SmallVector<AffineExpr> result;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [extent, known] : llvm::zip(extents(value), type.getShape()))
      if (ShapedType::isDynamic(known))
        result.push_back(extent);
  }
  return result;
}

} // namespace tenon
