//===- TraceToIR.cpp - From a trace to the dialect ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/TraceToIR.h"

#include "frontend/TraceCheck.h"
#include "frontend/TraceRegions.h"
#include "ir/TenonOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {

namespace {

class Importer {
public:
  Importer(MLIRContext *context, const tenon_trace &trace, const TraceLoop &loop)
      : context(context), trace(trace), loop(loop), builder(context), regions(trace),
        bodies(regions.regions.size()) {}

  OwningOpRef<ModuleOp> run();

private:
  RankedTensorType type(int32_t value) {
    return tensorTypeOf(context, traceType(trace.values[value]));
  }
  Location locationOf(const tenon_trace_node &node);
  LogicalResult addNode(const tenon_trace_node &node, int32_t region);
  LogicalResult addNodes();
  void addIf(int32_t first);
  LogicalResult addCustom(const tenon_trace_node &node, int32_t region);
  void findWatched();
  Value lookup(int32_t region, int32_t value);
  LogicalResult addLoop(Block *entry, SmallVectorImpl<Value> &results);
  LogicalResult checkLoop();
  RankedTensorType stacked(RankedTensorType type);
  Attribute multiplesOf(int input, int64_t rank);

  MLIRContext *context;
  const tenon_trace &trace;
  const TraceLoop &loop;
  OpBuilder builder;
  TraceRegions regions;
  /// Of a region: its block until the op is there, what its values are in it, what it takes from
  /// outside, what gradients are taken by.
  struct Body {
    std::unique_ptr<Block> block;
    llvm::DenseMap<int32_t, Value> values;
    SmallVector<int32_t> used; ///< kept with the first body of an if
    llvm::DenseSet<int32_t> watched;
  };
  std::vector<Body> bodies;
};

} // namespace

Location Importer::locationOf(const tenon_trace_node &node) {
  const char *name = node.location >= 0 ? trace.locations[node.location] : nullptr;
  if (!name)
    return builder.getUnknownLoc();
  return NameLoc::get(builder.getStringAttr(name));
}

/// A value from outside enters both bodies of an if.
Value Importer::lookup(int32_t region, int32_t value) {
  if (Value known = bodies[region].values.lookup(value))
    return known;
  int32_t group = regions.regions[region].group;
  bodies[regions.bodyOf(group, true)].used.push_back(value);
  for (bool isThen : {true, false}) {
    Body &body = bodies[regions.bodyOf(group, isThen)];
    Value argument = body.block->addArgument(type(value), builder.getUnknownLoc());
    if (body.watched.contains(value)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(body.block.get());
      argument = builder.create<WatchOp>(builder.getUnknownLoc(), argument);
    }
    body.values[value] = argument;
  }
  return bodies[region].values[value];
}

LogicalResult Importer::addNode(const tenon_trace_node &node, int32_t region) {
  const infer::OpSpec &spec = infer::opSpec(node.op);
  Location location = locationOf(node);
  OperationState state(location, (TenonDialect::getDialectNamespace() + "." + spec.name).str());
  const int64_t *words = trace.words + node.first_word;
  for (int i = 0, n = infer::numAttrs(spec.schema); i < n; i++)
    if (infer::attrSpec(spec.schema, i).letter == 'e' &&
        !symbolizePredicate(infer::Attrs{spec.schema, words}.integer(i)))
      return emitError(location) << spec.name << ": unknown predicate "
                                 << infer::Attrs{spec.schema, words}.integer(i);

  SmallVector<int32_t> segments;
  for (int i = 0; i < node.num_operands; i++) {
    int32_t operand = trace.operands[node.first_operand + i];
    segments.push_back(operand >= 0);
    if (operand >= 0)
      state.operands.push_back(lookup(region, operand));
  }
  state.addAttributes(namedAttrs(context, spec.schema, words));
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
    segments.resize(spec.maxOperands, 0);
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  } else if (!std::is_sorted(segments.rbegin(), segments.rend())) {
    return emitError(location) << spec.name
                               << ": only the last operands may be absent, here operand "
                               << std::distance(segments.begin(), llvm::find(segments, 0));
  }
  for (int i = 0; i < node.num_results; i++)
    state.types.push_back(type(node.first_result + i));
  Operation *op = builder.create(state);
  for (OpResult result : op->getResults())
    bodies[region].values[node.first_result + int32_t(result.getResultNumber())] = result;
  return success();
}

/// The ifs of a group as one op; their bodies are complete.
void Importer::addIf(int32_t first) {
  const tenon_trace_node *node = trace.nodes + first;
  Location location = locationOf(*node);
  int32_t end = first, outside = regions.home[first];
  while (end < trace.num_nodes && regions.group[end] == first)
    end++;
  for (bool isThen : {true, false}) {
    int32_t region = regions.bodyOf(first, isThen);
    SmallVector<Value> yielded;
    for (int32_t n = first; n < end; n++)
      yielded.push_back(lookup(region, trace.operands[trace.nodes[n].first_operand + 2 - isThen]));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(bodies[region].block.get());
    builder.create<YieldOp>(location, yielded);
  }
  SmallVector<mlir::Type> types;
  for (int32_t n = first; n < end; n++)
    types.push_back(type(trace.nodes[n].first_result));
  SmallVector<Value> used;
  for (int32_t value : bodies[regions.bodyOf(first, true)].used)
    used.push_back(lookup(outside, value));
  auto op = builder.create<IfOp>(location, types,
                                 lookup(outside, trace.operands[node->first_operand]), used);
  op.getThenBody().push_back(bodies[regions.bodyOf(first, true)].block.release());
  op.getElseBody().push_back(bodies[regions.bodyOf(first, false)].block.release());
  for (int32_t n = first; n < end; n++)
    bodies[outside].values[trace.nodes[n].first_result] = op->getResult(n - first);
}

/// What gradients are taken by, in the region where they are.
void Importer::findWatched() {
  static const int gradient = infer::findOp("gradient");
  for (int32_t n = 0; n < trace.num_nodes; n++)
    if (trace.nodes[n].op == gradient)
      bodies[regions.home[n]].watched.insert(trace.operands[trace.nodes[n].first_operand + 1]);
}

/// The ops of a block between `inputs` and `results`, in order: what depends on an input, and
/// constants. What they need from elsewhere is added to `used`.
static SmallVector<Operation *> opsBetween(Block &block, ArrayRef<Value> inputs,
                                           ArrayRef<Value> results, SmallVectorImpl<Value> &used) {
  llvm::DenseSet<Value> dependent(inputs.begin(), inputs.end());
  for (Operation &op : block)
    if (llvm::any_of(op.getOperands(), [&](Value v) { return dependent.contains(v); }))
      dependent.insert(op.result_begin(), op.result_end());
  llvm::SetVector<Operation *> inside;
  SmallVector<Value> todo(results);
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (llvm::is_contained(inputs, value))
      continue;
    if (op && (dependent.contains(value) || op->getNumOperands() == 0)) {
      if (inside.insert(op))
        llvm::append_range(todo, op->getOperands());
    } else if (!llvm::is_contained(used, value)) {
      used.push_back(value);
    }
  }
  SmallVector<Operation *> ops = inside.takeVector();
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

/// The lines of a text.
static ArrayAttr linesOf(Builder builder, StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  return builder.getStrArrayAttr(lines);
}

LogicalResult Importer::addCustom(const tenon_trace_node &node, int32_t region) {
  infer::Attrs attrs{infer::opSpec(node.op).schema, trace.words + node.first_word};
  Location location = locationOf(node);
  AffineMapAttr groups[2];
  for (int i : {0, 1}) {
    StringRef text = attrs.text(2 + 2 * i);
    if (text.empty())
      continue;
    groups[i] = dyn_cast_or_null<AffineMapAttr>(
        parseAttribute(("affine_map<" + text + ">").str(), context));
    if (!groups[i])
      return emitError(location) << "custom: groups: expected an affine map, got " << text;
  }
  SmallVector<Value> inputs, results, used;
  for (int i = 0; i < node.num_operands; i++)
    (i < attrs.integer(0) ? inputs : results)
        .push_back(lookup(region, trace.operands[node.first_operand + i]));
  SmallVector<Operation *> ops = opsBetween(*builder.getInsertionBlock(), inputs, results, used);
  ArrayAttr backward = attrs.text(3).empty() ? ArrayAttr() : linesOf(builder, attrs.text(3));
  auto op =
      builder.create<CustomOp>(location, ValueRange(results).getTypes(), inputs, used,
                               linesOf(builder, attrs.text(1)), groups[0], backward, groups[1]);
  Block &body = op.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, body.addArgument(operand.getType(), location));
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  for (Operation *each : ops)
    inner.clone(*each, mapping);
  inner.create<YieldOp>(
      location, llvm::map_to_vector(results, [&](Value value) { return mapping.lookup(value); }));
  for (OpResult result : op->getResults())
    bodies[region].values[node.first_result + int32_t(result.getResultNumber())] = result;
  return verify(op);
}

LogicalResult Importer::addNodes() {
  static const int custom = infer::findOp("custom");
  findWatched();
  Block *whole = builder.getInsertionBlock();
  for (Body &body : llvm::drop_begin(bodies))
    body.block = std::make_unique<Block>();
  for (int32_t n = 0; n < trace.num_nodes; n++) {
    const tenon_trace_node &node = trace.nodes[n];
    int32_t region = regions.home[n];
    Body &body = bodies[region];
    builder.setInsertionPointToEnd(region == 0 ? whole : body.block.get());
    if (regions.group[n] == n)
      addIf(n);
    else if (regions.group[n] < 0 &&
             failed(node.op == custom ? addCustom(node, region) : addNode(node, region)))
      return failure();
    for (int32_t id = node.first_result; id < node.first_result + node.num_results; id++)
      if (body.watched.contains(id))
        body.values[id] = builder.create<WatchOp>(locationOf(node), body.values[id]);
  }
  builder.setInsertionPointToEnd(whole);
  return success();
}

LogicalResult Importer::checkLoop() {
  Location location = builder.getUnknownLoc();
  int64_t inputs = trace.num_inputs;
  if (loop.state < 0 || loop.invariant < 0 || loop.state >= inputs ||
      loop.invariant >= inputs - loop.state)
    return emitError(location) << "loop: " << loop.state << " carried and " << loop.invariant
                               << " invariant values and the trip do not fit " << inputs
                               << " inputs";
  if (loop.state > trace.num_outputs)
    return emitError(location) << "loop: expected at least " << loop.state << " outputs, got "
                               << trace.num_outputs;
  RankedTensorType trip = type(inputs - 1);
  if (trip.getRank() != 0 || !trip.getElementType().isInteger(64))
    return emitError(location) << "loop: expected the trip, an i64 scalar, as last input, got "
                               << trip;
  for (int i = 0; i < loop.state; i++)
    if (type(i) != type(trace.outputs[i]))
      return emitError(location) << "loop: carried value " << i << ": expected output of "
                                 << type(i) << ", got " << type(trace.outputs[i]);
  for (int i = 0; i < trace.num_outputs; i++)
    if (int32_t donated = trace.donates ? trace.donates[i] : -1; donated >= loop.state)
      return emitError(location) << "loop: output " << i << " donates input " << donated
                                 << ", which is not carried";
  return success();
}

RankedTensorType Importer::stacked(RankedTensorType type) {
  SmallVector<int64_t> shape{loop.trips};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult Importer::addLoop(Block *entry, SmallVectorImpl<Value> &results) {
  Location location = builder.getUnknownLoc();
  ValueRange arguments = entry->getArguments();
  ValueRange carried = arguments.take_front(loop.state);
  ValueRange invariant = arguments.take_back(loop.invariant);
  ValueRange scanned = arguments.drop_front(loop.state).drop_back(loop.invariant);
  SmallVector<mlir::Type> types(carried.getTypes());
  for (int i = loop.state; i < trace.num_outputs; i++)
    types.push_back(stacked(type(trace.outputs[i])));
  auto op = builder.create<LoopOp>(location, types, carried, scanned, invariant,
                                   builder.getI64IntegerAttr(loop.trips), UnitAttr());
  Block *body = builder.createBlock(&op.getBody());
  Value trip = body->addArgument(type(trace.num_inputs - 1), location);
  for (int i = 0; i + 1 < trace.num_inputs; i++)
    bodies[0].values[i] = body->addArgument(type(i), location);
  bodies[0].values[trace.num_inputs - 1] = trip;
  if (failed(addNodes()))
    return failure();
  SmallVector<Value> yielded;
  for (int i = 0; i < trace.num_outputs; i++)
    yielded.push_back(lookup(0, trace.outputs[i]));
  builder.create<YieldOp>(location, yielded);
  builder.setInsertionPointToEnd(entry);
  llvm::append_range(results, op.getResults());
  return success();
}

/// `tenon.multiple_of` of an argument; null where nothing is said. What a loop scans has one more
/// axis, in front.
Attribute Importer::multiplesOf(int input, int64_t rank) {
  SmallVector<int64_t> all(rank - trace.values[input].rank, 1);
  for (int axis = 0; axis < trace.values[input].rank; axis++)
    all.push_back(std::max<int64_t>(trace.multiples[input * TENON_TRACE_MAX_RANK + axis], 1));
  if (llvm::all_of(all, [](int64_t of) { return of == 1; }))
    return {};
  return builder.getDenseI64ArrayAttr(all);
}

OwningOpRef<ModuleOp> Importer::run() {
  Location location = builder.getUnknownLoc();
  if (loop.trips > 0 && failed(checkLoop()))
    return {};
  SmallVector<mlir::Type> inputs, outputs;
  int numInputs = loop.trips > 0 ? trace.num_inputs - 1 : trace.num_inputs;
  for (int i = 0; i < numInputs; i++) {
    bool scanned = loop.trips > 0 && i >= loop.state && i < numInputs - loop.invariant;
    inputs.push_back(scanned ? stacked(type(i)) : type(i));
  }
  for (int i = 0; i < trace.num_outputs; i++)
    outputs.push_back(loop.trips > 0 && i >= loop.state ? stacked(type(trace.outputs[i]))
                                                        : type(trace.outputs[i]));

  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  auto function =
      builder.create<func::FuncOp>(location, "main", builder.getFunctionType(inputs, outputs));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  SmallVector<Value> results;
  if (loop.trips > 0) {
    if (failed(addLoop(entry, results)))
      return {};
  } else {
    for (BlockArgument argument : entry->getArguments())
      bodies[0].values[int32_t(argument.getArgNumber())] = argument;
    if (failed(addNodes()))
      return {};
    for (int i = 0; i < trace.num_outputs; i++)
      results.push_back(lookup(0, trace.outputs[i]));
  }
  builder.create<func::ReturnOp>(location, results);
  for (int i = 0; i < trace.num_outputs; i++)
    if (trace.donates && trace.donates[i] >= 0)
      function.setResultAttr(i, "tenon.donates", builder.getI64IntegerAttr(trace.donates[i]));
  for (unsigned i = 0; i < inputs.size() && trace.multiples; i++)
    if (Attribute multiples = multiplesOf(int(i), cast<RankedTensorType>(inputs[i]).getRank()))
      function.setArgAttr(i, "tenon.multiple_of", multiples);
  return module;
}

OwningOpRef<ModuleOp> traceToIR(MLIRContext *context, const tenon_trace &trace,
                                const TraceLoop &loop) {
  return Importer(context, trace, loop).run();
}

} // namespace tenon
